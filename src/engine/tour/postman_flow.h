/* SPDX-License-Identifier: MIT */
/*
 * The least flow that makes a graph balanced: which arcs a postman must take more than once. Each
 * arc may be repeated as often as needed and costs one each time.
 */
#ifndef TOUR_FLOW_H
#define TOUR_FLOW_H

#include "base/problem.h"

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

#endif
