/* SPDX-License-Identifier: MIT */
/* Messages of the language server protocol: a header with the length, and that many bytes of JSON.
 * Whoever is on the other side may be wrong: lengths and headers are bounded. */
#ifndef CLI_LSP_LSP_SERVER_H
#define CLI_LSP_LSP_SERVER_H

#include "base/text.h"

#include <sys/types.h>

enum {
    LSP_MOST_HEADER = 8192,     /* bytes, of all lines of a header */
    LSP_MOST_MESSAGE = 64 << 20 /* bytes of JSON */
};

typedef struct lsp_input {
    /* As read(2): 0 at the end, -1 if it fails. */
    ssize_t (*read)(void *context, char *bytes, size_t size);
    void *context;
    char buffer[4096];
    size_t at, filled;
} lsp_input;

typedef enum lsp_frame {
    LSP_MESSAGE, /* `message` has one */
    LSP_END,     /* nothing more comes, and nothing is missing */
    LSP_BROKEN,  /* the rest cannot be told apart any more: `problem` says why */
    LSP_FAILED   /* the machine failed */
} lsp_frame;

lsp_frame lsp_frame_read(lsp_input *input, base_text *message, col_problem *problem);

/* The header and the message, as one text. */
void lsp_frame_write(const base_text *message, base_text *out);

/*
 * A language server for SLICC and litmus tests: messages come and go, and the rest is in the other
 * files of this folder. It reads the files of the protocols it is asked about, writes none, and
 * runs nothing.
 */

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
