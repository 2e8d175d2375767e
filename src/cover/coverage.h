/* SPDX-License-Identifier: MIT */
/* The inside of a coverage set, for its text form. A point is covered when it has hits, so that
 * hits are all that is written, read and merged. */
#ifndef COVER_COVERAGE_H
#define COVER_COVERAGE_H

#include "base/text.h"
#include "cover/points.h"

/* Covered points machine by machine, and of all machines behind the last one. */
typedef struct cov_tally {
    uint32_t *covered[COL_METRIC_COUNT];
    uint32_t *reached[COL_METRIC_COUNT]; /* of these, known to be reachable */
} cov_tally;

struct col_coverage {
    cov_points points;
    cov_tally tally[COL_SCOPE_COUNT];
    uint64_t *hits[COL_METRIC_COUNT];
    uint32_t *order[COL_METRIC_COUNT]; /* as covered first; the tally says how many */
    uint64_t *own_hits;                /* structural */
    uint64_t *own_set;                 /* functional, a bit each */
    size_t own_words;
};

/* Adds hits, by functional points' numbers, to the set. Nothing becomes the test's own. */
void cov_merge_hits(col_coverage *coverage, const uint64_t *hits, col_gain *gain);

/* The text form, appended. */
void cov_write(const col_coverage *coverage, base_text *text);

enum { COV_VERSION = 1 };

#endif
