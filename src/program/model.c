/* SPDX-License-Identifier: MIT */
/* The names of memory models: see collider/model.h. */
#include "collider/model.h"

#define WORD(name, word, summary) [name] = #word,
const char *const col_models[COL_MODEL_COUNT + 1] = {COL_MODELS(WORD)};
