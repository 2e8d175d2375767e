/* SPDX-License-Identifier: MIT */
/* What a word of a protocol stands for. */
#ifndef CLI_LSP_LSP_RESOLVE_H
#define CLI_LSP_LSP_RESOLVE_H

#include "cli/lsp/lsp_protocol.h"
#include "protocol/slicc/parser.h"

/* The word at an offset, and where it stands. */
typedef struct lsp_cursor {
    const lsp_file *file;
    lsp_text text;
    slicc_token token, before[2], after; /* the nearest first; SLICC_TOKEN_END: none */
    char word[128];                      /* empty: the token is not a name */
    const slicc_declaration *machine;    /* around it; NULL: none */
    const slicc_declaration *member;     /* the innermost declaration around it; NULL: none */
} lsp_cursor;

/* False: there is no word. */
bool lsp_cursor_find(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                     lsp_cursor *cursor);

/* What a name stands for: a declaration; one value of it, if it is an enumeration; or a parameter
 * or local variable in it. */
typedef struct lsp_target {
    const slicc_declaration *declaration, *machine; /* machine: NULL outside of machines */
    const slicc_value *value;
    const slicc_parameter *parameter;
    const slicc_expression *local;
} lsp_target;

enum { LSP_MOST_TARGETS = 16 };
typedef struct lsp_targets {
    lsp_target list[LSP_MOST_TARGETS];
    size_t count;
} lsp_targets;

void lsp_resolve(const lsp_protocol *protocol, const lsp_cursor *cursor, lsp_targets *targets);

/* Where it is declared, and its name. */
slicc_place lsp_target_place(const lsp_target *target);
const char *lsp_target_name(const lsp_target *target);

/* The type of in_msg or out_msg at a cursor; NULL: there is none. */
const char *lsp_message_type(const lsp_cursor *cursor);

/* Is the name in the list? */
bool lsp_names_have(const slicc_name *list, const char *name);

#endif
