/* SPDX-License-Identifier: MIT */
/* What `collider design` found out, as JSON. */
#ifndef CLI_DESIGN_RESULTS_H
#define CLI_DESIGN_RESULTS_H

#include "sim/design.h"

#include <jansson.h>

/* A design with its machines: counts, controllers and caches, with `cells` also the table. The
 * problem says why a design could not be opened; NULL: it could. Returns NULL when out of
 * memory. */
json_t *cli_design_results_make(const sim_design *design, uint32_t machine, bool cells,
                                const char *problem);

#endif
