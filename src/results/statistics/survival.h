/* SPDX-License-Identifier: MIT */
/*
 * Times until something happens, some of which are only known to be longer: a trial whose budget
 * was spent is censored there. Kaplan and Meier's estimate takes each trial for as long as it was
 * watched; where all that happened is known its median is the ordinary one.
 */
#ifndef RESULTS_STATISTICS_SURVIVAL_H
#define RESULTS_STATISTICS_SURVIVAL_H

#include "base/problem.h"

#include <stdbool.h>

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

#endif
