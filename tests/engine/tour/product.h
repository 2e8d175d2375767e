/* SPDX-License-Identifier: MIT */
/*
 * The oracle of the global state space: the product of little per-cache machines, each cache a
 * letter, as a protocol's own table has it. Slow, and nothing is known in advance of what can be
 * reached.
 */
#ifndef TESTS_TOUR_PRODUCT_H
#define TESTS_TOUR_PRODUCT_H

#include "engine/tour/state_space.h"
#include "engine/tour/tour.h"

/* What each cache is: letters of I S E M O. */
typedef struct product_state {
    char letters[TOUR_MOST_CORES + 1];
} product_state;

product_state product_initial(const tour_space *space);
/* False: there is no such operation in this state. */
bool product_step(const tour_space *space, product_state *state, tour_operation operation);

/* The letters of a state of the space under test. */
product_state product_of(const tour_space *space, const tour_state *state);

/* A sink's, into the executor; the context is a tour_count. The test fails if an operation is
 * impossible. */
bool count_one(void *context, tour_operation operation);

/* A sink's that has enough when the number that the context points to is down to 0. */
bool count_down(void *context, tour_operation operation);

#endif
