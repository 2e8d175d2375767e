/* SPDX-License-Identifier: MIT */
/*
 * Adaptive coverage. The oracle keeps the hits of every single test and works the definition out
 * from the first one each time.
 */
#include "base/random.h"
#include "engine/mtg.h"
#include "engine/mtg_statistics.h"
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

TEST(coverage_fractions_are_those_of_a_simple_count) {
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
TEST(the_cut_off_doubles_after_poor_tests) {
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

TEST(feedback_without_hits_or_of_other_points_is_refused) {
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

TEST(nondeterminism_is_normalised_to_zero_to_one) {
    assert_true(dir_mtg_normalise(1, 10) == 0);
    assert_true(dir_mtg_normalise(10, 10) == 1);
    assert_true(dir_mtg_normalise(5.5, 10) == 0.5);
    assert_true(dir_mtg_normalise(0, 10) == 0);
    assert_true(dir_mtg_normalise(1, 1) == 0);
}

/* Steady state with delete-oldest, and tournaments, against enumeration. */

static const dir_mtg_space space = {.threads = 2, .operations = 3, .locations = 4};

/* A test that can be told: by its genes and its fit locations. */
static void add_numbered(dir_mtg_population *population, uint32_t number, double fitness) {
    dir_mtg_test *test = dir_mtg_candidate(population, population->under_way++);
    for (uint32_t i = 0; i < space.operations; i++)
        test->genes[i] = (dir_mtg_gene){.location = number + i};
    for (uint32_t l = 0; l < space.locations; l++)
        test->is_fit[l] = (number >> l & 1U) != 0;
    test->fitness = fitness;
    dir_mtg_population_add(population);
}

static void check_numbered(const dir_mtg_test *test, uint32_t number) {
    for (uint32_t i = 0; i < space.operations; i++)
        assert_int_equal(test->genes[i].location, number + i);
    for (uint32_t l = 0; l < space.locations; l++)
        assert_int_equal(test->is_fit[l], number >> l & 1U);
}

/* Whatever the fitness, the last hundred are there, in their order. */
TEST(the_oldest_test_is_replaced) {
    enum { SIZE = 100 };
    dir_mtg_population population;
    col_problem problem = {0};
    assert_int_equal(dir_mtg_population_make(&population, SIZE, 1, &space, &problem), COL_OK);
    for (uint32_t number = 0; number < 350; number++) {
        add_numbered(&population, number, number % 7 == 0 ? 1.0 : 1.0 / (number + 2.0));
        const uint32_t count = number < SIZE ? number + 1 : SIZE;
        assert_int_equal(population.count, count);
        for (uint32_t age = 0; age < count; age++)
            check_numbered(dir_mtg_population_test(&population, age), number + 1 - count + age);
    }
    dir_mtg_population_free(&population);
}

/* All ways to draw four different tests of six: who wins the first two, who the last two? */
enum { SMALL = 6 };

static uint32_t better(const double *fitness, uint32_t a, uint32_t b) {
    return fitness[b] > fitness[a] ? b : a;
}

static void enumerate(const double *fitness, double expected[SMALL * SMALL]) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < SMALL * SMALL; i++)
        expected[i] = 0;
    for (uint32_t a = 0; a < SMALL; a++)
        for (uint32_t b = 0; b < SMALL; b++)
            for (uint32_t c = 0; c < SMALL; c++)
                for (uint32_t d = 0; d < SMALL; d++) {
                    if (a == b || a == c || a == d || b == c || b == d || c == d)
                        continue;
                    expected[better(fitness, a, b) * SMALL + better(fitness, c, d)]++;
                    total++;
                }
    for (uint32_t i = 0; i < SMALL * SMALL; i++)
        expected[i] /= total;
}

static void check_tournament(const double *fitness, uint64_t seed) {
    dir_mtg_population population;
    col_problem problem = {0};
    base_rng rng;
    uint64_t counts[SMALL * SMALL] = {0};
    double expected[SMALL * SMALL];
    assert_int_equal(dir_mtg_population_make(&population, SMALL, 1, &space, &problem), COL_OK);
    for (uint32_t n = 0; n < 4; n++) /* so that the ring does not begin at its beginning */
        add_numbered(&population, 100, 0);
    for (uint32_t n = 0; n < SMALL; n++)
        add_numbered(&population, n, fitness[n]);
    base_rng_seed(&rng, seed, 0);
    for (int round = 0; round < 50000; round++) {
        const dir_mtg_test *parents[2];
        dir_mtg_select_parents(&population, 2, &rng, parents);
        assert_ptr_not_equal(parents[0], parents[1]);
        counts[parents[0]->genes[0].location * SMALL + parents[1]->genes[0].location]++;
    }
    enumerate(fitness, expected);
    assert_distributed(counts, expected, SMALL * SMALL);
    dir_mtg_population_free(&population);
}

TEST(tournaments_select_by_fitness) {
    check_tournament((const double[SMALL]){0.1, 0.5, 0.3, 0.9, 0.0, 0.2}, 1);
    check_tournament((const double[SMALL]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 2);
    check_tournament((const double[SMALL]){0.4, 0.4, 0.1, 0.4, 0.1, 0.9}, 3);
}

/* The rank r (0 the worst) of a hundred wins a tournament of k with C(r, k-1) / C(100, k). */
TEST(ranks_win_tournaments_as_combinatorics_says) {
    enum { SIZE = 100, K = 3 };
    dir_mtg_population population;
    col_problem problem = {0};
    base_rng rng;
    uint64_t counts[2][20] = {{0}};
    double expected[20] = {0};
    assert_int_equal(dir_mtg_population_make(&population, SIZE, 1, &space, &problem), COL_OK);
    for (uint32_t n = 0; n < SIZE; n++)
        add_numbered(&population, n, n / 128.0);
    base_rng_seed(&rng, 4, 0);
    for (int round = 0; round < 100000; round++) {
        const dir_mtg_test *parents[2];
        dir_mtg_select_parents(&population, K, &rng, parents);
        for (int p = 0; p < 2; p++)
            counts[p][parents[p]->genes[0].location / 5]++;
    }
    for (int r = 0; r < SIZE; r++)
        expected[r / 5] += r * (r - 1) / 2.0 / (SIZE * (SIZE - 1) * (SIZE - 2) / 6.0);
    assert_distributed(counts[0], expected, 20);
    assert_distributed(counts[1], expected, 20);
    dir_mtg_population_free(&population);
}
