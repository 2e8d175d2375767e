/* SPDX-License-Identifier: MIT */
/* Texts of lines and words, as coverage files are: blanks between words, # before comments. What is
 * refused is refused at its line and column. */
#ifndef COVER_LINES_H
#define COVER_LINES_H

#include "base/problem.h"

#include <stddef.h>

enum { COV_WORDS = 5 };

typedef struct cov_word {
    const char *start;
    size_t length;
} cov_word;

typedef struct cov_lines {
    const char *file, *next, *end;
    col_problem *problem;
    uint32_t line_number;
    const char *line; /* start of the current line */
    cov_word words[COV_WORDS];
    uint32_t word_count;
    cov_word rest; /* of cov_lines_next_text: what follows the words */
} cov_lines;

/* For messages: a word of the input may be long or binary. */
int cov_shown(cov_word w);

#define COV_REFUSE(l, place, ...)                                                                  \
    base_refuse_at((l)->problem, (l)->file, (l)->line_number, (uint32_t)((place) - (l)->line) + 1, \
                   __VA_ARGS__)

/* The text behind a byte order mark, if it has one. */
cov_lines cov_lines_begin(const char *text, size_t length, const char *file, col_problem *problem);

/* The next line that has words; none are left: word_count is 0. */
col_status cov_lines_next(cov_lines *lines);
/* The same for lines of so many words, behind which any text may stand. */
col_status cov_lines_next_text(cov_lines *lines, uint32_t words);

bool cov_lines_is(const cov_lines *lines, uint32_t position, const char *text);
col_status cov_lines_want(const cov_lines *lines, uint32_t count, const char *form);
col_status cov_lines_number(const cov_lines *lines, uint32_t position, const char *what,
                            uint64_t *number);

#endif
