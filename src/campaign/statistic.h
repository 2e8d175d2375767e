/* SPDX-License-Identifier: MIT */
/*
 * Statistics by name: one figure from the trials of a cell (all seeds, and whatever else the cell
 * does not fix), and the same relative to another cell. Tables of the report and comparisons with
 * papers are made of these. docs/statistics.md defines each.
 */
#ifndef CAMPAIGN_STATISTIC_H
#define CAMPAIGN_STATISTIC_H

#include "campaign/store.h"

/*
 * The names, ended by NULL:
 * - of coverage: coverage (median final fraction, of tours too), reached (of what is known to be
 *   reachable), covered (median points), coverage-max (most covered by any trial, as a fraction),
 *   coverage-at (fraction when `at` cycles were spent), coverage-at-seconds, coverage-at-part (when
 *   the part `at` of the trial's own budget of cycles was), cycles-to-coverage,
 *   seconds-to-coverage, tests-to-coverage (until the fraction `at`; censored); relative:
 *   relative-coverage, speedup-to-coverage
 * - of errors: found (fraction of trials that found the error), cycles-to-error, seconds-to-error,
 *   tests-to-error (medians; trials that did not find it are censored), mean-cycles-to-error (of
 *   the trials that found it), scenarios-found (fraction of scenarios in which at least the
 *   fraction `at` of the trials found it); relative: relative-cycles-to-error,
 *   relative-seconds-to-error, relative-tests-to-error
 * - of the thesis: potential, effectiveness, effort (cycles), effort-seconds: over scenarios, the
 *   combinations of the settings that `per` names (NULL: cores, ops and locations); relative:
 *   relative-effectiveness, relative-effort, relative-effort-seconds; of two generators: joint
 *   (both expose), only-first, only-second (the baseline), neither
 * - of locations: location-coverage (median over (core, location) pairs of a machine, and then over
 *   trials or, with `per`, scenarios), of trials of kind locations; relative:
 *   relative-location-coverage
 * - of tours: states, transitions, cost, cost-per-transition, tour-seconds, peak-bytes, cost-at
 *   (operations until the fraction `at` is covered); relative: relative-cost
 *
 * More than 1 of a relative one always says that the trials are better than the baseline.
 */
extern const char *const cam_statistics[];
const char *cam_statistic_unit(const char *statistic);
/* It compares the trials with those of a baseline. */
bool cam_statistic_is_relative(const char *statistic);

/* What its parameter `at` is. */
typedef enum cam_at {
    CAM_AT_NOTHING, /* it has none */
    CAM_AT_AMOUNT,  /* of cycles or seconds */
    CAM_AT_PART     /* up to 1 */
} cam_at;
cam_at cam_statistic_at(const char *statistic);
/* It is asked of one machine of the design. */
bool cam_statistic_is_of_machines(const char *statistic);

typedef struct cam_question {
    const char *statistic;
    double at;           /* 0 where it has no meaning */
    const char *machine; /* of location-coverage; NULL: the first */
    const char *per;     /* "ops,locations"; NULL */
    col_metric metric;
    bool no_interval; /* low = high = value, which saves the time of a bootstrap */
} cam_question;

typedef struct cam_answer {
    bool is_known;    /* false: no trial to answer from */
    bool is_censored; /* the value is a bound: it is at least this (less than half of the trials got
                         there) */
    double value;
    double low,
        high; /* an interval of 95 %; both = value where there is one trial. high may be INFINITY */
    uint32_t found, of; /* trials that found it, or got there; all that were done. Of statistics
                           over scenarios: these */
} cam_answer;

/* Rows that are not done are left out. Needs the rows' curves where the statistic says so
 * (cam_statistic_parts), else the numbers alone. The seed is that of the bootstrap: the same rows
 * give the same answer. */
col_status cam_ask(const cam_question *question, const cam_row *const *rows, size_t count,
                   const cam_row *const *baseline, size_t baseline_count, uint64_t seed,
                   cam_answer *answer, col_error *error);

/* The parts of rows (CAM_CURVES) that it needs. */
unsigned cam_statistic_parts(const char *statistic);
/* Less of it is better, such as of times; of relative ones never. */
bool cam_statistic_less_is_better(const char *statistic);

#endif
