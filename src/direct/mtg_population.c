/* SPDX-License-Identifier: MIT */
/*
 * The population of a steady-state genetic algorithm: each new test replaces the oldest one,
 * however fit. Tests are identified by their age, so that nothing depends on where the ring begins.
 */
#include "direct/mtg.h"

#include <stdlib.h>

col_status dir_mtg_population_make(dir_mtg_population *population, uint32_t size,
                                   const dir_mtg_space *space, col_problem *problem) {
    const size_t count = (size_t)size + 1;
    if (space->operations > SIZE_MAX / sizeof(dir_mtg_gene) / count)
        return base_out_of_memory(problem);
    *population = (dir_mtg_population){.size = size};
    population->tests = calloc(count, sizeof *population->tests);
    population->genes = calloc(count * space->operations, sizeof *population->genes);
    population->is_fit = calloc(count * space->locations, sizeof *population->is_fit);
    if (population->tests == NULL || population->genes == NULL || population->is_fit == NULL) {
        dir_mtg_population_free(population);
        return base_out_of_memory(problem);
    }
    for (size_t i = 0; i < count; i++)
        population->tests[i] = (dir_mtg_test){.genes = population->genes + i * space->operations,
                                              .is_fit = population->is_fit + i * space->locations};
    return COL_OK;
}

void dir_mtg_population_free(dir_mtg_population *population) {
    free(population->tests);
    free(population->genes);
    free(population->is_fit);
    *population = (dir_mtg_population){0};
}

dir_mtg_test *dir_mtg_candidate(const dir_mtg_population *population) {
    return &population->tests[population->size];
}

dir_mtg_test *dir_mtg_population_test(const dir_mtg_population *population, uint32_t age) {
    return &population->tests[(population->oldest + age) % population->size];
}

static void swap(dir_mtg_test *a, dir_mtg_test *b) {
    const dir_mtg_test test = *a;
    *a = *b;
    *b = test;
}

void dir_mtg_population_add(dir_mtg_population *population) {
    if (population->size == 0)
        return;
    if (population->count < population->size) {
        swap(dir_mtg_population_test(population, population->count++),
             dir_mtg_candidate(population));
        return;
    }
    swap(dir_mtg_population_test(population, 0), dir_mtg_candidate(population));
    population->oldest = (population->oldest + 1) % population->size;
}

/* ---- Selection. */

static bool is_among(uint32_t age, const uint32_t *ages, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (ages[i] == age)
            return true;
    return false;
}

/* Of equally fit ones the first wins; they come in random order. */
static const dir_mtg_test *find_winner(const dir_mtg_population *population, const uint32_t *ages,
                                       uint32_t count) {
    const dir_mtg_test *winner = dir_mtg_population_test(population, ages[0]);
    for (uint32_t i = 1; i < count; i++) {
        const dir_mtg_test *test = dir_mtg_population_test(population, ages[i]);
        if (test->fitness > winner->fitness)
            winner = test;
    }
    return winner;
}

/* Nobody is in both tournaments: a test has no child with itself. */
void dir_mtg_select_parents(const dir_mtg_population *population, uint32_t tournament,
                            base_rng *rng, const dir_mtg_test *parents[2]) {
    uint32_t ages[2 * DIR_MTG_MOST_TOURNAMENT] = {0}, count = 0;
    while (count < 2 * tournament) {
        const uint32_t age = (uint32_t)base_rng_below(rng, population->count);
        if (!is_among(age, ages, count))
            ages[count++] = age;
    }
    parents[0] = find_winner(population, ages, tournament);
    parents[1] = find_winner(population, ages + tournament, tournament);
}
