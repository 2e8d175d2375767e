/* SPDX-License-Identifier: MIT */
/* No text makes the reader of cycles crash; a cycle that it takes is a valid program, which no
 * order of writes makes sequentially consistent, and is read back from its own names. */
#include "fuzz.h"
#include "program/cycle/cycle.h"

static void check_cycle(const cyc_cycle *cycle) {
    cyc_test test = {0};
    cyc_cycle again;
    col_problem problem;
    require(cyc_test_make(&test, cycle, &problem) == COL_OK);
    require(col_program_check(&test.program, &problem) == COL_OK);
    require(cyc_cycle_read(&again, test.relaxations.data, &problem) == COL_OK);
    require(cyc_cycle_compare(cycle, &again) == 0);
    require(cyc_test_judge(&test, &problem) == COL_OK);
    require(!cyc_cycle_is_critical(cycle) || !test.allowed[COL_SC]);
    cyc_test_free(&test);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cyc_cycle cycle;
    col_problem problem;
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (cyc_cycle_read(&cycle, text, &problem) == COL_OK)
        check_cycle(&cycle);
    free(text);
    return 0;
}
