/* SPDX-License-Identifier: MIT */
/* The inside of a coverage set, for its text form. A point is covered when it has hits, so that
 * hits are all that is written, read and merged. */
#pragma once

#include "base/lines.h"
#include "base/memory.h"
#include "base/problem.h"
#include "base/text.h"
#include "collider/cover.h"
#include "cover/discovery.h"

/* ---- The points of a design by number and by name. Numbers are the description's; two builds of a
 * design may number points differently, so that files and merging go by names. Names are kept as
 * the words that files have for them. */

typedef struct cov_point { /* a transition */
    const char *state, *event;
    uint32_t machine;
    bool reachable;
    bool taken_here;  /* runs of the design have taken it in these caches */
    uint32_t needs;   /* a set of COL_NEEDS_... */
    const char *file; /* that it is written in; NULL: not known */
    uint32_t line;
} cov_point;

typedef struct cov_machine {
    const char *name;
    uint32_t controllers, point_count;
    uint32_t reachable_count; /* of its points */
    cov_point *first_point;
    const cov_point **by_name; /* its points, sorted */
    uint32_t first_place;      /* in cov_points.by_name: of its first controller's first point */
} cov_machine;

typedef struct cov_points {
    base_arena arena;
    const char *design;
    uint32_t cores;
    bool reachable_known, needs_known, taken_known;
    uint32_t level_count;
    char levels[COL_MAX_LEVELS][sizeof((col_cache_level *)0)->name];
    uint32_t machine_count, count[COL_METRIC_COUNT];
    cov_machine *machines;
    const cov_machine **machines_by_name;
    cov_point *points;
    uint32_t *transition_of; /* of a functional point: the structural one */
    uint32_t *by_name;       /* functional points by machine, controller, state, event */
    col_hash hash;
} cov_points;

/* Start from {0}; free also after a failure. */
col_status cov_points_take(cov_points *points, const col_duv_description *description,
                           col_problem *problem);
void cov_points_free(cov_points *points);

/* The most words on a line of a coverage file. */
enum { COV_WORDS = 5 };

/* The word of a name: no blanks, no comment sign. */
char *cov_spell(base_arena *arena, const char *name);

/* By the words for them; NULL: there is no such machine. */
const cov_machine *cov_find_machine(const cov_points *points, base_word name);
/* The place of the point among its machine's, by name; point_count: there is none. */
uint32_t cov_find_point(const cov_machine *machine, base_word state, base_word event);

/* ---- The set. */

/* The instance that first hit a point. */
typedef struct cov_first {
    uint64_t test;     /* from 1; 0: not known */
    uint32_t instance; /* from 1 */
} cov_first;

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
    cov_first *first;                  /* of functional points */
    cov_first now;                     /* the instance that was added last */
    uint64_t *own_hits;                /* structural */
    uint64_t *tests;                   /* that hit each structural point */
    uint64_t *own_set;                 /* functional, a bit each */
    size_t own_words;
    uint32_t brought; /* of what points need, what the tests brought */
};

/* Tests are counted from here on: those before belong to the same episode. */
void cov_count_from(col_coverage *coverage, uint64_t tests);

/* Of a structural point: the first of its functional ones. */
cov_first cov_first_of(const col_coverage *coverage, uint32_t point);

/* A sum of hits, which does not wrap. */
static inline uint64_t cov_sum(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

/* How many tests hit each structural point: of those that were added here, not of what was read or
 * merged. To be filled in where an episode goes on. */
uint64_t *cov_tests(col_coverage *coverage);

/* The same, counted, after this many tests. */
cov_incidence cov_incidence_of(const col_coverage *coverage, uint64_t tests);

/* How often a functional point was hit. */
typedef struct cov_hit {
    uint64_t count;
    uint32_t point;
} cov_hit;

/* col_coverage_add for points that were hit, in rising order, and no others. */
col_gain cov_add(col_coverage *coverage, const cov_hit *hits, size_t count);

/* Sets the bits of the metric's points that were hit. */
void cov_mark(const col_coverage *coverage, col_metric metric, const cov_hit *hits, size_t count,
              uint64_t *bits);

/* Adds hits, by functional points' numbers, to the set, and who was first. Nothing becomes the
 * test's own. */
void cov_merge_hits(col_coverage *coverage, const uint64_t *hits, const cov_first *first,
                    col_gain *gain);

/* The text form, appended. */
void cov_write(const col_coverage *coverage, base_text *text);
/* The points themselves: what a reader needs who does not know the design. `flat`: each machine has
 * one controller at most. */
void cov_write_points(const col_coverage *coverage, bool flat, base_text *text);

/* A set of the points that the text begins with, with its coverage. */
col_status cov_read_whole(col_coverage **coverage, const char *text, size_t length,
                          const char *file, col_problem *problem);

/* An empty set of the points that the text begins with. What follows them is not read. */
col_status cov_read_points(col_coverage **coverage, const char *text, size_t length,
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
