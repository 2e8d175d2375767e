/* SPDX-License-Identifier: MIT */
/* No text makes the reader of Verilog design files crash, what it says has a place in the text, and
 * nothing of an accepted file can leave the names and strings of the C++ that it becomes. */
#include "duv/verilog_wrapper.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Strings are names, so quotes come in pairs around them. */
static void check_source(const base_text *source) {
    for (const char *quote = source->data; (quote = strchr(quote, '"')) != NULL; quote++) {
        quote++;
        quote += strspn(quote, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
        if (*quote != '"')
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static duv_verilog_file file;
    base_text source = {0};
    col_problem problem = {0};
    const col_status status =
        duv_verilog_file_parse(&file, (const char *)data, size, "fuzz.yaml", &problem);
    if (status == COL_BAD_INPUT &&
        (problem.line == 0 || problem.column == 0 || problem.line > size + 1))
        abort();
    if (status == COL_OK) {
        duv_verilog_wrap(&file, &source);
        check_source(&source);
    }
    base_text_free(&source);
    duv_verilog_file_free(&file);
    return 0;
}
