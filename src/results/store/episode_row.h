/* SPDX-License-Identifier: MIT */
/* The folder of an episode, or a coverage set, as the rows that a store would have of it: what
 * reads stores reads these, too. */
#pragma once

#include "results/store/store.h"

#include <jansson.h>

enum { CAM_EPISODE_PAIRS = 16 };

/* Start from {0}; free also after a problem. */
typedef struct cam_episode_row {
    base_arena arena;
    json_t *record;
    col_coverage *own; /* that was read; NULL: the caller's */
    cam_plan_row plan; /* all of them are of one */
    cam_design_row design;
    cam_row row;
    cam_failure_row *failures; /* of each bug, or the smallest of each kind */
    uint32_t failure_count;
    cam_pair pairs[CAM_EPISODE_PAIRS];
    char key[33], hash[33];
} cam_episode_row;

/* Does the folder hold the record of an episode? */
bool cam_is_episode(const char *folder);

col_status cam_episode_row_read(cam_episode_row *row, const char *folder, col_problem *problem);

/* Of coverage alone: nothing is known of its tests. The set must stay as it is. */
col_status cam_episode_row_of(cam_episode_row *row, const col_coverage *coverage, const char *title,
                              col_problem *problem);
void cam_episode_row_free(cam_episode_row *row);

/* The coverage of the folder of an episode. */
col_status cam_episode_coverage(col_coverage **coverage, const char *folder, col_problem *problem);

/* What a row says of its design: an error was found, or it is not known whether there is one.
 * Neither is a pass. */

/* An episode that was cut short has found nothing yet. */
bool cam_row_has_error(const cam_row *row);
/* No error was found, but not every instance could be judged in time. */
bool cam_row_is_undecided(const cam_row *row);
/* Failures of known bugs that were waived, all together; adds them bug by bug to the text, which
 * may be NULL. */
col_status cam_row_waived(const cam_row *row, uint64_t *count, base_text *words,
                          col_problem *problem);
