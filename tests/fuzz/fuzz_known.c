/* SPDX-License-Identifier: MIT */
/* No text makes the reader of known bugs crash, what it refuses has a place in the text, and a mend
 * that it takes is one error and no other: an edit, or several. */
#include "design/design_kind.h"
#include "episode/failure/known_bugs.h"
#include "fuzz.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/protocol_library.h"

/* Each error of a mend begins with a brace: none is a name or a file. */
static void require_edits(const char *mend) {
    for (; mend != NULL;) {
        const size_t length = duv_error_length(mend);
        require(length > 2 && mend[0] == '{' && mend[length - 1] == '}');
        require(memchr(mend + 1, '{', length - 1) == NULL && memchr(mend, '\n', length) == NULL);
        mend = mend[length] == '\0' ? NULL : mend + length + 1;
    }
}

/* What was read is what the design reads: names may be missing, but it is an edit. */
static void require_opens(const char *mend) {
    sim_design_error *wrong = NULL;
    col_problem problem = {0};
    const col_status status =
        sim_design_error_open(&wrong, mend, sim_built_in_find("msi"), &problem);
    require_sentence(status, &problem);
    require(status == COL_OK || strstr(problem.message, "YAML") == NULL);
    sim_design_error_free(wrong);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    epi_known known = {.count = 0};
    col_problem problem = {0};
    const col_status status =
        epi_known_parse(&known, (const char *)data, size, "fuzz.yaml", "2026-11-19", &problem);
    require_place(status, &problem, size);
    for (size_t i = 0; status == COL_OK && i < known.count; i++) {
        const epi_known_bug *b = &known.bugs[i];
        require(b->bug[0] != '\0' && b->reason[0] != '\0');
        if (b->mend.length > 0) {
            require_edits(b->mend.data);
            require_opens(b->mend.data);
        }
    }
    json_t *list = epi_known_json(&known);
    bool is_good = true;
    require(list != NULL && epi_known_restore(&known, list, &is_good, &problem) == COL_OK);
    require(is_good);
    json_decref(list);
    epi_known_free(&known);
    return 0;
}
