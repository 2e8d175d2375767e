/* SPDX-License-Identifier: MIT */
/*
 * The thesis's metrics: a scenario worked out by hand, and the definitions test by test on random
 * data.
 */
#include "base/random.h"
#include "harness.h"
#include "results/statistics/evolution.h"

#include <math.h>

enum { SCENARIOS = 20, TESTS = 60 };

static void assert_near(double is, double expected) {
    if (isnan(expected) ? !isnan(is) : !(fabs(is - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", is, expected);
}

/* ---- By hand. */

/* Seven tests of 10, and three of 4, 5 and 6 that expose: an average of 3 1/3 tests is 4, of which
 * three do not expose it. */
TEST(effort_is_formula_3_1) {
    const cam_exposure some = {10, 3, 85, 15}, none = {10, 0, 85, 0}, all = {3, 3, 15, 15};
    const cam_exposure no_tests = {0};
    assert_near(cam_effectiveness(&some, NULL), 0.3);
    assert_near(cam_effort(&some, NULL), 3 * 10 + 5);
    assert_near(cam_effort(&none, NULL), 85);
    assert_near(cam_effort(&all, NULL), 5);
    assert_true(isnan(cam_effort(&no_tests, NULL)) && isnan(cam_effectiveness(&no_tests, NULL)));
    assert_true(cam_is_exposing(&some) && !cam_is_exposing(&none));
}

/* One of n tests: n - 1 of the others come first, for each n. */
TEST(rounding_up_is_exact) {
    for (uint64_t n = 1; n <= 2000; n++) {
        const cam_exposure one = {n, 1, (double)(n + 1), 2};
        assert_near(cam_effort(&one, NULL), (double)(n - 1) + 2);
    }
}

/* ---- Test by test. */

typedef struct test {
    bool exposes;
    double cost;
} test;

typedef struct generator {
    test tests[SCENARIOS][TESTS];
    cam_exposure scenarios[SCENARIOS];
} generator;

static void make(generator *g, base_rng *rng) {
    for (size_t s = 0; s < SCENARIOS; s++) {
        const double chance = base_rng_below(rng, 3) == 0 ? 0 : base_rng_unit(rng);
        g->scenarios[s] = (cam_exposure){.tests = TESTS};
        for (size_t i = 0; i < TESTS; i++) {
            const test t = {base_rng_unit(rng) < chance * chance,
                            100 + (double)base_rng_below(rng, 900)};
            g->tests[s][i] = t;
            g->scenarios[s].failing_tests += t.exposes;
            g->scenarios[s].cost += t.cost;
            g->scenarios[s].failing_cost += t.exposes ? t.cost : 0;
        }
    }
}

/* The effort as the mean over the tests that expose of the time of a sequence that ends in it. */
static double slow_effort(const test *tests) {
    double passing = 0, passing_cost = 0, failing = 0, sum = 0;
    for (size_t i = 0; i < TESTS; i++) {
        passing += !tests[i].exposes;
        passing_cost += tests[i].exposes ? 0 : tests[i].cost;
        failing += tests[i].exposes;
    }
    if (!(failing > 0))
        return passing_cost;
    double length = 1; /* the least whole number that is at least 1 / effectiveness */
    while (length * failing < TESTS)
        length++;
    for (size_t i = 0; i < TESTS; i++)
        if (tests[i].exposes)
            sum += (passing > 0 ? (length - 1) * (passing_cost / passing) : 0) + tests[i].cost;
    return sum / failing;
}

static bool slow_is_exposing(const test *tests) {
    for (size_t i = 0; i < TESTS; i++)
        if (tests[i].exposes)
            return true;
    return false;
}

static double slow_effectiveness(const test *tests) {
    double sum = 0;
    for (size_t i = 0; i < TESTS; i++)
        sum += tests[i].exposes;
    return sum / TESTS;
}

static double mean(cam_measure *measure, const generator *g, const generator *h,
                   const uint32_t *counts) {
    return cam_mean_of(measure, false, g->scenarios, h->scenarios, counts, SCENARIOS);
}

static void check_correlation(const generator *g, const generator *h, const uint32_t *counts) {
    static cam_measure *const measures[] = {cam_neither, cam_only_second, cam_only_first,
                                            cam_joint};
    double shares[4] = {0}, all = 0;
    for (size_t s = 0; s < SCENARIOS; s++) {
        const bool first = slow_is_exposing(g->tests[s]), second = slow_is_exposing(h->tests[s]);
        shares[2 * first + second] += counts[s];
        all += counts[s];
    }
    for (int c = 0; c < 4; c++)
        assert_near(mean(measures[c], g, h, counts), shares[c] / all);
    assert_near(mean(cam_exposes, g, h, counts), (shares[3] + shares[2]) / all);
}

/* Products, and roots of them. */
static void check_means(const generator *g, const generator *h, const uint32_t *counts) {
    double effort = 0, effectiveness = 0, all = 0, joint = 0, efforts = 1, effects = 1;
    for (size_t s = 0; s < SCENARIOS; s++)
        for (uint32_t i = 0; i < counts[s]; i++) {
            const test *first = g->tests[s], *second = h->tests[s];
            effort += slow_effort(first);
            effectiveness += slow_effectiveness(first);
            efforts *= slow_effort(second) / slow_effort(first);
            all++;
            if (!slow_is_exposing(first) || !slow_is_exposing(second))
                continue;
            effects *= slow_effectiveness(first) / slow_effectiveness(second);
            joint++;
        }
    assert_near(mean(cam_effort, g, h, counts), effort / all);
    assert_near(mean(cam_effectiveness, g, h, counts), effectiveness / all);
    assert_true(fabs(log(cam_mean_of(cam_relative_effort, true, g->scenarios, h->scenarios, counts,
                                     SCENARIOS)) -
                     log(efforts) / all) < 1e-12);
    const double relative = cam_mean_of(cam_relative_effectiveness, true, g->scenarios,
                                        h->scenarios, counts, SCENARIOS);
    assert_true(joint > 0 ? fabs(log(relative) - log(effects) / joint) < 1e-12 : isnan(relative));
}

TEST(correlation_and_means_follow_their_definitions) {
    enum { ROUNDS = 200 };
    static generator g, h;
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t counts[SCENARIOS];
        for (size_t s = 0; s < SCENARIOS; s++)
            counts[s] = round % 2 == 0 ? 1 : (uint32_t)base_rng_below(&rng, 3);
        counts[0] = 1;
        make(&g, &rng);
        make(&h, &rng);
        check_correlation(&g, &h, counts);
        check_means(&g, &h, counts);
    }
}
