/* SPDX-License-Identifier: MIT */
/*
 * Judging by a cat model what the checkers judge by theirs: an instance from its events, which show
 * the order of writes, and a trace, where that order is searched for.
 */
#pragma once

#include "judge/cat/program_graph.h"

typedef struct cat_judge cat_judge;

/* By the model in a file; or by a text of cat_whole, if it is not NULL: then `path` is only what
 * violations call a model that has no title. */
col_status cat_judge_new(cat_judge **judge, const char *text, const char *path,
                         const cat_sources *sources, col_problem *problem);
void cat_judge_free(cat_judge *judge);

/* The checkers have this model, too, and are quicker: `*which` says as which. */
bool cat_judge_is_built_in(const cat_judge *judge, col_model *which);

/* ---- Instances, as with a col_checker; but the verdict comes at the end. */

/* Refuses programs of more than CAT_MOST_OPERATIONS. The program must stay as it is. */
col_status cat_judge_load(cat_judge *judge, const col_program *program, col_problem *problem);
void cat_judge_restart(cat_judge *judge);
void cat_judge_notice(cat_judge *judge, const col_event *event);

/* The instance has ended. One that is not complete is judged as far as it came. */
col_status cat_judge_finish(cat_judge *judge, bool complete, bool *is_allowed,
                            col_problem *problem);

/* ---- Traces. */

/* Without a budget a search ends after this many seconds. */
enum { CAT_SEARCH_SECONDS = 10 };

col_status cat_judge_trace(cat_judge *judge, const col_trace *trace,
                           const col_trace_settings *settings, col_verdict *verdict,
                           col_problem *problem);

/* A judge from inside: instances (cat_judge.c) and traces (cat_judge_trace.c). */

/* What an operation was seen to do. */
typedef struct cat_seen {
    uint64_t read, left, replaced; /* words */
    bool is_performed, is_load;
} cat_seen;

/* A write by a word that it left or replaced. */
typedef struct cat_word {
    uint64_t word;
    uint32_t location, write;
} cat_word;

struct cat_judge {
    cat_model model;
    cat_run *run;
    cat_program_graph graph;
    bool is_built_in;
    col_model built_in;
    const col_program *program; /* the original, or `resolved` */
    const col_program *original;
    col_program resolved;     /* its conditionals are what they turned out to be */
    uint32_t count;           /* operations */
    cat_seen *seen;           /* by operation */
    uint32_t *source, *place; /* by operation: see cat_execution */
    bool *is_absent;          /* by operation */
    cat_word *words;          /* writes, sorted */
    base_block block;         /* the five */
    col_violation violation; /* what is wrong with what was forbidden last; where no order of writes
                              * is allowed, with the last one tried */
    const volatile int *stop; /* NULL, or: a search also ends, undecided, once it is not 0 */
};

/* Room for a program's operations. */
col_status cat_judge_reserve(cat_judge *judge, const col_program *program, col_problem *problem);

/* Why a test forbids the execution whose graph is loaded. */
col_status cat_judge_explain(cat_judge *judge, uint32_t check, const cat_execution *execution,
                             col_problem *problem);
