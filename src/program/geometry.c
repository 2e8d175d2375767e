/* SPDX-License-Identifier: MIT */
/* Cache geometry: see geometry.h. */
#include "program/geometry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ADDRESS_BITS = 48, MOST_WAYS = 1024 };

void prg_geometry_default(col_geometry *geometry) {
    *geometry = (col_geometry){
        .block_bits = 6,
        .level_count = 3,
        .levels = {{.name = "L0", .index_low = 6, .index_bits = 6, .ways = 1},
                   {.name = "L1", .index_low = 6, .index_bits = 9, .ways = 2},
                   {.name = "L2", .index_low = 6, .index_bits = 12, .ways = 8}},
    };
}

uint64_t prg_level_mask(const col_cache_level *level) {
    return ((UINT64_C(1) << level->index_bits) - 1) << level->index_low;
}

const col_cache_level *prg_geometry_ordered(const col_geometry *geometry, uint32_t n) {
    for (uint32_t i = 0; i < geometry->level_count; i++) {
        const col_cache_level *candidate = &geometry->levels[i];
        uint32_t before = 0; /* levels that come before the candidate; ties by position */
        for (uint32_t j = 0; j < geometry->level_count; j++) {
            const col_cache_level *other = &geometry->levels[j];
            before += other->index_bits < candidate->index_bits ||
                      (other->index_bits == candidate->index_bits && j < i);
        }
        if (before == n)
            return candidate;
    }
    return NULL;
}

col_status prg_geometry_check(const col_geometry *geometry, col_problem *problem) {
    if (geometry->block_bits < 3 || geometry->block_bits > 16)
        return base_refuse(problem, "a block has 8 bytes (one word) to 64 KiB");
    if (geometry->level_count > COL_MAX_LEVELS)
        return base_refuse(problem, "a geometry has at most %d levels", COL_MAX_LEVELS);
    for (uint32_t n = 0; n < geometry->level_count; n++) {
        const col_cache_level *level = &geometry->levels[n];
        if (level->index_low < geometry->block_bits ||
            (uint64_t)level->index_low + level->index_bits > MOST_ADDRESS_BITS)
            return base_refuse(problem,
                               "the index of level %s must lie in the address bits %u to %d",
                               level->name, geometry->block_bits, MOST_ADDRESS_BITS - 1);
        if (level->ways == 0 || level->ways > MOST_WAYS)
            return base_refuse(problem, "level %s must have 1 to %d ways", level->name, MOST_WAYS);
    }
    for (uint32_t n = 1; n < geometry->level_count; n++) {
        const col_cache_level *small = prg_geometry_ordered(geometry, n - 1);
        const col_cache_level *large = prg_geometry_ordered(geometry, n);
        if ((prg_level_mask(small) & ~prg_level_mask(large)) != 0)
            return base_refuse(problem,
                               "the index bits of level %s are not among those of %s; count the "
                               "bits that select a bank or slice as index bits",
                               small->name, large->name);
    }
    return COL_OK;
}

/* The exponent of a power of two, or -1. */
static int exponent_of(unsigned long number) {
    int bits = 0;
    if (number == 0 || (number & (number - 1)) != 0)
        return -1;
    while (number > 1) {
        number >>= 1;
        bits++;
    }
    return bits;
}

/* One "[NAME=]SETSxWAYS"; returns where it ends, or NULL. */
static const char *parse_level(const char *at, uint32_t number, uint32_t block_bits,
                               col_cache_level *level) {
    const size_t length = strcspn(at, "=,");
    (void)snprintf(level->name, sizeof level->name, "L%u", number);
    if (at[length] == '=') {
        const size_t plain =
            strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
        if (length == 0 || length >= sizeof level->name || plain < length)
            return NULL;
        memcpy(level->name, at, length);
        level->name[length] = '\0';
        at += length + 1;
    }
    char *end;
    if (*at < '0' || *at > '9')
        return NULL;
    const int bits = exponent_of(strtoul(at, &end, 10));
    if (bits < 0 || bits > MOST_ADDRESS_BITS || *end != 'x' || end[1] < '0' || end[1] > '9')
        return NULL;
    const unsigned long ways = strtoul(end + 1, &end, 10);
    if (ways > MOST_WAYS || (*end != ',' && *end != '\0'))
        return NULL;
    level->index_low = block_bits;
    level->index_bits = (uint32_t)bits;
    level->ways = (uint32_t)ways;
    return end;
}

col_status prg_geometry_parse(const char *text, uint32_t block_bits, col_geometry *geometry,
                              col_problem *problem) {
    *geometry = (col_geometry){.block_bits = block_bits};
    for (const char *at = text; at != NULL;) {
        if (geometry->level_count == COL_MAX_LEVELS)
            return base_refuse(problem, "a geometry has at most %d levels", COL_MAX_LEVELS);
        const char *end = parse_level(at, geometry->level_count, block_bits,
                                      &geometry->levels[geometry->level_count]);
        if (end == NULL)
            return base_refuse(problem,
                               "expected sets x ways of each cache level, such as 64x1,512x2 or "
                               "L1=64x4 (sets are a power of two), got '%s'",
                               at);
        geometry->level_count++;
        at = *end == ',' ? end + 1 : NULL;
    }
    return prg_geometry_check(geometry, problem);
}
