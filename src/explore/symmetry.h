/* SPDX-License-Identifier: MIT */
/* Symmetry: what a system treats alike, so that it can be renamed (renamer.h). */
#ifndef EXPLORE_SYMMETRY_H
#define EXPLORE_SYMMETRY_H

#include "explore/image.h"

/* `takes_any`: of any member where the smallest one is asked for (step.h). */
void exp_symmetry_find(const sim_system *system, uint32_t blocks, bool takes_any,
                       exp_symmetry *symmetry);

#endif
