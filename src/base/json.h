/* SPDX-License-Identifier: MIT */
/* JSON results: text from anywhere, and files that are whole. */
#pragma once

#include "base/text.h"

#include <jansson.h>

/* A text from anywhere, made UTF-8; null for NULL. */
json_t *base_json_text(const char *text);

/* Adds the value, which then is no longer the caller's. What cannot be added is not lost silently:
 * the array or object becomes NULL, and so does what it is to be part of. */
void base_json_append(json_t **array, json_t *value);
void base_json_set(json_t **object, const char *key, json_t *value);

/* Reads a text, without a byte order mark; refuses with the place of what is wrong in `file`. */
col_status base_json_parse(const char *text, size_t length, const char *file, json_t **value,
                           col_problem *problem);

/* The same for a text of a store: what is not JSON is NULL and COL_OK. */
col_status base_json_parse_stored(const char *text, json_t **value, col_problem *problem);

/* A whole number from 0, of a value or behind a key; anything else is 0 and not good. */
uint64_t base_json_number(const json_t *value, bool *is_good);
uint64_t base_json_number_at(const json_t *object, const char *key, bool *is_good);
/* The same; false: it is not good. */
bool base_json_take(const json_t *object, const char *key, uint64_t *number);

/* A file; and one in a folder that may be somebody else's (see base_file_read_in). */
col_status base_json_read(const char *path, json_t **value, col_problem *problem);
col_status base_json_read_in(const char *folder, const char *name, json_t **value,
                             col_problem *problem);

/* Appends the value as JSON, by jansson's flags; NULL, and no memory, fail the text. (json_dumps
 * leaves keys out when it has no memory for them.) */
void base_json_print(const json_t *value, size_t flags, base_text *text);

/* How results are laid out: for people, and for programs. */
#define BASE_JSON_LAYOUT (JSON_INDENT(2) | JSON_REAL_PRECISION(9))
/* Writes and releases; NULL: it could not be made. */
col_status base_json_write(const char *path, json_t *value, col_problem *problem);
/* For programs: numbers exact, no layout. */
col_status base_json_write_exact(const char *path, json_t *value, col_problem *problem);
