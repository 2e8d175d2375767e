/* SPDX-License-Identifier: MIT */
/*
 * A command in one line, as words, without a shell: blanks separate words, quotes and backslashes
 * mean what they mean to a shell, and nothing is expanded.
 */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include "base/problem.h"

/* `words` ends with NULL, like the arguments of a program, and is one piece of memory: free it. A
 * line without a word, or with a quote that is not closed, is refused. */
col_status base_command_split(const char *line, char ***words, col_problem *problem);

#endif
