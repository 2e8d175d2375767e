/* SPDX-License-Identifier: MIT */
/* Texts that get numbers, 0, 1, 2 …, in the order in which they come. A text is kept once. */
#ifndef REPORT_INDEX_H
#define REPORT_INDEX_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

typedef struct rep_index {
    col_arena *arena; /* where texts are kept */
    const char **texts;
    uint64_t *hashes;
    uint32_t *slots; /* a number + 1; 0: free */
    size_t count, slot_count, text_capacity, hash_capacity;
} rep_index;

/* Start from {.arena = ...}. `is_new` may be NULL. */
col_status rep_index_add(rep_index *index, const char *text, uint32_t *number, bool *is_new,
                         col_error *error);
/* The number of a text that is there; UINT32_MAX: it is not. */
uint32_t rep_index_find(const rep_index *index, const char *text);
void rep_index_free(rep_index *index); /* the texts stay */

#endif
