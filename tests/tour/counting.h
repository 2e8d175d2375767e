/* SPDX-License-Identifier: MIT */
/* A tour's way into the executor, for tests of those who make tours. */
#ifndef TESTS_TOUR_COUNTING_H
#define TESTS_TOUR_COUNTING_H

#include "tour/count.h"

/* A sink's; the context is a tour_count. The test fails if an operation is impossible. */
bool count_one(void *context, tour_operation operation);

#endif
