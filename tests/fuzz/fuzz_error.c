/* SPDX-License-Identifier: MIT */
/* No text makes the reader of design errors crash, what it says has a place in the text, and what
 * it takes can be held against a protocol. */
#include "fuzz.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/protocol_library.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sim_design_error wrong;
    const sl_protocol *protocol = sim_built_in_find("msi");
    col_problem problem = {0};
    const col_status status =
        sim_design_error_parse(&wrong, (const char *)data, size, "fuzz.yaml", &problem);
    require_place(status, &problem, size);
    for (uint32_t i = 0; status == COL_OK && i < wrong.edit_count; i++) {
        sim_cell_change change;
        base_text text = {0};
        const col_status found = sim_design_error_change(&wrong, i, protocol, &change, &problem);
        require_place(found, &problem, size);
        if (found == COL_OK) {
            sim_design_error_say(protocol, &change, &text);
            sim_design_error_say_cell(protocol, &change, true, &text);
        }
        base_text_free(&text);
    }
    return 0;
}
