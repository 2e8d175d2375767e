/* SPDX-License-Identifier: MIT */
/* Messages of the language server protocol: a header with the length, and that many bytes of JSON.
 * Whoever is on the other side may be wrong: lengths and headers are bounded. */
#ifndef LSP_FRAME_H
#define LSP_FRAME_H

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

#endif
