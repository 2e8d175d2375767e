/* SPDX-License-Identifier: MIT */
/* What collider campaign --dry-run tells: the grid of a plan, and how long it will take. */
#ifndef CLI_CAMPAIGN_GRID_H
#define CLI_CAMPAIGN_GRID_H

#include "campaign/estimate.h"

#include <jansson.h>

col_status cli_campaign_grid_print(const cam_plan *plan, const cam_estimate *estimate,
                                   uint32_t jobs, col_problem *problem);
json_t *cli_campaign_grid_json(const cam_plan *plan, const cam_estimate *estimate, uint32_t jobs);

#endif
