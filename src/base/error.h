/* SPDX-License-Identifier: MIT */
/* Filling in a col_error. Each function returns the status, so that `return col_refuse(...)` reads
 * as one step. `error` may be NULL when the caller wants the status alone. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <collider/error.h>

#include <stdbool.h>

#if defined(__GNUC__)
#define COL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define COL_PRINTF(text, first)
#endif

col_status col_refuse(col_error *error, const char *format, ...) COL_PRINTF(2, 3);
col_status col_refuse_at(col_error *error, const char *file, uint32_t line, uint32_t column,
                         const char *format, ...) COL_PRINTF(5, 6);
col_status col_fail(col_error *error, const char *format, ...) COL_PRINTF(2, 3);
col_status col_out_of_memory(col_error *error);
/* Where another failure is an answer: a design that is not deterministic, say. */
bool col_is_out_of_memory(const col_error *error);

#endif
