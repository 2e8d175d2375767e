/* SPDX-License-Identifier: MIT */
/*
 * Coverage of designs that show nothing but what reads returned: which kind of read saw which kind
 * of write (machine Reads), and what a thread saw of one location right after it had accessed
 * another (machine Pairs), core by core.
 */
#pragma once

#include "design/duv.h"

enum { DUV_READ_MACHINES = 2 };

typedef struct duv_read_points {
    col_duv_description description; /* of the design, with these points */
    col_duv_machine machines[DUV_READ_MACHINES];
    const col_program *program;
    uint32_t *writes; /* by value: the store or swap that leaves it, or UINT32_MAX */
    uint32_t *before; /* by operation: the access before it, to another location, or UINT32_MAX */
    uint8_t *seen;    /* by operation: what its read saw in this instance */
    uint64_t *hits;   /* by functional point */
    uint32_t most_value;
    size_t write_capacity, before_capacity, seen_capacity;
} duv_read_points;

/* Start from {0}. A design that is so described has no points of its own. */
col_status duv_read_points_open(duv_read_points *points, const col_duv_description *design,
                                col_problem *problem);
void duv_read_points_free(duv_read_points *points);

col_status duv_read_points_load(duv_read_points *points, const col_program *program,
                                col_problem *problem);
void duv_read_points_begin(duv_read_points *points); /* an instance */
void duv_read_points_notice(duv_read_points *points, const col_event *event);
void duv_read_points_collect(duv_read_points *points, uint64_t *hits);

/*
 * What an observer is shown of a design: mostly what the design says. Stores that were merged
 * become stores that performed, one right after the other, as far as anybody could see; and of a
 * design that shows events somebody may want to see reads alone.
 */

typedef struct duv_view {
    const col_program *program;
    const col_observer *to;
    bool reads_only;
    duv_read_points *read_points; /* get the reads, too; NULL: none */
    uint32_t *merged; /* stores that wait for the one that performs for them, in their order */
    size_t count, capacity;
    col_status status;
    col_problem problem; /* unless the status is COL_OK */
} duv_view;

/* Start from {0}. An instance of the program begins; what the view reports goes to `to`. The design
 * gets the observer that is returned. The view stays where it is until the instance has ended. */
col_observer duv_view_begin(duv_view *view, const col_program *program, const col_observer *to,
                            bool reads_only);
void duv_view_free(duv_view *view);
