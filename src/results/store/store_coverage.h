/* SPDX-License-Identifier: MIT */
/* The coverage of all trials of a design in a store, as a set. A store does not tell controllers
 * apart, so each machine has one. */
#pragma once

#include "collider/cover.h"
#include "results/store/store.h"

#include <jansson.h>

/* The coverage of a design by name (NULL: the only one) and number of cores (0: any). Designs that
 * differ only in their injected error count as one. */
col_status cam_store_coverage(col_coverage **coverage, const char *path, const char *design,
                              uint32_t cores, col_problem *problem);

/* What the tests of an episode covered. */
cam_extent cam_extent_of(const col_coverage *coverage, col_metric metric);

/*
 * What an episode could not reach, as a part of its row: which structural points needed what no
 * test brought. Points are named by their numbers, needs by their words, so that a store tells of
 * designs that are not there any more.
 */

enum { CAM_MOST_NEEDS = 32 };

/* The result of an episode: {"here": {"covered": 3, "total": 7}, "unmet": {"flushes": [1, 2]}} if
 * it is known what points need, and the list "waived" (may be NULL) of known bugs if it has any;
 * null: neither, NULL: out of memory. */
json_t *cam_result_json(const col_coverage *coverage, json_t *waived);

/* Of several rows: the needs that none of them met. Start from {0}. */
typedef struct cam_reach {
    char needs[CAM_MOST_NEEDS][48]; /* words; a set of them is bits in this order */
    uint32_t need_count;
    uint32_t *unmet; /* of each point */
    size_t point_count;
    uint64_t rows;
    bool is_known; /* some row told */
} cam_reach;

/* Adds a row's. A text that is NULL, or not of this form, tells nothing: every point may have been
 * within its reach. */
col_status cam_reach_add(cam_reach *reach, const char *text, size_t point_count,
                         col_problem *problem);
void cam_reach_free(cam_reach *reach);
