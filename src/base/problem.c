/* SPDX-License-Identifier: MIT */
/* Errors as values: see include/collider/problem.h. */
#include "base/problem.h"

#include "base/text.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

const char *col_version(void) {
    return BASE_VERSION;
}

void col_text_free(char *text) {
    free(text);
}

const char *col_problem_text(const col_problem *problem, char *buffer, size_t size) {
    if (problem->file[0] != '\0' && problem->line > 0)
        (void)snprintf(buffer, size, "%s:%u:%u: %s", problem->file, problem->line, problem->column,
                       problem->message);
    else if (problem->file[0] != '\0')
        (void)snprintf(buffer, size, "%s: %s", problem->file, problem->message);
    else
        (void)snprintf(buffer, size, "%s", problem->message);
    if (size > 0)
        base_make_printable(buffer, false);
    return buffer;
}

static void fill(col_problem *problem, const char *file, uint32_t line, uint32_t column,
                 const char *format, va_list arguments) {
    if (problem == NULL)
        return;
    (void)snprintf(problem->file, sizeof problem->file, "%s", file);
    problem->line = line;
    problem->column = column;
    base_sentence_from(problem->message, sizeof problem->message, format, arguments);
    base_make_printable(problem->message, false); /* it quotes input */
}

col_status base_refuse(col_problem *problem, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(problem, "", 0, 0, format, arguments);
    va_end(arguments);
    return COL_BAD_INPUT;
}

col_status base_refuse_at(col_problem *problem, const char *file, uint32_t line, uint32_t column,
                          const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(problem, file, line, column, format, arguments);
    va_end(arguments);
    return COL_BAD_INPUT;
}

col_status base_fail(col_problem *problem, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(problem, "", 0, 0, format, arguments);
    va_end(arguments);
    return COL_FAILURE;
}

static const char no_memory[] = "out of memory: free some, or ask for a smaller job";

col_status base_out_of_memory(col_problem *problem) {
    return base_fail(problem, "%s", no_memory);
}

bool base_is_out_of_memory(const col_problem *problem) {
    return strcmp(problem->message, no_memory) == 0;
}
