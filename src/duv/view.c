/* SPDX-License-Identifier: MIT */
/* What an observer is shown: see view.h. */
#include "duv/view.h"

#include "base/memory.h"

#include <stdlib.h>

static void pass_on(const duv_view *view, const col_event *event) {
    if (view->sights != NULL)
        duv_sights_notice(view->sights, event);
    if ((view->to->kinds >> event->kind & 1) != 0)
        view->to->notice(view->to->context, event);
}

static const col_operation *operation_of(const duv_view *view, const col_event *event) {
    return event->operation < col_program_operations(view->program)
               ? &view->program->operations[event->operation]
               : NULL;
}

static void tell_read(const duv_view *view, const col_event *event) {
    const col_operation *operation = operation_of(view, event);
    col_event returned = *event;
    if (operation != NULL && !col_kinds[operation->kind].reads)
        return; /* a plain store */
    returned.kind = COL_VALUE_RETURNED;
    returned.word = event->kind == COL_STORE_PERFORMED ? event->read : event->word;
    pass_on(view, &returned);
}

static void tell(const duv_view *view, const col_event *event) {
    const bool performs = event->kind == COL_LOAD_PERFORMED || event->kind == COL_STORE_PERFORMED;
    if (performs && view->reads_only)
        tell_read(view, event);
    else
        pass_on(view, event);
}

/* ---- Merged stores. */

static void keep(duv_view *view, const col_event *event) {
    if (operation_of(view, event) == NULL || view->status != COL_OK)
        return;
    view->status = base_reserve(&view->merged, &view->capacity, view->count + 1,
                                sizeof *view->merged, &view->problem);
    if (view->status == COL_OK)
        view->merged[view->count++] = event->operation;
}

/* Nothing came between the merged stores and the one that performs for them. */
static void tell_merged(duv_view *view, const col_event *event) {
    const col_operation *last = operation_of(view, event);
    col_event performs = *event;
    size_t left = 0;
    for (size_t i = 0; i < view->count; i++) {
        const uint32_t number = view->merged[i];
        const col_operation *merged = &view->program->operations[number];
        if (last == NULL || merged->location != last->location || number > event->operation ||
            col_program_thread_of(view->program, number) !=
                col_program_thread_of(view->program, event->operation)) {
            view->merged[left++] = number;
            continue;
        }
        col_event before = performs;
        before.operation = number;
        before.word = col_program_operand(view->program, merged);
        before.read = before.overwritten;
        tell(view, &before);
        performs.overwritten = before.word;
    }
    view->count = left;
    tell(view, &performs);
}

static void notice(void *context, const col_event *event) {
    duv_view *view = context;
    if (event->kind == COL_STORE_MERGED)
        keep(view, event);
    else if (event->kind == COL_STORE_PERFORMED && view->count > 0)
        tell_merged(view, event);
    else
        tell(view, event);
}

col_observer duv_view_begin(duv_view *view, const col_program *program, const col_observer *to,
                            bool reads_only) {
    const uint32_t performed =
        1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED | 1U << COL_VALUE_RETURNED;
    view->program = program;
    view->to = to;
    view->reads_only = reads_only;
    view->count = 0;
    view->status = COL_OK;
    return (col_observer){view, notice, to->kinds | performed | 1U << COL_STORE_MERGED};
}

void duv_view_free(duv_view *view) {
    free(view->merged);
    *view = (duv_view){0};
}
