/* SPDX-License-Identifier: MIT */
/* Results in a file: see results.h. */
#include "base/file.h"
#include "isa/results.h"

#include <string.h>

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A line of digits, the last byte first; false: it is something else. */
static bool take_line(const char *line, size_t length, base_text *bytes) {
    if (length % 2 != 0)
        return false;
    for (size_t i = length; i > 0; i -= 2) {
        const int high = digit_of(line[i - 2]), low = digit_of(line[i - 1]);
        if (high < 0 || low < 0)
            return false;
        const char byte = (char)(high << 4 | low);
        base_text_add_bytes(bytes, &byte, 1);
    }
    return true;
}

/* As far as it is text of digits. */
static bool take_text(const base_text *content, base_text *bytes) {
    const char *at = content->data, *end = at + content->length;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end != NULL ? line_end : end) - at);
        if (length > 0 && at[length - 1] == '\r')
            length--;
        if (!take_line(at, length, bytes))
            return false;
        at = line_end != NULL ? line_end + 1 : end;
    }
    return true;
}

static void replace(base_text *text, base_text *by) {
    base_text_free(text);
    *text = *by;
    *by = (base_text){0};
}

/* Signatures are padded to whole lines. */
enum { MOST_PADDING = 128 };

col_status isa_results_take(const isa_map *map, const char *file, base_text *content,
                            col_problem *problem) {
    const uint64_t wanted = map->all.size, at = map->all.base - map->ram.base;
    base_text other = {0};
    if (content->length == wanted)
        return COL_OK;
    if (content->length == map->ram.size && at <= map->ram.size && wanted <= map->ram.size - at)
        base_text_add_bytes(&other, content->data + at, wanted);
    else if (content->length == 0 || !take_text(content, &other) || other.length < wanted ||
             other.length - wanted > MOST_PADDING) {
        const bool failed = other.failed;
        base_text_free(&other);
        if (failed)
            return base_out_of_memory(problem);
        return base_refuse(problem,
                           "%.200s has %zu bytes, but the results have %llu (from 0x%llx on), and "
                           "ram has %llu",
                           file, content->length, (unsigned long long)wanted,
                           (unsigned long long)map->all.base, (unsigned long long)map->ram.size);
    }
    const col_status status = base_text_status(&other, problem);
    if (status == COL_OK)
        replace(content, &other);
    base_text_free(&other);
    return status;
}

col_status isa_results_read(const isa_map *map, const char *path, base_text *bytes,
                            col_problem *problem) {
    const col_status status = base_file_read(path, bytes, problem);
    return status == COL_OK ? isa_results_take(map, path, bytes, problem) : status;
}
