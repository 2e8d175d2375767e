/* SPDX-License-Identifier: MIT */
/* Memory models by their titles, for sentences: "TSO violation". */
#ifndef PROGRAM_MODEL_H
#define PROGRAM_MODEL_H

#include "collider/model.h"

extern const char *const prg_model_titles[COL_MODEL_COUNT];

#endif
