/* SPDX-License-Identifier: MIT */
/* No text makes the reader of a suite's index crash; what it refuses has a place, and what it
 * accepts is written and read back the same, and names files of its own folder alone. */
#include "cover/coverage.h"
#include "episode/suite/suite.h"
#include "fuzz.h"

static void round_trip(epi_suite *suite) {
    epi_suite again = {0};
    base_text text = {0}, rewritten = {0};
    for (size_t p = 0; p < suite->program_count; p++) {
        require(strchr(suite->programs[p].file, '/') == NULL);
        require(suite->programs[p].instance_count > 0);
    }
    epi_suite_print(suite, &text);
    require(epi_suite_read(&again, text.data, text.length, "again", NULL) == COL_OK);
    epi_suite_print(&again, &rewritten);
    require(strcmp(text.data, rewritten.data) == 0);
    require(epi_suite_cover(suite, NULL) == COL_OK);
    base_text_free(&text);
    base_text_free(&rewritten);
    epi_suite_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    epi_suite suite = {0};
    col_problem problem;
    if (epi_suite_read(&suite, size == 0 ? "" : (const char *)data, size, "fuzz", &problem) ==
        COL_OK)
        round_trip(&suite);
    else
        require(problem.line > 0 && problem.column > 0);
    epi_suite_free(&suite);
    return 0;
}
