/* SPDX-License-Identifier: MIT */
/*
 * The Mann-Whitney U test and what goes with it: see significance.h. Ranks are doubled, so that the
 * mean ranks of ties are whole numbers and the exact distribution is a table of counts.
 */
#include "statistics/significance.h"

#include <math.h>
#include <stdlib.h>

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

static col_status compare_pooled(const pool *p, sta_comparison *comparison, col_problem *problem) {
    const size_t n = p->first_count;
    const double u = (double)(p->sum - n * (n + 1)) / 2;
    *comparison = (sta_comparison){.u = u,
                                   .advantage = u / ((double)n * (double)(p->count - n)),
                                   .is_exact = p->count <= STA_MOST_EXACT};
    if (comparison->is_exact)
        return exact(p, &comparison->p, problem);
    comparison->p = approximate(p, u);
    return COL_OK;
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
    if (status == COL_OK)
        status = pool_sample(&p, second, second_count, false, problem);
    if (status == COL_OK) {
        rank(&p);
        status = compare_pooled(&p, comparison, problem);
    }
    free(p.values);
    return status;
}

/* ---- Several comparisons. */

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
