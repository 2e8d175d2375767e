/* SPDX-License-Identifier: MIT */
/* What the caches of a design look like: what address biasing needs to know of it. */
#ifndef COLLIDER_GEOMETRY_H
#define COLLIDER_GEOMETRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { COL_MAX_LEVELS = 8 };

typedef struct col_cache_level {
    char name[16];
    uint32_t index_low;  /* the set index is these address bits: index_low and upwards, */
    uint32_t index_bits; /* that many */
    uint32_t ways;
} col_cache_level;

typedef struct col_geometry {
    uint32_t block_bits; /* 6: blocks of 64 bytes */
    uint32_t level_count;
    col_cache_level levels[COL_MAX_LEVELS];
} col_geometry;

#ifdef __cplusplus
}
#endif
#endif
