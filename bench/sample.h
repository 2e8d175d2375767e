/* SPDX-License-Identifier: MIT */
/*
 * What engines are compared by: a contender (an engine with its options) runs an episode under some
 * condition and by some seed, which leaves a sample. Time is simulated cycles, so that samples are
 * the same on any machine and under any load.
 */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include "collider/episode.h"

enum { DESIGNS = 2, ERRORS = 5, MOST_SEEDS = 64 };

/* The thesis's designs, and the errors that it compares engines by. */
extern const char *const designs[DESIGNS];
extern const char *const errors[DESIGNS][ERRORS];

/* Table 3 of McVerSi without the flushes: what the others generate has none. */
#define NO_FLUSHES "load=50,load-address=5,store=42,swap=1,delay=1"

typedef struct contender {
    const char *label, *engine, *options, *mix;
    col_range operations; /* 0: 1Ki to 64Ki */
    bool is_blind;        /* what is covered does not change its tests: one episode shows all */
} contender;

/* The genetic engine with the thesis's test memory; its tests are of one size. */
#define MTG(name, weights, size)                                                                   \
    {                                                                                              \
        .label = (name), .engine = "mtg", .options = "memory=8Ki,stride=64", .mix = (weights),     \
        .operations = {                                                                            \
            (size),                                                                                \
            (size)                                                                                 \
        }                                                                                          \
    }

typedef struct trial {
    const contender *contender;
    const char *design, *error; /* error NULL: none */
    uint32_t cores;
    col_metric metric; /* that the engine is fed with */
    uint64_t seed, cycles;
} trial;

typedef struct sample {
    col_outcome outcome;
    uint64_t cycles, tests;
    double seconds, processor_seconds;
    uint32_t total[COL_METRIC_COUNT];
    col_curve_point *curve;
    size_t count;
} sample;

void sample_take(const trial *t, sample *result);
void sample_free(sample *s);

uint32_t sample_covered(const col_curve_point *point, col_metric metric);
/* In percent, by the tests that were done after so many cycles. */
double sample_covered_at(const sample *s, col_metric metric, uint64_t cycles);

#endif
