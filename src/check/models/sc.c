/* SPDX-License-Identifier: MIT */
/* Sequential consistency (Lamport 1979): each thread's operations in their order. */
#include "check/models/models.h"

const chk_model chk_sc = {.keeps = COL_FULL_FENCE};
