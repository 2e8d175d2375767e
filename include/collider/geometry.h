/* SPDX-License-Identifier: MIT */
/* The caches of a design, as far as address biasing needs to know them. */
#ifndef COLLIDER_GEOMETRY_H
#define COLLIDER_GEOMETRY_H

#include <collider/compiler.h>

#include <stdint.h>

COL_C_BEGIN

enum { COL_MAX_LEVELS = 8 };

typedef struct col_cache_level {
    char name[16];
    uint32_t index_low;  /* the lowest address bit of the set index, */
    uint32_t index_bits; /* and its number of bits */
    uint32_t ways;
} col_cache_level;

typedef struct col_geometry {
    uint32_t block_bits; /* 6: blocks of 64 bytes */
    uint32_t level_count;
    col_cache_level levels[COL_MAX_LEVELS];
} col_geometry;

COL_C_END
#endif
