/* SPDX-License-Identifier: MIT */
/* No text makes the program reader crash, and what it accepts it writes and reads back the same. */
#include "base/text.h"
#include "fuzz.h"
#include "program/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    col_program first = COL_PROGRAM_EMPTY, second = COL_PROGRAM_EMPTY;
    col_problem problem;
    if (col_program_read(&first, (const char *)data, size, "fuzz", &problem) == COL_OK) {
        base_text text = {0};
        prg_program_write(&first, &text);
        require(col_program_check(&first, &problem) == COL_OK);
        require(col_program_read(&second, text.data, text.length, "again", &problem) == COL_OK);
        require(col_program_equal(&first, &second));
        base_text_free(&text);
    }
    col_program_free(&first);
    col_program_free(&second);
    return 0;
}
