/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/* Competition patterns: a pair (kappa, chi) is feasible if some partition has it, and each of its
 * partitions is drawn with the same probability. */
#include "harness.h"
#include "program/generate/generator.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, BELL_MOST = 4140 }; /* partitions of 8 things */

/* ---- All partitions of a few locations, as codes: the class of each location as an octal digit,
 * classes numbered in order of appearance. They are found in rising order. */

typedef struct partitions {
    uint32_t locations, sets, largest; /* sets 0: of any shape */
    uint32_t codes[BELL_MOST];
    uint32_t count;
    bool found[MOST + 2][MOST + 2]; /* [kappa][chi] */
} partitions;

static void enumerate(partitions *all, uint32_t placed, uint32_t code, uint32_t *sizes,
                      uint32_t used) {
    if (placed < all->locations) {
        for (uint32_t c = 0; c <= used; c++) {
            sizes[c]++;
            enumerate(all, placed + 1, code * 8 + c, sizes, c == used ? used + 1 : used);
            sizes[c]--;
        }
        return;
    }
    uint32_t largest = 0;
    for (uint32_t c = 0; c < used; c++)
        largest = sizes[c] > largest ? sizes[c] : largest;
    all->found[used][largest] = true;
    if (all->sets == 0 || (all->sets == used && all->largest == largest))
        all->codes[all->count++] = code;
}

static void find_partitions(partitions *all, uint32_t locations, uint32_t sets, uint32_t largest) {
    uint32_t sizes[MOST + 1] = {0};
    memset(all, 0, sizeof *all);
    all->locations = locations;
    all->sets = sets;
    all->largest = largest;
    enumerate(all, 0, 0, sizes, 0);
}

static uint32_t code_of(const uint32_t *set_of, uint32_t locations) {
    uint32_t code = 0, names[MOST], used = 0;
    for (uint32_t i = 0; i < locations; i++) {
        uint32_t name = 0;
        while (name < used && names[name] != set_of[i])
            name++;
        if (name == used)
            names[used++] = set_of[i];
        code = code * 8 + name;
    }
    return code;
}

static int compare_codes(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

TEST(feasible_patterns_are_those_of_some_partition) {
    static partitions all;
    for (uint32_t s = 1; s <= MOST; s++) {
        find_partitions(&all, s, 0, 0);
        for (uint32_t kappa = 0; kappa <= s + 1; kappa++)
            for (uint32_t chi = 0; chi <= s + 1; chi++) {
                col_problem problem = {.message = ""};
                const col_status status = gen_cbc_check(s, kappa, chi, &problem);
                assert_int_equal(status, all.found[kappa][chi] ? COL_OK : COL_BAD_INPUT);
                assert_int_equal(status == COL_OK, problem.message[0] == '\0');
                assert_int_equal(gen_cbc_check(s, kappa, chi, NULL), status);
            }
    }
}

BENCH_TEST(ranges_end_where_feasibility_does) {
    for (uint32_t round = 0; round < 20000; round++) {
        const uint32_t s = dice(&b->rng, 1, round < 1000 ? 12 : 1000000);
        const uint32_t kappa = dice(&b->rng, 1, s);
        uint32_t least, most;
        gen_cbc_range(s, kappa, &least, &most);
        assert_true(least >= 1 && least <= most);
        const uint32_t edges[] = {least - 1, least, dice(&b->rng, least, most), most, most + 1};
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(gen_cbc_check(s, kappa, edges[i], NULL) == COL_OK, i >= 1 && i <= 3);
    }
}

static void assert_drawn_evenly(bench *b, const partitions *all) {
    uint32_t observed[BELL_MOST] = {0}, scratch[MOST], set_of[MOST];
    gen_pattern_table table = {0};
    assert_int_equal(
        gen_pattern_prepare(&table, all->locations, all->sets, all->largest, &b->problem), COL_OK);
    for (uint32_t i = 0; i < 200 * all->count; i++) {
        gen_pattern_draw(&table, &b->rng, scratch, set_of);
        const uint32_t code = code_of(set_of, all->locations);
        const uint32_t *at =
            bsearch(&code, all->codes, all->count, sizeof all->codes[0], compare_codes);
        assert_non_null(at);
        observed[at - all->codes]++;
    }
    if (!spread_evenly(observed, all->count))
        fail_saying("(%u, %u) of %u locations is not drawn evenly\n", all->sets, all->largest,
                    all->locations);
    gen_pattern_free(&table);
}

BENCH_TEST(small_patterns_are_drawn_evenly) {
    static partitions all;
    for (uint32_t s = 1; s <= MOST; s++)
        for (uint32_t kappa = 1; kappa <= s; kappa++)
            for (uint32_t chi = 1; chi <= s; chi++)
                if (gen_cbc_check(s, kappa, chi, NULL) == COL_OK) {
                    find_partitions(&all, s, kappa, chi);
                    assert_drawn_evenly(b, &all);
                }
}

/* ---- Class sizes of larger patterns: all multisets of sizes, each with its share of the patterns,
 * s! / (product of sizes! times product of multiplicities!). */

enum { MOST_SHAPES = 40000, MOST_PARTS = 1024 };

typedef struct shapes {
    uint32_t locations, sets, largest;
    uint64_t names[MOST_SHAPES];
    double shares[MOST_SHAPES];
    uint32_t count;
} shapes;

/* A hash of the sizes that does not depend on their order. */
static uint64_t name_of(const uint32_t *sizes, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t x = sizes[i] * 0x9E3779B97F4A7C15u;
        x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
        sum += x ^ (x >> 32);
    }
    return sum;
}

static void add_shapes(shapes *all, uint32_t *sizes, uint32_t parts, uint32_t left) {
    if (parts == all->sets) {
        if (left > 0)
            return;
        double logarithm = lgamma(all->locations + 1.0);
        for (uint32_t i = 0, run = 1; i < parts; i++, run++) {
            logarithm -= lgamma(sizes[i] + 1.0);
            if (i + 1 == parts || sizes[i + 1] != sizes[i]) {
                logarithm -= lgamma(run + 1.0);
                run = 0;
            }
        }
        assert_true(all->count < MOST_SHAPES);
        all->names[all->count] = name_of(sizes, parts);
        all->shares[all->count++] = logarithm;
        return;
    }
    const uint32_t most = parts == 0 ? all->largest : sizes[parts - 1];
    if (left < all->sets - parts || left > (all->sets - parts) * most)
        return; /* no sizes from 1 to `most` sum to that */
    for (uint32_t size = parts == 0 ? all->largest : 1; size <= most && size <= left; size++) {
        sizes[parts] = size;
        add_shapes(all, sizes, parts + 1, left - size);
    }
}

static void find_shapes(shapes *all, uint32_t locations, uint32_t sets, uint32_t largest) {
    uint32_t sizes[MOST_PARTS];
    all->locations = locations;
    all->sets = sets;
    all->largest = largest;
    all->count = 0;
    add_shapes(all, sizes, 0, locations);
    double top = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < all->count; i++)
        top = fmax(top, all->shares[i]);
    for (uint32_t i = 0; i < all->count; i++)
        sum += all->shares[i] = exp(all->shares[i] - top);
    for (uint32_t i = 0; i < all->count; i++)
        all->shares[i] /= sum;
}

/* Chi-square with the rare shapes, fewer than 20 expected of each, taken together. */
static bool matches(const shapes *all, const uint32_t *observed, uint32_t draws) {
    double sum = 0, rare = 0, rare_observed = 0;
    uint32_t bins = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const double expected = all->shares[i] * draws;
        if (expected < 20) {
            rare += expected;
            rare_observed += observed[i];
            continue;
        }
        sum += (observed[i] - expected) * (observed[i] - expected) / expected;
        bins++;
    }
    if (rare >= 20) {
        sum += (rare_observed - rare) * (rare_observed - rare) / rare;
        bins++;
    } else if (fabs(rare_observed - rare) > 5 * sqrt(rare) + 5)
        return false;
    return likely(sum, bins - 1);
}

static void class_sizes(const uint32_t *set_of, uint32_t locations, uint32_t *sizes,
                        uint32_t sets) {
    memset(sizes, 0, sets * sizeof *sizes);
    for (uint32_t i = 0; i < locations; i++) {
        assert_true(set_of[i] < sets);
        sizes[set_of[i]]++;
    }
}

static void assert_shapes_drawn(bench *b, const shapes *all, uint32_t draws) {
    static uint32_t observed[MOST_SHAPES], scratch[1024], set_of[1024];
    gen_pattern_table table = {0};
    memset(observed, 0, sizeof observed);
    assert_int_equal(
        gen_pattern_prepare(&table, all->locations, all->sets, all->largest, &b->problem), COL_OK);
    double together = 0, pairs = 0;
    for (uint32_t i = 0; i < draws; i++) {
        uint32_t sizes[MOST_PARTS], at = 0;
        gen_pattern_draw(&table, &b->rng, scratch, set_of);
        class_sizes(set_of, all->locations, sizes, all->sets);
        const uint64_t name = name_of(sizes, all->sets);
        while (at < all->count && all->names[at] != name)
            at++;
        assert_true(at < all->count);
        observed[at]++;
        together += set_of[0] == set_of[all->locations - 1];
        for (uint32_t c = 0; c < all->sets; c++)
            pairs += sizes[c] * (sizes[c] - 1.0);
    }
    if (!matches(all, observed, draws))
        fail_saying("(%u, %u) of %u locations: wrong class sizes\n", all->sets, all->largest,
                    all->locations);
    /* No two locations are together more often than any other two. */
    assert_true(
        holds_share(together, draws, pairs / draws / all->locations / (all->locations - 1)));
    gen_pattern_free(&table);
}

BENCH_TEST(larger_patterns_have_the_right_sizes) {
    static const uint32_t cases[][3] = {
        {40, 8, 9},     {40, 8, 6},     {40, 20, 3},    {40, 20, 6},    {40, 3, 20},
        {40, 2, 20},    {40, 10, 30},   {40, 5, 8},     {60, 6, 13},    {60, 30, 5},
        {64, 8, 8},     {200, 4, 60},   {1000, 3, 400}, {1000, 3, 340}, {1024, 2, 600},
        {1024, 512, 3}, {1000, 990, 4}, {300, 150, 4},  {1016, 4, 946}};
    static shapes all;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        find_shapes(&all, cases[i][0], cases[i][1], cases[i][2]);
        assert_shapes_drawn(b, &all, cases[i][0] > 100 ? 2000 : 20000);
    }
}

static void assert_pattern_keeps_cbc(bench *b, gen_pattern_table *table, uint32_t s, uint32_t kappa,
                                     uint32_t chi) {
    static uint32_t scratch[1024], set_of[1024], sizes[1024];
    assert_int_equal(gen_pattern_prepare(table, s, kappa, chi, &b->problem), COL_OK);
    for (uint32_t draw = 0; draw < 5; draw++) {
        uint32_t largest = 0;
        gen_pattern_draw(table, &b->rng, scratch, set_of);
        class_sizes(set_of, s, sizes, kappa);
        for (uint32_t c = 0; c < kappa; c++) {
            assert_true(sizes[c] > 0);
            largest = sizes[c] > largest ? sizes[c] : largest;
        }
        assert_int_equal(largest, chi);
    }
}

BENCH_TEST(any_pattern_keeps_its_cbc) {
    gen_pattern_table table = {0};
    for (uint32_t round = 0; round < 500; round++) {
        const uint32_t s = dice(&b->rng, 1, round % 25 == 0 ? GEN_PATTERN_MOST_LOCATIONS : 150);
        const uint32_t kappa =
            chance(&b->rng, 20) ? dice(&b->rng, 1, s < 4 ? s : 4) : dice(&b->rng, 1, s);
        uint32_t least, most;
        gen_cbc_range(s, kappa, &least, &most);
        /* Often close to uniform, where nearly all classes have the largest size. */
        const uint32_t high = chance(&b->rng, 50) && least + 2 < most ? least + 2 : most;
        const uint32_t chi = chance(&b->rng, 20) ? most : dice(&b->rng, least, high);
        assert_pattern_keeps_cbc(b, &table, s, kappa, chi);
    }
    /* Where counts are far out of a double's range unless they are scaled well. */
    static const uint32_t extremes[][3] = {{1024, 512, 3},  {1024, 211, 808}, {932, 501, 3},
                                           {1019, 15, 932}, {1024, 1000, 25}, {1024, 33, 32}};
    for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++)
        assert_pattern_keeps_cbc(b, &table, extremes[i][0], extremes[i][1], extremes[i][2]);
    /* Uniform competition has no bound but memory; otherwise the refusal says so. */
    const uint32_t over = GEN_PATTERN_MOST_LOCATIONS + 1;
    assert_int_equal(gen_pattern_prepare(&table, 4096, 64, 64, &b->problem), COL_OK);
    assert_refused(gen_pattern_prepare(&table, over, 2, over / 2 + 2, &b->problem), &b->problem,
                   "not uniform");
    assert_refused(gen_pattern_prepare(&table, 4, 2, 1, &b->problem), &b->problem, "at least 2");
    gen_pattern_free(&table);
}
