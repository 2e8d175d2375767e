/* SPDX-License-Identifier: MIT */
/* The inside of a coverage set, for its text form. A point is covered when it has hits, so that
 * hits are all that is written, read and merged. */
#ifndef COVER_COVERAGE_H
#define COVER_COVERAGE_H

#include "base/text.h"
#include "cover/coverage_points.h"

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
    uint32_t brought; /* of what points need, what the tests brought */
};

/* A sum of hits, which does not wrap. */
static inline uint64_t cov_sum(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

/* Adds hits, by functional points' numbers, to the set. Nothing becomes the test's own. */
void cov_merge_hits(col_coverage *coverage, const uint64_t *hits, col_gain *gain);

/* The text form, appended. */
void cov_write(const col_coverage *coverage, base_text *text);
/* The points themselves: what a reader needs who does not know the design. `flat`: each machine has
 * one controller at most. */
void cov_write_points(const col_coverage *coverage, bool flat, base_text *text);

/* A set of the points that the text begins with, with its coverage. */
col_status cov_read_whole(col_coverage **coverage, const char *text, size_t length,
                          const char *file, col_problem *problem);

/* Is the structural point known to be reachable here (col_coverage_known_here)? */
bool cov_is_known_here(const col_coverage *coverage, uint32_t point);

/* The same points and structural hits with one controller of each machine: what is left where
 * controllers are not known. */
col_status cov_flatten(col_coverage **flat, const col_coverage *coverage, col_problem *problem);

/* A copy whose points have the numbers of another set of the same points. */
col_status cov_renumber(col_coverage **copy, const col_coverage *coverage, const col_coverage *as,
                        col_problem *problem);

enum { COV_VERSION = 1 };

#endif
