/* SPDX-License-Identifier: MIT */
/* Memory that is taken piece by piece and given back all at once. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct col_arena {
    struct col_arena_chunk *chunks; /* the newest first */
    size_t used;                    /* of the newest */
} col_arena;

/* Zeroed and aligned for anything; NULL when out of memory. Start from {0}. */
void *col_arena_take(col_arena *arena, size_t size);

/* A NUL-terminated copy. */
char *col_arena_text(col_arena *arena, const char *text, size_t length);
void col_arena_free(col_arena *arena);

#endif
