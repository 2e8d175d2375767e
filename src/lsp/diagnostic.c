/* SPDX-License-Identifier: MIT */
/* What is wrong with documents: see diagnostic.h. */
#include "lsp/diagnostic.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING = 2 };

static json_t *range_at(lsp_text text, uint32_t line, uint32_t column) {
    if (text.length > 0) {
        const size_t from = lsp_offset_of(text, line, column);
        return lsp_range(text, from, from + lsp_word_length(text, from));
    }
    const json_int_t l = line == 0 ? 0 : line - 1, c = column == 0 ? 0 : column - 1;
    return json_pack("{s:{s:I, s:I}, s:{s:I, s:I}}", "start", "line", l, "character", c, "end",
                     "line", l, "character", c);
}

json_t *lsp_diagnostic(lsp_text text, uint32_t line, uint32_t column, bool is_warning,
                       const char *message) {
    return json_pack("{s:o, s:i, s:s, s:o}", "range", range_at(text, line, column), "severity",
                     is_warning ? SEVERITY_WARNING : SEVERITY_ERROR, "source", "collider",
                     "message", base_json_text(message));
}

void lsp_complaint_path(const lsp_protocol *protocol, const lsp_complaint *complaint,
                        char real[PATH_MAX]) {
    const lsp_file *file = lsp_protocol_named(protocol, complaint->file);
    if (file == NULL)
        lsp_real_path(complaint->file, real);
    else
        (void)snprintf(real, PATH_MAX, "%s", file->real);
}

json_t *lsp_diagnostics_of(const lsp_protocol *protocol, const char *real_path) {
    json_t *list = json_array();
    for (size_t i = 0; i < protocol->complaint_count; i++) {
        const lsp_complaint *c = &protocol->complaints[i];
        char real[PATH_MAX];
        lsp_complaint_path(protocol, c, real);
        if (strcmp(real, real_path) == 0)
            base_json_append(&list, lsp_diagnostic(lsp_protocol_text(protocol, c->file), c->line,
                                                   c->column, c->is_warning, c->message));
    }
    return list;
}
