/* SPDX-License-Identifier: MIT */
/* A text that grows. Running out of memory is remembered, not reported at every step: ask
 * col_text_status once at the end. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct col_text {
    char *data; /* NUL-terminated when not NULL */
    size_t length, capacity;
    bool failed;
} col_text;

void col_text_add(col_text *text, const char *string);
void col_text_add_bytes(col_text *text, const char *bytes, size_t count);
void col_text_number(col_text *text, uint64_t number); /* decimal; faster than print */
void col_text_print(col_text *text, const char *format, ...) COL_PRINTF(2, 3);
col_status col_text_status(const col_text *text, col_error *error);
void col_text_free(col_text *text);
/* Frees a text that was used for a part of another one, which fails if it did. */
void col_text_free_part(col_text *part, col_text *whole);

/* Text from a file, behind the byte order mark (UTF-8) that some editors put first; never NULL. All
 * parsers begin with it, so that columns count from what the user sees. */
const char *col_skip_bom(const char *text, size_t *length);

bool col_is_utf8(const char *text);
/* Replaces what is not UTF-8, byte by byte, by question marks. */
void col_clean_utf8(char *text);

/* Names, reasons and descriptions may come from anywhere: what a terminal would obey must not reach
 * it. Replaces control characters (C0, DEL, and C1 such as U+009B) and what is not UTF-8, byte by
 * byte, by question marks; lines and tabs stay if they are wanted. */
void col_make_printable(char *text, bool keeps_lines);

/* Prints on a terminal or where one may see it: the only way for text that is not ours. Running out
 * of memory is remembered: ask at the end of the program. */
void col_print(FILE *stream, const char *format, ...) COL_PRINTF(2, 3);
bool col_print_failed(void);

#endif
