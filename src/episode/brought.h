/* SPDX-License-Identifier: MIT */
/* What a test brings of what coverage points need: requests, and more blocks than a cache has room
 * for. */
#ifndef EPISODE_BROUGHT_H
#define EPISODE_BROUGHT_H

#include "collider/cover.h"

col_status epi_bring(col_coverage *coverage, const col_duv_description *description,
                     const col_program *program, col_problem *problem);

#endif
