/* SPDX-License-Identifier: MIT */
/*
 * The baseline: for each transition a shortest test from the global invalid state, found by breadth
 * first search, then a reset. A store and its eviction reset any state; without stores all holders
 * evict. Memory grows with the number of states.
 */
#ifndef TOUR_BFS_H
#define TOUR_BFS_H

#include "base/problem.h"
#include "tour/space.h"

/* Ends early, without an error, when the sink has enough. `bytes` is the memory it took. */
col_status tour_bfs(const tour_space *space, tour_sink sink, uint64_t *bytes, col_problem *problem);

#endif
