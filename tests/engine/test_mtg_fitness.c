/* SPDX-License-Identifier: MIT */
/*
 * Adaptive coverage. The oracle keeps the hits of every single test and works the definition out
 * from the first one each time.
 */
#include "base/rng.h"
#include "direct/mtg.h"
#include "harness.h"

#include <string.h>

enum { POINTS = 40, TESTS = 300 };

typedef struct history {
    uint32_t own[TESTS][POINTS]; /* hits by test */
    uint32_t count;
} history;

typedef struct expectation {
    double fraction; /* of the last test */
    uint64_t cutoff; /* after it */
} expectation;

static uint64_t hits_before(const history *h, uint32_t test, uint32_t point) {
    uint64_t hits = 0;
    for (uint32_t t = 0; t < test; t++)
        hits += h->own[t][point];
    return hits;
}

static double fraction_of(const history *h, uint32_t test, uint64_t cutoff) {
    uint32_t considered = 0, covered = 0;
    for (uint32_t p = 0; p < POINTS; p++) {
        if (hits_before(h, test, p) >= cutoff)
            continue;
        considered++;
        if (h->own[test][p] != 0)
            covered++;
    }
    return considered > 0 ? (double)covered / considered : 0.0;
}

static expectation expect(const history *h, const dir_mtg_parameters *parameters) {
    expectation e = {.cutoff = parameters->cutoff};
    uint32_t too_low = 0;
    for (uint32_t test = 0; test < h->count; test++) {
        e.fraction = fraction_of(h, test, e.cutoff);
        if (!(e.fraction < parameters->stall_below)) {
            too_low = 0;
            continue;
        }
        too_low++;
        if (too_low == parameters->stall_tests) {
            e.cutoff *= 2;
            too_low = 0;
        }
    }
    return e;
}

/* Feeds one more test to the coverage; `sum` is the episode's cumulative hits. */
static double feed(dir_mtg_coverage *coverage, const dir_mtg_parameters *parameters,
                   const uint32_t *own, uint64_t *sum, uint64_t tests) {
    col_problem problem = {0};
    double fraction = -1;
    for (uint32_t p = 0; p < POINTS; p++)
        sum[p] += own[p];
    const col_feedback feedback = {.tests = tests, .total = POINTS, .hits = sum};
    assert_int_equal(dir_mtg_measure_coverage(coverage, parameters, &feedback, &fraction, &problem),
                     COL_OK);
    return fraction;
}

/* Random tests that hit some points often and others almost never. */
static void draw_test(base_rng *rng, uint32_t *own) {
    for (uint32_t p = 0; p < POINTS; p++)
        own[p] = base_rng_below(rng, 1 + p * p) < 3 ? (uint32_t)base_rng_below(rng, 60 - p) : 0;
}

static void check_sequence(uint64_t seed, const dir_mtg_parameters *parameters, uint32_t episode) {
    static history h;
    dir_mtg_coverage coverage = {.cutoff = parameters->cutoff};
    uint64_t sum[POINTS] = {0}, first_cutoff = parameters->cutoff;
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    h.count = 0;
    for (uint32_t test = 0; test < 120; test++) {
        if (test % episode == 0) /* another episode counts from 0; what was rare is still known */
            memset(sum, 0, sizeof sum);
        draw_test(&rng, h.own[h.count++]);
        const double fraction = feed(&coverage, parameters, h.own[test], sum, test % episode + 1);
        const expectation e = expect(&h, parameters);
        assert_true(fraction == e.fraction);
        assert_int_equal(coverage.cutoff, e.cutoff);
    }
    assert_true(parameters->stall_below == 0 || coverage.cutoff > first_cutoff);
    dir_mtg_coverage_free(&coverage);
}

static void coverage_fractions_are_those_of_a_simple_count(void **state) {
    (void)state;
    static const dir_mtg_parameters parameters[] = {
        {.cutoff = 4, .stall_tests = 10, .stall_below = 0.05},
        {.cutoff = 1, .stall_tests = 2, .stall_below = 0.3},
        {.cutoff = 2, .stall_tests = 3, .stall_below = 0.2},
        {.cutoff = 16, .stall_tests = 5, .stall_below = 1},
        {.cutoff = 3, .stall_tests = 4, .stall_below = 0},
    };
    for (uint32_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        for (uint64_t seed = 0; seed < 4; seed++)
            check_sequence(seed, &parameters[i], seed % 2 == 0 ? 1000 : 37);
}

/* By hand, with a cut-off of 4 that doubles after two poor tests. */
static void the_cut_off_doubles_after_poor_tests(void **state) {
    (void)state;
    static const dir_mtg_parameters parameters = {
        .cutoff = 4, .stall_tests = 2, .stall_below = 0.05};
    dir_mtg_coverage coverage = {.cutoff = 4};
    uint64_t sum[POINTS] = {0};
    uint32_t own[POINTS] = {0};
    uint64_t tests = 0;
    for (uint32_t p = 0; p < 20; p++)
        own[p] = p < 10 ? 3 : 4;
    /* Nothing was hit before: half of all. */
    assert_true(feed(&coverage, &parameters, own, sum, ++tests) == 20.0 / 40);
    /* The ten that were hit four times are frequent now: ten of thirty. */
    assert_true(feed(&coverage, &parameters, own, sum, ++tests) == 10.0 / 30);
    /* All twenty are: none of twenty, twice. */
    assert_true(feed(&coverage, &parameters, own, sum, ++tests) == 0);
    assert_int_equal(coverage.cutoff, 4);
    /* One good test in between, and the count of poor ones starts again. */
    own[39] = 1;
    assert_true(feed(&coverage, &parameters, own, sum, ++tests) == 1.0 / 20);
    own[39] = 0;
    assert_true(feed(&coverage, &parameters, own, sum, ++tests) == 0);
    assert_int_equal(coverage.cutoff, 4);
    assert_true(feed(&coverage, &parameters, own, sum, ++tests) == 0);
    assert_int_equal(coverage.cutoff, 8);
    dir_mtg_coverage_free(&coverage);
}

static void feedback_without_hits_or_of_other_points_is_refused(void **state) {
    (void)state;
    static const dir_mtg_parameters parameters = {
        .cutoff = 4, .stall_tests = 2, .stall_below = 0.05};
    dir_mtg_coverage coverage = {.cutoff = 4};
    uint64_t sum[POINTS] = {0};
    const uint32_t own[POINTS] = {0};
    col_problem problem = {0};
    double fraction;
    (void)feed(&coverage, &parameters, own, sum, 1);
    const col_feedback fewer = {.tests = 2, .total = POINTS - 1, .hits = sum};
    assert_int_equal(dir_mtg_measure_coverage(&coverage, &parameters, &fewer, &fraction, &problem),
                     COL_BAD_INPUT);
    const col_feedback silent = {.tests = 2, .total = POINTS};
    assert_int_equal(dir_mtg_measure_coverage(&coverage, &parameters, &silent, &fraction, &problem),
                     COL_BAD_INPUT);
    dir_mtg_coverage_free(&coverage);
}

static void nondeterminism_is_normalised_to_zero_to_one(void **state) {
    (void)state;
    assert_true(dir_mtg_normalise(1, 10) == 0);
    assert_true(dir_mtg_normalise(10, 10) == 1);
    assert_true(dir_mtg_normalise(5.5, 10) == 0.5);
    assert_true(dir_mtg_normalise(0, 10) == 0);
    assert_true(dir_mtg_normalise(1, 1) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_fractions_are_those_of_a_simple_count),
        cmocka_unit_test(the_cut_off_doubles_after_poor_tests),
        cmocka_unit_test(feedback_without_hits_or_of_other_points_is_refused),
        cmocka_unit_test(nondeterminism_is_normalised_to_zero_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
