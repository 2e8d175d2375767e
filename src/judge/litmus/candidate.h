/* SPDX-License-Identifier: MIT */
/*
 * Candidate executions for one choice of paths: events of all threads with their values, the graph
 * for the model, sources of reads and orders of writes. candidate.c makes the events and computes
 * values; litmus_judge.c enumerates orders of writes.
 */
#pragma once

#include "judge/cat/cat_run.h"
#include "judge/litmus/thread_paths.h"

enum { LIT_NO_EVENT = UINT32_MAX };

typedef struct lit_access {
    uint32_t event;  /* of the graph */
    uint32_t thread; /* or CAT_NO_THREAD */
    uint32_t inside; /* its number in the path, or the cell of an initial write */
    uint32_t cell;   /* of lit_test.parts, as everywhere here */
    uint32_t instance;
    bool reads, writes;
    uint32_t first, count; /* the parts of the whole access; of an initial write: of the cell */
    uint32_t source;       /* of what reads: the access; LIT_NO_EVENT: not chosen yet */
} lit_access;

typedef struct lit_candidate {
    const lit_test *test;
    const lit_path **paths; /* by thread */
    bool is_coherent;       /* of the model: it keeps every location coherent */
    cat_graph graph;
    lit_access *accesses; /* initial writes, then thread by thread, in program order */
    uint32_t access_count;
    uint32_t *reads; /* accesses */
    uint32_t read_count;
    uint32_t *first_access; /* of each thread */
    /* Values of the paths' nodes, as far as they follow from the sources: those of a thread come
     * from node_start on. */
    uint32_t *node_start;
    uint64_t *values;
    bool *is_known;
    /* Orders of writes, cell by cell: that of cell c has the places from cell_start[c] on. */
    uint32_t *cell_start;
    uint32_t *writes; /* accesses, without initial ones */
    uint64_t *before; /* of each of them: the writes of the cell that come before it, as bits */
    uint32_t *order;  /* the write at each place: its number in the cell */
    base_block by_test, by_paths;         /* all arrays: by thread or cell; the others */
    bool needs_finals, needs_same_values; /* the model does */
    bool has_all_names; /* fences, acquire and release have those of our own models, too */
    bool needs_order;   /* else only the last write of each cell is chosen */
} lit_candidate;

/* Start from {0}. For another test. */
col_status lit_candidate_begin(lit_candidate *c, const lit_test *test, bool is_coherent,
                               col_problem *problem);
void lit_candidate_free(lit_candidate *c);

/* The events of c->paths, in the graph. */
col_status lit_candidate_make(lit_candidate *c, const cat_model *model, col_problem *problem);

/* What a node of the thread's path is. */
static inline uint64_t lit_candidate_value(const lit_candidate *c, uint32_t thread,
                                           lit_value node) {
    return c->values[c->node_start[thread] + node];
}

/* May the read take its value from the access? */
bool lit_candidate_may_read(const lit_candidate *c, const lit_access *read, uint32_t source);

/* Computes what follows from the sources that were chosen. False: a path demands otherwise. */
bool lit_candidate_compute(lit_candidate *c);
/* Is everything known? */
bool lit_candidate_is_solved(const lit_candidate *c);

/* Puts the sources into the graph. */
col_status lit_candidate_relate_sources(lit_candidate *c);
