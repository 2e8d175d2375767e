/* SPDX-License-Identifier: MIT */
/*
 * Coverage of designs that show nothing but what reads returned: which kind of read saw which kind
 * of write (machine Reads), and what a thread saw of one location right after it had accessed
 * another (machine Pairs), core by core.
 */
#ifndef DUV_SIGHTS_H
#define DUV_SIGHTS_H

#include "duv/duv.h"

enum { DUV_SIGHT_MACHINES = 2 };

typedef struct duv_sights {
    col_duv_description description; /* of the design, with these points */
    col_duv_machine machines[DUV_SIGHT_MACHINES];
    const col_program *program;
    uint32_t *writes; /* by value: the store or swap that leaves it, or UINT32_MAX */
    uint32_t *before; /* by operation: the access before it, to another location, or UINT32_MAX */
    uint8_t *seen;    /* by operation: what its read saw in this instance */
    uint64_t *hits;   /* by functional point */
    uint32_t most_value;
    size_t write_capacity, before_capacity, seen_capacity;
} duv_sights;

/* Start from {0}. A design that is so described has no points of its own. */
col_status duv_sights_open(duv_sights *sights, const col_duv_description *design,
                           col_problem *problem);
void duv_sights_free(duv_sights *sights);

col_status duv_sights_load(duv_sights *sights, const col_program *program, col_problem *problem);
void duv_sights_begin(duv_sights *sights); /* an instance */
void duv_sights_notice(duv_sights *sights, const col_event *event);
void duv_sights_collect(duv_sights *sights, uint64_t *hits);

#endif
