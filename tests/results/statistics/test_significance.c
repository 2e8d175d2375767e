/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The U test against all ways to split the values, against Holm's procedure step by step, and
 * against figures that SciPy 1.10 and NumPy 1.24 give for the calls beside them.
 */
#include "base/random.h"
#include "harness.h"
#include "results/statistics/significance.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 100 };

static sta_comparison compare(const double *first, size_t first_count, const double *second,
                              size_t second_count) {
    sta_comparison comparison = {0};
    col_problem problem = {0};
    assert_int_equal(sta_compare(first, first_count, second, second_count, &comparison, &problem),
                     COL_OK);
    return comparison;
}

static void assert_near(double is, double expected) {
    if (!(fabs(is - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", is, expected);
}

/* ---- All splits. */

/* Twice U of the values whose bits are set, pair by pair. */
static int twice_u(const double *values, uint32_t count, uint32_t mask) {
    int sum = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; (mask >> i & 1) != 0 && j < count; j++)
            if ((mask >> j & 1) == 0)
                sum += values[i] > values[j] ? 2 : values[i] < values[j] ? 0 : 1;
    return sum;
}

static int bits_of(uint32_t mask) {
    int bits = 0;
    for (; mask != 0; mask &= mask - 1)
        bits++;
    return bits;
}

/* The first `taken` values are the first sample. */
static double share_of_splits(const double *values, uint32_t count, uint32_t taken) {
    const int mean = (int)(taken * (count - taken));
    const int distance = abs(twice_u(values, count, (UINT32_C(1) << taken) - 1) - mean);
    uint32_t all = 0, far = 0;
    for (uint32_t mask = 0; mask < UINT32_C(1) << count; mask++) {
        if (bits_of(mask) != (int)taken)
            continue;
        all++;
        far += abs(twice_u(values, count, mask) - mean) >= distance;
    }
    return (double)far / all;
}

static void check_splits(const double *values, uint32_t count, uint32_t taken) {
    const sta_comparison c = compare(values, taken, values + taken, count - taken);
    const double u = twice_u(values, count, (UINT32_C(1) << taken) - 1) / 2.0;
    assert_true(c.is_exact);
    assert_true(c.u == u);
    assert_near(c.advantage, u / (taken * (count - taken)));
    assert_near(c.p, share_of_splits(values, count, taken));
}

/* Values from as few as one (all are tied) to many. */
TEST(the_p_value_is_the_share_of_all_splits) {
    enum { ROUNDS = 400 };
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t count = 2 + (uint32_t)base_rng_below(&rng, 9);
        const uint32_t taken = 1 + (uint32_t)base_rng_below(&rng, count - 1);
        const uint64_t kinds = 1 + base_rng_below(&rng, round % 2 == 0 ? 6 : 1000);
        double values[MOST];
        for (uint32_t i = 0; i < count; i++)
            values[i] = (double)base_rng_below(&rng, kinds) / 8 - 3;
        check_splits(values, count, taken);
    }
}

/* The size that comparisons of engines have: ten seeds each. */
TEST(the_p_value_is_the_share_of_all_splits_of_twenty) {
    static const uint64_t kinds[] = {1000000, 12, 4};
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (uint32_t round = 0; round < sizeof kinds / sizeof kinds[0]; round++) {
        double values[MOST];
        for (uint32_t i = 0; i < 20; i++) /* the second sample tends to be greater */
            values[i] =
                (double)(base_rng_below(&rng, kinds[round]) + (i < 10 ? 0 : kinds[round] / 3));
        check_splits(values, 20, 10);
    }
}

/* ---- Published figures. */

/* scipy.stats.mannwhitneyu([...], [...], alternative='two-sided', method='exact') */
TEST(exact_p_values_match_published_ones) {
    static const double males[] = {19, 22, 16, 29, 24}, females[] = {20, 11, 17, 12};
    static const double odd[] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
    static const double even[] = {2, 4, 6, 8, 10, 12, 14, 16, 18, 20};
    static const double fibonacci[] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    static const double others[] = {4, 6, 7, 9, 10, 100, 101, 102, 103, 104, 105, 106};
    double low[10], high[10], first[32], second[32];
    sta_comparison c = compare(males, 5, females, 4);
    assert_true(c.u == 17);
    assert_near(c.p, 0.1111111111111111);
    c = compare(odd, 10, even, 10);
    assert_true(c.u == 45);
    assert_near(c.p, 0.7393643508194593);
    c = compare(fibonacci, 10, others, 12);
    assert_true(c.u == 29);
    assert_near(c.p, 0.042570432663311925);
    for (int i = 0; i < 10; i++) { /* range(1, 11), range(11, 21) */
        low[i] = i + 1;
        high[i] = i + 11;
    }
    c = compare(low, 10, high, 10);
    assert_true(c.u == 0);
    assert_near(c.p, 1.082508822446903e-05);
    for (int i = 0; i < 32; i++) { /* [i * 37 % 101 ...], [i * 53 % 97 + 0.5 ...] */
        first[i] = i * 37 % 101;
        second[i] = i * 53 % 97 + 0.5;
    }
    c = compare(first, 32, second, 32);
    assert_true(c.u == 547 && c.is_exact);
    assert_near(c.p, 0.6453842628904323);
}

/* The same with method='asymptotic'. */
TEST(normal_p_values_match_published_ones) {
    double first[MOST], second[MOST];
    for (int i = 0; i < 50; i++) { /* [i * 37 % 101 for i in range(40)], few ties */
        first[i] = i * 37 % 101;
        second[i] = i * 53 % 97 + 10; /* range(45) */
    }
    sta_comparison c = compare(first, 40, second, 45);
    assert_true(c.u == 806 && !c.is_exact);
    assert_near(c.p, 0.4103362486796601);
    for (int i = 0; i < 50; i++) { /* range(40), range(50); many ties */
        first[i] = i * 7 % 5;
        second[i] = i * i % 7;
    }
    c = compare(first, 40, second, 50);
    assert_true(c.u == 1016 && !c.is_exact);
    assert_near(c.p, 0.8972541141736847);
    for (int i = 0; i < 60; i++) { /* range(50), range(60) */
        first[i] = i;
        second[i] = i + 30.5;
    }
    c = compare(first, 50, second, 60);
    assert_true(c.u == 190 && !c.is_exact);
    assert_near(c.p, 3.812874233033497e-15);
}

/* ---- Properties. */

TEST(exchanged_samples_differ_as_much) {
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    for (int round = 0; round < 300; round++) {
        const size_t n = 1 + base_rng_below(&rng, 50), m = 1 + base_rng_below(&rng, 50);
        double first[MOST], second[MOST];
        for (size_t i = 0; i < MOST; i++) {
            first[i] = (double)base_rng_below(&rng, 30);
            second[i] = (double)base_rng_below(&rng, 40);
        }
        const sta_comparison one = compare(first, n, second, m);
        const sta_comparison other = compare(second, m, first, n);
        assert_near(other.p, one.p);
        assert_near(other.advantage, 1 - one.advantage);
        assert_true(one.is_exact == (n + m <= STA_MOST_EXACT));
        assert_true(one.p > 0 && one.p <= 1);
    }
}

TEST(ranks_alone_count) {
    const double first[] = {1, 2, 2, 5, 9}, second[] = {2, 6, 7, 9};
    const double far_first[] = {-INFINITY, 0.5, 0.5, 1e9, INFINITY};
    const double far_second[] = {0.5, 2e9, 3e9, INFINITY};
    const sta_comparison near = compare(first, 5, second, 4);
    const sta_comparison far = compare(far_first, 5, far_second, 4);
    assert_true(near.u == far.u && near.p == far.p && near.advantage == far.advantage);
}

TEST(equal_values_do_not_differ) {
    double values[MOST];
    for (size_t i = 0; i < MOST; i++)
        values[i] = 4.5;
    for (size_t n = 1; n <= MOST; n += 33) {
        const sta_comparison c = compare(values, n, values, MOST - n + 1);
        assert_true(c.p == 1 && c.advantage == 0.5);
    }
}

TEST(values_that_cannot_be_ranked_are_refused) {
    const double good[] = {1, 2}, bad[] = {1, NAN};
    sta_comparison c;
    col_problem problem = {0};
    assert_int_equal(sta_compare(good, 0, good, 2, &c, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "a sample to compare has no values");
    assert_int_equal(sta_compare(good, 2, good, 0, &c, &problem), COL_BAD_INPUT);
    assert_int_equal(sta_compare(good, 2, bad, 2, &c, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "a value to compare is not a number");
}

/* ---- Several comparisons. */

/* Holm's procedure: from the least on, reject while p <= level / comparisons that are left. */
static bool holm_rejects(const double *p, size_t count, size_t which, double level) {
    bool done[MOST] = {false};
    for (size_t left = count; left > 0; left--) {
        size_t least = MOST;
        for (size_t i = 0; i < count; i++)
            if (!done[i] && (least == MOST || p[i] < p[least]))
                least = i;
        if (p[least] > level / (double)left)
            return false;
        if (least == which)
            return true;
        done[least] = true;
    }
    return false;
}

TEST(correction_is_holms_procedure) {
    base_rng rng;
    base_rng_seed(&rng, 4, 0);
    for (int round = 0; round < 2000; round++) {
        const size_t count = 1 + base_rng_below(&rng, 30);
        double p[MOST], corrected[MOST];
        for (size_t i = 0; i < count; i++) { /* many small, some equal */
            const double x = (double)(1 + base_rng_below(&rng, 400)) / 401;
            p[i] = x * x * x;
        }
        sta_correct(p, count, corrected);
        for (size_t i = 0; i < count; i++) {
            assert_true(corrected[i] >= p[i] && corrected[i] <= 1);
            assert_true((corrected[i] <= 0.05) == holm_rejects(p, count, i, 0.05));
            assert_true((corrected[i] <= 0.2) == holm_rejects(p, count, i, 0.2));
        }
    }
}

TEST(correction_agrees_with_manual_calculation) {
    const double p[] = {0.01, 0.04, 0.03, 0.005, 0.04};
    const double expected[] = {0.04, 0.09, 0.09, 0.025, 0.09};
    double corrected[5];
    sta_correct(p, 5, corrected);
    for (int i = 0; i < 5; i++)
        assert_near(corrected[i], expected[i]);
}

/* ---- Quartiles. */

/* numpy.percentile([...], [0, 25, 50, 75, 100]) */
TEST(quartiles_agree_with_published_figures) {
    static const struct {
        size_t count;
        double values[10];
        sta_quartiles expected;
    } cases[] = {
        {1, {4}, {4, 4, 4, 4, 4}},
        {2, {8, 4}, {4, 5, 6, 7, 8}},
        {3, {3, 1, 2}, {1, 1.5, 2, 2.5, 3}},
        {6, {41, 15, 36, 40, 39, 7}, {7, 20.25, 37.5, 39.75, 41}},
        {10, {10, 2, 3, 4, 5, 6, 7, 8, 9, 1}, {1, 3.25, 5.5, 7.75, 10}},
        {4, {INFINITY, 1, INFINITY, INFINITY}, {1, INFINITY, INFINITY, INFINITY, INFINITY}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double values[10];
        for (size_t j = 0; j < 10; j++)
            values[j] = cases[i].values[j];
        const sta_quartiles is = sta_summarise(values, cases[i].count);
        assert_true(is.least == cases[i].expected.least && is.most == cases[i].expected.most);
        assert_true(is.lower == cases[i].expected.lower && is.upper == cases[i].expected.upper);
        assert_true(is.median == cases[i].expected.median);
    }
}
