/* SPDX-License-Identifier: MIT */
/* What `collider run` prints of an episode when it has ended. */
#pragma once

#include "collider/episode.h"

/* `waived` is the number of failures of known bugs. */
col_status cli_run_print_result(const col_episode_settings *settings, const col_episode *episode,
                                uint64_t waived, col_problem *problem);
/* "30 failures, 4 kinds", and a line or two for each kind; nothing unless several tests failed. */
void cli_run_print_kinds(const col_episode *episode);
