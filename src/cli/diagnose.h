/* SPDX-License-Identifier: MIT */
/*
 * What is wrong, for a person and for editors: the line of the file with a caret under the column,
 * and as the last line one sentence,
 *     file:line:column: error: sentence        or
 *     collider: error: sentence
 * where no file is to blame. Warnings are alike, and never change the exit status.
 */
#ifndef CLI_DIAGNOSE_H
#define CLI_DIAGNOSE_H

#include "base/text.h"

void cli_diagnose(const col_problem *problem);
void cli_warn(const col_problem *problem);

/* Several diagnostics as the SLICC front end writes them, with the tags in colour. */
void cli_print_diagnostics(const base_text *diagnostics);

#endif
