/* SPDX-License-Identifier: MIT */
/*
 * Coverage as it grew, of several trials: step curves put on one grid, and at each of its places
 * the quartiles over the trials. What a trial says after its end depends on why it ended.
 */
#pragma once

#include "results/statistics/significance.h"
#include "results/store/store.h"

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
void cam_places(double *x, size_t count, double end);
double cam_longest(const cam_curve *curves, size_t count);

typedef struct cam_band {
    double lower, median, upper; /* NAN where there is no trial left */
    size_t trials;               /* that these are of */
} cam_band;

/* The quartiles at each place of a grid that does not fall. */
col_status cam_evolve(const cam_curve *curves, size_t count, const double *x, size_t places,
                      cam_band *bands, col_problem *problem);

/*
 * Potential, effectiveness and effort in exposing an error: the thesis's metrics. They are about
 * scenarios, all tests of one setting of the generator, and say how much the choice of that setting
 * matters, how likely a test exposes the error, and what it costs until one does.
 */

/* Of all tests of a scenario, and of those among them that exposed the error. Cost is cycles or
 * seconds. */
typedef struct cam_exposure {
    uint64_t tests, failing_tests;
    double cost, failing_cost;
} cam_exposure;

/* At least one test exposed the error. */
bool cam_is_exposing(const cam_exposure *scenario);

/* What is measured of a scenario, or of that of two generators: then more than 1 says that the
 * first is better. What is of one generator leaves the second out. NAN where there is no such
 * thing.
 */
typedef double cam_measure(const cam_exposure *first, const cam_exposure *second);

/* 1 if it is exposing, else 0: the mean is the potential. */
cam_measure cam_exposes;
/* The fraction of the tests that did; NAN without tests. */
cam_measure cam_effectiveness;
/*
 * The effort EF(v). Exposing: as many tests that do not expose the error as come, on average,
 * before one that does, at their average cost, and one that does at theirs. The average number of
 * tests is rounded up. Else the cost of all tests: a bound.
 */
cam_measure cam_effort;
/* Which of the two are exposing: 1 or 0. */
cam_measure cam_joint, cam_only_first, cam_only_second, cam_neither;
/* The ratio of effectiveness, where both are exposing; that of effort, the second's to the first's.
 */
cam_measure cam_relative_effectiveness, cam_relative_effort;

/* The arithmetic or geometric mean over scenarios. `counts` says how often each counts (see
 * significance.h); NULL: once. NAN where there is no scenario to answer from. Those of two
 * generators have the same scenarios at the same places. */
double cam_mean_of(cam_measure *measure, bool is_geometric, const cam_exposure *first,
                   const cam_exposure *second, const uint32_t *counts, size_t count);

/*
 * Trials as they would be with another budget: tests that cost more than their cycles (--price),
 * and an earlier end (--until).
 */

/* What a simulator takes for each execution, whatever its length, as if it were cycles. */
uint64_t cam_paid(uint64_t cycles, double price, uint64_t tests);
void cam_charge(cam_row *row, double price, col_curve_point *curve);

/* Cuts an episode off at this cycle if it ran longer. The row must have its curve, unpacked:
 * without one, what was covered by then is unknown, and the row counts as failed. */
void cam_end_after(cam_row *row, uint64_t cycles);
