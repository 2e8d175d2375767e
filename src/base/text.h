/* SPDX-License-Identifier: MIT */
/* A text that grows. Running out of memory is remembered, not reported at every step: ask
 * base_text_status once at the end. */
#pragma once

#include "base/problem.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct base_text {
    char *data; /* NUL-terminated when not NULL */
    size_t length, capacity;
    bool failed;
} base_text;

void base_text_add(base_text *text, const char *string);
void base_text_add_bytes(base_text *text, const char *bytes, size_t count);
void base_text_number(base_text *text, uint64_t number); /* decimal; faster than print */
void base_text_count(base_text *text, uint64_t number);  /* "6,381" */
void base_text_print(base_text *text, const char *format, ...) BASE_PRINTF(2, 3);
/* Lines of at most `width` bytes, broken at blanks where there are any, each ended; those that go
 * on begin with the indent. */
void base_text_add_wrapped(base_text *text, const char *string, size_t width, const char *indent);
/* A word as it is typed into a shell: in quotes where it needs them. */
void base_text_add_shell(base_text *text, const char *word);
col_status base_text_status(const base_text *text, col_problem *problem);
void base_text_free(base_text *text);
/* Hands the text over, which becomes col_text_free's; NULL, 0 and a problem if it failed. */
col_status base_text_give(base_text *text, char **given, size_t *length, col_problem *problem);
/* Frees a text that was used for a part of another one, which fails if it did. */
void base_text_free_part(base_text *part, base_text *whole);

/* Text from a file, behind the byte order mark (UTF-8) that some editors put first; never NULL. All
 * parsers begin with it, so that columns count from what the user sees. */
const char *base_skip_bom(const char *text, size_t *length);

bool base_is_utf8(const char *text);
size_t base_characters(const char *text); /* not bytes */
/* How many bytes this many characters take, from the first; the whole text if it has no more. */
size_t base_prefix(const char *text, size_t characters);
/* Replaces what is not UTF-8, byte by byte, by question marks. */
void base_clean_utf8(char *text);

/* Names, reasons and descriptions may come from anywhere: what a terminal would obey must not reach
 * it. Replaces control characters (C0, DEL, and C1 such as U+009B) and what is not UTF-8, byte by
 * byte, by question marks; lines and tabs stay if they are wanted. */
void base_make_printable(char *text, bool keeps_lines);

/* Prints on a terminal or where one may see it: the only way for text that is not ours. Running out
 * of memory is remembered: ask at the end of the program. */
void base_print(FILE *stream, const char *format, ...) BASE_PRINTF(2, 3);
bool base_print_failed(void);
/* What should have been printed could not be put together for want of memory. */
void base_print_lost(void);

/*
 * Sentences in fields of a fixed size. One that is too long ends with a whole word and an ellipsis,
 * never in the middle of a word or of a UTF-8 character.
 */

/* Prints into a field of `size` bytes, at least 1. */
void base_sentence(char *field, size_t size, const char *format, ...) BASE_PRINTF(3, 4);
void base_sentence_from(char *field, size_t size, const char *format, va_list arguments)
    BASE_PRINTF(3, 0);

/* Names that a sentence lists, "A, B, C", as far as any sentence has room. Start from {""}. */
typedef struct base_list {
    char text[512];
} base_list;
void base_list_add(base_list *list, const char *name);
const char *base_list_text(const base_list *list); /* "none" if there is none */

/* "1 test", "2 tests". */

/* What follows a noun that is counted: "%u test%s". */
static inline const char *base_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}
