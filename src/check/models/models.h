/* SPDX-License-Identifier: MIT */
/* The models, one file each: chk_WORD in WORD.c. */
#ifndef CHECK_MODELS_MODELS_H
#define CHECK_MODELS_MODELS_H

#include "check/model.h"

#define CHK_DECLARE(name, word, summary) extern const chk_model chk_##word;
COL_MODELS(CHK_DECLARE)
#undef CHK_DECLARE

#endif
