/* SPDX-License-Identifier: MIT */
/*
 * Files that options name for a command to write. What it reads must not be among them, also where
 * no word of its line names the input: a file of a failure folder, a protocol that a design file
 * names, what a model includes. Nor must what it writes besides: a record in its folder, a results
 * store. The command line lists its outputs before it reads anything; a program that embeds the
 * library lists none, and may write what it has read.
 */
#ifndef BASE_OUTPUTS_H
#define BASE_OUTPUTS_H

#include "base/problem.h"

#include <stdbool.h>

/* A file, whether it exists or not, and the option that names it. Both texts must stay until all
 * are forgotten, at the end of the command: another may follow in the same process. `is_read`: the
 * command may read it before it writes it. */
void base_outputs_add(const char *option, const char *path, bool is_read);
void base_outputs_forget(void);

/* Refuses an open file if it is one of the outputs. */
col_status base_outputs_check(int descriptor, col_problem *problem);

/* Before a file is replaced, and after it was replaced or moved into place. What is written for an
 * option has the very text that was listed for its path, not a copy. It is refused if the command
 * has made that file for something else, by whatever path. What another process has put there is
 * replaced: the last of two writers wins. */
col_status base_outputs_claim(const char *path, col_problem *problem);
void base_outputs_note(const char *path);

#endif
