/* SPDX-License-Identifier: MIT */
/* Words to choose from, as lists that end with NULL: finding one, and naming all in a sentence. */
#ifndef BASE_CHOICE_H
#define BASE_CHOICE_H

#include "base/text.h"

/* The place of the `length` bytes at `text` in the list. Not found: the place of its NULL. */
bool base_choice_find(const char *const *words, const char *text, size_t length, uint32_t *choice);

/* "sc, tso or pso" */
void base_choice_list(const char *const *words, base_text *list);

/* Finds the word, or refuses it: "--model is sc, tso or pso, not 'x'", of the prefix "--" and the
 * name "model"; or, where a word is like it, "--model does not take 'tos'; did you mean 'tso'?". */
col_status base_choice_read(const char *prefix, const char *name, const char *const *words,
                            const char *text, uint32_t *choice, col_problem *problem);

#endif
