/* SPDX-License-Identifier: MIT */
/*
 * The bootstrap against all samples that can be drawn from a small one, against figures of R (its
 * package boot 1.3, prop.test), and by what it promises: its intervals hold the true median as
 * often as they say, or nearly.
 */
#include "base/random.h"
#include "harness.h"
#include "results/statistics/significance.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 40 };

typedef struct sample {
    sta_observation observations[MOST];
    size_t count;
} sample;

static double median(void *context, const uint32_t *counts) {
    const sample *s = context;
    return sta_event_quantile(s->observations, counts, s->count, 0.5);
}

static double mean(void *context, const uint32_t *counts) {
    const sample *s = context;
    double sum = 0, weight = 0;
    for (size_t i = 0; i < s->count; i++) {
        sum += counts[i] * s->observations[i].time;
        weight += counts[i];
    }
    return sum / weight;
}

static sample make(const double *values, size_t count) {
    sample s = {.count = count};
    for (size_t i = 0; i < count; i++)
        s.observations[i] = (sta_observation){values[i], true};
    sta_sort_observations(s.observations, count);
    return s;
}

static sta_interval interval_of(sample *s, sta_estimator estimator, uint32_t resamples,
                                uint64_t seed) {
    const sta_resampling resampling = {
        .strata = &s->count, .stratum_count = 1, .resamples = resamples, .seed = seed};
    sta_interval interval;
    assert_int_equal(sta_bootstrap(&resampling, estimator, s, &interval, NULL), COL_OK);
    return interval;
}

/* ---- All samples. */

/* The share of the 5^5 samples whose mean is below a value, or at most it. */
static double share_below(sample *s, double value, bool or_equal) {
    uint32_t below = 0;
    for (uint32_t number = 0; number < 3125; number++) {
        uint32_t counts[5] = {0};
        for (uint32_t rest = number, i = 0; i < 5; i++, rest /= 5)
            counts[rest % 5]++;
        const double here = mean(s, counts);
        below += here < value - 1e-9 || (or_equal && here <= value + 1e-9);
    }
    return below / 3125.0;
}

TEST(ends_are_percentiles_of_all_samples) {
    sample s = make((double[]){1, 2, 4, 8, 16}, 5);
    for (uint64_t seed = 0; seed < 20; seed++) {
        const sta_interval interval = interval_of(&s, mean, 9999, seed);
        assert_true(share_below(&s, interval.low, false) < 0.03);
        assert_true(share_below(&s, interval.low, true) > 0.02);
        assert_true(share_below(&s, interval.high, false) < 0.98);
        assert_true(share_below(&s, interval.high, true) > 0.97);
    }
}

/* boot.ci(boot(x, function(d, i) mean(d[i]), 1e5), type = "perc"), and of the median. */
TEST(intervals_match_those_of_r) {
    sample s = make((double[]){1.2, 3.4, 0.7, 9.9, 4.4, 2.1, 6.6, 15.2, 0.3, 5.0, 7.7, 2.8}, 12);
    const sta_interval of_mean = interval_of(&s, mean, 99999, 1);
    assert_true(fabs(of_mean.low - 2.775) < 0.05);
    assert_true(fabs(of_mean.high - 7.475) < 0.05);
    const sta_interval of_median = interval_of(&s, median, 99999, 1);
    assert_true(fabs(of_median.low - 1.65) < 1e-9);
    assert_true(fabs(of_median.high - 7.15) < 1e-9);
}

TEST(intervals_follow_from_the_seed_alone) {
    sample s = make((double[]){1.2, 3.4, 0.7, 9.9, 4.4, 2.1, 6.6}, 7);
    const sta_interval one = interval_of(&s, mean, 0, 5), same = interval_of(&s, mean, 0, 5);
    const sta_interval other = interval_of(&s, mean, 0, 6);
    assert_true(one.low == same.low && one.high == same.high);
    assert_true(one.low != other.low || one.high != other.high);
}

/* ---- Strata. */

typedef struct seen {
    size_t sizes[2];
    uint32_t calls;
} seen;

static double look(void *context, const uint32_t *counts) {
    seen *s = context;
    uint32_t first = 0, second = 0;
    for (size_t i = 0; i < s->sizes[0]; i++)
        first += counts[i];
    for (size_t i = 0; i < s->sizes[1]; i++)
        second += counts[s->sizes[0] + i];
    assert_int_equal(first, s->sizes[0]);
    assert_int_equal(second, s->sizes[1]);
    s->calls++;
    return s->calls % 3 == 0 ? NAN : s->calls % 3 == 1 ? INFINITY : 1;
}

/* Each stratum keeps its size; samples without an estimate do not count, infinite ones do. */
TEST(strata_keep_their_sizes) {
    seen s = {.sizes = {7, 4}};
    const sta_resampling resampling = {.strata = s.sizes, .stratum_count = 2, .seed = 1};
    sta_interval interval;
    assert_int_equal(sta_bootstrap(&resampling, look, &s, &interval, NULL), COL_OK);
    assert_int_equal(s.calls, STA_RESAMPLES);
    assert_true(interval.low == 1 && isinf(interval.high));
}

static double none(void *context, const uint32_t *counts) {
    (void)context;
    (void)counts;
    return NAN;
}

TEST(there_is_no_interval_without_data) {
    sample s = make((double[]){1}, 1), empty = {0};
    const sta_interval of_one = interval_of(&s, median, 0, 1),
                       of_none = interval_of(&s, none, 0, 1);
    const sta_resampling resampling = {.strata = &empty.count, .stratum_count = 1};
    sta_interval interval;
    assert_true(of_one.low == 1 && of_one.high == 1);
    assert_true(isnan(of_none.low) && isnan(of_none.high));
    assert_int_equal(sta_bootstrap(&resampling, median, &empty, &interval, NULL), COL_BAD_INPUT);
}

/* ---- What intervals promise. */

/* In how many of the rounds the interval of the median of exponential times holds the true one. */
static double coverage(size_t size, double budget, uint32_t rounds) {
    base_rng rng;
    uint32_t held = 0;
    base_rng_seed(&rng, 7, size);
    for (uint32_t round = 0; round < rounds; round++) {
        sample s = {.count = size};
        for (size_t i = 0; i < size; i++) {
            const double time = -log(1 - base_rng_unit(&rng));
            s.observations[i] = (sta_observation){fmin(time, budget), time <= budget};
        }
        sta_sort_observations(s.observations, size);
        const sta_interval interval = interval_of(&s, median, 0, round);
        held += interval.low <= log(2) && log(2) <= interval.high;
    }
    return (double)held / rounds;
}

/* docs/statistics.md tells the figures: 0.93 to 0.95. */
TEST(intervals_contain_the_median) {
#ifdef REDUCED
    enum { ROUNDS = 200 };
#else
    enum { ROUNDS = 2000 };
#endif
    const double slack = 4 * sqrt(0.05 * 0.95 / ROUNDS);
    static const double budgets[] = {INFINITY, 2, 0.9};
    for (size_t i = 0; i < 3; i++) {
        assert_true(fabs(coverage(10, budgets[i], ROUNDS) - 0.93) < slack);
        assert_true(fabs(coverage(20, budgets[i], ROUNDS) - 0.935) < slack);
    }
}

/* prop.test(found, of, correct = FALSE)$conf.int */
TEST(shares_match_those_of_r) {
    static const struct {
        uint64_t found, of;
        double low, high;
    } cases[] = {
        {0, 10, 0, 0.277532799862889},
        {3, 10, 0.107791267406301, 0.603221852538855},
        {10, 10, 0.722467200137111, 1},
        {57, 60, 0.862994835236515, 0.982850497835604},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sta_interval interval = sta_share_interval(cases[i].found, cases[i].of);
        assert_true(fabs(interval.low - cases[i].low) < 1e-12);
        assert_true(fabs(interval.high - cases[i].high) < 1e-12);
    }
    assert_true(sta_share_interval(0, 0).low == 0 && sta_share_interval(0, 0).high == 1);
}
