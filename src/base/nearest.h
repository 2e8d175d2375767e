/* SPDX-License-Identifier: MIT */
/* "Did you mean …?": of the words that there are, the one most like a word that there is not. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

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

#endif
