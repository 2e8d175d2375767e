/* SPDX-License-Identifier: MIT */
/*
 * Are two samples different, and by how much? Ranks alone count: nothing is assumed of how coverage
 * or times are distributed. Where samples are small the probabilities are exact, ties included.
 */
#pragma once

#include "base/problem.h"

#include <stdbool.h>

/* So many values in both samples together are compared exactly. */
enum { STA_MOST_EXACT = 64 };

/*
 * The Mann-Whitney U test, two-sided. Exact: the share of all ways to split the values into samples
 * of these sizes that put U as far from its mean as it is, or farther; with ties, too, whose values
 * have their mean rank. Otherwise the normal distribution, corrected for ties and for continuity.
 */
typedef struct sta_comparison {
    double u;         /* pairs in which the first sample's value is the greater; ties count half */
    double p;         /* the chance of this, or more, if nothing made the samples differ */
    double advantage; /* Vargha and Delaney's A12: u as a fraction of all pairs, 0.5 is none */
    bool is_exact;
} sta_comparison;

/* Refused: a sample without values, a value that is no number. Infinite ones are only ranked. */
col_status sta_compare(const double *first, size_t first_count, const double *second,
                       size_t second_count, sta_comparison *comparison, col_problem *problem);

/* Holm's correction for making several comparisons: the probabilities to hold against a level, so
 * that the chance of any false finding among them keeps to it. */
void sta_correct(const double *p, size_t count, double *corrected);

typedef struct sta_quartiles {
    double least, lower, median, upper, most;
} sta_quartiles;

/* The quartile q of sorted x[0] to x[n - 1] is at x[(n - 1) q / 4], in between by proportion: the
 * definition that R and NumPy take if not told otherwise. Sorts the values, of which there must be
 * one or more, none of them no number. */
sta_quartiles sta_summarise(double *values, size_t count);

/*
 * How sure is an estimate? The bootstrap draws samples of the same size from the sample, with
 * repetition, and looks at how the estimate varies. A drawn sample is given as counts, how often
 * each item is in it: what is sorted stays sorted, and estimating again is one pass.
 */

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

/*
 * Times until something happens, some of which are only known to be longer: a trial whose budget
 * was spent is censored there. Kaplan and Meier's estimate takes each trial for as long as it was
 * watched; where all that happened is known its median is the ordinary one.
 */

/* Infinite and no event: it will never happen, such as when the engine was through before. */
typedef struct sta_observation {
    double time;
    bool is_event; /* false: censored, watched in vain for so long */
} sta_observation;

/* By time, and events first: the order follows from the observations. */
void sta_sort_observations(sta_observation *observations, size_t count);

/* When a share of the trials had got there; INFINITY: that is not known to happen. If the estimate
 * stays at exactly this share for a while, it is the middle of that while, as for the median of an
 * even number of values. `counts` says how often each of the sorted observations is there; NULL:
 * once. */
double sta_event_quantile(const sta_observation *sorted, const uint32_t *counts, size_t count,
                          double share);

/* Do two samples get there at different speeds? Mantel's log-rank test, two-sided. Its usual
 * probability is for large samples, and with ten trials each finds differences too easily; so `p`
 * is how often chance, dealing the same observations out, makes as much of a difference. */
typedef struct sta_log_rank {
    double observed, expected; /* events of the first sample */
    double statistic;          /* chi squared, one degree of freedom */
    double p;                  /* by 9999 permutations: not below 0.0001 */
    double large_p;            /* by the distribution of chi squared */
} sta_log_rank;
col_status sta_compare_survival(const sta_observation *first, size_t first_count,
                                const sta_observation *second, size_t second_count, uint64_t seed,
                                sta_log_rank *result, col_problem *problem);
