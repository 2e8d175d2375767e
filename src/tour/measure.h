/* SPDX-License-Identifier: MIT */
/* How deep a function goes into its stack, measured: it runs on a stack that was painted. */
#ifndef TOUR_MEASURE_H
#define TOUR_MEASURE_H

#include "base/problem.h"

/* `bytes` is what it took beyond a function that does nothing. */
col_status tour_measure_stack(void (*run)(void *context), void *context, uint64_t *bytes,
                              col_problem *problem);

#endif
