/* SPDX-License-Identifier: MIT */
/* The stores that are watched: those that were named, and those in folders that were named, which
 * may become more. */
#ifndef WATCH_PLACES_H
#define WATCH_PLACES_H

#include "base/arena.h"
#include "collider/problem.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wch_places {
    const char **stores; /* or folders of episodes */
    uint32_t count;
    uint64_t state; /* of their files: another number after any of them was written to */
    base_arena arena;
    size_t capacity;
} wch_places;

/* Looks for them. Free also after an error. */
col_status wch_places_find(wch_places *places, const char *const *named, uint32_t count,
                           col_problem *problem);
void wch_places_free(wch_places *places);
/* A campaign may be writing to the store: it has a log. */
bool wch_is_written(const char *store);

#endif
