/* SPDX-License-Identifier: MIT */
#ifndef LIT_FENCE_H
#define LIT_FENCE_H

#include "cat/names.h"
#include "collider/program.h"

/* The pairs of accesses that a fence orders, by its cat_set: a set of COL_READ_READ, ... False: it
 * is one for instructions. */
bool lit_fence_pairs(uint32_t set, uint8_t *pairs);

#endif
