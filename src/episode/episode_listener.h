/* SPDX-License-Identifier: MIT */
/* An episode of which every test is told in full. */
#pragma once

#include "episode/worker_pool.h"

/* Called after each test that counts, in their order; any status but COL_OK ends the episode. */
typedef struct epi_listener {
    col_status (*tested)(void *context, const col_episode *episode, const epi_test *test,
                         const col_gain *gain, col_problem *problem);
    void *context;
} epi_listener;

/* col_episode_run; `listener` may be NULL. */
col_status epi_run(const col_episode_settings *settings, const epi_listener *listener,
                   col_episode *episode, col_problem *problem);
