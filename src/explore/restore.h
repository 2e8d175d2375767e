/* SPDX-License-Identifier: MIT */
/* The states that wait in a search that goes on, found again by the steps that lead to them. */
#ifndef EXPLORE_RESTORE_H
#define EXPLORE_RESTORE_H

#include "explore/search.h"

/* What was read of `path` becomes a search that goes on, unless it is stopped before, which is its
 * limit then. Refused: the steps are not the design's. */
col_status exp_restore(search *x, const char *path, col_problem *problem);

#endif
