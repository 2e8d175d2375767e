/* SPDX-License-Identifier: MIT */
/*
 * The steps between the states of a search, for what cannot be seen in one state: 12 bytes a step,
 * and 24 a state.
 */
#ifndef PROTOCOL_EXPLORE_STATE_GRAPH_H
#define PROTOCOL_EXPLORE_STATE_GRAPH_H

#include "protocol/explore/search_state.h"

/* A renaming in a number: three bits for each core, then two for each block. */
uint32_t exp_renaming_pack(const exp_renaming *names, uint32_t cores, uint32_t blocks);
static inline uint32_t exp_renamed_core(uint32_t renaming, uint32_t core) {
    return renaming >> 3 * core & 7;
}
static inline uint32_t exp_renamed_block(uint32_t renaming, uint32_t block) {
    return renaming >> (3 * EXP_MOST_CORES + 2 * block) & 3;
}

/* Start from {0}. States are numbered in the order in which they are found. */
typedef struct state_graph {
    uint64_t *hashes; /* of each state: its hash */
    uint64_t count, capacity;
    uint64_t *firsts; /* of each state that was looked at: its first step */
    uint64_t *marks;  /* and what the search says of it */
    uint64_t expanded, firsts_capacity, marks_capacity;
    uint64_t *targets;   /* of each step: the hash of the state it leads to, then its number */
    uint32_t *renamings; /* how that state was renamed */
    uint64_t steps, targets_capacity, renamings_capacity;
} state_graph;

/* False: no memory. A state is looked at after its steps were added. */
bool exp_graph_add_state(state_graph *graph, uint64_t hash);
bool exp_graph_add_step(state_graph *graph, uint64_t target, uint32_t renaming);
bool exp_graph_end_state(state_graph *graph, uint64_t marks);

/* When all states are known: steps have the numbers of their targets from now on. False: no memory,
 * or a step strays to a state that is not there. */
bool exp_graph_number(state_graph *graph, bool *strays);

/* The steps of a state: from this one up to that of the next state. */
static inline uint64_t exp_graph_first(const state_graph *graph, uint64_t state) {
    return state < graph->expanded ? graph->firsts[state] : graph->steps;
}

uint64_t exp_graph_bytes(const state_graph *graph);
void exp_graph_free(state_graph *graph);

#endif
