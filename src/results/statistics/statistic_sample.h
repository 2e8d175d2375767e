/* SPDX-License-Identifier: MIT */
/*
 * What statistics are made from: a reading of each trial of a cell. A value is a time at which
 * something surely happened, so that medians of values and of censored times are one thing.
 */
#ifndef RESULTS_STATISTICS_STATISTIC_SAMPLE_H
#define RESULTS_STATISTICS_STATISTIC_SAMPLE_H

#include "results/statistics/evolution.h"
#include "results/statistics/statistic.h"

typedef struct cam_asking cam_asking;

typedef struct cam_reading {
    bool is_there; /* the trial has such a thing */
    bool is_found; /* it got there; of values: it is no bound */
    sta_observation observation;
    double end; /* what a bound is if nothing else is known */
} cam_reading;

typedef struct cam_statistic {
    const char *name, *unit, *value;
    col_status (*ask)(cam_asking *asking, cam_answer *answer, col_problem *problem);
    col_status (*read)(cam_asking *asking, const cam_row *row, cam_reading *reading,
                       col_problem *problem);
    double (*over)(const cam_exposure *first, const cam_exposure *second, const uint32_t *counts,
                   size_t count); /* scenarios */
    const char *field;            /* of a tour's result */
    cam_axis axis;
    cam_at at;
    unsigned parts;
    bool is_relative, less_is_better, is_share;
} cam_statistic;

struct cam_asking {
    cam_question question;
    const cam_statistic *statistic;
    const cam_row *const *rows, *const *baseline;
    size_t count, baseline_count;
    uint64_t seed;
    cam_step *steps; /* of the curve being read */
    size_t step_capacity;
};

/* ---- Readings of a trial. */

col_status cam_read_coverage(cam_asking *asking, const cam_row *row, cam_reading *r,
                             col_problem *e);
col_status cam_read_reached(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e);
col_status cam_read_covered(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e);
col_status cam_read_at(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e);
col_status cam_read_at_part(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e);
col_status cam_read_to_coverage(cam_asking *asking, const cam_row *row, cam_reading *r,
                                col_problem *e);
col_status cam_read_to_error(cam_asking *asking, const cam_row *row, cam_reading *r,
                             col_problem *e);
col_status cam_read_tour(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e);
col_status cam_read_cost_at(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e);
col_status cam_read_location(cam_asking *asking, const cam_row *row, cam_reading *r,
                             col_problem *e);

/* ---- Answers from readings. */

col_status cam_ask_median(cam_asking *asking, cam_answer *answer, col_problem *problem);
col_status cam_ask_most(cam_asking *asking, cam_answer *answer, col_problem *problem);
col_status cam_ask_share(cam_asking *asking, cam_answer *answer, col_problem *problem);
col_status cam_ask_mean(cam_asking *asking, cam_answer *answer, col_problem *problem);
col_status cam_ask_speedup(cam_asking *asking, cam_answer *answer, col_problem *problem);
col_status cam_ask_overtake(cam_asking *asking, cam_answer *answer, col_problem *problem);

/* ---- Answers over scenarios. */

col_status cam_ask_exposure(cam_asking *asking, cam_answer *answer, col_problem *problem);
col_status cam_ask_scenarios_found(cam_asking *asking, cam_answer *answer, col_problem *problem);

/* The readings of rows, sorted; with the question's `per` the medians of its scenarios. */
typedef struct cam_sample {
    sta_observation *observations;
    size_t count, capacity, found;
    double longest, ends; /* the last end of a trial, and the sum of all */
    bool is_bound;        /* more than half of the values are bounds */
} cam_sample;

col_status cam_sample_take(cam_asking *asking, const cam_row *const *rows, size_t count,
                           cam_sample *sample, col_problem *problem);
col_status cam_sample_scenarios(cam_asking *asking, const cam_row *const *rows, size_t count,
                                cam_sample *sample, col_problem *problem);
void cam_sample_free(cam_sample *sample);
/* INFINITY: not known to be reached. */
double cam_sample_median(const cam_sample *sample);

#endif
