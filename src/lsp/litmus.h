/* SPDX-License-Identifier: MIT */
/* What an editor asks about a litmus test. NULL: there is no memory; null: there is no answer. */
#ifndef LSP_LITMUS_H
#define LSP_LITMUS_H

#include "lsp/document.h"

#include <jansson.h>

/* What is wrong with it, an array: the reader stops at the first mistake. */
json_t *lsp_litmus_diagnostics(const lsp_document *document);
json_t *lsp_litmus_symbols(const lsp_document *document);
/* Of a location or a register: what it holds at the start. */
json_t *lsp_litmus_hover(const lsp_document *document, size_t offset, bool is_markdown);
/* Of a location: where it is named first. */
json_t *lsp_litmus_definition(const lsp_document *document, size_t offset);

#endif
