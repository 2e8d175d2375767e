/* SPDX-License-Identifier: MIT */
/* Tours of two levels of caches that cover every transition. */
#ifndef TOUR_LEVELS_TOUR_H
#define TOUR_LEVELS_TOUR_H

#include "tour/levels.h"

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

#endif
