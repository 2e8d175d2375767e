/* SPDX-License-Identifier: MIT */
/*
 * Files that a command is going to overwrite. What it reads must not be among them, also where no
 * word of its line names the input: a file of a failure folder, a protocol that a design file
 * names, what a model includes. The command line lists its outputs before it reads anything; a
 * program that embeds the library lists none, and may write what it has read.
 */
#ifndef BASE_OUTPUTS_H
#define BASE_OUTPUTS_H

#include "base/problem.h"

/* A file that exists, and the option that names it. Both texts are kept. */
void base_outputs_add(const char *option, const char *path);

/* Refuses an open file if it is one of the outputs. */
col_status base_outputs_check(int descriptor, col_problem *problem);

#endif
