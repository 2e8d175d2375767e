/* SPDX-License-Identifier: MIT */
/* Texts that get numbers, 0, 1, 2 …, in the order in which they come. A text is kept once. */
#pragma once

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

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

/* "Did you mean …?": of the words that there are, the one most like a word that there is not. */

/* Start from {.text = what was typed}. */
typedef struct base_nearest {
    const char *text;
    const char *word; /* the nearest so far; NULL: none is like it */
    size_t distance;
} base_nearest;

/* A further word that there is; it must live as long as the nearest. Words further away than a
 * third of the letters are not alike. */
void base_nearest_try(base_nearest *nearest, const char *word);

/* The nearest of a list that ends with NULL; NULL: none is like it. */
const char *base_nearest_of(const char *const *words, const char *text);

/* Words to choose from, as lists that end with NULL: finding one, and naming all in a sentence. */

/* The place of the `length` bytes at `text` in the list. Not found: the place of its NULL. */
bool base_choice_find(const char *const *words, const char *text, size_t length, uint32_t *choice);

/* "sc, tso or pso" */
void base_choice_list(const char *const *words, base_text *list);

/* Finds the word, or refuses it: "--model is sc, tso or pso, not 'x'", of the prefix "--" and the
 * name "model"; or, where a word is like it, "--model does not take 'tos'; did you mean 'tso'?". */
col_status base_choice_read(const char *prefix, const char *name, const char *const *words,
                            const char *text, uint32_t *choice, col_problem *problem);
