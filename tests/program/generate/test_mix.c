/* SPDX-License-Identifier: MIT */
/* Mixes: their names and numbers, what is refused, and that plain programs hold them. */
#include "harness.h"
#include "program/generate/generator.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct named_mix {
    const char *name;
    struct {
        const char *of;
        double share;
    } shares[8];
} named_mix;

/* Table 2 of the thesis; an even mix; and the mix of McVerSi. */
static const named_mix instruction_mixes[] = {
    {"store-heavy", {{"load", 0.30}, {"store", 0.66}, {"fence", 0.04}}},
    {"balanced", {{"load", 0.48}, {"store", 0.48}, {"fence", 0.04}}},
    {"load-heavy", {{"load", 0.66}, {"store", 0.30}, {"fence", 0.04}}},
    {"load-most", {{"load", 0.80}, {"store", 0.16}, {"fence", 0.04}}},
    {"even", {{"load", 0.5}, {"store", 0.5}}},
    {"mcversi",
     {{"load", 0.50},
      {"load-address", 0.05},
      {"store", 0.42},
      {"swap", 0.01},
      {"flush", 0.01},
      {"delay", 0.01}}},
};

static const named_mix category_mixes[] = {
    {"c0-c1", {{"c0", 0.4}, {"c1", 0.6}}},
    {"c1", {{"c1", 1}}},
    {"c1-c2", {{"c1", 0.8}, {"c2", 0.2}}},
    {"c1-c3", {{"c1", 0.8}, {"c3", 0.2}}},
};

static double share_of(const named_mix *mix, const char *name) {
    for (size_t i = 0; mix->shares[i].of != NULL; i++)
        if (strcmp(mix->shares[i].of, name) == 0)
            return mix->shares[i].share;
    return 0;
}

static void assert_share(const named_mix *mix, const char *name, const double *weights,
                         uint32_t count, uint32_t at) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    if (fabs(weights[at] / sum - share_of(mix, name)) > 1e-12)
        fail_saying("the mix %s has %g of %s\n", mix->name, weights[at] / sum, name);
}

TEST(named_mixes_have_their_numbers) {
    base_text names = {0};
    for (size_t n = 0; n < sizeof instruction_mixes / sizeof instruction_mixes[0]; n++) {
        const col_instruction_mix mix = instruction_mix(instruction_mixes[n].name);
        for (uint32_t t = 0; t < gen_template_count; t++)
            assert_share(&instruction_mixes[n], gen_templates[t].name, mix.weights,
                         COL_MAX_TEMPLATES, t);
    }
    gen_mix_names(true, &names);
    for (size_t n = 0; n < sizeof category_mixes / sizeof category_mixes[0]; n++) {
        const col_category_mix mix = category_mix(category_mixes[n].name);
        for (uint32_t c = 0; c < COL_CATEGORIES; c++)
            assert_share(&category_mixes[n], (const char[]){'c', (char)('0' + c), '\0'},
                         mix.weights, COL_CATEGORIES, c);
        assert_non_null(strstr(names.data, category_mixes[n].name));
    }
    base_text_free(&names);
}

/* Every template can be named, alone or in any order with others, with any notation of numbers. */
BENCH_TEST(custom_mixes_are_read) {
    for (uint32_t round = 0; round < 2000; round++) {
        base_text text = {0};
        double weights[COL_MAX_TEMPLATES] = {0};
        uint32_t order[COL_MAX_TEMPLATES];
        for (uint32_t t = 0; t < gen_template_count; t++)
            order[t] = t;
        base_rng_shuffle(&b->rng, order, gen_template_count);
        const uint32_t named = dice(&b->rng, 1, gen_template_count);
        for (uint32_t i = 0; i < named; i++) {
            weights[order[i]] = (dice(&b->rng, 0, 3) + (i == 0 ? 1 : 0)) * 0.125;
            base_text_print(&text, chance(&b->rng, 50) ? "%s%s=%g" : "%s%s=%.3e", i == 0 ? "" : ",",
                            gen_templates[order[i]].name, weights[order[i]]);
        }
        const col_instruction_mix mix = instruction_mix(text.data);
        for (uint32_t t = 0; t < COL_MAX_TEMPLATES; t++)
            assert_true(fabs(mix.weights[t] - weights[t]) < 1e-9);
        base_text_free(&text);
    }
    const col_category_mix mix = category_mix("c3=2,c0=6");
    assert_true(fabs(mix.weights[0] / (mix.weights[0] + mix.weights[3]) - 0.75) < 1e-12);
    assert_true(mix.weights[1] + mix.weights[2] <= 0);
}

typedef struct malformed {
    bool chained;
    const char *text, *words;
} malformed;

BENCH_TEST(malformed_mixes_are_refused) {
    static const malformed cases[] = {
        {false, "", "no mix"},
        {false, "load", "no mix 'load'"},
        {false, "BALANCED", "did you mean 'balanced'?"},
        {false, "anything", "balanced, store-heavy"},
        {false, "c1-c2", "no mix 'c1-c2'"},
        {false, ",", "no mix"},
        {false, "load=", "not a number"},
        {false, "load=x", "not a number"},
        {false, "load=1x", "not a number"},
        {false, "load=-1", "not a number"},
        {false, "load=-1e-9", "not a number"},
        {false, "load=nan", "not a number"},
        {false, "load=inf", "not a number"},
        {false, "load=1e400", "not a number"},
        {false, "load=1000001", "a million"},
        {false, "load=1;store=2", "not a number"},
        {false, "load=1 ", "not a number"},
        {false, "load=1=2", "not a number"},
        {false, "=1", "names no operation"},
        {false, "lod=1", "names no operation 'lod'"},
        {false, " load=1", "names no operation"},
        {false, "c1=1", "names no operation 'c1'"},
        {false, "load=1,,store=1", "names no operation"},
        {false, "balanced,load=1", "names no operation 'balanced'"},
        {false, "load=1,store", "'store' no weight"},
        {false, "load=1,", "ends with a comma"},
        {false, "load=1,load=2", "two weights"},
        {false, "load=0", "no weight above 0"},
        {false, "load=0,store=0", "no weight above 0"},
        {true, "", "no mix"},
        {true, "balanced", "c0-c1, c1"},
        {true, "c4=1", "names no chain category or operation 'c4'"},
        {true, "c=1", "names no chain category"},
        {true, "load=1", "gives no chain category a weight"},
        {true, "c1=1,loads=1.5", "more than all open kinds"},
        {true, "loads=0.5", "gives no chain category a weight"},
        {true, "c1=", "not a number"},
        {true, "c1=0", "no weight above 0"},
        {true, "c0=1,c0=1", "two weights"},
        {true, "c0=1,c1", "'c1' no weight"},
        {true, "c0=1,", "ends with a comma"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        col_instruction_mix instructions;
        col_category_mix categories;
        memset(&b->problem, 0, sizeof b->problem);
        const col_status status =
            cases[i].chained ? col_category_mix_parse(cases[i].text, &categories, &b->problem)
                             : col_instruction_mix_parse(cases[i].text, &instructions, &b->problem);
        if (status != COL_BAD_INPUT)
            print_error("not refused: '%s'\n", cases[i].text);
        assert_refused(status, &b->problem, cases[i].words);
    }
}

static bool looks_like(const col_operation *operation, const col_operation *other) {
    return operation->kind == other->kind && operation->order == other->order &&
           operation->fence == other->fence;
}

BENCH_TEST(plain_programs_hold_their_mix) {
    for (uint32_t round = 0; round < 3000; round++) {
        const uint32_t threads = dice(&b->rng, 1, 16), operations = dice(&b->rng, 1, 2000);
        col_generation g = settings(threads, operations, dice(&b->rng, 1, 64), NULL);
        /* Any templates; some of them hardly ever. */
        col_instruction_mix mix = {{0}};
        const uint32_t used = dice(&b->rng, 1, 6);
        for (uint32_t i = 0; i < used; i++) {
            const uint32_t t = dice(&b->rng, 0, gen_template_count - 1);
            mix.weights[t] = chance(&b->rng, 10) ? 0.001 : 0.1 + base_rng_unit(&b->rng);
        }
        g.instructions = mix;
        if (round < 60)
            g.instructions = instruction_mix(instruction_mixes[round % 6].name);
        g.random_lengths = chance(&b->rng, 50);
        (void)make(b, &g, round, 0);
        for (uint32_t t = 0; t < gen_template_count; t++) {
            /* Compares the operations that look like template t, dependent or not, with their
             * share. */
            const uint32_t count = col_program_operations(&b->program);
            double observed = 0, weight = 0, sum = 0;
            for (uint32_t i = 0; i < count; i++)
                observed += looks_like(&b->program.operations[i], &gen_templates[t].operation);
            for (uint32_t u = 0; u < gen_template_count; u++) {
                sum += g.instructions.weights[u];
                if (looks_like(&gen_templates[t].operation, &gen_templates[u].operation))
                    weight += g.instructions.weights[u];
            }
            if (!holds_share(observed, count, weight / sum))
                fail_saying("%g of %u operations are like %s, where the share is %g\n", observed,
                            count, gen_templates[t].name, weight / sum);
        }
    }
}

/* A dependency is missing only where no read of the thread came before. */
BENCH_TEST(dependencies_are_as_asked) {
    col_generation g = settings(4, 40000, 16, NULL);
    g.instructions = instruction_mix("load=5,store=1,load-address=1,load-control=2,store-address=3,"
                                     "store-data=4,store-control=5,swap=1,fence=1,delay=1");
    static const double shares[COL_KIND_COUNT][COL_DEPENDENCY_COUNT] = {
        [COL_LOAD] = {[COL_ADDRESS] = 1, [COL_CONTROL] = 2},
        [COL_STORE] = {[COL_ADDRESS] = 3, [COL_DATA] = 4, [COL_CONTROL] = 5}};
    double observed[COL_KIND_COUNT][COL_DEPENDENCY_COUNT] = {{0}};
    (void)make(b, &g, 1, 1);
    for (uint32_t i = 0; i < 40000; i++) {
        const col_operation *operation = &b->program.operations[i];
        observed[operation->kind][operation->dependency]++;
        if (operation->dependency == COL_NO_DEPENDENCY)
            continue;
        const uint32_t thread = col_program_thread_of(&b->program, i);
        assert_true(operation->distance >= 1 &&
                    operation->distance <= i - b->program.thread_start[thread]);
        assert_true(col_kinds[b->program.operations[i - operation->distance].kind].reads);
    }
    for (uint32_t kind = 0; kind < COL_KIND_COUNT; kind++)
        for (uint32_t d = COL_ADDRESS; d < COL_DEPENDENCY_COUNT; d++)
            assert_true(holds_share(observed[kind][d], 40000, shares[kind][d] / 24));
}

BENCH_TEST(locations_are_drawn_evenly) {
    for (uint32_t locations = 1; locations <= 64; locations++) {
        uint32_t observed[64] = {0}, stores[64] = {0};
        col_generation g = settings(8, 200 * 64, locations, NULL);
        g.instructions = instruction_mix("balanced");
        (void)make(b, &g, locations, 0);
        for (uint32_t i = 0; i < g.operations; i++) {
            const col_operation *operation = &b->program.operations[i];
            if (operation->kind != COL_FENCE)
                observed[operation->location]++;
            if (operation->kind == COL_STORE)
                stores[operation->location]++;
        }
        assert_true(spread_evenly(observed, locations));
        assert_true(spread_evenly(stores, locations));
    }
}
