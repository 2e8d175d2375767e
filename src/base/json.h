/* SPDX-License-Identifier: MIT */
/* JSON results: text from anywhere, and files that are whole. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/error.h"

#include <jansson.h>

/* A text from anywhere, made UTF-8; null for NULL. */
json_t *col_json_text(const char *text);

/* Writes and releases; NULL: it could not be made. */
col_status col_json_write(const char *path, json_t *value, col_error *error);
/* For programs: numbers exact, no layout. */
col_status col_json_write_exact(const char *path, json_t *value, col_error *error);

#endif
