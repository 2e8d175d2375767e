/* SPDX-License-Identifier: MIT */
/*
 * Times until something happens, some of which are only known to be longer: a trial whose budget
 * was spent is censored there. Kaplan and Meier's estimate takes each trial for as long as it was
 * watched; where all that happened is known its median is the ordinary one.
 */
#ifndef CAMPAIGN_SURVIVAL_H
#define CAMPAIGN_SURVIVAL_H

#include "base/problem.h"

#include <stdbool.h>

/* Infinite and no event: it will never happen, such as when the engine was through before. */
typedef struct cam_observation {
    double time;
    bool is_event; /* false: censored, watched in vain for so long */
} cam_observation;

/* By time, and events first: the order follows from the observations. */
void cam_sort_observations(cam_observation *observations, size_t count);

/* When a share of the trials had got there; INFINITY: that is not known to happen. If the estimate
 * stays at exactly this share for a while, it is the middle of that while, as for the median of an
 * even number of values. `counts` says how often each of the sorted observations is there; NULL:
 * once. */
double cam_event_quantile(const cam_observation *sorted, const uint32_t *counts, size_t count,
                          double share);

/* One step of the estimate: at each time at which something happened. */
typedef struct cam_survival_step {
    double time;
    double at_risk, events;
    double surviving;
    double deviation; /* Greenwood's, of the logarithm of `surviving` */
} cam_survival_step;

/* Room for `count` steps; returns how many there are. */
size_t cam_survival_steps(const cam_observation *sorted, size_t count, cam_survival_step *steps);

typedef struct cam_survival {
    size_t events;
    double longest;              /* finite observation; 0: none is */
    double lower, median, upper; /* quartiles; INFINITY: not reached */
    double low, high;            /* of the median, 95 %: Brookmeyer and Crowley */
    double mean, mean_deviation; /* of the time up to the horizon */
} cam_survival;

/* The mean is restricted to a horizon, 0: the longest observation. Sorts. Refused: a time below 0
 * or no number, an event that is infinite, no observations. */
col_status cam_survive(cam_observation *observations, size_t count, double horizon,
                       cam_survival *survival, col_problem *problem);

/* Do two samples get there at different speeds? Mantel's log-rank test, two-sided. Its usual
 * probability is for large samples, and with ten trials each finds differences too easily; so `p`
 * is how often chance, dealing the same observations out, makes as much of a difference. */
typedef struct cam_log_rank {
    double observed, expected; /* events of the first sample */
    double statistic;          /* chi squared, one degree of freedom */
    double p;                  /* by 9999 permutations: not below 0.0001 */
    double large_p;            /* by the distribution of chi squared */
} cam_log_rank;
col_status cam_compare_survival(const cam_observation *first, size_t first_count,
                                const cam_observation *second, size_t second_count, uint64_t seed,
                                cam_log_rank *result, col_problem *problem);

#endif
