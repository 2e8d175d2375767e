/* SPDX-License-Identifier: MIT */
/* The coverage of all trials of a design in a store, as a set. A store does not tell controllers
 * apart, so each machine has one. */
#ifndef CAMPAIGN_STORE_COVERAGE_H
#define CAMPAIGN_STORE_COVERAGE_H

#include "campaign/store.h"

/* The coverage of a design by name (NULL: the only one) and number of cores (0: any). Designs that
 * differ only in their injected error count as one. */
col_status cam_store_coverage(col_coverage **coverage, const char *path, const char *design,
                              uint32_t cores, col_problem *problem);

#endif
