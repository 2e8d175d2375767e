/* SPDX-License-Identifier: MIT */
/* Known bugs in words: see waived.h. */
#include "cli/waived.h"

#include "base/problem.h"
#include "cli/diagnose.h"

static bool is_test_alone(const epi_known_bug *b) {
    return b->test[0] != '\0' && b->mend.length == 0 && b->cell_count == 0 && b->kind_count == 0;
}

void cli_waived_warn(const epi_known *known, const char *alone) {
    col_problem problem;
    for (size_t i = 0; i < known->count; i++) {
        const epi_known_bug *b = &known->bugs[i];
        if (b->is_expired)
            (void)base_refuse_at(&problem, known->path, b->place.line, b->place.column,
                                 "'%.100s' is no longer waived: its last day was %s", b->bug,
                                 b->until);
        else if (alone != NULL && is_test_alone(b))
            (void)base_refuse_at(&problem, known->path, b->place.line, b->place.column,
                                 "'%.100s' is recognised by its smallest test alone: only collider "
                                 "%s waives it",
                                 b->bug, alone);
        else
            continue;
        cli_warn(&problem);
    }
}

void cli_waived_print(const epi_known *known, const char *noun) {
    for (size_t i = 0; i < known->count; i++) {
        const epi_known_bug *b = &known->bugs[i];
        if (b->count > 0)
            base_print(stdout, "waived: %llu %s%s of '%s' (%s)%s%s\n", (unsigned long long)b->count,
                       noun, base_plural(b->count), b->bug, b->reason,
                       b->link[0] == '\0' ? "" : ": ", b->link);
    }
    if (known->is_behind)
        base_print(stdout, "the failure is recorded with the mends of the known bugs, so that it "
                           "shows alone\n");
}
