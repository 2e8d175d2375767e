/* SPDX-License-Identifier: MIT */
/* Cache geometry as the address assigner sees it: which address bits select a set at each level. */
#pragma once

#include "base/problem.h"
#include "collider/geometry.h"

/* The caches of the three-level design mesi3: 64x1, 512x2 and 4096x8 in blocks of 64 bytes. */
void prg_geometry_default(col_geometry *geometry);

/* "64x1,512x2,4096x8": sets x ways of every level, the nearest to the core first; a level may be
 * named, "L1=64x4". Levels are L0, L1, ... otherwise. */
col_status prg_geometry_parse(const char *text, uint32_t block_bits, col_geometry *geometry,
                              col_problem *problem);

/* Levels must have index bits above the block offset, each level's set of bits within the next
 * larger one's. */
col_status prg_geometry_check(const col_geometry *geometry, col_problem *problem);

/* The address bits that select a set of this level, as a mask. */
uint64_t prg_level_mask(const col_cache_level *level);

/* The level with the n-th fewest sets. */
const col_cache_level *prg_geometry_ordered(const col_geometry *geometry, uint32_t n);
