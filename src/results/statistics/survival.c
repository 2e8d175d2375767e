/* SPDX-License-Identifier: MIT */
/* Kaplan and Meier's estimate and what goes with it: see survival.h. */
#include "statistics/survival.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

/* Of a share that is met exactly: products of fractions have rounding errors. */
#define TOLERANCE 1e-9
/* The normal distribution's quantile 0.975. */
#define DEVIATIONS 1.959963984540054

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

size_t sta_survival_steps(const sta_observation *sorted, size_t count, sta_survival_step *steps) {
    size_t at_risk = count, step_count = 0;
    double surviving = 1, variance = 0;
    for (size_t i = 0; i < count;) {
        const size_t start = i;
        size_t events = 0;
        for (; i < count && sorted[i].time <= sorted[start].time; i++)
            events += sorted[i].is_event;
        const double n = (double)at_risk, d = (double)events;
        at_risk -= i - start;
        if (events == 0)
            continue;
        surviving *= 1 - d / n;
        variance +=
            d / (n * (n - d)); /* infinite at the end of a whole sample, as is the logarithm */
        steps[step_count++] = (sta_survival_step){.time = sorted[start].time,
                                                  .at_risk = n,
                                                  .events = d,
                                                  .surviving = surviving,
                                                  .deviation = sqrt(variance)};
    }
    return step_count;
}

/* ---- A summary. */

/* Where the band of the estimate, on the scale of log(-log), crosses one half. */
static void bound_median(const sta_survival_step *steps, size_t count, sta_survival *s) {
    crossing low = {.level = 0.5, .time = INFINITY}, high = low;
    for (size_t i = 0; i < count; i++) {
        if (!(steps[i].surviving > 0)) { /* the estimate has no band here */
            cross(&low, 0, 0);
            continue;
        }
        const double hazard = -log(steps[i].surviving);
        const double factor = exp(DEVIATIONS * steps[i].deviation / hazard);
        cross(&low, steps[i].time, exp(-hazard * factor));
        cross(&high, steps[i].time, exp(-hazard / factor));
    }
    s->low = low.time;
    s->high = high.time;
}

/* The area below the estimate, and Greenwood's sum with the area that is left after each step. */
static void restrict_mean(const sta_survival_step *steps, size_t count, double horizon,
                          sta_survival *s) {
    double area = 0, variance = 0, until = horizon;
    for (size_t i = count; i-- > 0;) {
        if (steps[i].time >= horizon)
            continue;
        const double n = steps[i].at_risk, d = steps[i].events;
        area += (until - steps[i].time) * steps[i].surviving;
        variance += n > d ? area * area * d / (n * (n - d)) : 0;
        until = steps[i].time;
    }
    s->mean = area + until;
    s->mean_deviation = sqrt(variance);
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

col_status sta_survive(sta_observation *observations, size_t count, double horizon,
                       sta_survival *survival, col_problem *problem) {
    const col_status status = check(observations, count, problem);
    if (status != COL_OK)
        return status;
    sta_survival_step *steps = calloc(count, sizeof *steps);
    if (steps == NULL)
        return base_out_of_memory(problem);
    sta_sort_observations(observations, count);
    const size_t step_count = sta_survival_steps(observations, count, steps);
    *survival = (sta_survival){.lower = sta_event_quantile(observations, NULL, count, 0.25),
                               .median = sta_event_quantile(observations, NULL, count, 0.5),
                               .upper = sta_event_quantile(observations, NULL, count, 0.75)};
    for (size_t i = 0; i < count; i++) {
        survival->events += observations[i].is_event;
        if (isfinite(observations[i].time))
            survival->longest = observations[i].time;
    }
    bound_median(steps, step_count, survival);
    restrict_mean(steps, step_count, horizon > 0 ? horizon : survival->longest, survival);
    free(steps);
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
