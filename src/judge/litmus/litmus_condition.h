/* SPDX-License-Identifier: MIT */
/* Final states of a litmus test, how often each came, and what that says about its condition. */
#pragma once

#include "base/text.h"
#include "judge/litmus/litmus_reader.h"

typedef struct lit_outcome {
    uint64_t *values;  /* of lit_test.items that are shown, as their types have them */
    uint32_t width;    /* how many */
    bool is_forbidden; /* by the model, where somebody judged it */
    uint64_t count;
} lit_outcome;

typedef struct lit_outcomes {
    lit_outcome *states;
    size_t count, capacity;
    uint64_t holds, fails; /* executions for which the condition does, or does not */
    bool is_cut;           /* a loop would have gone on */
    base_arena arena;      /* the values */
} lit_outcomes;

/* Start from {0}, then for each test. */
void lit_outcomes_begin(lit_outcomes *outcomes);
/* A final state, `times` times; a state that the filter does not let pass is left out. `values` are
 * changed to what their types have. `number` may be NULL; outcomes->count: it was left out. */
col_status lit_outcomes_add(lit_outcomes *outcomes, const lit_test *test, uint64_t *values,
                            uint64_t times, size_t *number, col_problem *problem);
void lit_outcomes_free(lit_outcomes *outcomes);

/* In the order of their values. */
void lit_outcomes_sort(lit_outcomes *outcomes);

/* How many of the states are among these? */
size_t lit_outcomes_shared(const lit_outcomes *outcomes, const lit_outcomes *others);

bool lit_holds(const lit_test *test, const lit_formula *formula, const uint64_t *values);
/* What the quantifier says: exists, for all, or for none. */
bool lit_outcomes_are_expected(const lit_outcomes *outcomes, const lit_test *test);

/* Allowed, Forbidden, Required: what the condition says of itself. */
const char *lit_kind(const lit_test *test);
/* Never, Sometimes, Always. */
const char *lit_observation(const lit_outcomes *outcomes);

/* As herd7 writes them: "0:x5=1; [x]=2;", "exists (0:x5=1)". */
void lit_write_state(base_text *text, const lit_test *test, const uint64_t *values);
void lit_write_condition(base_text *text, const lit_test *test);

/* The whole result in herd7's words; or, with how often each state came, in litmus7's. */
void lit_write_result(base_text *text, const lit_test *test, const lit_outcomes *outcomes,
                      bool is_histogram);
