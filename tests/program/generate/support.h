/* SPDX-License-Identifier: MIT */
/* What the tests of generation share: dice, statistics, and a bench to make programs on. */
#pragma once

#include "base/random.h"
#include "collider/generate.h"
#include "harness.h"

/* Uniform in least..most. */
uint32_t dice(base_rng *rng, uint32_t least, uint32_t most);
bool chance(base_rng *rng, uint32_t percent);

/* Is `observed` within five deviations of a binomial count? A share of 0 allows none. Where few are
 * expected the binomial is far from a normal distribution; five more are let pass. */
bool holds_share(double observed, double trials, double share);

/* Is a chi-square sum within five deviations, by the Wilson-Hilferty transformation? */
bool likely(double chi_square, uint32_t freedom);

/* Do the counts lie evenly over the bins, by chi-square? */
bool spread_evenly(const uint32_t *observed, uint32_t bins);

/* A generator, a program and dice; one for every test of a group. */
typedef struct bench {
    col_generator *generator;
    col_program program;
    base_rng rng;
    col_problem problem;
} bench;

int bench_setup(void **state);
int bench_teardown(void **state);
/* A test with a bench `b`. */
#define BENCH_TEST(name)                                                                           \
    static void on_bench_##name(bench *b);                                                         \
    TEST_WITH(name, bench_setup, bench_teardown) {                                                 \
        on_bench_##name(*state);                                                                   \
    }                                                                                              \
    static void on_bench_##name(bench *b)

/* Makes a program that must succeed and keep all promises of a program. */
const col_generated *make(bench *b, const col_generation *generation, uint64_t seed, uint64_t test);

/* The default settings with these numbers; the mix is one of categories, or NULL for plain. */
col_generation settings(uint32_t threads, uint32_t operations, uint32_t locations,
                        const char *categories);
col_category_mix category_mix(const char *text);
col_instruction_mix instruction_mix(const char *text);

/* The call was refused as bad input, and its message contains `words`. */
void assert_refused(col_status status, const col_problem *problem, const char *words);

/* Fails the test with a formatted sentence. */
#define fail_saying(...)                                                                           \
    do {                                                                                           \
        print_error(__VA_ARGS__);                                                                  \
        fail();                                                                                    \
    } while (0)
