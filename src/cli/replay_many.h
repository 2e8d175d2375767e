/* SPDX-License-Identifier: MIT */
/* collider replay of several failures, or on a changed design: a line for each, and a summary. */
#pragma once

#include "cli/named_failures.h"
#include "episode/failure/recheck.h"

/* `change` is NULL: each design is run as it was recorded. Returns the exit status: 1 if any fails,
 * 2 if any could not be run; the others are. */
int cli_replay_many(const cli_arguments *arguments, cli_failures *failures, bool allow_code,
                    const epi_change *change, col_problem *problem);
