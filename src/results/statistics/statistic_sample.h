/* SPDX-License-Identifier: MIT */
/*
 * What statistics are made from: a reading of each trial of a cell. A value is a time at which
 * something surely happened, so that medians of values and of censored times are one thing.
 */
#pragma once

#include "results/statistics/evolution.h"
#include "results/statistics/statistic.h"

typedef struct cam_reading {
    bool is_there; /* the trial has such a thing */
    bool is_found; /* it got there; of values: it is no bound */
    sta_observation observation;
    double end; /* what a bound is if nothing else is known */
} cam_reading;

typedef struct cam_asking {
    cam_question question;
    const cam_statistic *statistic;
    const cam_row *const *rows, *const *baseline;
    size_t count, baseline_count;
    uint64_t seed;
    cam_step *steps; /* of the curve being read */
    size_t step_capacity;
    col_status status; /* not COL_OK: what went wrong first is in `problem`, answers mean nothing */
    col_problem *problem;
} cam_asking;

/* The readings of rows, sorted; with the question's `per` the medians of its scenarios. */
typedef struct cam_sample {
    sta_observation *observations;
    size_t count, capacity, found;
    double longest, ends; /* the last end of a trial, and the sum of all */
    bool is_bound;        /* more than half of the values are bounds */
} cam_sample;

void cam_sample_take(cam_asking *asking, const cam_row *const *rows, size_t count,
                     cam_sample *sample);
void cam_sample_scenarios(cam_asking *asking, const cam_row *const *rows, size_t count,
                          cam_sample *sample);
/* INFINITY: not known to be reached. */
double cam_sample_median(const cam_sample *sample);

/* By the bootstrap; NAN: no sample that was drawn had an estimate. */
sta_interval cam_draw(cam_asking *asking, const size_t *strata, size_t count,
                      sta_estimator estimator, void *context);

/* ---- Readings of a trial. */

typedef cam_reading cam_reader_of(cam_asking *asking, const cam_row *row);
cam_reader_of cam_read_coverage, cam_read_reached, cam_read_covered, cam_read_at, cam_read_at_part,
    cam_read_to_coverage, cam_read_to_error, cam_read_tour, cam_read_cost_at, cam_read_location;

/* ---- Answers from readings: of a sample one of the second line. */

typedef void cam_asker(cam_asking *asking, cam_answer *answer);
cam_asker cam_ask_median, cam_ask_sample, cam_ask_speedup, cam_ask_overtake;
typedef void cam_answerer(cam_asking *asking, const cam_sample *sample, cam_answer *answer);
cam_answerer cam_answer_most, cam_answer_share, cam_answer_mean;
