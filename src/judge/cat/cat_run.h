/* SPDX-License-Identifier: MIT */
/*
 * Judging executions by a model. A run keeps what it computed: from one candidate to the next only
 * what depends on what changed is computed again.
 *
 *   cat_run_load(run, graph)              another program
 *   cat_run_change(run, CAT_WITH_RF)      the graph has another rf, and co
 *   cat_run_change(run, CAT_WITH_CO)      the graph has another co
 *   cat_run_judge(run, CAT_WITH_RF, ...)  by the tests that do not need co: to leave out early
 *   cat_run_judge(run, CAT_WITH_CO, ...)  by all of them
 * Of a model that chooses orders itself (with gmo from ...), between the last two:
 *   cat_run_choose_first(run, ...)        then judge with CAT_WITH_ALL
 *   cat_run_choose_next(run, ...)         until there are no more
 */
#pragma once

#include "judge/cat/cat_model.h"
#include "judge/cat/execution_graph.h"

typedef struct cat_run cat_run;

/* The model must stay as it is. */
col_status cat_run_new(cat_run **run, const cat_model *model, col_problem *problem);
void cat_run_free(cat_run *run);

/* The graph must stay. */
col_status cat_run_load(cat_run *run, const cat_graph *graph, col_problem *problem);
void cat_run_change(cat_run *run, cat_level level);

/* The orders that the model chooses itself, for the graph's rf and co: the first ones, and the next
 * ones until there are none. A model that chooses nothing has one way to do so. */
col_status cat_run_choose_first(cat_run *run, bool *is_there, col_problem *problem);
col_status cat_run_choose_next(cat_run *run, bool *is_there, col_problem *problem);

typedef struct cat_verdict {
    bool is_allowed;
    uint32_t check; /* of the model: the first that fails, if one does */
} cat_verdict;

/* By the tests up to a level. Fails if a fixed point is not reached, an assertion of the model does
 * not hold, or memory runs out. With CAT_WITH_PART_OF_CO, by the tests that, if they fail now, fail
 * with any order that has these pairs and more. */
col_status cat_run_judge(cat_run *run, cat_level level, cat_verdict *verdict, col_problem *problem);

/* ---- Why. */

/* `name` of `inverse` reads name^-1. */
typedef struct cat_step {
    uint32_t from, to; /* events */
    const char *name;  /* of the relation */
    bool is_inverse;
} cat_step;

typedef struct cat_explanation {
    cat_step *steps; /* each begins where the one before it ends */
    size_t count, capacity;
    bool is_cycle; /* and the last one ends where the first one begins */
} cat_explanation;

/* Why this test fails: a cycle that should not be, or a pair that should not be related, through
 * the relations of the graph. There are no steps if something should be that is not. */
col_status cat_run_explain(cat_run *run, uint32_t check, cat_explanation *why,
                           col_problem *problem);
void cat_explanation_free(cat_explanation *why);
