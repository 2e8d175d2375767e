/* SPDX-License-Identifier: MIT */
/*
 * Statistics by name: one figure from the trials of a cell (all seeds, and whatever else the cell
 * does not fix), and the same relative to another cell. Tables of the report and comparisons with
 * papers are made of these. docs/statistics.md defines each.
 */
#ifndef RESULTS_STATISTICS_STATISTIC_H
#define RESULTS_STATISTICS_STATISTIC_H

#include "results/store/store.h"

/* The names, ended by NULL; the table of statistic.c has them all. More than 1 of a relative one
 * always says that the trials are better than the baseline. */
extern const char *const cam_statistics[];
const char *cam_statistic_unit(const char *statistic);
/* What it is, as docs say it. */
const char *cam_statistic_value(const char *statistic);
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
                   cam_answer *answer, col_problem *problem);

/* The parts of rows (CAM_CURVES) that it needs. */
unsigned cam_statistic_parts(const char *statistic);
/* Less of it is better, such as of times; of relative ones never. */
bool cam_statistic_less_is_better(const char *statistic);

#endif
