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
#include "collider/episode.h"
#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 32, MOST_SEEDS = 64, CHECKS = 8 };

typedef struct contender {
    const char *label, *engine, *options, *mix;
    uint32_t operations; /* of every test; 0: 1Ki to 64Ki */
} contender;

/* Table 3 of McVerSi without the flushes. */
#define NO_FLUSHES "load=50,load-address=5,store=42,swap=1,delay=1"

static const contender contenders[] = {
    {"chain-bias", "chain-bias", NULL, NULL, 0},
    {"ctg1", "ctg1", NULL, NULL, 0},
    {"ctg2", "ctg2", NULL, NULL, 0},
    {"ctg3", "ctg3", NULL, NULL, 0},
    {"htg", "htg", NULL, NULL, 0},
    {"mtg-1Ki", "mtg", "memory=8Ki,stride=64", NO_FLUSHES, 1 << 10},
    {"mtg-64Ki", "mtg", "memory=8Ki,stride=64", NO_FLUSHES, 1 << 16},
    {"mtg-1Ki-flush", "mtg", "memory=8Ki,stride=64", NULL, 1 << 10},
    {"mtg-64Ki-flush", "mtg", "memory=8Ki,stride=64", NULL, 1 << 16},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

static const char *const designs[] = {"mesi3", "moesi2"};
enum { DESIGNS = 2, ERRORS = 5 };
static const char *const errors[DESIGNS][ERRORS] = {{"E.5.1", "E.5.2", "E.5.3", "E.5.4", "E.5.5"},
                                                    {"e.5.1", "e.5.2", "e.5.3", "e.5.4", "e.5.5"}};

/* What an episode showed. */
typedef struct sample {
    col_outcome outcome;
    uint64_t cycles, tests;
    double seconds;
    uint32_t total;
    col_curve_point *curve;
    size_t count;
} sample;

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
    sample *result = sample_of(b, design, which, c, seed);
    col_episode_settings s;
    col_episode episode = {0};
    col_error error;
    if (!is_wanted(b, c))
        return;
    col_episode_default(&s);
    s.setting.design = designs[design];
    s.setting.cores = CORES;
    s.setting.error = b->searches ? errors[design][which] : NULL;
    s.engine = contenders[c].engine;
    s.engine_options = contenders[c].options;
    s.mix = contenders[c].mix;
    if (contenders[c].operations != 0)
        s.operations = (col_range){contenders[c].operations, contenders[c].operations};
    s.metric = b->searches || which == 0 ? COL_STRUCTURAL : COL_FUNCTIONAL;
    s.seed = seed + 1;
    s.seconds = 0;
    s.cycles = b->cycles;
    s.repeat = true;
    if (col_episode_run(&s, &episode, &error) != COL_OK)
        give_up(error.message);
    *result = (sample){
        .outcome = episode.outcome,
        .cycles = episode.cycles,
        .tests = episode.tests,
        .seconds = episode.seconds,
        .total =
            col_coverage_of(episode.coverage, COL_CUMULATIVE, s.metric, COL_ALL_MACHINES).total,
        .curve = episode.curve,
        .count = episode.curve_count};
    episode.curve = NULL;
    col_episode_free(&episode);
}

/* ---- Medians. */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The last point of the curve at most so many cycles after the start; NULL: none. */
static const col_curve_point *point_at(const sample *s, uint64_t cycles) {
    const col_curve_point *last = NULL;
    for (size_t i = 0; i < s->count && s->curve[i].cycles <= cycles; i++)
        last = &s->curve[i];
    return last;
}

static double covered_at(const sample *s, uint32_t metric, uint64_t cycles) {
    const col_curve_point *p = point_at(s, cycles);
    const uint32_t covered = p == NULL ? 0 : metric == 0 ? p->structural : p->functional;
    return 100.0 * covered / s->total;
}

static double median_at(const bench *b, uint32_t design, uint32_t metric, uint32_t c,
                        uint64_t cycles) {
    double values[MOST_SEEDS] = {0};
    for (uint32_t seed = 0; seed < b->seeds; seed++)
        values[seed] = covered_at(sample_of(b, design, metric, c, seed), metric, cycles);
    return median(values, b->seeds);
}

static double median_seconds(const bench *b, uint32_t design, uint32_t which, uint32_t c) {
    double values[MOST_SEEDS] = {0};
    for (uint32_t seed = 0; seed < b->seeds; seed++)
        values[seed] = sample_of(b, design, which, c, seed)->seconds;
    return median(values, b->seeds);
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
                        (void)fprintf(
                            file, "%s,%s,%s,%u,%llu,%llu,%.3f,%u,%u\n", designs[d], col_metrics[m],
                            contenders[c].label, seed + 1, (unsigned long long)s->curve[i].tests,
                            (unsigned long long)s->curve[i].cycles, s->curve[i].seconds,
                            m == 0 ? s->curve[i].structural : s->curve[i].functional, s->total);
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
            const double middle = median(values, b->seeds);
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
        free(b.samples[i].curve);
    free(b.samples);
    return 0;
}
