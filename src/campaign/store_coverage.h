/* SPDX-License-Identifier: MIT */
/* The coverage of all trials of a design in a store, as a set. A store does not tell controllers
 * apart, so each machine has one. */
#ifndef CAMPAIGN_STORE_COVERAGE_H
#define CAMPAIGN_STORE_COVERAGE_H

#include "campaign/store.h"

/* Of the design of this name (NULL: the only one) with so many cores (0: any). Designs that differ
 * in what was put in alone are one. */
col_status cam_store_coverage(col_coverage **coverage, const char *path, const char *design,
                              uint32_t cores, col_problem *problem);

#endif
