/* SPDX-License-Identifier: MIT */
/* Errors of protocols: see complaints.h. */
#include "cli/complaints.h"

#include "base/path.h"
#include "cli/diagnose.h"
#include "sim/design.h"

#include <stdlib.h>
#include <string.h>

static bool has_several(const base_text *complaints) {
    const char *first = complaints->length == 0 ? NULL : strstr(complaints->data, ": error: ");
    return first != NULL && strstr(first + 1, ": error: ") != NULL;
}

void cli_complaints_tell(const char *what, const base_text *complaints, col_status status,
                         col_problem *problem) {
    if (status == COL_OK)
        cli_print_diagnostics(complaints); /* warnings */
    if (status != COL_BAD_INPUT || !has_several(complaints))
        return;
    cli_print_diagnostics(complaints);
    const col_problem first = *problem;
    (void)base_refuse(problem, "%.200s has several errors; start with the first, %.200s:%u:%u",
                      what, first.file, first.line, first.column);
}

void cli_complaints_find(const char *design, col_status status, col_problem *problem) {
    if (status != COL_BAD_INPUT ||
        !(base_path_ends(problem->file, ".sm") || base_path_ends(problem->file, ".slicc")))
        return;
    sim_design *opened = calloc(1, sizeof *opened);
    base_text complaints = {0};
    col_problem again;
    if (opened == NULL)
        return; /* the first error is known */
    const col_status found = sim_design_open(opened, design, 0, &complaints, &again);
    if (found == COL_OK)
        sim_design_close(opened);
    else
        cli_complaints_tell(design, &complaints, status, problem);
    base_text_free(&complaints);
    free(opened);
}
