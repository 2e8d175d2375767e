/* SPDX-License-Identifier: MIT */
/* The judge of a black box: see box.h. */
#include "check/box.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ALLOWED = 1 << 14 };

col_status chk_box_load(chk_box *box, const col_program *program, col_problem *problem) {
    col_status status = chk_returned_load(&box->returned, program, problem);
    if (status == COL_OK)
        status = chk_quick_load(&box->quick, program, chk_model_of(box->model), problem);
    if (status == COL_OK)
        status = base_reserve(&box->allowed, &box->allowed_capacity, MOST_ALLOWED,
                              sizeof *box->allowed, problem);
    if (status != COL_OK)
        return status;
    box->allowed_count = 0;
    memset(box->allowed, 0, MOST_ALLOWED * sizeof *box->allowed);
    return COL_OK;
}

void chk_box_free(chk_box *box) {
    chk_returned_free(&box->returned);
    chk_quick_free(&box->quick);
    col_violation_free(&box->violation);
    free(box->allowed);
    *box = (chk_box){.model = COL_SC};
}

void chk_box_restart(chk_box *box) {
    chk_returned_restart(&box->returned);
}

void chk_box_notice(chk_box *box, const col_event *event) {
    chk_returned_notice(&box->returned, event);
}

/* ---- What was allowed before. */

/* The place of a hash in the set: it is there, or it is free. */
static uint64_t *find_allowed(const chk_box *box, uint64_t hash) {
    size_t place = (size_t)(hash % MOST_ALLOWED);
    while (box->allowed[place] != 0 && box->allowed[place] != hash)
        place = (place + 1) % MOST_ALLOWED;
    return &box->allowed[place];
}

static void note_allowed(chk_box *box, uint64_t hash) {
    if (box->allowed_count >= MOST_ALLOWED / 2)
        return;
    *find_allowed(box, hash) = hash;
    box->allowed_count++;
}

/* ---- The end of an instance. */

static col_status search(chk_box *box, col_verdict *verdict, col_problem *problem) {
    const chk_returned *r = &box->returned;
    const col_trace_settings settings = {.model = box->model, .budget = box->budget};
    if (r->is_plain && chk_quick_finds(&box->quick, r->trace.source, r->trace.final)) {
        *verdict = COL_ALLOWED;
        return COL_OK;
    }
    return chk_trace_check(&r->trace, &settings, box->stop, verdict, &box->violation, problem);
}

col_status chk_box_finish(chk_box *box, bool complete, chk_box_judge *judge, void *context,
                          col_verdict *verdict, bool *is_strange, col_problem *problem) {
    chk_returned *r = &box->returned;
    const uint64_t hash = chk_returned_hash(r) | 1;
    *verdict = COL_ALLOWED;
    *is_strange = false;
    if (complete && r->what == NULL && *find_allowed(box, hash) == hash)
        return COL_OK;
    chk_returned_finish(r, complete);
    *is_strange = r->what != NULL;
    if (*is_strange) {
        *verdict = COL_FORBIDDEN;
        chk_returned_explain(r, &box->violation);
        return COL_OK;
    }
    const col_status status =
        judge != NULL ? judge(context, &r->trace, verdict, problem) : search(box, verdict, problem);
    if (status == COL_OK && *verdict == COL_ALLOWED && complete)
        note_allowed(box, hash);
    return status;
}
