/* SPDX-License-Identifier: MIT */
/* Tours of two levels of caches that cover every transition. */
#ifndef ENGINE_TOUR_LEVELS_TOUR_H
#define ENGINE_TOUR_LEVELS_TOUR_H

#include "base/problem.h"
#include "engine/tour/levels.h"
#include "engine/tour/state_space.h"

/* Made on the fly in memory linear in the cores. SI: an Euler tour, every transition once. The
 * others: a walk of the same structure, with the stores of each state and the way back from them,
 * and such a walk for each owner. False: the sink had enough. */
bool tour_levels_euler(const tour_levels_space *space, tour_sink sink);

/* A shortest tour. But for SI: by minimum-cost flow on the whole space, which must fit in memory.
 */
col_status tour_levels_postman(const tour_levels_space *space, tour_sink sink, uint64_t *peak_bytes,
                               col_problem *problem);
/* Is it small enough? */
col_status tour_levels_postman_check(const tour_levels_space *space, col_problem *problem);

/* The cost of a shortest tour, for any size: by symmetry, a flow between kinds of states is enough.
 */
col_status tour_levels_optimum(const tour_levels_space *space, uint64_t *cost,
                               col_problem *problem);

/*
 * What the shortest tour costs: the directed Chinese postman problem, solved exactly. Renaming
 * cores maps the space onto itself, so it is solved for classes of states that differ by names
 * alone; there are about two for each core, however large the space.
 */

typedef struct tour_optimum {
    uint64_t open;   /* operations of a shortest tour that starts in the initial state */
    uint64_t closed; /* of one that also returns to it */
} tour_optimum;

col_status tour_find_optimum(const tour_space *space, tour_optimum *optimum, col_problem *problem);

#endif
