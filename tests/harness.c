/* SPDX-License-Identifier: MIT */
/* The tests of a program, as constructors have added them, in any order: see harness.h. */
#include "harness.h"

#include <stdlib.h>

static struct CMUnitTest tests[100];
static int lines[sizeof tests / sizeof tests[0]];
static size_t count;

void add_test(const char *name, CMUnitTestFunction test, CMFixtureFunction setup,
              CMFixtureFunction teardown, int line) {
    size_t at = count++;
    if (at == sizeof tests / sizeof tests[0])
        abort();
    for (; at > 0 && lines[at - 1] > line; at--) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = (struct CMUnitTest){name, test, setup, teardown, NULL};
    lines[at] = line;
}

int run_all_tests(CMFixtureFunction setup, CMFixtureFunction teardown) {
    return _cmocka_run_group_tests("tests", tests, count, setup, teardown);
}
