/* SPDX-License-Identifier: MIT */
/*
 * A SLICC protocol as an editor sees it: the tree of all its files, with the texts of open
 * documents in the place of those on disk, and what is wrong with it. Nothing is compiled, and
 * nothing runs.
 */
#ifndef CLI_LSP_LSP_PROTOCOL_H
#define CLI_LSP_LSP_PROTOCOL_H

#include "cli/lsp/lsp_document.h"
#include "protocol/slicc/slicc_report.h"

#include <jansson.h>

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

#endif
