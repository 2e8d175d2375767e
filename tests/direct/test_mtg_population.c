/* SPDX-License-Identifier: MIT */
/* Steady state with delete-oldest, and tournaments, against enumeration. */
#include "base/rng.h"
#include "direct/mtg.h"
#include "direct/mtg_statistics.h"
#include "harness.h"

static const dir_mtg_space space = {.threads = 2, .operations = 3, .locations = 4};

/* A test that can be told: by its genes and its fit locations. */
static void add_numbered(dir_mtg_population *population, uint32_t number, double fitness) {
    dir_mtg_test *test = dir_mtg_candidate(population);
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
static void the_oldest_test_is_replaced(void **state) {
    (void)state;
    enum { SIZE = 100 };
    dir_mtg_population population;
    col_problem problem = {0};
    assert_int_equal(dir_mtg_population_make(&population, SIZE, &space, &problem), COL_OK);
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
    assert_int_equal(dir_mtg_population_make(&population, SMALL, &space, &problem), COL_OK);
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

static void tournaments_select_by_fitness(void **state) {
    (void)state;
    check_tournament((const double[SMALL]){0.1, 0.5, 0.3, 0.9, 0.0, 0.2}, 1);
    check_tournament((const double[SMALL]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 2);
    check_tournament((const double[SMALL]){0.4, 0.4, 0.1, 0.4, 0.1, 0.9}, 3);
}

/* The rank r (0 the worst) of a hundred wins a tournament of k with C(r, k-1) / C(100, k). */
static void ranks_win_tournaments_as_combinatorics_says(void **state) {
    (void)state;
    enum { SIZE = 100, K = 3 };
    dir_mtg_population population;
    col_problem problem = {0};
    base_rng rng;
    uint64_t counts[2][20] = {{0}};
    double expected[20] = {0};
    assert_int_equal(dir_mtg_population_make(&population, SIZE, &space, &problem), COL_OK);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_test_is_replaced),
        cmocka_unit_test(tournaments_select_by_fitness),
        cmocka_unit_test(ranks_win_tournaments_as_combinatorics_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
