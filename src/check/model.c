/* SPDX-License-Identifier: MIT */
/* The models by number: see model.h. */
#include "check/model.h"
#include "check/models/models.h"

const chk_model *chk_model_of(col_model model) {
#define ROW(name, word, summary) [name] = &chk_##word,
    static const chk_model *const models[COL_MODEL_COUNT] = {COL_MODELS(ROW)};
#undef ROW
    return models[model];
}
