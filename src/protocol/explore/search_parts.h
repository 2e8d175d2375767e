/* SPDX-License-Identifier: MIT */
/* A search under way: what it knows, what waits, how far it is, and what its files do with it.
 * Private to src/protocol/explore. */
#pragma once

#include "protocol/explore/search_worker.h"

/*
 * The steps between the states of a search, for what cannot be seen in one state: 12 bytes a step,
 * and 24 a state.
 */

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

typedef struct search {
    const exp_exploration_settings *settings;
    exp_exploration *result;
    worker *workers; /* the first has the caller's system */
    uint32_t worker_count;
    thread_team *team; /* NULL: no batch was large enough yet */
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

/* How the cell at this place was reached first by any worker (exp_first); 0: it was not. */
uint64_t exp_search_first(const search *x, size_t place);
/* The most messages under way to each buffer, of any worker. */
void exp_search_bounds(const search *x, uint8_t bounds[EXP_MOST_BUFFERS]);

/*
 * Batches (state_batch.c): states of one depth that are looked at together, by one worker if they
 * are few, else by all. What comes of them does not depend on how many workers there are.
 */

/* The next states, all of one depth, are taken from the queue. False: the temporary file fails, or
 * there is no memory. */
bool exp_batch_fill(search *x);

/* All steps from the states of the batch; what ends the search before is in the first worker's
 * `end`. `*is_full`: memory ends it; then the batch has only states that were looked at, maybe
 * none. False: no memory. */
bool exp_batch_expand(search *x, bool *is_full);

/* What was found, in the order of the states that it was found from. False: no memory. */
bool exp_batch_gather(search *x);

/* A state that was found. False: no memory. */
bool exp_search_add(search *x, const found_state *found);
/* What all workers have found so far. */
void exp_search_count(search *x);
/* Memory that it takes, but for the table of known states. */
uint64_t exp_search_other_bytes(const search *x);

/*
 * Traces (search_trace.c): the way to a state, told with the names that cores and blocks have from
 * the beginning: a search that renames states knows it by the names of each state.
 */

/* Takes the steps of a search to a state, which becomes the origin of steps, in `image` (with room
 * for the largest); its hash. False: one fails. */
bool exp_trace_follow(worker *w, const uint16_t *choices, uint32_t length, uint8_t *image,
                      uint64_t *hash);

/* The steps to the cell that is in the witness: the choices of the search to a state, and the last.
 * False: no memory. */
bool exp_witness_make(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                      exp_witness *witness);

/* Takes the steps to a state again, and a last one, and writes them down; the world is there then.
 * False: no memory. */
bool exp_trace_walk(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                    base_text *trace);

/* Takes the steps to a failure again and writes them down, with the failure as the last line.
 * False: no memory. */
bool exp_trace_write(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                     base_text *trace);

/* Writes the messages under way into a text: who "does not take" them, or "has" them. */
void exp_trace_flights(const worker *w, base_text *text, const char *what);

/*
 * A search in a file, between two batches (search_file.c): the hashes of known states, how each
 * state was found, and which cells were reached. The states that wait are not in it: they are found
 * again by the steps that lead to them, so that nothing of a file is taken for a state.
 */

/* Refused: the file is there and is no saved search, or cannot be written. */
col_status exp_save_check_place(const char *path, col_problem *problem);

/* Replaces the file. */
col_status exp_save_write(const search *x, const char *path, col_problem *problem);

/* Do cores of the saved search repeat requests that the protocol has begun with? */
col_status exp_save_remembers(const char *path, bool *remembers, col_problem *problem);

/* Into a search that has not begun: all but the states that wait. */
col_status exp_save_read(search *x, const char *path, col_problem *problem);

/* What was read of `path` becomes a search that goes on, unless it is stopped before, which is its
 * limit then. Refused: the steps are not the design's. */
col_status exp_restore(search *x, const char *path, col_problem *problem);

/*
 * Livelocks (state_graph.c): states from which something can never happen again, whatever cores and
 * messages do. Of every state there must be a way on which a given core completes a load, and a
 * store, of a given block, and one to a state without messages under way.
 */

/* The marks of each state become those that it can get to. Steps have the numbers of states. */
void exp_livelock_mark(state_graph *graph, uint32_t cores, uint32_t blocks);

/* Of a complete search: the first state with less than all marks that it can get to is a mistake,
 * with the way there. False: no memory. */
bool exp_livelock_find(search *x);

/* A complete search as a graph in DOT, the language of Graphviz. */

/* States by their numbers, steps with what they do. False: no memory. */
bool exp_draw(search *x, base_text *text);
