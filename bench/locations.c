/* SPDX-License-Identifier: MIT */
/*
 * What chaining and biasing do for coverage: the thesis's Table 4, on our mesi3. A scenario (p, n,
 * s) is all tests of p threads, n operations and s locations, by 4 mixes and 15 seeds. For each
 * scenario and level, the transition coverage of (core, location) pairs has a median; the figures
 * are the medians of these over all scenarios, relative to the plain, unbiased generator's.
 *   bench-locations [SEEDS [CORES...]]     15 seeds and 8, 16 and 32 cores unless given
 */
#include "collider/cover.h"
#include "scenario.h"
#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3 };

static const char *const levels[LEVELS] = {"L0Cache", "L1Cache", "L2Cache"};

typedef struct bench {
    col_duv *duv;
    col_generator *generator;
    col_location_coverage *coverage;
    col_program program;
    uint32_t cores, seeds;
    uint32_t machines[LEVELS];
} bench;

static void run_test(bench *b, const col_generation *g, uint64_t seed) {
    col_error error;
    col_run run;
    const col_observer observer = col_location_coverage_observer(b->coverage);
    if (col_generate(b->generator, g, seed, 0, &b->program, &error) != COL_OK ||
        col_location_coverage_load(b->coverage, &b->program, &error) != COL_OK ||
        col_duv_load(b->duv, &b->program, &error) != COL_OK ||
        col_duv_run(b->duv, seed, &observer, NULL, &run, &error) != COL_OK)
        give_up(error.message);
    if (run.end != COL_RUN_COMPLETE)
        give_up(run.message);
}

/* The medians of one scenario, level by level. */
static void run_scenario(bench *b, uint32_t kind, uint32_t scenario, double medians[LEVELS]) {
    col_error error;
    col_generation g;
    scenario_make(&g, kind, scenario, b->cores, 1, &col_duv_describe(b->duv)->geometry);
    if (col_location_coverage_begin(b->coverage, g.locations, &error) != COL_OK)
        give_up(error.message);
    for (uint32_t mix = 0; mix < MIXES; mix++) {
        scenario_mix(&g, mix);
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

static void run_kind(bench *b, uint32_t kind, double result[LEVELS]) {
    double medians[SCENARIOS][LEVELS], values[SCENARIOS];
    for (uint32_t i = 0; i < SCENARIOS; i++)
        run_scenario(b, kind, i, medians[i]);
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
        give_up(error.message);
    find_levels(&b);
    for (uint32_t k = 0; k < KINDS; k++) {
        run_kind(&b, k, results[k]);
        (void)printf("%3u cores  %-11s", cores, kind_names[k]);
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
