/* SPDX-License-Identifier: MIT */
/* What is wrong with documents, as an editor shows it. */
#ifndef LSP_DIAGNOSTIC_H
#define LSP_DIAGNOSTIC_H

#include "lsp/protocol.h"

#include <jansson.h>

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
