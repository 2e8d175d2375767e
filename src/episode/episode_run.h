/* SPDX-License-Identifier: MIT */
/* An episode with what the settings have no room for without changing the layout that is promised:
 * known bugs, whose failures are waived, and somebody who is told of every test in full. */
#pragma once

#include "episode/failure/known_bugs.h"
#include "episode/worker_pool.h"

/* Called after each test that counts, in their order; any status but COL_OK ends the episode. */
typedef struct epi_listener {
    col_status (*tested)(void *context, const col_episode *episode, const epi_test *test,
                         const col_gain *gain, col_problem *problem);
    void *context;
} epi_listener;

/* As col_episode_run. Failures of known bugs do not end the episode, and its outcome, failures and
 * folders are those of the others; the known bugs have their counts. Both may be NULL. */
col_status epi_run(const col_episode_settings *settings, epi_known *known,
                   const epi_listener *listener, col_episode *episode, col_problem *problem);
