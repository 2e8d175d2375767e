/* SPDX-License-Identifier: MIT */
/* What the tests of generation share: dice, statistics, and a bench to make programs on. */
#include "support.h"

#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t dice(base_rng *rng, uint32_t least, uint32_t most) {
    return least + (uint32_t)base_rng_below(rng, (uint64_t)most - least + 1);
}

bool chance(base_rng *rng, uint32_t percent) {
    return dice(rng, 1, 100) <= percent;
}

bool holds_share(double observed, double trials, double share) {
    if (share <= 0)
        return observed <= 0;
    return fabs(observed - trials * share) <= 5 * sqrt(trials * share * (1 - share)) + 5;
}

bool likely(double chi_square, uint32_t freedom) {
    if (freedom == 0)
        return chi_square < 1e-9;
    const double variance = 2.0 / (9.0 * freedom);
    return (cbrt(chi_square / freedom) - (1 - variance)) / sqrt(variance) < 5;
}

bool spread_evenly(const uint32_t *observed, uint32_t bins) {
    double draws = 0, sum = 0;
    for (uint32_t i = 0; i < bins; i++)
        draws += observed[i];
    const double expected = draws / bins;
    for (uint32_t i = 0; i < bins; i++)
        sum += (observed[i] - expected) * (observed[i] - expected) / expected;
    return likely(sum, bins - 1);
}

int bench_setup(void **state) {
    bench *b = calloc(1, sizeof *b);
    if (b == NULL)
        return -1;
    b->generator = col_generator_new();
    col_generator_keep_chains(b->generator, true);
    base_rng_seed(&b->rng, 2024, 7);
    *state = b;
    return b->generator == NULL ? -1 : 0;
}

int bench_teardown(void **state) {
    bench *b = *state;
    col_generator_free(b->generator);
    col_program_free(&b->program);
    free(b);
    return 0;
}

const col_generated *make(bench *b, const col_generation *generation, uint64_t seed,
                          uint64_t test) {
    memset(&b->problem, 0, sizeof b->problem);
    if (col_generate(b->generator, generation, seed, test, &b->program, &b->problem) != COL_OK ||
        col_program_check(&b->program, &b->problem) != COL_OK)
        fail_saying("%u threads, %u operations, %u locations: %s\n", generation->threads,
                    generation->operations, generation->locations, b->problem.message);
    return col_generator_last(b->generator);
}

col_generation settings(uint32_t threads, uint32_t operations, uint32_t locations,
                        const char *categories) {
    col_generation generation;
    col_generation_default(&generation);
    generation.threads = threads;
    generation.operations = operations;
    generation.locations = locations;
    generation.chained = categories != NULL;
    if (categories != NULL)
        generation.categories = category_mix(categories);
    return generation;
}

col_category_mix category_mix(const char *text) {
    col_category_mix mix;
    col_problem problem;
    if (col_category_mix_parse(text, &mix, &problem) != COL_OK)
        fail_saying("%s\n", problem.message);
    return mix;
}

col_instruction_mix instruction_mix(const char *text) {
    col_instruction_mix mix;
    col_problem problem;
    if (col_instruction_mix_parse(text, &mix, &problem) != COL_OK)
        fail_saying("%s\n", problem.message);
    return mix;
}

void assert_refused(col_status status, const col_problem *problem, const char *words) {
    if (status != COL_BAD_INPUT || strstr(problem->message, words) == NULL)
        fail_saying("status %d with '%s', where '%s' was expected\n", (int)status, problem->message,
                    words);
}
