/* SPDX-License-Identifier: MIT */
/*
 * A language server for SLICC and litmus tests: messages come and go here, and the rest is in the
 * other files of this folder. It reads the files of the protocols it is asked about, writes none,
 * and runs nothing.
 */
#pragma once

#include "base/text.h"

/* The next message. *is_over: there is none, and nothing is missing. What cannot be told apart any
 * more is refused. */
col_status lsp_read(FILE *in, base_text *message, bool *is_over, col_problem *problem);

/* Until the client says exit or goes away. The protocol wants 0 after a shutdown, else 1: *exit
 * says which. A client that cannot be understood is COL_BAD_INPUT, a machine that fails is
 * COL_FAILURE. */
col_status lsp_serve(FILE *in, FILE *out, int *exit, col_problem *problem);
