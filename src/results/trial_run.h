/* SPDX-License-Identifier: MIT */
/*
 * Running one trial, in this process: from its settings to a row of the store. What the design or
 * the settings make impossible is a row that says why; only a store or a memory that fails us is an
 * error.
 */
#pragma once

#include "base/memory.h"
#include "results/store/store.h"

#include <stdatomic.h>

/* Of the trial that a worker runs; all 0 until its first test. Each number is whole, but they may
 * be of two tests. */
typedef struct cam_pulse {
    _Atomic uint64_t tests, cycles;
    _Atomic uint32_t covered[COL_METRIC_COUNT], total[COL_METRIC_COUNT];
} cam_pulse;

typedef struct cam_job {
    const cam_trial *trial;
    const char *key, *design_hash, *host;
    const char *folder;       /* for temporary files; made when it is needed */
    bool keeps_failure;       /* its story and picture */
    cam_pulse *pulse;         /* where it says how far it has got; may be NULL */
    const volatile int *stop; /* not 0: give up, there will be no row */
} cam_job;

enum { CAM_MOST_FAILURES = 16 };

/* What came of it. Start from {0}; free at the end. */
typedef struct cam_outcome {
    cam_row row;
    cam_failure_row failures[CAM_MOST_FAILURES]; /* the first kinds that it met */
    uint32_t failure_count;
    bool was_stopped; /* the row means nothing */

    base_arena arena; /* of texts */
    col_episode episode;
    uint64_t *hits;
    uint32_t *first;
} cam_outcome;

void cam_trial_run(const cam_job *job, cam_outcome *outcome);
void cam_outcome_free(cam_outcome *outcome);

/* A row that says why there is no result. */
void cam_outcome_fail(cam_outcome *outcome, const char *reason);

/* What is the same for all rows of a trial. */
void cam_row_begin(cam_row *row, const cam_trial *trial, const char *key, const char *design_hash,
                   const char *host);

/* Puts the points of the trial's design into the store, unless they are there. */
col_status cam_design_store(cam_store *store, const cam_trial *trial, const char *hash,
                            col_problem *problem);

/* Everything but the tests of a study of locations. */
col_status cam_try_locations(const cam_trial *trial, col_problem *problem);
