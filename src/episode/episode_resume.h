/* SPDX-License-Identifier: MIT */
/*
 * An episode that goes on later: what it had done, its coverage and its engine, in a folder. It
 * then does what it would have done without the break.
 */
#pragma once

#include "collider/episode.h"
#include "design/design_kind.h"
#include "episode/failure/failure_kinds.h"
#include "episode/failure/known_bugs.h"

/* Where an episode stands between two tests. */
typedef struct epi_standing {
    const col_episode_settings *settings;
    const col_setting *setting;   /* with the text of its model */
    const duv_identity *identity; /* of the design that is open */
    col_episode *episode;
    col_engine *engine;
    col_feedback *feedback; /* of the last test */
    epi_keeping *keeping;
    epi_known *known; /* may be NULL */
} epi_standing;

/* resume.json has all of it, so that what is there is of one moment. The record's coverage.txt is
 * later where an episode went on and was not saved. */
col_status epi_resume_write(const epi_standing *standing, const char *folder, col_problem *problem);
col_status epi_resume_read(const epi_standing *standing, const char *folder, col_problem *problem);
