/* SPDX-License-Identifier: MIT */
/* No text makes the reader of design files crash, and what it says has a place in the text. */
#include "sim/design_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sim_design_file file;
    col_problem problem = {0};
    const col_status status =
        sim_design_file_parse(&file, (const char *)data, size, "fuzz.yaml", &problem);
    if (status == COL_BAD_INPUT &&
        (problem.line == 0 || problem.column == 0 || problem.line > size + 1))
        abort();
    if (status == COL_OK && (file.protocol[0] == '\0' || file.machine_count > SIM_FILE_MACHINES))
        abort();
    return 0;
}
