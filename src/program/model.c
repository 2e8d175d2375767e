/* SPDX-License-Identifier: MIT */
/* The names of memory models: see collider/model.h. */
#include "collider/model.h"

const char *const col_models[COL_MODEL_COUNT + 1] = {
    [COL_SC] = "sc",   [COL_TSO] = "tso",     [COL_PSO] = "pso",
    [COL_WMO] = "wmo", [COL_ARMV8] = "armv8", [COL_RVWMO] = "rvwmo",
};
