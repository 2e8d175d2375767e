/* SPDX-License-Identifier: MIT */
/* Partial store order (SPARC V8; the Axe manual, section 4.3): as TSO, but writes to different
 * locations may come in any order. */
#include "check/models/models.h"

const chk_model chk_pso = {.keeps = COL_READ_READ | COL_READ_WRITE};
