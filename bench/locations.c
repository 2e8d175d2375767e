/* SPDX-License-Identifier: MIT */
/*
 * What chaining and biasing do for coverage: the thesis's Table 4, on our mesi3. A scenario (p, n,
 * s) is all tests of p threads, n operations and s locations, by 4 mixes and 15 seeds. For each
 * scenario and level, the transition coverage of (core, location) pairs has a median; the figures
 * are the medians of these over all scenarios, relative to the plain, unbiased generator's.
 *   bench-locations [SEEDS [CORES...]]     15 seeds and 8, 16 and 32 cores unless given
 */
#include "collider/cover.h"
#include "collider/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIXES = 4, SIZES = 5, LOCATIONS = 4, SCENARIOS = SIZES * LOCATIONS, LEVELS = 3 };

typedef struct generator_kind {
    const char *name;
    bool chained, biased;
} generator_kind;

static const generator_kind kinds[] = {{"plain", false, false},
                                       {"chain", true, false},
                                       {"plain-bias", false, true},
                                       {"chain-bias", true, true}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *const levels[LEVELS] = {"L0Cache", "L1Cache", "L2Cache"};
static const char *const instruction_mixes[MIXES] = {
    "load=0.30,store=0.66,fence=0.04", "load=0.48,store=0.48,fence=0.04",
    "load=0.66,store=0.30,fence=0.04", "load=0.80,store=0.16,fence=0.04"};
static const char *const category_mixes[MIXES] = {"c0=0.4,c1=0.6", "c1=1", "c1=0.8,c2=0.2",
                                                  "c1=0.8,c3=0.2"};

typedef struct bench {
    col_duv *duv;
    col_generator *generator;
    col_location_coverage *coverage;
    col_program program;
    uint32_t cores, seeds;
    uint32_t machines[LEVELS];
} bench;

static void give_up(const col_error *error) {
    (void)fprintf(stderr, "bench: %s\n", error->message);
    exit(COL_FAILURE);
}

static void set_mix(col_generation *g, uint32_t mix) {
    col_error error;
    const col_status status =
        g->chained ? col_category_mix_parse(category_mixes[mix], &g->categories, &error)
                   : col_instruction_mix_parse(instruction_mixes[mix], &g->instructions, &error);
    if (status != COL_OK)
        give_up(&error);
}

static void run_test(bench *b, const col_generation *g, uint64_t seed) {
    col_error error;
    col_run run;
    const col_observer observer = col_location_coverage_observer(b->coverage);
    if (col_generate(b->generator, g, seed, 0, &b->program, &error) != COL_OK ||
        col_location_coverage_load(b->coverage, &b->program, &error) != COL_OK ||
        col_duv_load(b->duv, &b->program, &error) != COL_OK ||
        col_duv_run(b->duv, seed, &observer, NULL, &run, &error) != COL_OK)
        give_up(&error);
    if (run.end != COL_RUN_COMPLETE) {
        (void)fprintf(stderr, "bench: %s\n", run.message);
        exit(COL_FAILURE);
    }
}

/* The medians of one scenario, level by level. */
static void run_scenario(bench *b, const generator_kind *kind, uint32_t operations,
                         uint32_t locations, double medians[LEVELS]) {
    col_error error;
    col_generation g;
    col_generation_default(&g);
    g.chained = kind->chained;
    g.threads = b->cores;
    g.operations = operations;
    g.locations = locations;
    g.addressing.geometry = col_duv_describe(b->duv)->geometry;
    if (kind->biased)
        col_addressing_bias(&g.addressing, 1);
    if (col_location_coverage_begin(b->coverage, locations, &error) != COL_OK)
        give_up(&error);
    for (uint32_t mix = 0; mix < MIXES; mix++) {
        set_mix(&g, mix);
        for (uint32_t seed = 1; seed <= b->seeds; seed++)
            run_test(b, &g, seed);
    }
    for (uint32_t i = 0; i < LEVELS; i++) {
        const uint32_t machine = b->machines[i];
        medians[i] = col_quartiles_of(col_location_coverage_distribution(b->coverage, machine),
                                      col_duv_describe(b->duv)->machines[machine].point_count)
                         .median;
    }
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void run_kind(bench *b, const generator_kind *kind, double result[LEVELS]) {
    double medians[SCENARIOS][LEVELS], values[SCENARIOS];
    for (uint32_t i = 0; i < SIZES; i++)
        for (uint32_t j = 0; j < LOCATIONS; j++)
            run_scenario(b, kind, UINT32_C(1) << (10 + i), UINT32_C(4) << j,
                         medians[i * LOCATIONS + j]);
    for (uint32_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < SCENARIOS; i++)
            values[i] = medians[i][level];
        result[level] = median(values, SCENARIOS);
    }
}

static void find_levels(bench *b) {
    const col_duv_description *design = col_duv_describe(b->duv);
    for (uint32_t i = 0; i < LEVELS; i++)
        for (uint32_t m = 0; m < design->machine_count; m++)
            if (strcmp(design->machines[m].name, levels[i]) == 0)
                b->machines[i] = m;
}

static void run_cores(uint32_t cores, uint32_t seeds) {
    bench b = {.program = COL_PROGRAM_EMPTY, .cores = cores, .seeds = seeds};
    const col_duv_settings settings = {.cores = cores};
    double results[KINDS][LEVELS];
    col_error error;
    b.generator = col_generator_new();
    if (b.generator == NULL || col_duv_open(&b.duv, "mesi3", &settings, &error) != COL_OK ||
        col_location_coverage_new(&b.coverage, col_duv_describe(b.duv), &error) != COL_OK)
        give_up(&error);
    find_levels(&b);
    for (uint32_t k = 0; k < KINDS; k++) {
        run_kind(&b, &kinds[k], results[k]);
        (void)printf("%3u cores  %-11s", cores, kinds[k].name);
        for (uint32_t i = 0; i < LEVELS; i++)
            (void)printf("  %s %.3f (x %.2f)", levels[i], results[k][i],
                         results[0][i] > 0 ? results[k][i] / results[0][i] : 0);
        (void)printf("\n");
        (void)fflush(stdout);
    }
    col_location_coverage_free(b.coverage);
    col_duv_close(b.duv);
    col_generator_free(b.generator);
    col_program_free(&b.program);
}

int main(int count, char **words) {
    static const uint32_t cores[] = {8, 16, 32};
    const uint32_t seeds = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 15;
    for (int i = 2; i < count; i++)
        run_cores((uint32_t)strtoul(words[i], NULL, 10), seeds);
    for (size_t i = 0; count <= 2 && i < sizeof cores / sizeof cores[0]; i++)
        run_cores(cores[i], seeds);
    return 0;
}
