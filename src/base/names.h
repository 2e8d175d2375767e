/* SPDX-License-Identifier: MIT */
/* Texts that get numbers, 0, 1, 2 …, in the order in which they come. A text is kept once. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/arena.h"
#include "base/index.h"

/* Start from {.arena = ...}. */
typedef struct col_names {
    col_arena *arena;   /* where texts are kept */
    const char **texts; /* by number */
    size_t count, capacity;
    col_index index;
} col_names;

/* `is_new` may be NULL. */
col_status col_names_add(col_names *names, const char *text, uint32_t *number, bool *is_new,
                         col_error *error);
/* The same for some bytes of a text, none of them 0. */
col_status col_names_add_part(col_names *names, const char *text, size_t length, uint32_t *number,
                              bool *is_new, col_error *error);
/* The number of a text that is there; COL_NO_NUMBER: it is not. */
uint32_t col_names_find(const col_names *names, const char *text);
void col_names_free(col_names *names); /* the texts stay */

#endif
