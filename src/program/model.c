/* SPDX-License-Identifier: MIT */
/* The names of memory models: see collider/model.h. */
#include "program/model.h"

#define WORD(name, word, summary) [name] = #word,
const char *const col_models[COL_MODEL_COUNT + 1] = {COL_MODELS(WORD)};

/* COL_TSO is TSO. */
#define TITLE(name, word, summary) [name] = &#name[4],
const char *const prg_model_titles[COL_MODEL_COUNT] = {COL_MODELS(TITLE)};
