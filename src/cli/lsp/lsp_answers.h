/* SPDX-License-Identifier: MIT */
/* What an editor asks about a place in a protocol, answered as JSON of the language server
 * protocol. NULL: there is no memory; null: there is no answer. */
#pragma once

#include "cli/lsp/lsp_protocol.h"

/* Where the word at an offset is declared: an array of locations. At the declaration of a state or
 * an event itself: the transitions from it. */
json_t *lsp_definition(const lsp_protocol *protocol, const lsp_file *file, size_t offset);

/* Where what it stands for is used, its declaration included. */
json_t *lsp_references(const lsp_protocol *protocol, const lsp_file *file, size_t offset);

/* What the word stands for: its declaration, or the rows of the transition table that it is about.
 */
json_t *lsp_hover(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                  bool is_markdown);

/* The declarations in a file, as a tree. */
json_t *lsp_symbols(const lsp_protocol *protocol, const lsp_file *file);

/* A tree of symbols as a list, for editors that do not know trees. Takes the tree. */
json_t *lsp_flat_symbols(json_t *tree, const char *uri);

/* A hover's text, which may quote the file, as code. */
json_t *lsp_hover_text(const base_text *text, const char *language, bool is_markdown);

/* Kinds of symbols, as the language server protocol numbers them. */
enum {
    LSP_MODULE = 2,
    LSP_CLASS = 5,
    LSP_METHOD = 6,
    LSP_ENUM = 10,
    LSP_INTERFACE = 11,
    LSP_FUNCTION = 12,
    LSP_VARIABLE = 13,
    LSP_ENUM_MEMBER = 22,
    LSP_STRUCT = 23,
    LSP_EVENT = 24
};

/* A symbol without children; `detail` may be NULL. */
json_t *lsp_symbol(const char *name, const char *detail, int kind, lsp_text text, size_t from,
                   size_t to, size_t name_from, size_t name_to);

/* What an editor asks about a litmus test. NULL: there is no memory; null: there is no answer. */

/* What is wrong with it, an array: the reader stops at the first mistake. */
json_t *lsp_litmus_diagnostics(const lsp_document *document);
json_t *lsp_litmus_symbols(const lsp_document *document);
/* Of a location or a register: what it holds at the start. */
json_t *lsp_litmus_hover(const lsp_document *document, size_t offset, bool is_markdown);
/* Of a location: where it is named first. */
json_t *lsp_litmus_definition(const lsp_document *document, size_t offset);
