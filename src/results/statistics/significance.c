/* SPDX-License-Identifier: MIT */
/*
 * The Mann-Whitney U test and what goes with it: see significance.h. Ranks are doubled, so that the
 * mean ranks of ties are whole numbers and the exact distribution is a table of counts.
 */
#include "results/statistics/significance.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    double value;
    size_t rank; /* doubled */
    bool is_first;
} ranked;

typedef struct pool {
    ranked *values; /* of both samples, sorted */
    size_t count, first_count;
    size_t sum;  /* of the first sample's doubled ranks */
    double ties; /* sum of t^3 - t over groups of t equal values */
} pool;

static int compare_values(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int compare_ranked(const void *a, const void *b) {
    return compare_values(&((const ranked *)a)->value, &((const ranked *)b)->value);
}

/* ---- Ranks. */

static void rank(pool *p) {
    qsort(p->values, p->count, sizeof *p->values, compare_ranked);
    for (size_t i = 0, end; i < p->count; i = end) {
        for (end = i + 1; end < p->count && p->values[end].value <= p->values[i].value;)
            end++;
        const double equal = (double)(end - i);
        p->ties += equal * equal * equal - equal;
        for (size_t j = i; j < end; j++) {
            p->values[j].rank = i + 1 + end;
            p->sum += p->values[j].is_first ? p->values[j].rank : 0;
        }
    }
}

static col_status pool_sample(pool *p, const double *sample, size_t count, bool is_first,
                              col_problem *problem) {
    for (size_t i = 0; i < count; i++) {
        if (isnan(sample[i]))
            return base_refuse(problem, "a value to compare is not a number");
        p->values[p->count++] = (ranked){.value = sample[i], .is_first = is_first};
    }
    return COL_OK;
}

/* ---- The exact distribution. */

/* ways[k][s]: in how many ways k of the values have doubled ranks of sum s. */
static void count_ways(const pool *p, size_t taken, size_t sums, double *ways) {
    ways[0] = 1;
    for (size_t i = 0; i < p->count; i++) {
        const size_t r = p->values[i].rank, most = i + 1 < taken ? i + 1 : taken;
        for (size_t k = most; k > 0; k--)
            for (size_t s = sums; s-- > r;)
                ways[k * sums + s] += ways[(k - 1) * sums + s - r];
    }
}

static col_status exact(const pool *p, double *probability, col_problem *problem) {
    const size_t n = p->first_count, sums = p->count * (p->count + 1) + 1;
    /* The mean of the doubled sum is a whole number, n (count + 1). */
    const size_t mean = n * (p->count + 1);
    const size_t distance = p->sum > mean ? p->sum - mean : mean - p->sum;
    double *ways = calloc((n + 1) * sums, sizeof *ways), all = 0, far = 0;
    if (ways == NULL)
        return base_out_of_memory(problem);
    count_ways(p, n, sums, ways);
    for (size_t s = 0; s < sums; s++) {
        const double here = ways[n * sums + s];
        all += here;
        far += (s > mean ? s - mean : mean - s) >= distance ? here : 0;
    }
    *probability = far / all;
    free(ways);
    return COL_OK;
}

/* ---- The normal approximation. */

static double approximate(const pool *p, double u) {
    const double n = (double)p->first_count, m = (double)(p->count - p->first_count), all = n + m;
    const double variance = n * m / 12 * (all + 1 - p->ties / (all * (all - 1)));
    const double distance = fabs(u - n * m / 2) - 0.5;
    if (!(variance > 0) || distance <= 0)
        return 1;
    /* For reports only: the C library's function need not give the same last bit everywhere. */
    return erfc(distance / sqrt(2 * variance));
}

col_status sta_compare(const double *first, size_t first_count, const double *second,
                       size_t second_count, sta_comparison *comparison, col_problem *problem) {
    if (first_count == 0 || second_count == 0)
        return base_refuse(problem, "a sample to compare has no values");
    pool p = {.values = calloc(first_count + second_count, sizeof *p.values),
              .first_count = first_count};
    if (p.values == NULL)
        return base_out_of_memory(problem);
    col_status status = pool_sample(&p, first, first_count, true, problem);
    BASE_THEN(status, pool_sample(&p, second, second_count, false, problem));
    if (status == COL_OK) {
        rank(&p);
        const size_t n = p.first_count;
        const double u = (double)(p.sum - n * (n + 1)) / 2;
        *comparison = (sta_comparison){.u = u,
                                       .advantage = u / ((double)n * (double)(p.count - n)),
                                       .is_exact = p.count <= STA_MOST_EXACT};
        if (comparison->is_exact)
            status = exact(&p, &comparison->p, problem);
        else
            comparison->p = approximate(&p, u);
    }
    free(p.values);
    return status;
}

/* The least is multiplied by the number of comparisons, the next by one less, and so on; none may
 * come out below one before it. */
void sta_correct(const double *p, size_t count, double *corrected) {
    for (size_t i = 0; i < count; i++)
        corrected[i] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t left = 0;
        for (size_t j = 0; j < count; j++)
            left += p[j] >= p[i];
        const double product = fmin(1, p[i] * (double)left);
        for (size_t j = 0; j < count; j++)
            corrected[j] = p[j] >= p[i] ? fmax(corrected[j], product) : corrected[j];
    }
}

/* ---- Quartiles. */

static double quartile(const double *sorted, size_t count, size_t q) {
    const size_t place = (count - 1) * q, i = place / 4, rest = place % 4;
    if (rest == 0 || !(sorted[i] < sorted[i + 1])) /* infinite ones have no difference */
        return sorted[i];
    return sorted[i] + (sorted[i + 1] - sorted[i]) * (double)rest / 4;
}

sta_quartiles sta_summarise(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare_values);
    return (sta_quartiles){.least = values[0],
                           .lower = quartile(values, count, 1),
                           .median = quartile(values, count, 2),
                           .upper = quartile(values, count, 3),
                           .most = values[count - 1]};
}

sta_interval sta_share_interval(uint64_t found, uint64_t of) {
    if (of == 0)
        return (sta_interval){0, 1};
    const double z = 1.959963984540054, n = (double)of, p = (double)found / n;
    const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return (sta_interval){found == 0 ? 0 : middle - half, found == of ? 1 : middle + half};
}

/* ---- Drawing. */

/* Two items of each random number: no sample has as many as 2^32. */
static void draw(base_rng *rng, uint32_t *counts, size_t size) {
    memset(counts, 0, size * sizeof *counts);
    for (size_t i = 0; i < size; i += 2) {
        const uint64_t bits = base_rng_next(rng);
        counts[base_scale((uint32_t)bits, (uint32_t)size)]++;
        if (i + 1 < size)
            counts[base_scale((uint32_t)(bits >> 32), (uint32_t)size)]++;
    }
}

/* The estimates that there are; returns how many. */
static size_t draw_estimates(const sta_resampling *r, uint32_t resamples, sta_estimator estimator,
                             void *context, uint32_t *counts, double *estimates) {
    base_rng rng;
    size_t known = 0;
    base_rng_seed(&rng, r->seed, 0);
    for (uint32_t i = 0; i < resamples; i++) {
        uint32_t *stratum = counts;
        for (size_t s = 0; s < r->stratum_count; stratum += r->strata[s++])
            draw(&rng, stratum, r->strata[s]);
        estimates[known] = estimator(context, counts);
        known += isnan(estimates[known]) ? 0 : 1;
    }
    return known;
}

/* ---- Intervals. */

/* The value that would be at a place if they were sorted: Hoare's selection, which moves them. */
static double select_value(double *values, size_t count, size_t place) {
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, k = (ptrdiff_t)place;
    while (low < high) {
        const double pivot = values[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i > j)
                break;
            const double value = values[i];
            values[i++] = values[j];
            values[j--] = value;
        }
        if (k > j && k < i)
            break;
        *(k <= j ? &high : &low) = k <= j ? j : i;
    }
    return values[k];
}

/* The drawn value that a share of the distribution lies below. */
static double drawn(double *estimates, size_t count, double share) {
    const double place = floor((double)(count + 1) * share + 0.5);
    return select_value(estimates, count,
                        place < 1               ? 0
                        : place > (double)count ? count - 1
                                                : (size_t)place - 1);
}

col_status sta_bootstrap(const sta_resampling *resampling, sta_estimator estimator, void *context,
                         sta_interval *interval, col_problem *problem) {
    size_t items = 0;
    for (size_t i = 0; i < resampling->stratum_count; i++)
        items += resampling->strata[i];
    const uint32_t resamples = resampling->resamples > 0 ? resampling->resamples : STA_RESAMPLES;
    const double tail = (1 - (resampling->level > 0 ? resampling->level : 0.95)) / 2;
    if (items == 0)
        return base_refuse(problem, "there is nothing to draw samples from");
    uint32_t *counts = calloc(items, sizeof *counts);
    double *estimates = calloc(resamples, sizeof *estimates);
    const bool is_there = counts != NULL && estimates != NULL;
    *interval = (sta_interval){NAN, NAN};
    if (is_there) {
        const size_t known =
            draw_estimates(resampling, resamples, estimator, context, counts, estimates);
        if (known > 0)
            *interval =
                (sta_interval){drawn(estimates, known, tail), drawn(estimates, known, 1 - tail)};
    }
    free(counts);
    free(estimates);
    return is_there ? COL_OK : base_out_of_memory(problem);
}

/* ---- Times: Kaplan and Meier's estimate, and what goes with it. */

/* Of a share that is met exactly: products of fractions have rounding errors. */
#define TOLERANCE 1e-9

static int compare_times(const void *a, const void *b) {
    const sta_observation *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (int)y->is_event - (int)x->is_event;
}

void sta_sort_observations(sta_observation *observations, size_t count) {
    if (count > 0)
        qsort(observations, count, sizeof *observations, compare_times);
}

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

static col_status check_times(const sta_observation *observations, size_t count,
                              col_problem *problem) {
    if (count == 0)
        return base_refuse(problem, "there are no times to estimate from");
    for (size_t i = 0; i < count; i++)
        if (!(observations[i].time >= 0) ||
            (observations[i].is_event && isinf(observations[i].time)))
            return base_refuse(problem, "a time to estimate from is below 0 or not a number");
    return COL_OK;
}

typedef struct pooled {
    sta_observation observation;
    bool is_first;
    double score; /* its event, if it has one, less those to be expected until its time */
} pooled;

static int compare_pooled(const void *a, const void *b) {
    return compare_times(&((const pooled *)a)->observation, &((const pooled *)b)->observation);
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
    col_status status = check_times(first, first_count, problem);
    BASE_THEN(status, check_times(second, second_count, problem));
    if (status != COL_OK)
        return status;
    pooled *all = NULL;
    BASE_TRY(base_new(&all, count, sizeof *all, problem));
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
