/* SPDX-License-Identifier: MIT */
/* An episode with known bugs, whose failures are waived: the settings have no room for them without
 * changing the layout that is promised. */
#pragma once

#include "episode/failure/known_bugs.h"

/* As col_episode_run. Failures of known bugs (may be NULL) do not end the episode, and its outcome,
 * failures and folders are those of the others; the known bugs have their counts. */
col_status epi_run(const col_episode_settings *settings, epi_known *known, col_episode *episode,
                   col_problem *problem);
