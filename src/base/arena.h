/* SPDX-License-Identifier: MIT */
/* Memory that is taken piece by piece and given back all at once. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct base_arena {
    struct base_arena_chunk *chunks; /* the newest first */
    size_t used;                     /* of the newest */
} base_arena;

/* Zeroed and aligned for anything; NULL when out of memory. Start from {0}. */
void *base_arena_take(base_arena *arena, size_t size);

/* A NUL-terminated copy. */
char *base_arena_text(base_arena *arena, const char *text, size_t length);
void base_arena_free(base_arena *arena);

#endif
