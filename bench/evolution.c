/* SPDX-License-Identifier: MIT */
/*
 * How engines compare: coverage as a function of simulated cycles (the thesis's Figures 13 and 14),
 * and the cycles that each needs to find the errors E.5.1 to E.5.5 and e.5.1 to e.5.5 (Tables 17
 * and 18). 32 cores, tests of 1Ki to 64Ki operations on 4 to 128 locations; medians over seeds.
 *   bench-evolution coverage [SEEDS [MILLIONS-OF-CYCLES [FILE.csv [CONTENDER...]]]]
 *   bench-evolution errors [SEEDS [MILLIONS-OF-CYCLES [- [CONTENDER...]]]]
 * Engines that keep to one size of tests (mtg) are there with tests of 1Ki and of 64Ki, and with
 * and without flushes: the chains of the others have none, nor have the thesis's protocols.
 */
#include "sample.h"
#include "statistics/significance.h"
#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 32, CHECKS = 8 };

static const contender contenders[] = {
    {.label = "chain-bias", .engine = "chain-bias"},
    {.label = "ctg1", .engine = "ctg1"},
    {.label = "ctg2", .engine = "ctg2"},
    {.label = "ctg3", .engine = "ctg3"},
    {.label = "htg", .engine = "htg"},
    MTG("mtg-1Ki", NO_FLUSHES, 1 << 10),
    MTG("mtg-64Ki", NO_FLUSHES, 1 << 16),
    MTG("mtg-1Ki-flush", NULL, 1 << 10),
    MTG("mtg-64Ki-flush", NULL, 1 << 16),
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

typedef struct bench {
    uint32_t seeds;
    uint64_t cycles;
    char **wanted;    /* contenders */
    int wanted_count; /* 0: all */
    bool searches;    /* for errors */
    uint32_t cases;   /* of a design: metrics or errors */
    sample *samples;  /* [design][case][contender][seed] */
} bench;

static sample *sample_of(const bench *b, uint32_t design, uint32_t which, uint32_t c,
                         uint32_t seed) {
    return &b->samples[((design * b->cases + which) * CONTENDERS + c) * b->seeds + seed];
}

static bool is_wanted(const bench *b, uint32_t c) {
    for (int i = 0; i < b->wanted_count; i++)
        if (strcmp(b->wanted[i], contenders[c].label) == 0)
            return true;
    return b->wanted_count == 0;
}

/* ---- Running. */

static void run_unit(void *context, uint32_t unit) {
    const bench *b = context;
    const uint32_t seed = unit % b->seeds, c = unit / b->seeds % CONTENDERS;
    const uint32_t which = unit / b->seeds / CONTENDERS % b->cases;
    const uint32_t design = unit / b->seeds / CONTENDERS / b->cases;
    const trial t = {.contender = &contenders[c],
                     .design = designs[design],
                     .error = b->searches ? errors[design][which] : NULL,
                     .cores = CORES,
                     .metric = b->searches ? COL_STRUCTURAL : (col_metric)which,
                     .seed = seed + 1,
                     .cycles = b->cycles};
    if (is_wanted(b, c))
        sample_take(&t, sample_of(b, design, which, c, seed));
}

/* ---- Medians. */

static double median_at(const bench *b, uint32_t design, uint32_t metric, uint32_t c,
                        uint64_t cycles) {
    double values[MOST_SEEDS] = {0};
    for (uint32_t seed = 0; seed < b->seeds; seed++)
        values[seed] =
            sample_covered_at(sample_of(b, design, metric, c, seed), (col_metric)metric, cycles);
    return sta_summarise(values, b->seeds).median;
}

static double median_seconds(const bench *b, uint32_t design, uint32_t which, uint32_t c) {
    double values[MOST_SEEDS] = {0};
    for (uint32_t seed = 0; seed < b->seeds; seed++)
        values[seed] = sample_of(b, design, which, c, seed)->seconds;
    return sta_summarise(values, b->seeds).median;
}

/* ---- Coverage. */

/* When the median reached what the contender with the least had at the end; 0: never. */
static uint64_t cycles_to_reach(const bench *b, uint32_t design, uint32_t metric, uint32_t c,
                                double goal) {
    enum { STEPS = 1024 };
    for (uint32_t i = 1; i <= STEPS; i++)
        if (median_at(b, design, metric, c, b->cycles / STEPS * i) >= goal)
            return b->cycles / STEPS * i;
    return 0;
}

static void print_evolution(const bench *b, uint32_t design, uint32_t metric) {
    double goal = 100;
    (void)printf(
        "\n%s, %s coverage in %% after so many million cycles (medians of %u seeds)\n%-14s",
        designs[design], col_metrics[metric], b->seeds, "");
    for (uint32_t i = CHECKS; i-- > 0;)
        (void)printf(" %7.2f", (double)(b->cycles >> i) / 1e6);
    (void)printf("  seconds  cycles to the least of the last column\n");
    for (uint32_t c = 0; c < CONTENDERS; c++) {
        if (!is_wanted(b, c))
            continue;
        const double last = median_at(b, design, metric, c, b->cycles);
        goal = last < goal ? last : goal;
    }
    for (uint32_t c = 0; c < CONTENDERS; c++) {
        if (!is_wanted(b, c))
            continue;
        (void)printf("%-14s", contenders[c].label);
        for (uint32_t i = CHECKS; i-- > 0;)
            (void)printf(" %7.2f", median_at(b, design, metric, c, b->cycles >> i));
        (void)printf("  %7.1f  %.1f million\n", median_seconds(b, design, metric, c),
                     (double)cycles_to_reach(b, design, metric, c, goal) / 1e6);
    }
}

static FILE *open_file(const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL)
        give_up("cannot write the file of curves");
    return file;
}

/* All points of all curves. */
static void write_curves(const bench *b, const char *path) {
    FILE *file = open_file(path);
    (void)fprintf(file, "design,metric,engine,seed,tests,cycles,seconds,covered,total\n");
    for (uint32_t d = 0; d < DESIGNS; d++)
        for (uint32_t m = 0; m < b->cases; m++)
            for (uint32_t c = 0; c < CONTENDERS; c++)
                for (uint32_t seed = 0; seed < b->seeds; seed++) {
                    const sample *s = sample_of(b, d, m, c, seed);
                    for (size_t i = 0; i < s->count; i++)
                        (void)fprintf(file, "%s,%s,%s,%u,%llu,%llu,%.3f,%u,%u\n", designs[d],
                                      col_metrics[m], contenders[c].label, seed + 1,
                                      (unsigned long long)s->curve[i].tests,
                                      (unsigned long long)s->curve[i].cycles, s->curve[i].seconds,
                                      sample_covered(&s->curve[i], (col_metric)m), s->total[m]);
                }
    if (fclose(file) != 0)
        give_up("cannot write the file of curves");
}

/* ---- Errors. */

static void print_errors(const bench *b, uint32_t design) {
    (void)printf("\n%s: thousands of cycles until the error was found, median (seeds of %u that "
                 "found it)\n%-14s",
                 designs[design], b->seeds, "");
    for (uint32_t e = 0; e < ERRORS; e++)
        (void)printf("  %15s", errors[design][e]);
    (void)printf("\n");
    for (uint32_t c = 0; c < CONTENDERS; c++) {
        if (!is_wanted(b, c))
            continue;
        (void)printf("%-14s", contenders[c].label);
        for (uint32_t e = 0; e < ERRORS; e++) {
            double values[MOST_SEEDS] = {0};
            uint32_t found = 0;
            for (uint32_t seed = 0; seed < b->seeds; seed++) {
                const sample *s = sample_of(b, design, e, c, seed);
                found += s->outcome != COL_PASS;
                values[seed] = (double)s->cycles / 1e3;
            }
            const double middle = sta_summarise(values, b->seeds).median;
            (void)printf("  %s%9.0f (%2u)", 2 * found < b->seeds ? ">" : " ", middle, found);
        }
        (void)printf("\n");
    }
}

int main(int count, char **arguments) {
    const bool searches = count > 1 && strcmp(arguments[1], "errors") == 0;
    if (count < 2 || (!searches && strcmp(arguments[1], "coverage") != 0))
        give_up("say coverage or errors");
    bench b = {.seeds = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 10,
               .cycles = 1000000 * (count > 3 ? strtoull(arguments[3], NULL, 10) : 10),
               .wanted = arguments + 5,
               .wanted_count = count > 5 ? count - 5 : 0,
               .searches = searches,
               .cases = searches ? ERRORS : COL_METRIC_COUNT};
    if (b.seeds == 0 || b.seeds > MOST_SEEDS)
        give_up("the number of seeds is from 1 to 64");
    const uint32_t units = DESIGNS * b.cases * CONTENDERS * b.seeds;
    b.samples = take_memory(units * sizeof *b.samples);
    units_run(units, run_unit, &b);
    for (uint32_t d = 0; d < DESIGNS; d++) {
        if (searches)
            print_errors(&b, d);
        for (uint32_t m = 0; !searches && m < b.cases; m++)
            print_evolution(&b, d, m);
    }
    if (!searches && count > 4)
        write_curves(&b, arguments[4]);
    for (uint32_t i = 0; i < units; i++)
        sample_free(&b.samples[i]);
    free(b.samples);
    return 0;
}
