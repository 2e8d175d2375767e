/* SPDX-License-Identifier: MIT */
/* Into the executor: see counting.h. */
#include "counting.h"

#include "harness.h"

bool count_one(void *context, tour_operation operation) {
    const bool is_possible = tour_count_take(context, operation);
    if (!is_possible) /* asked first: an assertion for each operation takes long */
        fail();
    return is_possible;
}
