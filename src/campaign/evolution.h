/* SPDX-License-Identifier: MIT */
/*
 * Coverage as it grew, of several trials: step curves put on one grid, and at each of its places
 * the quartiles over the trials. What a trial says after its end depends on why it ended.
 */
#ifndef CAMPAIGN_EVOLUTION_H
#define CAMPAIGN_EVOLUTION_H

#include "campaign/store.h"
#include "statistics/survival.h"

/* What coverage is plotted against. */
typedef enum cam_axis { CAM_CYCLES, CAM_SECONDS, CAM_TESTS, CAM_AXIS_COUNT } cam_axis;
extern const char *const cam_axes[CAM_AXIS_COUNT + 1];

/* What is known of a trial after its end. */
typedef enum cam_after {
    CAM_STAYS,   /* the engine was through, or everything was covered: it stays as it was */
    CAM_SPENT,   /* a budget ended it: it stays at what that bought, which is a bound */
    CAM_STOPPED, /* an error that was found, or a signal: nothing; it is left out */
} cam_after;

/* From x on, this many points were covered. */
typedef struct cam_step {
    double x;
    uint32_t covered;
} cam_step;

typedef struct cam_curve {
    const cam_step *steps; /* x and covered do not fall; before the first nothing is covered */
    size_t count;
    double end;
    cam_after after;
} cam_curve;

/* ---- From rows. */

double cam_row_end(const cam_row *row, cam_axis axis);
cam_after cam_row_after(const cam_row *row, col_metric metric);
/* `steps` has room for row->curve_count. */
cam_curve cam_row_curve(const cam_row *row, cam_axis axis, col_metric metric, cam_step *steps);

/* ---- One curve. */

/* What was covered at x; false: the trial was stopped before. */
bool cam_curve_at(const cam_curve *curve, double x, uint32_t *covered);
/* When this many were covered. Trials that stay without are never there (infinite), others censored
 * at their end. */
sta_observation cam_curve_reaches(const cam_curve *curve, uint32_t covered);

/* ---- Several. */

/* Fills in `count` places from 0 to `end`, the closer to each other the nearer to 0: that is where
 * curves rise. */
void cam_grid(double *x, size_t count, double end);
double cam_longest(const cam_curve *curves, size_t count);
/* Up to where no trial had ended by its budget or was stopped: there all figures are exact. */
double cam_known_to(const cam_curve *curves, size_t count);

typedef struct cam_band {
    double lower, median, upper; /* NAN where there is no trial left */
    size_t trials;               /* that these are of */
} cam_band;

/* The quartiles at each place of a grid that does not fall. */
col_status cam_evolve(const cam_curve *curves, size_t count, const double *x, size_t places,
                      cam_band *bands, col_problem *problem);

#endif
