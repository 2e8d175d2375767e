/* SPDX-License-Identifier: MIT */
/* A judge from inside: instances (judge.c) and traces (judge_trace.c). */
#ifndef CAT_JUDGE_PARTS_H
#define CAT_JUDGE_PARTS_H

#include "cat/judge.h"

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
    const col_program *program; /* the one given, or `settled` */
    const col_program *given;
    col_program settled;      /* its conditionals are what they turned out to be */
    uint32_t count;           /* operations */
    cat_seen *seen;           /* by operation */
    uint32_t *source, *place; /* by operation: see cat_execution */
    bool *is_absent;          /* by operation */
    cat_word *words;          /* writes, sorted */
    size_t capacities[5];
    col_violation violation;
    const volatile int *stop;
};

/* Room for a program's operations. */
col_status cat_judge_reserve(cat_judge *judge, const col_program *program, col_problem *problem);

/* Why a test forbids the execution whose graph is loaded. */
col_status cat_judge_explain(cat_judge *judge, uint32_t check, const cat_execution *execution,
                             col_problem *problem);

#endif
