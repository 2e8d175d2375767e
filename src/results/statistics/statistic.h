/* SPDX-License-Identifier: MIT */
/*
 * Statistics by name: one figure from the trials of a cell (all seeds, and whatever else the cell
 * does not fix), and the same relative to another cell. Tables of the report and comparisons with
 * papers are made of these. docs/statistics.md defines each.
 */
#pragma once

#include "results/statistics/evolution.h"

struct cam_asking;
struct cam_reading;
struct cam_sample;

/* The names, ended by NULL. */
extern const char *const cam_statistics[];

/* What its parameter `at` is. */
typedef enum cam_at {
    CAM_AT_NOTHING, /* it has none */
    CAM_AT_AMOUNT,  /* of cycles or seconds */
    CAM_AT_PART     /* up to 1 */
} cam_at;

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
    bool is_censored; /* it is at least the value: fewer than half of the trials got there */
    double value;
    double low, high;   /* 95 %; both = value where there is one trial. high may be INFINITY */
    uint32_t found, of; /* trials that got there, and that were done; or scenarios, likewise */
} cam_answer;

/* A row of the table of statistic.c. More than 1 of a relative one always says that the trials are
 * better than the baseline. */
typedef struct cam_statistic {
    const char *name, *unit;
    const char *value; /* what it is, as docs say it */
    const char *field; /* of a tour's result */

    /* How it is worked out: statistic_sample.h. */
    void (*ask)(struct cam_asking *asking, cam_answer *answer);
    struct cam_reading (*read)(struct cam_asking *asking, const cam_row *row);
    void (*answer)(struct cam_asking *asking, const struct cam_sample *sample, cam_answer *answer);
    cam_measure *over; /* scenarios */
    bool is_share, is_geometric;

    bool is_relative;    /* it compares the trials with those of a baseline */
    bool is_of_machines; /* it is asked of one machine of the design */
    bool less_is_better; /* of the readings, such as times */
    unsigned parts;      /* of rows (CAM_CURVES) that it needs */
    cam_at at;
    cam_axis axis;
} cam_statistic;
/* NULL: there is none of this name. */
const cam_statistic *cam_statistic_find(const char *name);
/* Less of the figure is better; of ratios it never is. */
bool cam_statistic_less_is_better(const char *name);

/* Rows that are not done are left out. Needs the rows' curves where the statistic says so, else the
 * numbers alone. The seed is that of the bootstrap: the same rows give the same answer. */
col_status cam_ask(const cam_question *question, const cam_row *const *rows, size_t count,
                   const cam_row *const *baseline, size_t baseline_count, uint64_t seed,
                   cam_answer *answer, col_problem *problem);
