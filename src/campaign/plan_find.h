/* SPDX-License-Identifier: MIT */
/* The file of a plan that is named by its path or, as designs are, by its name. */
#ifndef CAMPAIGN_PLAN_FIND_H
#define CAMPAIGN_PLAN_FIND_H

#include "base/library.h"

#include <limits.h>

/* What is not a YAML file, a path or a file at all is a name: that of a plan in the folder of
 * COLLIDER_PLANS, among the installed plans or in the source tree. */
col_status cam_plan_find(char path[PATH_MAX], const char *what, col_problem *problem);

#endif
