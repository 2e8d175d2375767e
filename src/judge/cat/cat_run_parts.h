/* SPDX-License-Identifier: MIT */
/* A run from inside: values of formulas (cat_evaluate.c), tests (cat_run.c), reasons
 * (cat_explain.c). */
#pragma once

#include "base/memory.h"
#include "judge/cat/cat_run.h"

/* From this size on the value of a formula is dropped as soon as nothing needs it any more. */
enum { CAT_LARGE = 512 };

/* Blocks of one size, for sets or for relations. */
typedef struct cat_pool {
    uint64_t **spare;
    size_t count, capacity;
    size_t words; /* of a block */
} cat_pool;

/* Numbers, list after list. */
typedef struct cat_lists {
    uint32_t *items;
    size_t *starts; /* by list, and the end of the last one */
} cat_lists;

/* An order that the model chooses: cat_run.c. */
typedef struct cat_order {
    uint64_t *relation;
    uint32_t *members; /* of the set; those of one location together, if each has its own order */
    uint32_t *order;   /* the member at each place: its number */
    bool *is_placed;   /* by member */
    uint32_t count;
    base_block block; /* all of these */
} cat_order;

struct cat_run {
    const cat_model *model;
    const cat_graph *graph;
    cat_size size;
    bool is_whole;         /* all that follows from the model is there: values may be forgotten */
    uint64_t **values;     /* by formula, or NULL; of names of the graph: the graph's own */
    uint8_t *is_known;     /* by formula: the value is right */
    uint8_t *is_wanted;    /* by formula: to be computed now; else all 0 */
    uint8_t *is_moved;     /* by formula: it changed in this round of a fixed point */
    uint32_t *users;       /* by formula: how many others need it still; of large runs */
    uint64_t ***variables; /* by fixed point and place */
    cat_lists needs;       /* by test: the formulas that it takes, operands first */
    cat_lists members;     /* by fixed point: the formulas that have its variables in them */
    uint32_t *order;       /* the tests by their levels */
    base_block block;      /* what is by formula, fixed point or test */
    cat_pool sets, relations;
    cat_order choices[CAT_MOST_CHOICES];
    uint64_t *nothing; /* zeros: what is empty in the graph */
    size_t nothing_words;
    uint32_t *room;
    size_t room_capacity;
    bool keeps; /* nothing is dropped: a test is to be explained */
};

/* Makes the value of the test's formula known. */
col_status cat_run_compute(cat_run *run, uint32_t check, col_problem *problem);

/* Gives all values back. */
void cat_run_forget(cat_run *run);

/* Nothing is known, and each formula has all its users. */
void cat_run_begin_large(cat_run *run);

void cat_pool_free(cat_pool *pool);
