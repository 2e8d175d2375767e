/* SPDX-License-Identifier: MIT */
/* Opens everything that the trials of a plan need, once, so that a misspelt design is reported
 * before the first trial runs and not at three in the morning. Reading a plan opens nothing. */
#ifndef RESULTS_PLAN_PLAN_TRY_H
#define RESULTS_PLAN_PLAN_TRY_H

#include "base/hash.h"
#include "results/plan/plan.h"

/* Each design with its cores, options and errors; each engine on it with its bounds; each study of
 * locations with its mixes; whether there are such tours. Of mutants, which may have to be
 * compiled, the one with the greatest number. */
col_status cam_plan_try(const cam_plan *plan, col_problem *problem);

/* Which combinations of a few settings occur in a plan: its designs, the values of one axis, its
 * groups. */

/* Names to tell trials apart by, instead of a list: all settings, and all but the seed. */
extern const char *const cam_all_settings[];
extern const char *const cam_all_but_seed[];

typedef struct cam_distinct {
    const cam_plan *plan; /* must outlive this, as must the names */
    const char *const *names;
    size_t count;      /* of combinations */
    size_t *positions; /* of the first trial with each, in the plan's order */
    size_t *trials;    /* how many have it */
    base_index index;  /* of combinations */
} cam_distinct;

/* `names` ends with NULL. Trials of different kinds are never the same. Start from {0}; free also
 * after an error. */
col_status cam_distinct_find(cam_distinct *distinct, const cam_plan *plan, const char *const *names,
                             col_problem *problem);
void cam_distinct_free(cam_distinct *distinct);

/* Which combination a trial has, of this plan or another; SIZE_MAX: none of these. */
size_t cam_distinct_place(const cam_distinct *distinct, const cam_trial *trial);

#endif
