/* SPDX-License-Identifier: MIT */
/* Memory that is given back all at once: see arena.h. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16 };

struct base_arena_chunk {
    struct base_arena_chunk *next;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

static bool add_chunk(base_arena *arena, size_t size) {
    const size_t wanted = size > CHUNK_BYTES ? size : CHUNK_BYTES;
    struct base_arena_chunk *chunk = calloc(1, sizeof *chunk + wanted);
    if (chunk == NULL)
        return false;
    chunk->next = arena->chunks;
    chunk->size = wanted;
    arena->chunks = chunk;
    arena->used = 0;
    return true;
}

void *base_arena_take(base_arena *arena, size_t size) {
    const size_t alignment = alignof(max_align_t);
    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + alignment - 1) / alignment * alignment;
    if (arena->chunks == NULL || arena->chunks->size - arena->used < size)
        if (!add_chunk(arena, size))
            return NULL;
    void *piece = arena->chunks->bytes + arena->used;
    arena->used += size;
    return piece;
}

char *base_arena_text(base_arena *arena, const char *text, size_t length) {
    char *copy = base_arena_take(arena, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void base_arena_free(base_arena *arena) {
    while (arena->chunks != NULL) {
        struct base_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    *arena = (base_arena){0};
}
