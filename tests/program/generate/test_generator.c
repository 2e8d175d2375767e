/* SPDX-License-Identifier: MIT */
/* The generator as a whole: programs are repeatable, keep what every program promises, and wrong
 * settings are refused with a reason. */
#include "harness.h"
#include "program/reshape.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const instruction_texts[] = {"balanced", "mcversi", "load=1,store-data=2,add=1",
                                                "swap-both=1,fence-tso=1,delay=1,load-control=3"};
static const char *const category_texts[] = {"c0-c1", "c1-c2", "c1-c3", "c0=1,c1=1,c2=1,c3=1"};

/* Feasible settings of any kind. */
static col_generation random_settings(base_rng *rng) {
    const uint32_t threads = dice(rng, 2, 24), operations = dice(rng, 1, 1500);
    const char *categories = chance(rng, 50) ? category_texts[dice(rng, 0, 3)] : NULL;
    col_generation g = settings(threads, operations, dice(rng, 1, 64), categories);
    g.instructions = instruction_mix(instruction_texts[dice(rng, 0, 3)]);
    g.random_lengths = chance(rng, 30);
    g.exact_fences = chance(rng, 50);
    g.addressing.sharing = chance(rng, 50) ? COL_TRUE_SHARING : COL_MIXED_SHARING;
    g.addressing.alignment_bits = dice(rng, 3, 6);
    if (chance(rng, 60)) {
        g.addressing.sets = dice(rng, 1, g.locations);
        g.addressing.largest = g.locations / g.addressing.sets;
        g.addressing.largest += g.locations % g.addressing.sets != 0;
    }
    return g;
}

BENCH_TEST(programs_are_repeatable) {
    col_program first = COL_PROGRAM_EMPTY;
    for (uint32_t round = 0; round < 1000; round++) {
        const col_generation g = random_settings(&b->rng), other = random_settings(&b->rng);
        const uint64_t seed = base_rng_next(&b->rng), test = dice(&b->rng, 0, 100000);
        (void)make(b, &g, seed, test);
        assert_int_equal(prg_copy(&b->program, &first, NULL), COL_OK);
        (void)make(b, &other, seed + 1, test);
        (void)make(b, &g, seed, test);
        assert_true(col_program_equal(&first, &b->program));
        bench fresh = {.generator = col_generator_new()};
        assert_non_null(fresh.generator);
        (void)make(&fresh, &g, seed, test);
        assert_true(col_program_equal(&first, &fresh.program));
        col_generator_free(fresh.generator);
        col_program_free(&fresh.program);
    }
    col_program_free(&first);
}

/* Asking for the chains does not change the program. */
BENCH_TEST(watching_changes_nothing) {
    col_program first = COL_PROGRAM_EMPTY;
    for (uint32_t round = 0; round < 200; round++) {
        const col_generation g = random_settings(&b->rng);
        (void)make(b, &g, 1, round);
        assert_int_equal(prg_copy(&b->program, &first, NULL), COL_OK);
        col_generator_keep_chains(b->generator, false);
        assert_int_equal(make(b, &g, 1, round)->chain_total, 0);
        assert_true(col_program_equal(&first, &b->program));
        col_generator_keep_chains(b->generator, true);
    }
    col_program_free(&first);
}

static int compare_hashes(const void *left, const void *right) {
    return memcmp(left, right, sizeof(col_hash));
}

enum { SEEDS = 30, TESTS = 30, PROGRAMS = SEEDS * TESTS };

static void assert_all_different(col_hash *hashes) {
    qsort(hashes, PROGRAMS, sizeof hashes[0], compare_hashes);
    for (uint32_t i = 1; i < PROGRAMS; i++)
        assert_int_not_equal(compare_hashes(&hashes[i - 1], &hashes[i]), 0);
}

/* No two programs of 30 seeds by 30 tests have the same operations, or the same addresses. */
BENCH_TEST(seeds_and_numbers_change_the_program) {
    for (uint32_t round = 0; round < 4; round++) {
        static col_hash operations[PROGRAMS], addresses[PROGRAMS];
        col_generation g = settings(4, 60, 8, round % 2 == 0 ? "c1-c2" : NULL);
        g.addressing.sets = round < 2 ? 0 : 2;
        for (uint32_t i = 0; i < PROGRAMS; i++) {
            (void)make(b, &g, i / TESTS, i % TESTS);
            addresses[i] = (col_hash){b->program.addresses[0], b->program.addresses[1]};
            for (uint32_t location = 0; location < g.locations; location++)
                b->program.addresses[location] = 8ull * location;
            operations[i] = col_program_hash(&b->program);
        }
        assert_all_different(operations);
        assert_all_different(addresses);
    }
}

BENCH_TEST(biasing_changes_addresses_alone) {
    col_program plain = COL_PROGRAM_EMPTY;
    for (uint32_t round = 0; round < 500; round++) {
        col_generation g = random_settings(&b->rng);
        g.locations = dice(&b->rng, 2, 64);
        g.addressing.sets = g.addressing.largest = 0;
        g.addressing.alignment_bits = 3;
        (void)make(b, &g, round, 1);
        assert_int_equal(prg_copy(&b->program, &plain, NULL), COL_OK);
        g.addressing.sets = 1;
        g.addressing.sharing = chance(&b->rng, 50) ? COL_FALSE_SHARING : COL_TRUE_SHARING;
        (void)make(b, &g, round, 1);
        assert_memory_not_equal(plain.addresses, b->program.addresses,
                                g.locations * sizeof *plain.addresses);
        memcpy(b->program.addresses, plain.addresses, g.locations * sizeof *plain.addresses);
        assert_true(col_program_equal(&plain, &b->program));
    }
    col_program_free(&plain);
}

static int compare_values(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void assert_values_unique(const col_program *program) {
    const uint32_t count = col_program_operations(program);
    uint32_t *values = malloc((count + 1) * sizeof *values), writes = 0;
    assert_non_null(values);
    for (uint32_t i = 0; i < count; i++) {
        const col_operation *operation = &program->operations[i];
        if (col_kinds[operation->kind].writes)
            values[writes++] = operation->value;
        else
            assert_int_equal(operation->value, 0);
    }
    qsort(values, writes, sizeof *values, compare_values);
    for (uint32_t i = 0; i < writes; i++)
        assert_true(values[i] != 0 && (i == 0 || values[i] != values[i - 1]));
    free(values);
}

BENCH_TEST(programs_keep_their_promises) {
    for (uint32_t round = 0; round < 2000; round++) {
        col_generation g = random_settings(&b->rng);
        const col_generated *made = make(b, &g, round, 0); /* col_program_check is in there */
        assert_values_unique(&b->program);
        assert_int_equal(col_program_operations(&b->program), g.operations);
        assert_int_equal(made->set_count, g.addressing.sets);
        assert_int_equal(made->set_of != NULL, g.addressing.sets > 0);
        if (g.random_lengths)
            continue;
        for (uint32_t t = 0; t < g.threads; t++) {
            const uint32_t length = b->program.thread_start[t + 1] - b->program.thread_start[t];
            assert_true(length == g.operations / g.threads ||
                        length == g.operations / g.threads + 1);
        }
    }
}

/* Random lengths are lengths at random: every thread has n / p on average, and they differ. */
BENCH_TEST(random_lengths_are_uneven_and_fair) {
    enum { THREADS = 8, ROUNDS = 2000, LENGTH = 100 };
    double sums[THREADS] = {0};
    uint32_t equal = 0;
    col_generation g = settings(THREADS, THREADS * LENGTH, 4, NULL);
    g.random_lengths = true;
    for (uint64_t test = 0; test < ROUNDS; test++) {
        (void)make(b, &g, 1, test);
        for (uint32_t t = 0; t < THREADS; t++) {
            const uint32_t length = b->program.thread_start[t + 1] - b->program.thread_start[t];
            sums[t] += length;
            equal += length == LENGTH;
        }
    }
    assert_true(equal < ROUNDS * THREADS / 20);
    for (uint32_t t = 0; t < THREADS; t++)
        assert_true(fabs(sums[t] / ROUNDS - LENGTH) < 0.15 * LENGTH);
}

BENCH_TEST(large_programs_work) {
    static const struct {
        uint32_t threads, operations, locations;
    } sizes[] = {{1024, 4096, 32}, {1024, 100, 1}, {64, 65536, 64}, {2, 65536, 4096}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t chained = 0; chained < 2; chained++) {
            const col_generation g = settings(sizes[i].threads, sizes[i].operations,
                                              sizes[i].locations, chained ? "c1-c3" : NULL);
            (void)make(b, &g, 1, 1);
            assert_values_unique(&b->program);
            assert_int_equal(b->program.thread_count, sizes[i].threads);
            assert_int_equal(col_program_operations(&b->program), sizes[i].operations);
        }
}

/* One wrong thing in settings that are otherwise right. */
static void no_threads(col_generation *g) {
    g->threads = 0;
}
static void many_threads(col_generation *g) {
    g->threads = COL_MAX_THREADS + 1;
}
static void no_operations(col_generation *g) {
    g->operations = 0;
}
static void no_locations(col_generation *g) {
    g->locations = 0;
}
static void many_locations(col_generation *g) {
    g->locations = COL_MAX_LOCATIONS + 1;
}
static void wrong_lengths(col_generation *g) {
    static const uint32_t lengths[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    g->lengths = lengths;
}
static void wrapping_lengths(col_generation *g) {
    static const uint32_t lengths[8] = {UINT32_MAX, 1025};
    g->lengths = lengths;
}
static void two_kinds_of_lengths(col_generation *g) {
    static const uint32_t lengths[8] = {1024};
    g->lengths = lengths;
    g->random_lengths = true;
}
static void small_space(col_generation *g) {
    g->addressing.space_bits = 6; /* 8 words for 16 locations */
}
static void crooked_cbc(col_generation *g) {
    g->addressing.sets = 17;
    g->addressing.largest = 1;
}
static void no_instructions(col_generation *g) {
    g->instructions = (col_instruction_mix){{0}};
}
static void negative_instructions(col_generation *g) {
    g->instructions.weights[0] = -1;
}
static void unnumbered_instructions(col_generation *g) {
    g->instructions.weights[0] = NAN;
}
static void infinite_instructions(col_generation *g) {
    g->instructions.weights[0] = INFINITY;
}
static void no_categories(col_generation *g) {
    g->chained = true;
    g->categories = (col_category_mix){.weights = {0}};
}
static void negative_categories(col_generation *g) {
    g->chained = true;
    g->categories.weights[0] = -1;
}
static void unnumbered_categories(col_generation *g) {
    g->chained = true;
    g->categories.weights[0] = NAN;
}
static void infinite_categories(col_generation *g) {
    g->chained = true;
    g->categories.weights[0] = INFINITY;
}

typedef struct wrong {
    const char *name;
    void (*spoil)(col_generation *);
} wrong;
#define WRONG(name)                                                                                \
    { #name, name }

static void refuses(bench *b, const wrong *cases, size_t count) {
    col_program reference = COL_PROGRAM_EMPTY;
    const col_generation right = settings(8, 1024, 16, NULL);
    uint32_t accepted = 0;
    (void)make(b, &right, 1, 1);
    assert_int_equal(prg_copy(&b->program, &reference, NULL), COL_OK);
    for (size_t i = 0; i < count; i++) {
        col_generation g = right;
        memset(&b->problem, 0, sizeof b->problem);
        cases[i].spoil(&g);
        const col_status status = col_generate(b->generator, &g, 1, 1, &b->program, &b->problem);
        if (status != COL_BAD_INPUT || b->problem.message[0] == '\0') {
            print_error("%s: status %d, '%s'\n", cases[i].name, (int)status, b->problem.message);
            accepted++;
        }
        /* The generator is none the worse for it, and the error may be left out. */
        if (status == COL_BAD_INPUT)
            assert_int_equal(col_generate(b->generator, &g, 1, 1, &b->program, NULL), status);
        (void)make(b, &right, 1, 1);
        assert_true(col_program_equal(&reference, &b->program));
    }
    col_program_free(&reference);
    assert_int_equal(accepted, 0);
}

BENCH_TEST(wrong_settings_are_refused) {
    static const wrong cases[] = {WRONG(no_threads),       WRONG(many_threads),
                                  WRONG(no_operations),    WRONG(no_locations),
                                  WRONG(many_locations),   WRONG(wrong_lengths),
                                  WRONG(wrapping_lengths), WRONG(two_kinds_of_lengths),
                                  WRONG(small_space),      WRONG(crooked_cbc)};
    refuses(b, cases, sizeof cases / sizeof cases[0]);
}

BENCH_TEST(wrong_weights_are_refused) {
    static const wrong cases[] = {WRONG(no_instructions),         WRONG(negative_instructions),
                                  WRONG(unnumbered_instructions), WRONG(infinite_instructions),
                                  WRONG(no_categories),           WRONG(negative_categories),
                                  WRONG(unnumbered_categories),   WRONG(infinite_categories)};
    refuses(b, cases, sizeof cases / sizeof cases[0]);
}
