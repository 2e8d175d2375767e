/* SPDX-License-Identifier: MIT */
/* Kaplan and Meier's estimate and what goes with it: see survival.h. */
#include "results/statistics/survival.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

/* Of a share that is met exactly: products of fractions have rounding errors. */
#define TOLERANCE 1e-9

static int compare(const void *a, const void *b) {
    const sta_observation *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (int)y->is_event - (int)x->is_event;
}

void sta_sort_observations(sta_observation *observations, size_t count) {
    if (count > 0)
        qsort(observations, count, sizeof *observations, compare);
}

/* ---- The estimate. */

/* The first time at which a falling estimate is at most `level`: or, where it stays at it exactly,
 * the middle until it falls on. */
typedef struct crossing {
    double level, time;
    bool is_met, is_over;
} crossing;

static void cross(crossing *c, double time, double surviving) {
    if (c->is_over || !(surviving < c->level + TOLERANCE))
        return;
    if (c->is_met && surviving < c->level - TOLERANCE) {
        c->time = (c->time + time) / 2;
        c->is_over = true;
    } else if (!c->is_met) {
        c->time = time;
        c->is_met = true;
        c->is_over = surviving < c->level - TOLERANCE;
    }
}

double sta_event_quantile(const sta_observation *sorted, const uint32_t *counts, size_t count,
                          double share) {
    crossing c = {.level = 1 - share, .time = INFINITY};
    uint64_t all = 0, lost = 0;
    for (size_t i = 0; i < count; i++)
        all += counts == NULL ? 1 : counts[i];
    uint64_t at_risk = all;
    double surviving = 1;
    const double each = 1 / (double)all;
    for (size_t i = 0; i < count && at_risk > 0 && !c.is_over;) {
        const double time = sorted[i].time;
        uint64_t events = 0, gone = 0;
        do {
            const uint64_t here = counts == NULL ? 1 : counts[i];
            gone += here;
            events += sorted[i].is_event ? here : 0;
            i++;
        } while (i < count && sorted[i].time <= time);
        /* Before anything is censored it is a plain fraction: no need to divide each time. */
        if (lost > 0)
            surviving *= 1 - (double)events / (double)at_risk;
        else
            surviving = (double)(at_risk - events) * each;
        at_risk -= gone;
        lost += gone - events;
        if (events > 0)
            cross(&c, time, surviving);
    }
    return c.time;
}

static col_status check(const sta_observation *observations, size_t count, col_problem *problem) {
    if (count == 0)
        return base_refuse(problem, "there are no times to estimate from");
    for (size_t i = 0; i < count; i++)
        if (!(observations[i].time >= 0) ||
            (observations[i].is_event && isinf(observations[i].time)))
            return base_refuse(problem, "a time to estimate from is below 0 or not a number");
    return COL_OK;
}

/* ---- Two samples. */

typedef struct pooled {
    sta_observation observation;
    bool is_first;
    double score; /* its event, if it has one, less those to be expected until its time */
} pooled;

static int compare_pooled(const void *a, const void *b) {
    return compare(&((const pooled *)a)->observation, &((const pooled *)b)->observation);
}

/* Time by time: to whom it happened, and to whom it should if nothing made the samples differ. */
static double rank_pooled(pooled *all, size_t count, size_t first_count, sta_log_rank *r) {
    double n = (double)count, m = (double)first_count, hazard = 0, variance = 0;
    for (size_t i = 0, end; i < count; i = end) {
        double d = 0, mine = 0, gone = 0;
        for (end = i; end < count && all[end].observation.time <= all[i].observation.time; end++) {
            d += all[end].observation.is_event ? 1 : 0;
            mine += all[end].observation.is_event && all[end].is_first ? 1 : 0;
            gone += all[end].is_first ? 1 : 0;
        }
        hazard += d / n;
        for (size_t j = i; j < end; j++)
            all[j].score = (all[j].observation.is_event ? 1 : 0) - hazard;
        r->observed += mine;
        r->expected += d * m / n;
        variance += n > 1 ? d * (m / n) * (1 - m / n) * (n - d) / (n - 1) : 0;
        n -= (double)(end - i);
        m -= gone;
    }
    return variance;
}

/* How often samples that chance makes of the scores are as far from what is to be expected. */
static double permute(pooled *all, size_t count, size_t first_count, double distance,
                      uint64_t seed) {
    enum { ROUNDS = 9999 };
    base_rng rng;
    uint32_t far = 1;
    base_rng_seed(&rng, seed, 0);
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
        for (size_t i = 0; i < first_count; i++) {
            const size_t j = i + (size_t)base_scale((uint32_t)(base_rng_next(&rng) >> 32),
                                                    (uint32_t)(count - i));
            const double score = all[j].score;
            all[j].score = all[i].score;
            all[i].score = score;
            sum += score;
        }
        far += fabs(sum) >= distance - TOLERANCE ? 1 : 0;
    }
    return far / (1.0 + ROUNDS);
}

col_status sta_compare_survival(const sta_observation *first, size_t first_count,
                                const sta_observation *second, size_t second_count, uint64_t seed,
                                sta_log_rank *result, col_problem *problem) {
    const size_t count = first_count + second_count;
    col_status status = check(first, first_count, problem);
    if (status == COL_OK)
        status = check(second, second_count, problem);
    if (status != COL_OK)
        return status;
    pooled *all = calloc(count, sizeof *all);
    if (all == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < count; i++)
        all[i] = (pooled){.observation = i < first_count ? first[i] : second[i - first_count],
                          .is_first = i < first_count};
    qsort(all, count, sizeof *all, compare_pooled);
    *result = (sta_log_rank){.p = 1, .large_p = 1};
    const double variance = rank_pooled(all, count, first_count, result);
    const double distance = fabs(result->observed - result->expected);
    if (variance > 0) {
        result->statistic = distance * distance / variance;
        result->large_p = erfc(sqrt(result->statistic / 2));
        result->p = permute(all, count, first_count, distance, seed);
    }
    free(all);
    return COL_OK;
}
