/* SPDX-License-Identifier: MIT */
/*
 * Executions of test programs as graphs. Our operations are of no instruction set, so they get the
 * names of all: a full fence is a MFENCE, a SYNC, a DMB.SY and a fence rw,rw, whichever the model
 * speaks of.
 */
#pragma once

#include "base/memory.h"
#include "collider/check.h"
#include "judge/cat/cat_run.h"

/* By operation, of the whole program; what does not apply is ignored. */
typedef struct cat_execution {
    const col_program *program;
    const uint32_t
        *source;           /* of what reads: the write that it took its word from, or COL_INITIAL */
    const uint32_t *place; /* of what writes: in the order at its location; NULL: not known */
    const int64_t *begin, *end; /* times, or COL_NO_TIME; NULL: none at all */
    const bool *is_absent;      /* it has not happened, and is left out; NULL: all has */
} cat_execution;

/* Quick for this many; more are refused. */
enum { CAT_MOST_OPERATIONS = 4096 };

typedef struct cat_program_graph {
    cat_graph graph;
    uint32_t *read, *write; /* by operation: the event, if it reads or writes */
    uint32_t *initial;      /* by location: the event of its initial write */
    base_block block;       /* the three */
} cat_program_graph;

/* Start from {0}; make again freely. The graph is as the model wants it; without places, co has
 * only what initial writes come before. */
col_status cat_program_graph_make(cat_program_graph *made, const cat_execution *execution,
                                  const cat_model *model, col_problem *problem);
void cat_program_graph_free(cat_program_graph *made);

/* Why the model forbids the execution, in the form of the checkers' own violations. The texts of
 * mentions are left empty. */
col_status cat_program_explain(cat_run *run, uint32_t check, const cat_program_graph *made,
                               const cat_execution *execution, const cat_model *model,
                               col_violation *violation, col_problem *problem);
