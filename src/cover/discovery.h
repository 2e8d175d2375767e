/* SPDX-License-Identifier: MIT */
/*
 * How many coverage points more testing is going to discover, from how many points few tests have
 * hit so far: those that one test has hit stand for those that none has (Good and Turing). Numbers
 * alone; docs/discovery.md has the formula, and how often it was right.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { COV_FEW = 5 };

/* What is known after some tests. */
typedef struct cov_incidence {
    uint64_t tests;
    uint32_t hit_by[COV_FEW]; /* points that 1, 2, ... tests have hit */
    uint64_t least; /* the fewest tests that have hit a covered point; 0: none is covered */
    uint32_t left;  /* points that are neither covered nor ruled out */
} cov_incidence;

/* New points in the tests to come. */
typedef struct cov_forecast {
    double expected, chance; /* the chance of at least one */
    uint32_t low, high;      /* the interval that has 90 % of the probability */
} cov_forecast;

/* Forecasts were calibrated from this many tests on, and this many times as many ahead. */
enum { COV_LEAST_TESTS = 128, COV_MOST_AHEAD = 15 };

/* For `ahead` times as many tests as there were: 1 is as long again. Rounded to thousandths, so
 * that it is the same on any machine. */
cov_forecast cov_forecast_of(const cov_incidence *incidence, double ahead);
