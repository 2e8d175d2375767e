/* SPDX-License-Identifier: MIT */
/* Arrays that grow and are kept: the memory of the largest job so far serves the next one. */
#pragma once

#include "base/problem.h"

/* Make room for `count` items. `array` is the address of the array's pointer; its content is kept.
 */
col_status base_reserve(void *array, size_t *capacity, size_t count, size_t item_size,
                        col_problem *problem);

/* Zeroed items; free() them. `array` as above. */
col_status base_new(void *array, size_t count, size_t item_size, col_problem *problem);

/* Arrays of one job in one block: reserved together, freed as one. Their content is not kept. */

typedef struct base_block { /* start from {0}; free(memory) */
    void *memory;
    size_t capacity; /* in bytes */
} base_block;

typedef struct base_part {
    void *array; /* the address of the array's pointer */
    size_t size; /* in bytes */
} base_part;

#define BASE_PART(array, count)                                                                    \
    { &(array), (count) * sizeof *(array) }

/* The parts are ended by {0}. */
col_status base_block_divide(base_block *block, const base_part *parts, col_problem *problem);

/* Have the processor fetch what will be needed soon. No function: gcc drops calls of one that does
 * nothing else. */
#define BASE_PREFETCH(address) __builtin_prefetch(address)

/* Memory that is taken piece by piece and given back all at once. */

typedef struct base_arena {
    struct base_arena_chunk *chunks; /* the newest first */
    size_t used;                     /* of the newest */
} base_arena;

/* Zeroed and aligned for anything; NULL when out of memory. Start from {0}. */
void *base_arena_take(base_arena *arena, size_t size);

/* The same for each of the parts, which are ended by {0}. */
col_status base_arena_divide(base_arena *arena, const base_part *parts, col_problem *problem);

/* A NUL-terminated copy. */
char *base_arena_text(base_arena *arena, const char *text, size_t length);
void base_arena_free(base_arena *arena);

/* The memory that there is. A job whose size a user types is estimated first: to take all of the
 * machine's memory and then to fail helps nobody. */

/* Bytes that this process may still take, by what the machine has and by limits on the process and
 * its control group. */
uint64_t base_room(void);

/* Refuses what takes more: "--ops 1Gi needs at least 96.0 GiB of memory ...". */
col_status base_room_check(uint64_t bytes, uint64_t room, const char *what, uint64_t number,
                           col_problem *problem);
