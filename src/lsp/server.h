/* SPDX-License-Identifier: MIT */
/*
 * A language server for SLICC and litmus tests: messages come and go, and the rest is in the other
 * files of this folder. It reads the files of the protocols it is asked about, writes none, and
 * runs nothing.
 */
#ifndef LSP_SERVER_H
#define LSP_SERVER_H

#include "lsp/frame.h"

typedef struct lsp_streams {
    lsp_input *input;
    /* Writes all bytes; false: the client is gone. */
    bool (*write)(void *context, const char *bytes, size_t size);
    void *context;
} lsp_streams;

/* Until the client says exit or goes away. The protocol wants 0 after a shutdown, else 1: *exit
 * says which. A client that cannot be understood is COL_BAD_INPUT, a machine that fails is
 * COL_FAILURE. */
col_status lsp_serve(const lsp_streams *streams, int *exit, col_problem *problem);

#endif
