/* SPDX-License-Identifier: MIT */
/* JSON results: text from anywhere, and files that are whole. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A text from anywhere, made UTF-8; null for NULL. */
json_t *col_json_text(const char *text);

/* A whole number from 0, of a value or behind a key; anything else is 0 and not good. */
uint64_t col_json_number(const json_t *value, bool *is_good);
uint64_t col_json_number_at(const json_t *object, const char *key, bool *is_good);
/* The same; false: it is not good. */
bool col_json_take(const json_t *object, const char *key, uint64_t *number);

/* Writes and releases; NULL: it could not be made. */
col_status col_json_write(const char *path, json_t *value, col_error *error);
/* For programs: numbers exact, no layout. */
col_status col_json_write_exact(const char *path, json_t *value, col_error *error);

#endif
