/* SPDX-License-Identifier: MIT */
/* How many of the loads and stores of random tests are loads: the parameter `loads`. */
#ifndef DIRECT_RTG_LOADS_H
#define DIRECT_RTG_LOADS_H

#include "collider/generate.h"

/* Changes the mix so that this part of all loads and stores are loads. Atomic operations and what
 * is neither stay as they are. */
col_status dir_rtg_set_loads(col_generator *generator, col_generation *generation, double loads,
                             col_problem *problem);

#endif
