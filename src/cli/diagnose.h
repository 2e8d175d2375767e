/* SPDX-License-Identifier: MIT */
/*
 * What is wrong, for a person and for editors: the line of the file with a caret under the column,
 * and as the last line one sentence,
 *     file:line:column: error: sentence        or
 *     collider: error: sentence
 * where no file is to blame. Warnings are alike, and never change the exit status.
 */
#pragma once

#include "base/text.h"

/* Is it a terminal, with colours that nobody has turned off (NO_COLOR, TERM=dumb)? */
bool cli_has_colours(FILE *stream);

typedef enum cli_colour { CLI_RED, CLI_GREEN, CLI_MAGENTA, CLI_COLOUR_COUNT } cli_colour;
/* Prints the text, made printable, in a colour where the stream has them. */
void cli_paint(FILE *stream, cli_colour colour, const char *text);

void cli_diagnose(const col_problem *problem);
void cli_warn(const col_problem *problem);

/* What is wrong with a protocol, all of it: beside the one sentence that ends a command. */

/* What the compiler said of `what`, which could not be opened if the status is not COL_OK. One
 * error is reported as any other, at the end; several are printed here, and `problem` says where to
 * begin. */
void cli_complaints_tell(const char *what, const base_text *complaints, col_status status,
                         col_problem *problem);

/* The same for a design that could not be opened by others, who know of the first error alone. */
void cli_complaints_find(const char *design, col_status status, col_problem *problem);
