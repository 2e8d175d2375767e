/* SPDX-License-Identifier: MIT */
/*
 * The least flow that makes a graph balanced: which arcs a postman must take more than once. Each
 * arc may be repeated as often as needed and costs one each time.
 */
#ifndef ENGINE_TOUR_POSTMAN_FLOW_H
#define ENGINE_TOUR_POSTMAN_FLOW_H

#include "base/problem.h"

#include <stdbool.h>

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

/*
 * A shortest walk that takes every arc of a graph: the directed Chinese postman, exactly, for any
 * graph that fits in memory. The graph is given by what each operation leads to; the walk starts in
 * state 0 and ends anywhere.
 */

#define TOUR_NO_STATE UINT32_MAX

typedef struct tour_graph {
    uint32_t states;
    uint32_t operations;
    uint32_t (*next)(const void *context, uint32_t state, uint32_t operation); /* or no state */
    const void *context;
} tour_graph;

typedef struct tour_walk_sink {
    bool (*take)(void *context, uint32_t operation); /* false: enough */
    void *context;
} tour_walk_sink;

/* `peak_bytes`, where not NULL, gets about what was needed for it. */
col_status tour_graph_walk(const tour_graph *graph, tour_walk_sink sink, uint64_t *peak_bytes,
                           col_problem *problem);

#endif
