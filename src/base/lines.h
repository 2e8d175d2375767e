/* SPDX-License-Identifier: MIT */
/*
 * Texts of lines and words, as programs and coverage files are: blanks between words, # before
 * comments. What is refused is refused at its line and column.
 */
#pragma once

#include "base/text.h"

enum { BASE_MOST_WORDS = 8 };

typedef struct base_word {
    const char *start;
    size_t length;
} base_word;

typedef struct base_lines {
    const char *file, *next, *end;
    col_problem *problem;
    uint32_t most_words; /* a line with more is refused */
    uint32_t line_number;
    const char *line; /* start of the current line */
    base_word words[BASE_MOST_WORDS];
    uint32_t word_count;
    base_word rest; /* of base_lines_next_text: what follows the words */
} base_lines;

bool base_word_is(const base_word *word, const char *text);
/* For messages: a word of the input may be long or binary. */
int base_word_shown(const base_word *word);

#define BASE_REFUSE_AT(l, place, ...)                                                              \
    base_refuse_at((l)->problem, (l)->file, (l)->line_number, (uint32_t)((place) - (l)->line) + 1, \
                   __VA_ARGS__)

/* Starts before the first line; skips a byte order mark. */
base_lines base_lines_begin(const char *text, size_t length, const char *file, uint32_t most_words,
                            col_problem *problem);

/* The next line that has words; when none is left, word_count is 0. */
col_status base_lines_next(base_lines *lines);
/* The same for lines of `words` words followed by any text. */
col_status base_lines_next_text(base_lines *lines, uint32_t words);

bool base_lines_is(const base_lines *lines, uint32_t position, const char *text);
col_status base_lines_want(const base_lines *lines, uint32_t count, const char *form);
col_status base_lines_number(const base_lines *lines, uint32_t position, const char *what,
                             uint64_t *number);

/*
 * A command in one line, as words, without a shell: blanks separate words, quotes and backslashes
 * mean what they mean to a shell, and nothing is expanded.
 */

/* `words` ends with NULL, like the arguments of a program, and is one piece of memory: free it. A
 * line without a word, or with a quote that is not closed, is refused. */
col_status base_command_split(const char *line, char ***words, col_problem *problem);

/* The line of a file that a problem is about, with a caret under the column. */

/* Adds two lines,
 *       5 | the line
 *         |     ^
 * made printable; of a long line what surrounds the column. Line and column (in bytes) count from
 * 1; nothing is added for a line that the text does not have, or that has no letter or digit. */
void base_excerpt_add(base_text *excerpt, const char *text, size_t length, uint32_t line,
                      uint32_t column);
