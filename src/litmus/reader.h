/* SPDX-License-Identifier: MIT */
/* The characters of a litmus file, with their places. Comments are (* ... *). */
#ifndef LIT_READER_H
#define LIT_READER_H

#include "litmus/test.h"

typedef struct lit_reader {
    lit_test *test;
    const char *at, *end;
    lit_place place; /* of `at` */
    bool is_in_filter;
    col_problem *problem;
} lit_reader;

/* "expected ..." or another sentence, at the place that was reached. */
col_status lit_refuse(lit_reader *reader, const char *what);
col_status lit_refuse_at(lit_reader *reader, lit_place place, const char *what, const char *word);

/* One character further. */
void lit_advance(lit_reader *reader);
void lit_advance_to(lit_reader *reader, const char *at);

/* Blanks and comments. Refuses a comment without an end. */
col_status lit_skip(lit_reader *reader);

/* The next character behind blanks; 0 at the end and where a comment has none. */
char lit_peek(lit_reader *reader);
bool lit_take(lit_reader *reader, const char *symbol);
col_status lit_expect(lit_reader *reader, const char *symbol);

/* How many characters the word has that comes next: letters, digits, _ . $ */
size_t lit_word_length(lit_reader *reader);
bool lit_take_word(lit_reader *reader, const char *word);
/* Kept in the test. Refuses if there is none. */
col_status lit_word(lit_reader *reader, const char **word);
bool lit_is_number(lit_reader *reader);
col_status lit_number(lit_reader *reader, uint64_t *number);

/* ---- Parts of a file. */

/* Behind {, up to and with }. */
col_status lit_read_state(lit_reader *reader);
/* A value: a number, or the address of memory. */
col_status lit_read_value(lit_reader *reader, uint64_t *value);
/* "0:" or "P0:", a thread that is there; false: it is none. */
bool lit_take_thread(lit_reader *reader, uint32_t *thread);
/* The type that the word names, or false. */
bool lit_type_find(const char *word, size_t length, lit_type *type);

/* The columns of instructions. */
col_status lit_read_threads(lit_reader *reader);

/* What follows them: locations, filter, the condition. */
col_status lit_read_condition(lit_reader *reader);

#endif
