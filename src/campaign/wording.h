/* SPDX-License-Identifier: MIT */
/* Trials in a few words: the values of the settings in which the plan's trials of the same kind
 * differ. And which of trials that differ in the seed alone, a group, keep the story of their
 * failure. */
#ifndef CAMPAIGN_WORDING_H
#define CAMPAIGN_WORDING_H

#include "campaign/plan.h"

typedef struct cam_wording {
    const cam_plan *plan;
    struct cam_varying {
        const char **names;
        size_t count, capacity;
    } varying[CAM_KIND_COUNT]; /* settings in which trials of this kind differ */
    base_arena texts;
} cam_wording;

col_status cam_wording_begin(cam_wording *wording, const cam_plan *plan, col_problem *problem);
/* Lasts until cam_wording_forget. */
const char *cam_wording_of(cam_wording *wording, size_t position);
void cam_wording_forget(cam_wording *wording);
void cam_wording_end(cam_wording *wording);

/* The first few trials of each group, and those that are shrunk: a story for each of thousands of
 * seeds would be more than anybody reads. Follows from the plan alone. */
enum { CAM_STORIES = 3 };
col_status cam_choose_kept(const cam_plan *plan, bool *kept, col_problem *problem);

#endif
