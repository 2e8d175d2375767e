/* SPDX-License-Identifier: MIT */
/*
 * Problems are values. A function that can fail returns a col_status and fills a col_problem with
 * what went wrong, where (for text input) and what to do about it. The status is also the exit
 * status of the command line.
 */
#ifndef COLLIDER_PROBLEM_H
#define COLLIDER_PROBLEM_H

#include "collider/compiler.h"

#include <stddef.h>
#include <stdint.h>

COL_C_BEGIN

typedef enum col_status {
    COL_OK = 0,
    COL_BAD_INPUT = 2, /* the caller's input is wrong */
    COL_FAILURE = 3    /* the machine failed: disk, memory */
} col_status;

typedef struct col_problem {
    char file[256];  /* empty if the problem has no place in a text */
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, in bytes */
    char message[512];
} col_problem;

/* "file:line:column: message", or the message alone; truncated to size. Returns buffer. */
COL_API const char *col_problem_text(const col_problem *problem, char *buffer, size_t size);

/* Frees a text that a function of this interface handed over. NULL is allowed. */
COL_API void col_text_free(char *text);

/* The library's version, "major.minor.patch". */
COL_API const char *col_version(void);

COL_C_END
#endif
