/* SPDX-License-Identifier: MIT */
/*
 * Sentences in fields of a fixed size. One that is too long ends with a whole word and an ellipsis,
 * never in the middle of a word or of a UTF-8 character.
 */
#ifndef BASE_SENTENCE_H
#define BASE_SENTENCE_H

#include "base/problem.h"

#include <stdarg.h>

/* Prints into a field of `size` bytes, at least 1. */
void base_sentence(char *field, size_t size, const char *format, ...) BASE_PRINTF(3, 4);
void base_sentence_from(char *field, size_t size, const char *format, va_list arguments)
    BASE_PRINTF(3, 0);

#endif
