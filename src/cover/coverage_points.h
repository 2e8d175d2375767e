/* SPDX-License-Identifier: MIT */
/*
 * The points of a design by number and by name. Numbers are the description's; two builds of a
 * design may number points differently, so that files and merging go by names. Names are kept as
 * the words that files have for them.
 */
#ifndef COVER_COVERAGE_POINTS_H
#define COVER_COVERAGE_POINTS_H

#include "base/lines.h"
#include "base/memory.h"
#include "base/problem.h"
#include "collider/cover.h"

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

#endif
