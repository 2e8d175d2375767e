/* SPDX-License-Identifier: MIT */
/*
 * How long will the trials of a plan take? Told by what was measured before: finished trials of the
 * same group, else the rates of trials of the same design, cores and engine, else those of a short
 * calibration. A budget of time is a bound.
 */
#pragma once

#include "results/plan/trial.h"
#include "results/store/store.h"

/* What the estimate of a trial is from. */
typedef enum cam_basis {
    CAM_BASIS_RESULTS,     /* finished trials of its group */
    CAM_BASIS_RATES,       /* finished trials of its design, cores and engine */
    CAM_BASIS_CALIBRATION, /* a run of a fraction of a second */
    CAM_BASIS_BUDGET,      /* of time */
    CAM_BASIS_NONE,        /* nothing but what such trials usually take */
    CAM_BASIS_COUNT
} cam_basis;

typedef struct cam_estimate {
    const cam_plan *plan;
    double *seconds;      /* of each trial, of one processor; a bound where it may end early */
    bool *is_done;        /* it is in the store */
    cam_distinct classes; /* of design, cores and engine */
    size_t done;
    size_t trials[CAM_BASIS_COUNT]; /* that are not done, by what the estimate is from */
    double remaining;               /* seconds of those that are not done */
    double longest;                 /* of these */
} cam_estimate;

/* `store` may be NULL: there are no results yet. Without `calibrates` nothing is run. Start from
 * {0}; free also after an error. */
col_status cam_estimate_make(cam_estimate *estimate, const cam_plan *plan, cam_store *store,
                             bool calibrates, const volatile int *stop, col_problem *problem);
void cam_estimate_free(cam_estimate *estimate);

/* With this many workers, if all is as estimated. */
double cam_estimate_wall(const cam_estimate *estimate, uint32_t jobs);

/* ---- While a campaign runs: the estimate is corrected by what trials took. */

typedef struct cam_pace {
    const cam_estimate *estimate;
    struct cam_pace_class {
        double expected, taken; /* of trials that ended */
        double left;            /* as expected, of those that have not ended */
    } * classes;                /* one more: of all */
} cam_pace;

col_status cam_pace_begin(cam_pace *pace, const cam_estimate *estimate, col_problem *problem);
void cam_pace_free(cam_pace *pace);
void cam_pace_end_trial(cam_pace *pace, size_t position, double seconds);
/* Seconds of one processor until all has ended, without `spent` on those that run; below 0: not
 * known yet. */
double cam_pace_left(const cam_pace *pace, double spent);
