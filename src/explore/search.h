/* SPDX-License-Identifier: MIT */
/* A search under way: what it knows, what waits, how far it is. Private to src/explore. */
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include "explore/crew.h"
#include "explore/graph.h"
#include "explore/paths.h"
#include "explore/worker.h"

typedef struct search {
    const exp_exploration_settings *settings;
    exp_exploration *result;
    worker *workers; /* the first has the caller's system */
    uint32_t worker_count;
    crew *crew; /* NULL: no batch was large enough yet */
    batch *batch;
    claim_table claims;
    known_states known;
    found_paths paths;
    image_queue queue;
    state_graph graph;              /* if it is wanted */
    uint64_t number;                /* states that were looked at */
    uint64_t depth_end;             /* states before this are at the present depth */
    uint64_t old_states, old_steps; /* found before the workers began: of a search that goes on */
    double start, saved_at;
    const char *limit;  /* that was met; NULL: none */
    uint64_t broken_at; /* the state where something is wrong */
    uint32_t broken_by;
    bool refused; /* what is wrong: a request is not taken */
} search;

/* How the cell was reached first by any worker (exp_first); 0: it was not. */
uint64_t exp_search_first(const search *x, const exp_cell *cell);
/* The most messages under way to each buffer, of any worker. */
void exp_search_bounds(const search *x, uint8_t bounds[EXP_MOST_BUFFERS]);

#endif
