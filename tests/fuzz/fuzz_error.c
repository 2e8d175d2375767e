/* SPDX-License-Identifier: MIT */
/* No text makes the reader of design errors crash, what it says has a place in the text, and what
 * it takes can be held against a protocol. */
#include "sim/design_error.h"
#include "sim/protocols.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(col_status status, const col_error *error, size_t size) {
    if (status == COL_BAD_INPUT &&
        (error->line == 0 || error->column == 0 || error->line > size + 1))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sim_design_error wrong;
    const sl_protocol *protocol = sim_built_in_find("msi");
    col_error error = {0};
    const col_status status =
        sim_design_error_parse(&wrong, (const char *)data, size, "fuzz.yaml", &error);
    check_place(status, &error, size);
    for (uint32_t i = 0; status == COL_OK && i < wrong.edit_count; i++) {
        sim_cell_change change;
        base_text text = {0};
        const col_status found = sim_design_error_change(&wrong, i, protocol, &change, &error);
        check_place(found, &error, size);
        if (found == COL_OK) {
            sim_design_error_say(protocol, &change, &text);
            sim_design_error_say_cell(protocol, &change, true, &text);
        }
        base_text_free(&text);
    }
    return 0;
}
