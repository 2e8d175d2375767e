/* SPDX-License-Identifier: MIT */
/*
 * What chaining and biasing do for finding errors: the thesis's Tables 5 to 8, on our mesi3 with
 * each of the errors D0 to D9. Every test of every scenario (p, n, s) runs once on each design; a
 * test exposes the error if the instance fails. Effort is in simulated cycles, so that the tables
 * are the same on any machine.
 *   bench-exposure [SEEDS [SETS [CORES...]]]     15 seeds, one set that the locations of biased
 * tests compete for, and 8, 16 and 32 cores unless given
 */
#include "collider/episode.h"
#include "episode/worker.h"
#include "scenario.h"
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ERRORS = 10, MOST_CORE_COUNTS = 8 };

/* Of the tests of a scenario: those that expose the error, and those that do not. */
typedef struct tally {
    uint32_t tests[2];
    uint64_t cycles[2];
} tally;

typedef struct bench {
    uint32_t seeds, sets, cores[MOST_CORE_COUNTS], core_counts;
    tally tallies[MOST_CORE_COUNTS][ERRORS][KINDS][SCENARIOS];
    uint32_t outcomes[MOST_CORE_COUNTS][ERRORS][KINDS][COL_OUTCOME_COUNT];
} bench;

/* ---- Running. */

static void run_test(epi_worker *worker, const col_program *program, uint64_t seed, tally *t,
                     uint32_t *outcomes) {
    col_problem problem;
    epi_instance instance = {.seed = seed};
    if (epi_worker_load(worker, program, &problem) != COL_OK)
        give_up(problem.message);
    epi_worker_run(worker, &instance);
    if (instance.status != COL_OK)
        give_up(instance.problem.message);
    const bool exposes = instance.outcome != COL_PASS;
    t->tests[exposes]++;
    t->cycles[exposes] += instance.cycles;
    outcomes[instance.outcome]++;
}

static void run_unit(bench *b, uint32_t c, uint32_t e, uint32_t kind) {
    char name[4] = {'D', (char)('0' + e), '\0'};
    const col_setting setting = {
        .design.name = "mesi3", .design.cores = b->cores[c], .design.error = name, .model = -1};
    epi_worker worker;
    col_problem problem;
    col_generation g;
    col_program program = COL_PROGRAM_EMPTY;
    col_generator *generator = col_generator_new();
    if (generator == NULL)
        give_up("out of memory");
    if (epi_worker_open(&worker, &setting, &problem) != COL_OK)
        give_up(problem.message);
    for (uint32_t s = 0; s < SCENARIOS; s++) {
        scenario_make(&g, kind, s, b->cores[c], b->sets, &col_duv_describe(worker.duv)->geometry);
        for (uint32_t mix = 0; mix < MIXES; mix++) {
            scenario_mix(&g, mix);
            for (uint32_t seed = 1; seed <= b->seeds; seed++) {
                if (col_generate(generator, &g, seed, mix, &program, &problem) != COL_OK)
                    give_up(problem.message);
                run_test(&worker, &program, seed, &b->tallies[c][e][kind][s],
                         b->outcomes[c][e][kind]);
            }
        }
    }
    epi_worker_close(&worker);
    col_generator_free(generator);
    col_program_free(&program);
}

static void run_one(void *context, uint32_t unit) {
    run_unit(context, unit / (ERRORS * KINDS), unit / KINDS % ERRORS, unit % KINDS);
}

/* ---- Metrics. */

static bool is_exposing(const tally *t) {
    return t->tests[1] > 0;
}

static double effectiveness(const tally *t) {
    return (double)t->tests[1] / (double)(t->tests[0] + t->tests[1]);
}

/* Formula 3.1. */
static double effort(const tally *t) {
    const double none = t->tests[0] > 0 ? (double)t->cycles[0] / (double)t->tests[0] : 0;
    if (!is_exposing(t))
        return (double)t->tests[0] * none;
    return (ceil(1 / effectiveness(t)) - 1) * none + (double)t->cycles[1] / (double)t->tests[1];
}

/* ---- Tables. */

static void print_errors(const char *first) {
    (void)printf("%-24s", first);
    for (uint32_t e = 0; e < ERRORS; e++)
        (void)printf("     D%u", e);
    (void)printf("\n");
}

/* Fractions of scenarios that expose an error: by the baseline (G) and by another one (g). */
static void print_potential(const bench *b, uint32_t c, uint32_t kind) {
    static const char *const labels[] = {"neither", "this alone", "plain alone", "both"};
    double counts[4][ERRORS] = {{0}};
    for (uint32_t e = 0; e < ERRORS; e++)
        for (uint32_t s = 0; s < SCENARIOS; s++)
            counts[2 * is_exposing(&b->tallies[c][e][0][s]) +
                   is_exposing(&b->tallies[c][e][kind][s])][e] += 1.0 / SCENARIOS;
    for (uint32_t row = 4; row-- > 0;) {
        (void)printf("  %-10s %-11s", kind_names[kind], labels[row]);
        for (uint32_t e = 0; e < ERRORS; e++)
            (void)printf("  %5.2f", counts[row][e]);
        (void)printf("\n");
    }
}

static void print_overall(const bench *b, uint32_t c) {
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        (void)printf("  %-10s %-11s", kind_names[kind], "overall");
        for (uint32_t e = 0; e < ERRORS; e++) {
            uint32_t count = 0;
            for (uint32_t s = 0; s < SCENARIOS; s++)
                count += is_exposing(&b->tallies[c][e][kind][s]);
            (void)printf("  %5.2f", (double)count / SCENARIOS);
        }
        (void)printf("\n");
    }
}

/* The geometric mean over scenarios of a ratio to the baseline: of effectiveness where both expose
 * the error, of effort everywhere; more than 1 is better. */
static void print_ratio(const bench *b, uint32_t c, uint32_t kind, bool is_effort) {
    (void)printf("%4u %-10s %-8s", b->cores[c], kind_names[kind], is_effort ? "effort" : "effect.");
    for (uint32_t e = 0; e < ERRORS; e++) {
        double sum = 0;
        uint32_t count = 0;
        for (uint32_t s = 0; s < SCENARIOS; s++) {
            const tally *base = &b->tallies[c][e][0][s], *t = &b->tallies[c][e][kind][s];
            if (!is_effort && !(is_exposing(base) && is_exposing(t)))
                continue;
            sum += is_effort ? log(effort(base) / effort(t))
                             : log(effectiveness(t) / effectiveness(base));
            count++;
        }
        if (count == 0)
            (void)printf("      -");
        else
            (void)printf("  %5.1f", exp(sum / count));
    }
    (void)printf("\n");
}

/* Thousands of cycles, and effectiveness; '-' where the error was not found. */
static void print_effort(const bench *b, uint32_t c, uint32_t first, uint32_t last) {
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t s = LOCATIONS - 1; s < SCENARIOS; s += LOCATIONS) {
            (void)printf("%-10s %3uKi", kind_names[kind], scenario_operations(s) >> 10);
            for (uint32_t e = first; e <= last; e++) {
                const tally *t = &b->tallies[c][e][kind][s];
                (void)printf("  %8.0f%s(%.2f)", effort(t) / 1e3, is_exposing(t) ? " " : "-",
                             effectiveness(t));
            }
            (void)printf("\n");
        }
}

static void print_outcomes(const bench *b) {
    print_errors("\nHow they showed (chain-bias, all cores)");
    for (uint32_t o = 0; o < COL_OUTCOME_COUNT; o++) {
        (void)printf("  %-22s", col_outcomes[o]);
        for (uint32_t e = 0; e < ERRORS; e++) {
            uint32_t count = 0;
            for (uint32_t c = 0; c < b->core_counts; c++)
                count += b->outcomes[c][e][KINDS - 1][o];
            (void)printf("  %5u", count);
        }
        (void)printf("\n");
    }
}

static void print_tables(const bench *b) {
    for (uint32_t c = 0; c < b->core_counts; c++) {
        char title[64];
        (void)snprintf(title, sizeof title, "%sPotential, %u cores", c == 0 ? "" : "\n",
                       b->cores[c]);
        print_errors(title);
        for (uint32_t kind = 1; kind < KINDS; kind++)
            print_potential(b, c, kind);
        print_overall(b, c);
    }
    print_errors("\nRelative to plain");
    for (uint32_t is_effort = 0; is_effort < 2; is_effort++)
        for (uint32_t kind = 1; kind < KINDS; kind++)
            for (uint32_t c = 0; c < b->core_counts; c++)
                print_ratio(b, c, kind, is_effort != 0);
    const uint32_t largest = b->core_counts - 1;
    (void)printf(
        "\nEffort in thousands of cycles (effectiveness), %u cores, 32 locations; '-': not "
        "found\n",
        b->cores[largest]);
    (void)printf("D0 to D3 (single writer)\n");
    print_effort(b, largest, 0, 3);
    (void)printf("D4 to D9 (data value)\n");
    print_effort(b, largest, 4, 9);
    print_outcomes(b);
}

int main(int count, char **arguments) {
    bench *b = take_memory(sizeof *b);
    *b = (bench){.seeds = 15, .sets = 1, .cores = {8, 16, 32}, .core_counts = 3};
    if (count > 1)
        b->seeds = (uint32_t)strtoul(arguments[1], NULL, 10);
    if (count > 2)
        b->sets = (uint32_t)strtoul(arguments[2], NULL, 10);
    if (count > 3)
        b->core_counts = 0;
    for (int i = 3; i < count && b->core_counts < MOST_CORE_COUNTS; i++)
        b->cores[b->core_counts++] = (uint32_t)strtoul(arguments[i], NULL, 10);
    units_run(b->core_counts * ERRORS * KINDS, run_one, b);
    print_tables(b);
    free(b);
    return 0;
}
