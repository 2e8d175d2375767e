/* SPDX-License-Identifier: MIT */
/* Failures by their fingerprints: how many there are of each kind, and which is the smallest: a
 * shrunk one, or else the one with the fewest operations. */
#ifndef RESULTS_STORE_STORE_FAILURES_H
#define RESULTS_STORE_STORE_FAILURES_H

#include "base/memory.h"
#include "base/names.h"
#include "results/store/store.h"

typedef struct cam_failure_kind {
    uint32_t number;  /* in the order in which kinds came, from 0 */
    const char *hash; /* "": kept by a version before there were fingerprints */
    const char *fingerprint;
    uint64_t count; /* tests that failed so */
    uint32_t trials;
    uint32_t store;              /* where the example is, as the caller numbers stores */
    char name[CAM_FAILURE_NAME]; /* of the example: see cam_failure_name */
    bool is_shrunk, is_kept;     /* the example: kept failures come first */
    uint32_t operations;         /* of the example; 0: not known */
} cam_failure_kind;

/* Start from {.names.arena = ...}, which must last as long. */
typedef struct cam_failure_kinds {
    base_names names;
    cam_failure_kind *list;
    size_t count, capacity;
    uint64_t failures; /* of all kinds */
} cam_failure_kinds;

/* `kind` (may be NULL) is the number of its kind, in the order in which they came. */
col_status cam_failure_kinds_add(cam_failure_kinds *kinds, const cam_failure_row *failure,
                                 uint32_t store, uint32_t *kind, col_problem *problem);
/* The most frequent first; numbers mean nothing any more. */
void cam_failure_kinds_sort(cam_failure_kinds *kinds);
void cam_failure_kinds_free(cam_failure_kinds *kinds);

/* The folder of a failure as the texts of its row. A shrunk one has some of them anew. */

/* NULL: there is no such file, or nothing in it. */
col_status cam_text_read(base_arena *arena, const char *folder, const char *name, const char **text,
                         col_problem *problem);

col_status cam_failure_texts(cam_failure_row *failure, base_arena *arena, const char *folder,
                             bool is_shrunk, col_problem *problem);

#endif
