/* SPDX-License-Identifier: MIT */
/* The list of models: see model.h. */
#include "check/model.h"
#include "check/models/models.h"

const chk_model *chk_model_of(col_model model) {
    static const chk_model *const models[COL_MODEL_COUNT] = {
        [COL_SC] = &chk_sc,   [COL_TSO] = &chk_tso,     [COL_PSO] = &chk_pso,
        [COL_WMO] = &chk_wmo, [COL_ARMV8] = &chk_armv8, [COL_RVWMO] = &chk_rvwmo,
    };
    return models[model];
}
