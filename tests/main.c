/* SPDX-License-Identifier: MIT */
/* The main of tests that need no other: see harness.h. */
#include "harness.h"

int main(void) {
    return run_all_tests(NULL, NULL);
}
