/* SPDX-License-Identifier: MIT */
/* Verdicts of rows: see verdict.h. */
#include "campaign/verdict.h"

#include "collider/episode.h"

#include <string.h>

static bool is(const cam_row *row, col_outcome outcome) {
    return strcmp(row->verdict, col_outcomes[outcome]) == 0;
}

bool cam_row_has_error(const cam_row *row) {
    return row->is_done && row->verdict != NULL && !is(row, COL_PASS) && !is(row, COL_UNJUDGED) &&
           !is(row, COL_INCOMPLETE);
}

bool cam_row_is_undecided(const cam_row *row) {
    return row->is_done && row->verdict != NULL && is(row, COL_UNJUDGED);
}
