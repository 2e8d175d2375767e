/* SPDX-License-Identifier: MIT */
/* What collider run prints of an episode besides its coverage: the outcomes of given programs, and
 * its failures by kind. */
#ifndef CLI_RUN_RESULTS_H
#define CLI_RUN_RESULTS_H

#include "collider/episode.h"

/* A line or a few for each program; nothing unless programs were given. */
col_status cli_print_outcomes(const col_episode *episode, col_problem *problem);

/* "30 failures, 4 kinds", and a line or two for each kind; nothing unless several tests failed. */
void cli_print_kinds(const col_episode *episode);

#endif
