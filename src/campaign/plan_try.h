/* SPDX-License-Identifier: MIT */
/* Opens everything that the trials of a plan need, once, so that a misspelt design is reported
 * before the first trial runs and not at three in the morning. Reading a plan opens nothing. */
#ifndef CAMPAIGN_PLAN_TRY_H
#define CAMPAIGN_PLAN_TRY_H

#include "campaign/plan.h"

/* Each design with its cores, options and errors; each engine on it with its bounds; each study of
 * locations with its mixes; whether there are such tours. Of mutants, which may have to be
 * compiled, the one with the greatest number. */
col_status cam_plan_try(const cam_plan *plan, col_problem *problem);

#endif
