/* SPDX-License-Identifier: MIT */
/*
 * What the shortest tour costs: the directed Chinese postman problem, solved exactly. Renaming
 * cores maps the space onto itself, so it is solved for classes of states that differ by names
 * alone; there are about two for each core, however large the space.
 */
#ifndef TOUR_OPTIMUM_H
#define TOUR_OPTIMUM_H

#include "base/problem.h"
#include "tour/space.h"

typedef struct tour_optimum {
    uint64_t open;   /* operations of a shortest tour that starts in the initial state */
    uint64_t closed; /* of one that also returns to it */
} tour_optimum;

col_status tour_find_optimum(const tour_space *space, tour_optimum *optimum, col_problem *problem);

#endif
