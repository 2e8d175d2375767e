/* SPDX-License-Identifier: MIT */
/* The models, one file each. */
#ifndef CHECK_MODELS_MODELS_H
#define CHECK_MODELS_MODELS_H

#include "check/model.h"

extern const chk_model chk_sc, chk_tso, chk_pso, chk_wmo, chk_armv8, chk_rvwmo;

#endif
