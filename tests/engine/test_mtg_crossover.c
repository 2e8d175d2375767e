/* SPDX-License-Identifier: MIT */
/*
 * Offspring against Algorithm 1. What the pseudo code says of one node is worked out here exactly,
 * by enumerating its random choices; children of fixed seeds must follow these probabilities.
 */
#include "base/random.h"
#include "engine/mtg.h"
#include "engine/mtg_statistics.h"
#include "harness.h"
#include "program/generate/generator.h"

#include <string.h>

enum { LOCATIONS = 64, MOST_GENES = 256 };

/* What a gene is to the algorithm. */
typedef enum sort { FIT, UNFIT, UNLOCATED, SORTS } sort;

/* Where a child's gene comes from. */
typedef enum origin { FIRST, SECOND, NEW, ORIGINS } origin;

typedef struct family {
    dir_mtg_space space;
    dir_mtg_parameters parameters;
    dir_mtg_gene genes[2][MOST_GENES], child[MOST_GENES];
    bool is_fit[2][LOCATIONS];
    dir_mtg_test tests[2];
    const dir_mtg_test *parents[2];
    uint32_t list[LOCATIONS];
} family;

static uint8_t template_of(const char *name) {
    for (uint32_t t = 0; t < gen_template_count; t++)
        if (strcmp(gen_templates[t].name, name) == 0)
            return (uint8_t)t;
    fail_msg("no template %s", name);
    return 0;
}

/* Two parents without genes: locations 0 to 7 are fit in the first, 4 to 15 in the second. The
 * parents' genes are in threads 0 and 1 of this many that hardly a random gene is there. */
static void make_family(family *f, uint32_t operations) {
    const col_engine_settings settings = {.mix = "published",
                                          .threads = 60000,
                                          .operations = {operations, operations},
                                          .locations = {1, 1}};
    col_problem problem = {0};
    memset(f, 0, sizeof *f);
    f->parameters = (dir_mtg_parameters){.unconditional = 0.2,
                                         .fit_bias = 0.05,
                                         .memory = 1024,
                                         .stride = 16,
                                         .partition = 512,
                                         .distance = 1 << 20};
    assert_int_equal(dir_mtg_space_make(&f->space, &f->parameters, &settings, &problem), COL_OK);
    assert_int_equal(f->space.locations, LOCATIONS);
    for (uint32_t l = 0; l < LOCATIONS; l++) {
        f->is_fit[0][l] = l < 8;
        f->is_fit[1][l] = l >= 4 && l < 16;
    }
    for (int p = 0; p < 2; p++) {
        f->tests[p] = (dir_mtg_test){.genes = f->genes[p], .is_fit = f->is_fit[p]};
        f->parents[p] = &f->tests[p];
    }
}

static void set_gene(family *f, int parent, uint32_t i, sort s) {
    static const uint32_t locations[2][SORTS] = {{5, 20, 0}, {5, 21, 0}};
    f->genes[parent][i] =
        (dir_mtg_gene){.location = locations[parent][s],
                       .thread = (uint16_t)parent,
                       .template = template_of(s == UNLOCATED ? "delay" : "store")};
}

static bool is_gene(const dir_mtg_gene *a, const dir_mtg_gene *b) {
    return a->location == b->location && a->thread == b->thread && a->template == b->template;
}

/* That a random gene is one of a parent's by chance is too rare to matter. */
static origin origin_of(const family *f, uint32_t i) {
    for (int parent = 0; parent < 2; parent++)
        if (is_gene(&f->child[i], &f->genes[parent][i]))
            return parent == 0 ? FIRST : SECOND;
    return NEW;
}

static void cross(family *f, base_rng *rng) {
    dir_mtg_cross_selectively(&f->space, &f->parameters, f->parents, rng, f->list, f->child);
}

/* ---- The oracle: the pseudo code of a node, with all outcomes of its random choices. */

static double chance_of_selection(const family *f, int parent, sort s) {
    uint32_t memory_operations = 0, fit = 0;
    for (uint32_t i = 0; i < f->space.operations; i++) {
        const dir_mtg_gene *gene = &f->genes[parent][i];
        if (gene->template == template_of("delay"))
            continue;
        memory_operations++;
        fit += f->is_fit[parent][gene->location];
    }
    const double a = memory_operations == 0 ? 0 : (double)fit / memory_operations;
    const double usel = f->parameters.unconditional;
    return s == FIT ? 1 : s == UNFIT ? usel : a + usel - a * usel;
}

static void expect_origins(const family *f, sort first, sort second, double expected[ORIGINS]) {
    const double p1 = chance_of_selection(f, 0, first), p2 = chance_of_selection(f, 1, second);
    for (int o = 0; o < ORIGINS; o++)
        expected[o] = 0;
    for (int select1 = 0; select1 < 2; select1++)
        for (int select2 = 0; select2 < 2; select2++) {
            const double p = (select1 ? p1 : 1 - p1) * (select2 ? p2 : 1 - p2);
            if (!select1 && select2)
                expected[SECOND] += p;
            else if (!select1 && !select2)
                expected[NEW] += p;
            else
                expected[FIRST] += p;
        }
}

/* ---- Tests. */

/* All nine pairs of sorts, each several times, so that the fractions of fit operations are between
 * 0 and 1 and differ between the parents. */
TEST(nodes_come_from_parents_as_the_paper_says) {
    family f;
    base_rng rng;
    uint64_t counts[SORTS][SORTS][ORIGINS] = {{{0}}};
    make_family(&f, 36);
    for (uint32_t i = 0; i < 36; i++) {
        set_gene(&f, 0, i, (sort)(i / 3 % 3));
        set_gene(&f, 1, i, i >= 27 ? FIT : (sort)(i % 3));
    }
    base_rng_seed(&rng, 1, 0);
    for (int round = 0; round < 20000; round++) {
        cross(&f, &rng);
        for (uint32_t i = 0; i < 27; i++)
            counts[i / 3 % 3][i % 3][origin_of(&f, i)]++;
    }
    assert_true(chance_of_selection(&f, 0, UNLOCATED) != chance_of_selection(&f, 1, UNLOCATED));
    for (int first = 0; first < SORTS; first++)
        for (int second = 0; second < SORTS; second++) {
            double expected[ORIGINS];
            expect_origins(&f, (sort)first, (sort)second, expected);
            assert_distributed(counts[first][second], expected, ORIGINS);
        }
}

/* Nodes are independent of each other: all patterns of a test of four. */
TEST(nodes_are_chosen_independently) {
    enum { NODES = 4, PATTERNS = 81 };
    static const sort sorts[2][NODES] = {{UNFIT, UNLOCATED, UNFIT, UNFIT},
                                         {UNFIT, UNFIT, UNLOCATED, UNLOCATED}};
    family f;
    base_rng rng;
    uint64_t counts[PATTERNS] = {0};
    double expected[PATTERNS], node[ORIGINS];
    make_family(&f, NODES);
    f.parameters.unconditional = 0.4;
    for (uint32_t i = 0; i < NODES; i++)
        for (int p = 0; p < 2; p++)
            set_gene(&f, p, i, sorts[p][i]);
    base_rng_seed(&rng, 2, 0);
    for (int round = 0; round < 100000; round++) {
        uint32_t pattern = 0;
        cross(&f, &rng);
        for (uint32_t i = 0; i < NODES; i++)
            pattern = pattern * ORIGINS + (uint32_t)origin_of(&f, i);
        counts[pattern]++;
    }
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        uint32_t rest = pattern;
        expected[pattern] = 1;
        for (uint32_t i = NODES; i-- > 0; rest /= ORIGINS) {
            expect_origins(&f, sorts[0][i], sorts[1][i], node);
            expected[pattern] *= node[rest % ORIGINS];
        }
    }
    assert_distributed(counts, expected, PATTERNS);
}

/* New genes: P_BFA of them at the fit addresses of either parent, all of these alike; templates and
 * threads as in any random gene. */
TEST(new_genes_favour_fit_addresses) {
    enum { GENES = 200, THREAD_CELLS = 10 };
    family f;
    base_rng rng;
    uint64_t at[LOCATIONS] = {0}, templates[COL_MAX_TEMPLATES] = {0}, threads[THREAD_CELLS] = {0};
    double expected[LOCATIONS], uniform[THREAD_CELLS];
    col_instruction_mix mix;
    col_problem problem = {0};
    make_family(&f, GENES);
    f.parameters.unconditional = 0;
    f.parameters.fit_bias = 0.3;
    for (uint32_t i = 0; i < GENES; i++) {
        set_gene(&f, 0, i, UNFIT);
        set_gene(&f, 1, i, UNFIT);
    }
    base_rng_seed(&rng, 3, 0);
    for (int round = 0; round < 500; round++) {
        cross(&f, &rng);
        for (uint32_t i = 0; i < GENES; i++) {
            const dir_mtg_gene *gene = &f.child[i];
            templates[gene->template]++;
            threads[gene->thread * THREAD_CELLS / 60000]++;
            if (dir_mtg_is_located(&f.space, gene))
                at[gene->location]++;
            else
                assert_int_equal(gene->location, 0);
        }
    }
    for (uint32_t l = 0; l < LOCATIONS; l++)
        expected[l] = 0.7 / LOCATIONS + (l < 16 ? 0.3 / 16 : 0);
    assert_distributed(at, expected, LOCATIONS);
    for (uint32_t t = 0; t < THREAD_CELLS; t++)
        uniform[t] = 1.0 / THREAD_CELLS;
    assert_distributed(threads, uniform, THREAD_CELLS);
    assert_int_equal(col_instruction_mix_parse("mcversi", &mix, &problem), COL_OK);
    assert_distributed(templates, mix.weights, COL_MAX_TEMPLATES);
}

/* Parents without fit addresses: a new gene is anywhere, also with P_BFA 1. */
TEST(without_fit_addresses_new_genes_are_anywhere) {
    family f;
    base_rng rng;
    uint64_t at[LOCATIONS] = {0};
    double uniform[LOCATIONS];
    make_family(&f, 100);
    memset(f.is_fit, 0, sizeof f.is_fit);
    f.parameters.unconditional = 0;
    f.parameters.fit_bias = 1;
    for (uint32_t i = 0; i < 100; i++) {
        set_gene(&f, 0, i, FIT);
        set_gene(&f, 1, i, FIT);
    }
    base_rng_seed(&rng, 4, 0);
    for (int round = 0; round < 100; round++) {
        cross(&f, &rng);
        for (uint32_t i = 0; i < 100; i++)
            if (dir_mtg_is_located(&f.space, &f.child[i]))
                at[f.child[i].location]++;
    }
    for (uint32_t l = 0; l < LOCATIONS; l++)
        uniform[l] = 1.0 / LOCATIONS;
    assert_distributed(at, uniform, LOCATIONS);
}

/* Exactly `fresh` of twenty nodes are new; the others come from the first parent and are mutated
 * with P_MUT, but only if the new ones are fewer than P_MUT asks for. */
static void check_mutation(uint32_t fresh, double mutation, bool mutates) {
    enum { NODES = 20, ROUNDS = 20000 };
    family f;
    base_rng rng;
    uint64_t counts[2] = {0};
    make_family(&f, NODES);
    f.parameters.unconditional = 0;
    f.parameters.mutation = mutation;
    for (uint32_t i = 0; i < NODES; i++) {
        set_gene(&f, 0, i, i < fresh ? UNFIT : FIT);
        set_gene(&f, 1, i, i < fresh ? UNFIT : FIT);
    }
    base_rng_seed(&rng, 5, fresh);
    for (int round = 0; round < ROUNDS; round++) {
        cross(&f, &rng);
        for (uint32_t i = 0; i < fresh; i++)
            assert_int_equal(origin_of(&f, i), NEW);
        for (uint32_t i = fresh; i < NODES; i++)
            counts[origin_of(&f, i) == NEW]++;
    }
    const double p = mutates ? mutation : 0;
    assert_distributed(counts, (const double[]){1 - p, p}, 2);
}

TEST(children_mutate_only_if_too_few_genes_are_new) {
    check_mutation(0, 0.005, true); /* the paper's */
    check_mutation(1, 0.005, false);
    check_mutation(1, 0.05, false); /* as many as asked for */
    check_mutation(1, 0.06, true);
    check_mutation(4, 0.19, false);
    check_mutation(4, 0.21, true);
    check_mutation(0, 0, false);
    check_mutation(0, 1, true);
}

/* The cut is anywhere, with a part of each parent; then genes mutate one by one. */
TEST(single_point_crossover_cuts_anywhere_inside) {
    enum { NODES = 16 };
    family f;
    base_rng rng;
    uint64_t cuts[NODES + 1] = {0}, mutations[2] = {0};
    double expected[NODES + 1];
    make_family(&f, NODES);
    for (uint32_t i = 0; i < NODES; i++)
        for (int p = 0; p < 2; p++)
            set_gene(&f, p, i, i % 3 == 0 ? FIT : UNFIT);
    base_rng_seed(&rng, 6, 0);
    for (int round = 0; round < 20000; round++) {
        uint32_t cut = 0;
        f.parameters.mutation = 0;
        dir_mtg_cross_at_a_point(&f.space, &f.parameters, f.parents, &rng, f.child);
        while (cut < NODES && origin_of(&f, cut) == FIRST)
            cut++;
        for (uint32_t i = cut; i < NODES; i++)
            assert_int_equal(origin_of(&f, i), SECOND);
        cuts[cut]++;
        f.parameters.mutation = 0.1;
        dir_mtg_cross_at_a_point(&f.space, &f.parameters, f.parents, &rng, f.child);
        for (uint32_t i = 0; i < NODES; i++)
            mutations[origin_of(&f, i) == NEW]++;
    }
    for (uint32_t i = 0; i <= NODES; i++)
        expected[i] = i == 0 || i == NODES ? 0 : 1.0 / (NODES - 1);
    assert_distributed(cuts, expected, NODES + 1);
    assert_distributed(mutations, (const double[]){0.9, 0.1}, 2);
}

/* A test of one operation, and tests of nothing but delays. */
TEST(parents_of_one_gene_or_only_delays_cross) {
    family f;
    base_rng rng;
    base_rng_seed(&rng, 7, 0);
    make_family(&f, 1);
    set_gene(&f, 0, 0, UNFIT);
    set_gene(&f, 1, 0, FIT);
    dir_mtg_cross_at_a_point(&f.space, &f.parameters, f.parents, &rng, f.child);
    assert_int_equal(origin_of(&f, 0), FIRST);
    f.parameters.unconditional = 0;
    cross(&f, &rng);
    assert_int_equal(origin_of(&f, 0), SECOND);

    uint64_t counts[ORIGINS] = {0};
    double expected[ORIGINS];
    make_family(&f, 50);
    for (uint32_t i = 0; i < 50; i++)
        for (int p = 0; p < 2; p++)
            set_gene(&f, p, i, UNLOCATED);
    for (int round = 0; round < 400; round++) {
        cross(&f, &rng);
        for (uint32_t i = 0; i < 50; i++)
            counts[origin_of(&f, i)]++;
    }
    expect_origins(&f, UNLOCATED, UNLOCATED, expected);
    assert_distributed(counts, expected, ORIGINS);
}
