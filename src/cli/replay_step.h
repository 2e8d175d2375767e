/* SPDX-License-Identifier: MIT */
/* Walking through the events of a failure on a terminal. */
#pragma once

#include "episode/failure/timeline.h"

/* Standard input and output must be one. */
bool cli_screen_is(void);
col_status cli_step(const epi_timeline *timeline, const epi_ending *ending, col_problem *problem);
