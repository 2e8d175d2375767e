/* SPDX-License-Identifier: MIT */
/*
 * How sure is an estimate? The bootstrap draws samples of the same size from the sample, with
 * repetition, and looks at how the estimate varies. A drawn sample is given as counts, how often
 * each item is in it: what is sorted stays sorted, and estimating again is one pass.
 */
#ifndef STATISTICS_BOOTSTRAP_H
#define STATISTICS_BOOTSTRAP_H

#include "base/problem.h"

/* Drawn unless told otherwise. One more divides well: the interval's ends are drawn values. */
enum { STA_RESAMPLES = 999 };

/* NAN: there is none of this sample. Infinite ones count as such. */
typedef double (*sta_estimator)(void *context, const uint32_t *counts);

typedef struct sta_resampling {
    const size_t *strata; /* sizes of the samples; each is drawn from by itself */
    size_t stratum_count;
    uint32_t resamples; /* 0: STA_RESAMPLES */
    double level;       /* 0: 0.95 */
    uint64_t seed;
} sta_resampling;

typedef struct sta_interval {
    double low, high;
} sta_interval;

/* The percentiles of the estimates. Both ends are NAN if no sample had one. */
col_status sta_bootstrap(const sta_resampling *resampling, sta_estimator estimator, void *context,
                         sta_interval *interval, col_problem *problem);

/* The probability behind `found` of `of` trials, 95 %: Wilson's score interval. Unlike the
 * bootstrap's it has a width where all or none did. */
sta_interval sta_share_interval(uint64_t found, uint64_t of);

#endif
