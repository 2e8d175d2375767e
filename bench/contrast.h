/* SPDX-License-Identifier: MIT */
/*
 * Pairs of contenders, side by side: by how much their medians differ, whether chance explains it
 * (Mann-Whitney), and how often one is better (A12); as Markdown. A table makes many comparisons,
 * so the probabilities are also corrected for their number (Holm).
 */
#ifndef BENCH_CONTRAST_H
#define BENCH_CONTRAST_H

#include "sample.h"
#include "statistics/significance.h"

enum { MOST_PAIRS = 64, MOST_COLUMNS = 8 };

typedef struct pair {
    const contender *first, *second;
} pair;

/* A table: pairs by columns, such as times or errors. */
typedef struct contrast {
    const pair *pairs;
    uint32_t pair_count;
    const char *const *columns;
    uint32_t column_count, seeds;
    bool less_is_better;
    /* A value for each seed. */
    void (*gather)(const void *context, const contender *who, uint32_t column, double *values);
    const void *context;
} contrast;

typedef struct finding {
    double difference; /* of the medians, first minus second */
    double p, corrected;
    double advantage; /* A12: how often the first is better */
} finding;

typedef struct findings {
    finding of[MOST_PAIRS][MOST_COLUMNS];
} findings;

void contrast_find(const contrast *c, findings *found);
void contrast_print(const contrast *c, const findings *found);

/* Over several tables of the same pairs and columns: in how many was the first better, or worse. */
typedef struct tally {
    struct {
        uint32_t better, worse, surely_better, surely_worse; /* surely: corrected */
        double advantages;                                   /* sum */
    } of[MOST_PAIRS][MOST_COLUMNS];
    uint32_t tables;
} tally;

void tally_add(tally *t, const contrast *c, const findings *found);
void tally_print(const tally *t, const contrast *c);

#endif
