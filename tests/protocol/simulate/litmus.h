/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests: the programs of tests/data/litmus. Behind the `end` of a program stand a line such
 * as `exists 1 reads 0, 2 replaces 5` (operations by their index in the whole program), and for
 * each memory model a line such as `tso yes`: whether the model allows such an outcome.
 */
#pragma once

#include "oracle.h"

#include <glob.h>

enum { LITMUS_CONDITIONS = 16 };

typedef struct litmus {
    char name[64]; /* of the file, without its ending */
    col_program program;
    condition conditions[LITMUS_CONDITIONS];
    uint32_t count;
    bool verdicts[ORACLE_MODEL_COUNT];
} litmus;

/* Start with COL_PROGRAM_EMPTY as the program; can be used again for the next file. */
col_status litmus_read(const char *path, litmus *test, col_problem *problem);
void litmus_free(litmus *test);

/* It is the outcome that the test asks for. */
bool litmus_holds(const litmus *test, const outcome *seen);

/* The paths of all litmus tests, sorted: gl_pathc and gl_pathv; free them with globfree. */
col_status litmus_list(glob_t *paths, col_problem *problem);
