/* SPDX-License-Identifier: MIT */
/* Arrays that grow: see memory.h. */
#include "base/memory.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

col_status base_reserve(void *array, size_t *capacity, size_t count, size_t item_size,
                        col_problem *problem) {
    if (count <= *capacity)
        return COL_OK;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < count)
        wanted = count;
    if (wanted > SIZE_MAX / 2 / item_size)
        return base_out_of_memory(problem);
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, wanted * item_size);
    if (grown == NULL)
        return base_out_of_memory(problem);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return COL_OK; // cppcheck-suppress memleak ; the caller's pointer has it
}

col_status base_new(void *array, size_t count, size_t item_size, col_problem *problem) {
    void *items = calloc(count, item_size);
    memcpy(array, &items, sizeof items);
    // cppcheck-suppress memleak ; the caller's pointer has it
    return items == NULL ? base_out_of_memory(problem) : COL_OK;
}

static size_t aligned(size_t size) {
    return (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

col_status base_block_divide(base_block *block, const base_part *parts, col_problem *problem) {
    size_t size = 1;
    for (const base_part *p = parts; p->array != NULL; p++) {
        if (p->size > SIZE_MAX / 8 || size > SIZE_MAX / 4)
            return base_out_of_memory(problem);
        size += aligned(p->size);
    }
    const col_status status = base_reserve(&block->memory, &block->capacity, size, 1, problem);
    unsigned char *part = block->memory;
    for (const base_part *p = parts; p->array != NULL && status == COL_OK; p++) {
        memcpy(p->array, &part, sizeof part);
        part += aligned(p->size);
    }
    return status;
}

/* Memory that is given back all at once. */

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
    if (size > SIZE_MAX / 4)
        return NULL;
    size = aligned(size);
    if (arena->chunks == NULL || arena->chunks->size - arena->used < size)
        if (!add_chunk(arena, size))
            return NULL;
    void *piece = arena->chunks->bytes + arena->used;
    arena->used += size;
    return piece;
}

col_status base_arena_divide(base_arena *arena, const base_part *parts, col_problem *problem) {
    for (const base_part *p = parts; p->array != NULL; p++) {
        void *piece = base_arena_take(arena, p->size);
        if (piece == NULL)
            return base_out_of_memory(problem);
        memcpy(p->array, &piece, sizeof piece);
    }
    return COL_OK;
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

/* The memory that there is. */

/* Of a line that begins with `name`, behind it; without it: no limit. */
static uint64_t number_in(const char *path, const char *name, uint64_t unit) {
    char line[128];
    uint64_t number = UINT64_MAX;
    const size_t length = strlen(name);
    FILE *file = fopen(path, "re");
    while (file != NULL && number == UINT64_MAX && fgets(line, sizeof line, file) != NULL) {
        char *end = line;
        if (strncmp(line, name, length) != 0)
            continue;
        const uint64_t found = strtoull(line + length, &end, 10);
        if (end != line + length && found <= UINT64_MAX / unit)
            number = found * unit;
    }
    if (file != NULL)
        (void)fclose(file);
    return number;
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t base_room(void) {
    struct rlimit limit;
    const uint64_t machine = number_in("/proc/meminfo", "MemAvailable:", 1024);
    const uint64_t group = number_in("/sys/fs/cgroup/memory.max", "", 1);
    const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return less(less(machine, group), is_limited ? (uint64_t)limit.rlim_cur : UINT64_MAX);
}

col_status base_room_check(uint64_t bytes, uint64_t room, const char *what, uint64_t number,
                           col_problem *problem) {
    static const double unit = 1 << 30;
    if (bytes <= room)
        return COL_OK;
    return base_refuse(problem,
                       "%s %llu needs at least %.1f GiB of memory, and %.1f GiB are free; ask for "
                       "less",
                       what, (unsigned long long)number, (double)bytes / unit, (double)room / unit);
}
