/* SPDX-License-Identifier: MIT */
/*
 * The points of a design by number and by name. Numbers are the description's; two builds of a
 * design may number points differently, so that files and merging go by names. Names are kept as
 * the words that files have for them.
 */
#ifndef COVER_POINTS_H
#define COVER_POINTS_H

#include "base/arena.h"
#include "base/problem.h"
#include "collider/cover.h"

typedef struct cov_point { /* a transition */
    const char *state, *event;
    uint32_t machine;
    bool reachable;
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
    bool reachable_known;
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

#endif
