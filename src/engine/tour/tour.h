/* SPDX-License-Identifier: MIT */
/*
 * The executor that judges tours: it runs a stream of operations on the global state machine,
 * refuses what cannot be done, and counts the transitions that were taken. It knows nothing of how
 * a tour is made.
 */
#ifndef ENGINE_TOUR_TOUR_H
#define ENGINE_TOUR_TOUR_H

#include "base/problem.h"
#include "engine/tour/state_space.h"

typedef struct tour_count {
    tour_space space;
    tour_state state;       /* where the tour stands */
    uint64_t cost, covered; /* operations taken; different transitions among them */
    uint64_t *taken;        /* a bit for each state, kind and core */
} tour_count;

/* Bytes that counting takes. */
uint64_t tour_count_bytes(const tour_space *space);
col_status tour_count_begin(tour_count *count, const tour_space *space, col_problem *problem);
void tour_count_end(tour_count *count);

/* False, and nothing changes: the operation is not possible here. */
bool tour_count_take(tour_count *count, tour_operation operation);

/* How deep a function goes into its stack, measured: it runs on a stack that was painted. */

/* `bytes` is what it took beyond a function that does nothing. */
col_status tour_measure_stack(void (*run)(void *context), void *context, uint64_t *bytes,
                              col_problem *problem);

#endif
