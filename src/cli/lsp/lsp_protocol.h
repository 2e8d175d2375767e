/* SPDX-License-Identifier: MIT */
/*
 * A SLICC protocol as an editor sees it: the tree of all its files, with the texts of open
 * documents in the place of those on disk, and what is wrong with it. Nothing is compiled, and
 * nothing runs.
 */
#pragma once

#include "cli/lsp/lsp_document.h"
#include "protocol/slicc/parser.h"

typedef struct lsp_file {
    const char *name; /* as places in the tree have it */
    const char *real; /* the file itself, behind links */
    lsp_lines lines;
} lsp_file;

typedef struct lsp_complaint {
    const char *file; /* as a lsp_file has its name */
    uint32_t line, column;
    bool is_warning;
    const char *message;
} lsp_complaint;

typedef struct lsp_protocol {
    slicc_tree tree;
    slicc_report report;
    slicc_overlay overlay;
    const lsp_documents *documents;
    lsp_file *files; /* those that were read */
    size_t file_count, file_capacity;
    lsp_complaint *complaints;
    size_t complaint_count, complaint_capacity;
    base_arena arena; /* of the names above */
    bool failed;      /* out of memory */
} lsp_protocol;

/* Reads the protocol that a document is a part of: the first list in its folder, by name, that
 * includes it, or the document alone. Start from {0}. */
col_status lsp_protocol_read(lsp_protocol *protocol, const lsp_documents *documents,
                             lsp_document *document, col_problem *problem);
void lsp_protocol_free(lsp_protocol *protocol);

/* NULL: it is not a part of it. */
const lsp_file *lsp_protocol_file(const lsp_protocol *protocol, const char *real_path);
const lsp_file *lsp_protocol_named(const lsp_protocol *protocol, const char *name);
/* As it was read; empty if it is not known. */
lsp_text lsp_protocol_text(const lsp_protocol *protocol, const char *file);

/* What is wrong with documents, as an editor shows it. */

/* One: from a line and a column, from 1 and in bytes, to the end of the word there. A text of no
 * length is not known. */
json_t *lsp_diagnostic(lsp_text text, uint32_t line, uint32_t column, bool is_warning,
                       const char *message);

/* Those of one file of a protocol, an array. */
json_t *lsp_diagnostics_of(const lsp_protocol *protocol, const char *real_path);

/* The file that a complaint is about, behind links. */
void lsp_complaint_path(const lsp_protocol *protocol, const lsp_complaint *complaint,
                        char real[PATH_MAX]);

/* ---- What a word of a protocol stands for. */

/* The word at an offset, and where it stands. */
typedef struct lsp_cursor {
    const lsp_file *file;
    lsp_text text;
    slicc_token token, before[2], after; /* the nearest first; SLICC_TOKEN_END: none */
    char word[128];                      /* empty: the token is not a name */
    const slicc_declaration *machine;    /* around it; NULL: none */
    const slicc_declaration *member;     /* the innermost declaration around it; NULL: none */
} lsp_cursor;

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

/* False: there is no word at the offset. */
bool lsp_resolve(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                 lsp_cursor *cursor, lsp_targets *targets);

/* Where it is declared, and its name. */
slicc_place lsp_target_place(const lsp_target *target);
const char *lsp_target_name(const lsp_target *target);

/* The type of in_msg or out_msg at a cursor; NULL: there is none. */
const char *lsp_message_type(const lsp_cursor *cursor);

/* Is the name in the list? */
bool lsp_names_have(const slicc_name *list, const char *name);
