/* SPDX-License-Identifier: MIT */
/* Tours that cover every transition of a state space, by how they are made; and what they cost. */
#pragma once

#include "engine/tour/state_space.h"

/* Who takes a tour, operation by operation, as it is made; false: enough. */
typedef struct tour_sink {
    bool (*take)(void *context, col_tour_operation operation);
    void *context;
} tour_sink;

/*
 * The baseline: for each transition a shortest test from the global invalid state, found by breadth
 * first search, then a reset. A store and its eviction reset any state; without stores all holders
 * evict. Memory grows with the number of states; it is `bytes`. Ends early, without an error, when
 * the sink has enough.
 */
col_status tour_bfs(const tour_space *space, tour_sink sink, uint64_t *bytes, col_problem *problem);

/* Out of parts that have Euler tours of their own: hypercubes and a clique. It is made as it goes,
 * in memory that does not depend on the number of states. False: the sink had enough. */
bool tour_euler(const tour_space *space, tour_sink sink);

/* A shortest tour: in as few operations as any walk needs that may end where it likes. Made on the
 * fly, in memory linear in the cores: no state is remembered. False: the sink had enough. */
bool tour_postman(const tour_space *space, tour_sink sink);

/* ---- Of two levels of caches. */

/* Made on the fly in memory linear in the cores. SI: an Euler tour, every transition once. The
 * others: a walk of the same structure, with the stores of each state and the way back from them,
 * and such a walk for each owner. False: the sink had enough. */
bool tour_levels_euler(const tour_space *space, tour_sink sink);

/* A shortest tour. But for SI: by minimum-cost flow on the whole space, which must fit in memory;
 * `peak_bytes` gets about what was needed for it. */
col_status tour_levels_postman(const tour_space *space, tour_sink sink, uint64_t *peak_bytes,
                               col_problem *problem);
/* Is it small enough? */
col_status tour_levels_postman_check(const tour_space *space, col_problem *problem);

/* ---- Of any space. */

/* What a shortest tour costs: the directed Chinese postman problem, solved exactly. Renaming cores
 * and clusters maps the space onto itself, so it is solved for classes of states that differ by
 * names alone; of one level there are about two for each core, however large the space. */
col_status tour_find_optimum(const tour_space *space, uint64_t *cost, col_problem *problem);

/*
 * The least flow that makes a graph balanced: which arcs a postman must take more than once. Each
 * arc may be repeated as often as needed and costs one each time.
 */

typedef struct tour_flow_arc {
    uint32_t from, to;
} tour_flow_arc;

typedef struct tour_flow_task {
    uint32_t nodes;
    uint32_t start; /* where a walk begins */
    size_t arc_count;
    const tour_flow_arc *arcs;
    const int64_t *supply; /* of each node: how many more arcs lead in than out; sums to 0 */
} tour_flow_task;

typedef struct tour_flow_cost {
    uint64_t least;  /* of a flow that takes each supply to where some lacks */
    uint64_t saving; /* how much less it may be if the walk need not return to its start */
} tour_flow_cost;

/* `flow`, by arc, and `distance`, by node, prove the result (either may be NULL): along an arc the
 * distance grows by one at most, and by exactly one along those with flow. A supply that cannot get
 * to where some lacks, or a node that the start does not lead to, is refused. */
col_status tour_least_flow(const tour_flow_task *task, uint64_t *flow, int64_t *distance,
                           tour_flow_cost *cost, col_problem *problem);

/* How deep a function goes into its stack, measured: it runs on a stack that was painted. `bytes`
 * is what it took beyond a function that does nothing. */
col_status tour_measure_stack(void (*run)(void *context), void *context, uint64_t *bytes,
                              col_problem *problem);
