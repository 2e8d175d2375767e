/* SPDX-License-Identifier: MIT */
/*
 * The verdict on a trace: schedule as far as possible, learn from what goes wrong, go on. A full
 * schedule is a memory order that the model allows, so the trace is; a contradiction without
 * assumptions shows that there is none.
 */
#include "check/solve.h"
#include "base/clock.h"

#include "base/invariant.h"
#include "base/problem.h"
#include "base/stop.h"

#include <stdlib.h>

/* ---- 2 of solve_schedule.c: a full schedule, run on a memory, gives every read its word. */

static bool follows_kept(const chk_solver *s, uint32_t node) {
    const chk_edges edges = s->order.edges[node];
    for (uint32_t i = edges.start; i < edges.start + edges.count; i++)
        if (s->nodes[chk_edge_node(s->order.before[i])].position >= s->nodes[node].position)
            return false;
    return true;
}

/* The word that the read returns: what the location holds, or the last own write to it that has not
 * got there. */
static uint32_t returned(const chk_solver *s, uint32_t read, const uint32_t *memory) {
    uint32_t own = s->order.previous_here[read];
    while (own != CHK_NONE && !chk_op_writes(s, own))
        own = s->order.previous_here[own];
    return own == CHK_NONE ||
                   s->nodes[chk_write_node(&s->order, own)].position < s->nodes[read].position
               ? memory[s->operations[read].location]
               : own;
}

static bool run_node(const chk_solver *s, uint32_t node, uint32_t *memory) {
    if (!follows_kept(s, node))
        return false;
    if (node < s->operation_count && chk_op_reads(s, node) &&
        returned(s, node, memory) != chk_word_read(s, node))
        return false;
    const uint32_t written = chk_written_by(s, node);
    if (written == CHK_NONE)
        return true;
    uint32_t *word = &memory[s->operations[written].location];
    const uint32_t replaced = chk_word_replaced(s, written);
    const bool is_as_said = replaced == CHK_NONE || *word == replaced;
    *word = written;
    return is_as_said;
}

static bool is_memory_order(const chk_solver *s) {
    uint32_t *memory = malloc(((size_t)s->location_count + 1) * sizeof *memory);
    bool is_order = true;
    if (memory == NULL)
        return true;
    for (uint32_t l = 0; l < s->location_count; l++)
        memory[l] = s->operation_count + l;
    for (uint32_t i = 0; i < s->scheduled_count && is_order; i++)
        is_order = run_node(s, s->schedule[i], memory);
    for (uint32_t l = 0; l < s->location_count && s->trace->final != NULL; l++)
        if (s->trace->final[l] != COL_NOT_SAID)
            is_order =
                is_order && memory[l] == (s->trace->final[l] == COL_INITIAL ? s->operation_count + l
                                                                            : s->trace->final[l]);
    free(memory);
    return is_order;
}

/* ---- The verdict. */

bool chk_solver_is_late(const chk_solver *s) {
    return base_is_stopped(s->stop) || (s->deadline > 0 && base_seconds() > s->deadline);
}

static col_status decide(chk_solver *s, col_verdict *verdict) {
    *verdict = COL_UNDECIDED;
    while (true) {
        bool forbidden = false, expired = false;
        col_status status = chk_solver_advance(s, &expired);
        if (status != COL_OK || expired)
            return status;
        if (s->scheduled_count == s->order.node_count) {
            base_invariant(is_memory_order(s));
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
    s->deadline = settings->budget > 0 ? base_seconds() + settings->budget : 0;
    const col_status status = chk_solver_build(s, trace, chk_model_of(settings->model), times);
    if (status != COL_OK)
        return status;
    if (s->fault.kind == CHK_NO_FAULT)
        return decide(s, verdict);
    *verdict = COL_FORBIDDEN;
    return COL_OK;
}

col_status chk_trace_check(const col_trace *trace, const col_trace_settings *settings,
                           const volatile int *stop, col_verdict *verdict, col_violation *violation,
                           col_problem *problem) {
    chk_solver solver = {.problem = problem, .stop = stop};
    col_status status = chk_solver_judge(&solver, trace, settings, verdict);
    if (status == COL_OK && *verdict == COL_FORBIDDEN && violation != NULL)
        status = chk_solver_explain(&solver, violation);
    chk_solver_free(&solver);
    return status;
}

col_status col_trace_check(const col_trace *trace, const col_trace_settings *settings,
                           col_verdict *verdict, col_violation *violation, col_problem *problem) {
    return chk_trace_check(trace, settings, NULL, verdict, violation, problem);
}
