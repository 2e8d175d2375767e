/* SPDX-License-Identifier: MIT */
/* JSON results: see json.h. */
#include "base/json.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

json_t *col_json_text(const char *text) {
    char *copy = text == NULL ? NULL : strdup(text);
    if (copy == NULL)
        return text == NULL ? json_null() : NULL;
    col_clean_utf8(copy);
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

uint64_t col_json_number(const json_t *value, bool *is_good) {
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        *is_good = false;
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

uint64_t col_json_number_at(const json_t *object, const char *key, bool *is_good) {
    return col_json_number(json_object_get(object, key), is_good);
}

bool col_json_take(const json_t *object, const char *key, uint64_t *number) {
    bool is_good = true;
    *number = col_json_number_at(object, key, &is_good);
    return is_good;
}

static col_status write_with(const char *path, json_t *value, size_t flags, col_error *error) {
    char *text = value == NULL ? NULL : json_dumps(value, flags);
    json_decref(value);
    if (text == NULL)
        return col_out_of_memory(error);
    const size_t length = strlen(text);
    text[length] = '\n'; /* in the place of the end */
    const col_status status = col_file_write(path, text, length + 1, error);
    free(text);
    return status;
}

col_status col_json_write(const char *path, json_t *value, col_error *error) {
    return write_with(path, value, JSON_INDENT(2) | JSON_REAL_PRECISION(9), error);
}

col_status col_json_write_exact(const char *path, json_t *value, col_error *error) {
    return write_with(path, value, JSON_COMPACT | JSON_REAL_PRECISION(17), error);
}
