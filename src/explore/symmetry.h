/* SPDX-License-Identifier: MIT */
/* Symmetry: what a system treats alike, so that it can be renamed (renamer.h). */
#ifndef EXPLORE_SYMMETRY_H
#define EXPLORE_SYMMETRY_H

#include "explore/image.h"

void exp_symmetry_find(const sim_system *system, uint32_t blocks, exp_symmetry *symmetry);

#endif
