/* SPDX-License-Identifier: MIT */
/* Texts that get numbers, 0, 1, 2 …, in the order in which they come. A text is kept once. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/arena.h"
#include "base/index.h"

/* Start from {.arena = ...}. */
typedef struct base_names {
    base_arena *arena;  /* where texts are kept */
    const char **texts; /* by number */
    size_t count, capacity;
    base_index index;
} base_names;

/* `is_new` may be NULL. */
col_status base_names_add(base_names *names, const char *text, uint32_t *number, bool *is_new,
                          col_problem *problem);
/* The same for some bytes of a text, none of them 0. */
col_status base_names_add_part(base_names *names, const char *text, size_t length, uint32_t *number,
                               bool *is_new, col_problem *problem);
/* The number of a text that is there; BASE_NO_NUMBER: it is not. */
uint32_t base_names_find(const base_names *names, const char *text);
void base_names_free(base_names *names); /* the texts stay */

#endif
