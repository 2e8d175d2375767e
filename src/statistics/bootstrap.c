/* SPDX-License-Identifier: MIT */
/* The bootstrap: see bootstrap.h. */
#include "statistics/bootstrap.h"

#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- Shares. */

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

static size_t item_count(const sta_resampling *r) {
    size_t items = 0;
    for (size_t i = 0; i < r->stratum_count; i++)
        items += r->strata[i];
    return items;
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
    const size_t items = item_count(resampling);
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
