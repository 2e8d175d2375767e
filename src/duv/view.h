/* SPDX-License-Identifier: MIT */
/*
 * What an observer is shown of a design: mostly what the design says. Stores that were merged
 * become stores that performed, one right after the other, as far as anybody could see; and of a
 * design that shows events somebody may want to see reads alone.
 */
#ifndef DUV_VIEW_H
#define DUV_VIEW_H

#include "duv/duv.h"
#include "duv/sights.h"

typedef struct duv_view {
    const col_program *program;
    const col_observer *to;
    bool reads_only;
    duv_sights *sights; /* get the reads, too; NULL: none */
    uint32_t *merged;   /* stores that wait for the one that performs for them, in their order */
    size_t count, capacity;
    col_status status;
    col_problem problem; /* unless the status is COL_OK */
} duv_view;

/* Start from {0}. An instance of the program begins; what the view reports goes to `to`. The design
 * gets the observer that is returned. The view stays where it is until the instance has ended. */
col_observer duv_view_begin(duv_view *view, const col_program *program, const col_observer *to,
                            bool reads_only);
void duv_view_free(duv_view *view);

#endif
