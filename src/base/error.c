/* SPDX-License-Identifier: MIT */
/* Errors as values: see include/collider/error.h. */
#include "base/error.h"

#include "base/sentence.h"
#include "base/text.h"
#include "version.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *col_version(void) {
    return BASE_VERSION;
}

const char *col_error_text(const col_error *error, char *buffer, size_t size) {
    if (error->file[0] != '\0' && error->line > 0)
        (void)snprintf(buffer, size, "%s:%u:%u: %s", error->file, error->line, error->column,
                       error->message);
    else if (error->file[0] != '\0')
        (void)snprintf(buffer, size, "%s: %s", error->file, error->message);
    else
        (void)snprintf(buffer, size, "%s", error->message);
    if (size > 0)
        base_make_printable(buffer, false);
    return buffer;
}

static void fill(col_error *error, const char *file, uint32_t line, uint32_t column,
                 const char *format, va_list arguments) {
    if (error == NULL)
        return;
    (void)snprintf(error->file, sizeof error->file, "%s", file);
    error->line = line;
    error->column = column;
    base_sentence_from(error->message, sizeof error->message, format, arguments);
    base_make_printable(error->message, false); /* it quotes input */
}

col_status base_refuse(col_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, "", 0, 0, format, arguments);
    va_end(arguments);
    return COL_BAD_INPUT;
}

col_status base_refuse_at(col_error *error, const char *file, uint32_t line, uint32_t column,
                          const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, file, line, column, format, arguments);
    va_end(arguments);
    return COL_BAD_INPUT;
}

col_status base_fail(col_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, "", 0, 0, format, arguments);
    va_end(arguments);
    return COL_FAILURE;
}

static const char no_memory[] = "out of memory: free some, or ask for a smaller job";

col_status base_out_of_memory(col_error *error) {
    return base_fail(error, "%s", no_memory);
}

bool base_is_out_of_memory(const col_error *error) {
    return strcmp(error->message, no_memory) == 0;
}
