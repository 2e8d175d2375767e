/* SPDX-License-Identifier: MIT */
/* ctest: unsanitized */
/* Chained programs are made of canonical chains, in the asked mix, over all threads. */
#include "chain_oracle.h"
#include "harness.h"
#include "support.h"

#include <math.h>
#include <string.h>

static const char *const named_mixes[] = {"c0-c1", "c1", "c1-c2", "c1-c3"};

static col_category_mix random_mix(base_rng *rng) {
    if (chance(rng, 30))
        return category_mix(named_mixes[dice(rng, 0, 3)]);
    col_category_mix mix = {.weights = {0}};
    do
        for (uint32_t c = 0; c < COL_CATEGORIES; c++)
            mix.weights[c] = chance(rng, 40) ? 0 : base_rng_unit(rng);
    while (mix.weights[0] + mix.weights[1] + mix.weights[2] + mix.weights[3] <= 0);
    mix.loads = chance(rng, 50) ? 0 : base_rng_unit(rng);
    return mix;
}

/* Small numbers are as likely as large ones. */
static uint32_t random_size(base_rng *rng, uint32_t most) {
    const double logarithm = base_rng_unit(rng) * log((double)most + 0.999);
    return (uint32_t)exp(logarithm);
}

enum { MOST_THREADS = 40 };

/* Lengths that sum to the operations, some of them 0. */
static void random_lengths(base_rng *rng, uint32_t threads, uint32_t operations,
                           uint32_t *lengths) {
    memset(lengths, 0, MOST_THREADS * sizeof *lengths);
    for (uint32_t i = 0; i < operations; i++)
        lengths[dice(rng, 0, dice(rng, 0, threads - 1))]++;
}

static double part_of_loads(bench *b, const char *mix) {
    const col_generation g = settings(8, 40000, 16, mix);
    uint32_t counts[COL_KIND_COUNT] = {0};
    (void)make(b, &g, 7, 1);
    for (uint32_t i = 0; i < col_program_operations(&b->program); i++)
        counts[b->program.operations[i].kind]++;
    return (double)counts[COL_LOAD] / (counts[COL_LOAD] + counts[COL_STORE]);
}

/* Three standard deviations of as many independent draws are below 0.01. */
BENCH_TEST(a_mix_says_how_many_open_kinds_are_loads) {
    assert_true(fabs(part_of_loads(b, "c1-c2-even") - 0.5) < 0.01);
    assert_true(fabs(part_of_loads(b, "c1=1,loads=0.5") - 0.5) < 0.01); /* S L and any */
    assert_true(fabs(part_of_loads(b, "c1=1,loads=1") - 2.0 / 3) < 0.01);
    assert_true(fabs(part_of_loads(b, "c1=1,loads=0.75") - part_of_loads(b, "c1")) < 0.01);
}

BENCH_TEST(chains_are_canonical) {
    for (uint32_t round = 0; round < 10000; round++) {
        uint32_t lengths[MOST_THREADS];
        const uint32_t threads = random_size(&b->rng, MOST_THREADS);
        const uint32_t operations = random_size(&b->rng, 4000);
        col_generation g = settings(threads, operations, random_size(&b->rng, 64), "c1");
        g.categories = random_mix(&b->rng);
        if (g.threads == 1)
            g.categories = category_mix("c0=1");
        g.exact_fences = chance(&b->rng, 50);
        g.random_lengths = chance(&b->rng, 33);
        const bool unequal = !g.random_lengths && chance(&b->rng, 50);
        random_lengths(&b->rng, g.threads, g.operations, lengths);
        if (unequal)
            g.lengths = lengths;
        const col_generated *made = make(b, &g, round, dice(&b->rng, 0, 1000));
        const char *wrong = chained_program_violation(&b->program, made);
        if (wrong != NULL)
            fail_saying("round %u, %u threads, %u operations, %u locations: %s\n", round, g.threads,
                        g.operations, g.locations, wrong);
        for (uint32_t i = 0; i < col_program_operations(&b->program); i++) {
            const col_operation *operation = &b->program.operations[i];
            if (operation->kind != COL_FENCE)
                continue;
            if (g.exact_fences)
                assert_int_equal(operation->fence & (operation->fence - 1), 0);
            else
                assert_int_equal(operation->fence, COL_FULL_FENCE);
        }
        assert_int_equal(b->program.thread_count, g.threads);
        assert_int_equal(col_program_operations(&b->program), g.operations);
        assert_int_equal(b->program.location_count, g.locations);
        for (uint32_t t = 0; unequal && t < g.threads; t++)
            assert_int_equal(b->program.thread_start[t + 1] - b->program.thread_start[t],
                             lengths[t]);
        for (uint32_t c = 0; c < COL_CATEGORIES; c++)
            if (g.categories.weights[c] <= 0)
                assert_int_equal(made->chain_counts[c], 0);
    }
}

/* Whatever the mix: the others need two threads. */
BENCH_TEST(one_thread_has_category_0_alone) {
    static const char *const mixes[] = {"c1=1", "c2=1", "c3=1", "c0=0.9,c3=0.1", "c1-c2", "c0=1"};
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        const col_generation g = settings(1, 100, 4, mixes[i]);
        const col_generated *made = make(b, &g, 1, 1);
        assert_true(made->chain_counts[0] > 0);
        assert_int_equal(made->chain_counts[0], made->chain_total);
    }
}

static void assert_mix_holds(const col_generation *g, const col_generated *made) {
    const double *weights = g->categories.weights;
    const double sum = weights[0] + weights[1] + weights[2] + weights[3];
    for (uint32_t c = 0; c < COL_CATEGORIES; c++)
        if (!holds_share((double)made->chain_counts[c], (double)made->chain_total,
                         weights[c] / sum))
            fail_saying("%u threads, mix %g %g %g %g: %g of %g chains are of category %u\n",
                        g->threads, weights[0] / sum, weights[1] / sum, weights[2] / sum,
                        weights[3] / sum, (double)made->chain_counts[c], (double)made->chain_total,
                        c);
}

static void assert_mixes_hold(bench *b, uint32_t least_threads, uint32_t most_threads) {
    for (uint32_t round = 0; round < 100; round++) {
        const uint32_t threads = dice(&b->rng, least_threads, most_threads);
        col_generation g = settings(threads, 65536, dice(&b->rng, 1, 64), "c1");
        g.categories = round < 40 ? category_mix(named_mixes[round % 4]) : random_mix(&b->rng);
        const col_generated *made = make(b, &g, round, 0);
        assert_mix_holds(&g, made);
    }
}

BENCH_TEST(category_mixes_hold) {
    assert_mixes_hold(b, 4, 64);
}

/* Where hardly another thread is left to choose. */
BENCH_TEST(category_mixes_hold_with_few_threads) {
    assert_mixes_hold(b, 2, 3);
}

/* At n / p = 256 hardly an operation is left over at the ends of threads. */
BENCH_TEST(fillers_are_few) {
    for (uint32_t threads = 2; threads <= 64; threads *= 2)
        for (uint32_t mix = 0; mix < 4; mix++) {
            uint32_t fillers = 0;
            const col_generation g = settings(threads, 256 * threads, 16, named_mixes[mix]);
            for (uint64_t test = 0; test < 10; test++)
                fillers += make(b, &g, 3, test)->fillers;
            if (fillers > 0.02 * 10 * g.operations)
                fail_saying("%u fillers among %u operations, %u threads, mix %s\n", fillers,
                            10 * g.operations, threads, named_mixes[mix]);
        }
}

/* A place in a chain whose kind the definition leaves open. */
typedef struct open_place {
    uint8_t category;
    uint32_t link;
    bool after_conflict; /* behind the intervening store, if there is one */
} open_place;

/* Open kinds are loads three times out of four. In the first repetition of category 3 both sides of
 * the conflict are open: three threads suffice for a store between two loads. They are not open
 * where b is a, as operations of one thread at one location conflict. */
BENCH_TEST(open_kinds_are_mostly_loads) {
    static const open_place places[] = {
        {0, 0, false}, {1, 2, false}, {2, 0, false}, {3, 2, false}, {3, 3, true}};
    enum { PLACES = sizeof places / sizeof places[0] };
    const col_generation g = settings(16, 400000, 16, "c0=1,c1=1,c2=1,c3=1");
    const col_generated *made = make(b, &g, 11, 0);
    const col_operation *operations = b->program.operations;
    double trials[PLACES] = {0}, loads[PLACES] = {0};
    for (size_t n = 0; n < made->chain_total; n++) {
        const col_chain *c = &made->chains[n];
        const col_link *links = &made->links[c->first];
        if (c->category == 3 &&
            operations[links[2].operation].location == operations[links[0].operation].location)
            continue;
        for (uint32_t i = 0; i < PLACES; i++) {
            if (places[i].category != c->category)
                continue;
            const uint32_t at = places[i].link + (places[i].after_conflict && links[3].between);
            trials[i]++;
            loads[i] += operations[links[at].operation].kind == COL_LOAD;
        }
    }
    for (uint32_t i = 0; i < PLACES; i++)
        if (!holds_share(loads[i], trials[i], 0.75))
            fail_saying("category %u, link %u: %g loads of %g\n", places[i].category,
                        places[i].link, loads[i], trials[i]);
}

/* Chapter 3.3 of the thesis is stricter than definition 1 where it sharpens a race: operations of
 * one thread that follow each other in categories 2 and 3 conflict, or a barrier orders them. */
BENCH_TEST(neighbours_at_one_location_conflict) {
    for (uint32_t locations = 1; locations <= 4; locations++)
        for (uint32_t threads = 2; threads <= 6; threads++) {
            const col_generation g = settings(threads, 4000, locations, "c2=1,c3=1");
            const col_generated *made = make(b, &g, 17, threads);
            for (size_t n = 0; n < made->chain_total; n++)
                for (uint32_t i = 1; i < made->chains[n].count; i++) {
                    const col_link *link = &made->links[made->chains[n].first + i];
                    const uint32_t before = link[-1].operation, after = link->operation;
                    const col_operation *x = &b->program.operations[before];
                    const col_operation *y = &b->program.operations[after];
                    assert_false(col_program_thread_of(&b->program, before) ==
                                     col_program_thread_of(&b->program, after) &&
                                 x->location == y->location && x->kind == COL_LOAD &&
                                 y->kind == COL_LOAD);
                }
        }
}

/* Is each count within `part` of their mean? */
static bool roughly_even(const uint32_t *counts, uint32_t bins, double part) {
    double mean = 0;
    for (uint32_t i = 0; i < bins; i++)
        mean += counts[i] / (double)bins;
    for (uint32_t i = 0; i < bins; i++)
        if (fabs(counts[i] - mean) > part * mean)
            return false;
    return true;
}

enum { THREADS = 8, QUARTERS = 4 };

typedef struct reach {
    uint32_t thread[THREADS];           /* links in each thread */
    uint32_t quarter[QUARTERS];         /* links in each quarter of a thread */
    uint32_t passes[THREADS * THREADS]; /* from one thread to another along a chain */
} reach;

/* Of every category: each thread, each part of a thread, and each way between two threads has its
 * share of the chains. */
BENCH_TEST(chains_reach_everywhere) {
    reach reached[COL_CATEGORIES];
    memset(reached, 0, sizeof reached);
    const col_generation g = settings(THREADS, 4096, 16, "c0=1,c1=1,c2=1,c3=1");
    for (uint64_t test = 0; test < 100; test++) {
        const col_generated *made = make(b, &g, 5, test);
        for (size_t n = 0; n < made->chain_total; n++) {
            const col_chain *c = &made->chains[n];
            const col_link *links = &made->links[c->first];
            reach *r = &reached[c->category];
            for (uint32_t i = 0; i < c->count; i++) {
                const uint32_t place = links[i].operation;
                const uint32_t thread = col_program_thread_of(&b->program, place);
                const uint32_t *start = &b->program.thread_start[thread];
                r->thread[thread]++;
                r->quarter[(uint64_t)(place - start[0]) * QUARTERS / (start[1] - start[0])]++;
                if (i > 0)
                    r->passes[THREADS * col_program_thread_of(&b->program, links[i - 1].operation) +
                              thread]++;
            }
        }
    }
    for (uint32_t c = 0; c < COL_CATEGORIES; c++) {
        uint32_t passes[THREADS * THREADS], ways = 0;
        for (uint32_t i = 0; i < THREADS * THREADS; i++)
            if (i / THREADS != i % THREADS)
                passes[ways++] = reached[c].passes[i];
        assert_true(roughly_even(reached[c].thread, THREADS, 0.1));
        assert_true(roughly_even(reached[c].quarter, QUARTERS, 0.1));
        if (c > 0)
            assert_true(roughly_even(passes, ways, 0.2));
    }
}
