/* SPDX-License-Identifier: MIT */
/* No text makes the reader of litmus tests crash, what it refuses has a place, and what it takes is
 * judged within its budget and converted, or refused with a sentence. */
#include "fuzz.h"
#include "judge/litmus/litmus_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static lit_judge *judge, *as_designs;
    static lit_outcomes outcomes;
    lit_test test = {0};
    lit_program made = {.test = NULL};
    col_problem problem = {0};
    bool is_complete;
    require(judge != NULL || lit_judge_new(&judge, "rvwmo.cat", NULL, &problem) == COL_OK);
    if (as_designs == NULL) {
        require(lit_judge_new(&as_designs, "armv8.cat", NULL, &problem) == COL_OK);
        lit_judge_as_designs(as_designs);
    }
    const col_status status =
        lit_test_read(&test, (const char *)data, size, "fuzz.litmus", &problem);
    require(status != COL_BAD_INPUT || problem.message[0] != '\0');
    if (status == COL_OK) {
        (void)lit_judge_test(judge, &test, 0.01, &outcomes, &is_complete, &problem);
        (void)lit_program_make(&made, &test, &problem);
        (void)lit_judge_test(as_designs, &test, 0.01, &outcomes, &is_complete, &problem);
    }
    lit_program_free(&made);
    lit_test_free(&test);
    return 0;
}
