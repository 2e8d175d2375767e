/* SPDX-License-Identifier: MIT */
/*
 * A shortest walk that takes every arc of a graph: the directed Chinese postman, exactly, for any
 * graph that fits in memory. The graph is given by what each operation leads to; the walk starts in
 * state 0 and ends anywhere.
 */
#ifndef TOUR_GRAPH_H
#define TOUR_GRAPH_H

#include "base/problem.h"

#include <stdbool.h>

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
