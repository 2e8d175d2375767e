/* SPDX-License-Identifier: MIT */
/* Places in a text as editors count them: lines and UTF-16 units from 0; and as we do: bytes. A
 * line ends with "\n", "\r\n" or "\r". */
#ifndef LSP_POSITION_H
#define LSP_POSITION_H

#include "base/arena.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Where the lines of a text begin, which saves counting them from its beginning. */
typedef struct lsp_lines {
    size_t *starts;
    size_t count; /* 0: nobody has looked, or a "\r" alone ends a line, as no editor writes it */
} lsp_lines;

typedef struct lsp_text {
    const char *data;
    size_t length;
    const lsp_lines *lines; /* NULL: not known */
} lsp_text;

typedef struct lsp_position {
    uint32_t line, character;
} lsp_position;

/* Without memory there are none, which costs time alone. */
void lsp_lines_find(lsp_lines *lines, lsp_text text, base_arena *arena);

lsp_position lsp_position_at(lsp_text text, size_t offset);
/* Beyond the end of a line is its end; beyond the last line the end of the text. */
size_t lsp_offset_at(lsp_text text, lsp_position position);

/* Of our lines, which end with "\n" alone, and columns of bytes, both from 1. */
size_t lsp_offset_of(lsp_text text, uint32_t line, uint32_t column);

/* How many bytes the word at an offset has: letters, digits, _ and $; else 1, and 0 at the end of a
 * line. */
size_t lsp_word_length(lsp_text text, size_t offset);

/* {"start": ..., "end": ...}; NULL without memory. */
json_t *lsp_range(lsp_text text, size_t from, size_t to);

#endif
