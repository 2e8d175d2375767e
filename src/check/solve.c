/* SPDX-License-Identifier: MIT */
/*
 * The verdict on a trace: schedule as far as possible, learn from what goes wrong, go on. A full
 * schedule is a memory order that the model allows, so the trace is; a contradiction without
 * assumptions shows that there is none.
 */
#include "check/solve.h"
#include "base/clock.h"

#include "base/error.h"

static col_status decide(chk_solver *s, col_verdict *verdict) {
    *verdict = COL_UNDECIDED;
    while (true) {
        bool forbidden = false, expired = false;
        col_status status = chk_solver_advance(s, &expired);
        if (status != COL_OK || expired)
            return status;
        if (s->scheduled_count == s->order.node_count) {
            *verdict = COL_ALLOWED;
            return COL_OK;
        }
        status = s->doomed ? COL_OK : chk_solver_find_cycle(s);
        s->doomed = false;
        if (status == COL_OK && s->link_count > 0)
            status = chk_solver_learn(s, &forbidden, &expired);
        if (status != COL_OK || expired)
            return status;
        if (forbidden) {
            *verdict = COL_FORBIDDEN;
            return COL_OK;
        }
    }
}

col_status chk_solver_judge(chk_solver *s, const col_trace *trace,
                            const col_trace_settings *settings, col_verdict *verdict) {
    const bool timed = trace->begin != NULL && !settings->ignore_times;
    const chk_times times = {timed ? trace->begin : NULL, timed ? trace->end : NULL};
    s->deadline = settings->budget > 0 ? col_seconds() + settings->budget : 0;
    const col_status status = chk_solver_build(s, trace, chk_model_of(settings->model), times);
    if (status != COL_OK)
        return status;
    if (s->fault.kind == CHK_NO_FAULT)
        return decide(s, verdict);
    *verdict = COL_FORBIDDEN;
    return COL_OK;
}

col_status col_trace_check(const col_trace *trace, const col_trace_settings *settings,
                           col_verdict *verdict, col_violation *violation, col_error *error) {
    chk_solver solver = {.error = error};
    col_status status = chk_solver_judge(&solver, trace, settings, verdict);
    if (status == COL_OK && *verdict == COL_FORBIDDEN && violation != NULL)
        status = chk_solver_explain(&solver, violation);
    chk_solver_free(&solver);
    return status;
}
