/* SPDX-License-Identifier: MIT */
/* JSON of records and failures. */
#ifndef EPISODE_JSON_H
#define EPISODE_JSON_H

#include "base/error.h"

#include <jansson.h>

/* A text from anywhere, made UTF-8; null for NULL. */
json_t *epi_json_text(const char *text);

/* Writes and releases; NULL: it could not be made. */
col_status epi_json_write(const char *path, json_t *value, col_error *error);

#endif
