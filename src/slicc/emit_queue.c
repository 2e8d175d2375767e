/* SPDX-License-Identifier: MIT */
/* TriggerQueue of records as C: who waits for a credit. A machine's own variable; its records are
 * behind the queue's head. */
#include "slicc/emit.h"

#include <string.h>

void slicc_emit_queue_field(emitter *e, const slicc_declaration *queue) {
    const slicc_type record = slicc_template_type(e, queue, queue->place);
    base_text_add(e->out, "struct { sl_queue head; ");
    slicc_c_field(&record, e->out);
    base_text_print(e->out, " items[SL_MOST_QUEUED]; } m_%s;\n", queue->name);
}

/* "&c->m_retryQueue.head, c->m_retryQueue.items" */
static void emit_parts(const slicc_declaration *queue, base_text *text) {
    base_text_print(text, "&c->m_%s.head, c->m_%s.items", queue->name, queue->name);
}

void slicc_emit_queue_clear(const slicc_declaration *queue, base_text *text) {
    base_text_add(text, "sl_queue_clear(");
    emit_parts(queue, text);
    base_text_print(text, ", sizeof c->m_%s.items[0]);\n", queue->name);
}

/* emplace(first, second ...): a record with these fields; the others have their defaults. */
static void emit_emplace(emitter *e, const slicc_expression *x, const slicc_declaration *queue,
                         const slicc_type *record, base_text *text) {
    const slicc_expression *argument = x->arguments;
    base_text pointer = {0};
    base_text_print(&pointer, "c->m_%s.items[c->m_%s.head.count - 1]", queue->name, queue->name);
    base_text_add(text, "(");
    slicc_record_maker(record, "start", text);
    base_text_add(text, record->machine == NULL ? "((sm_any *)c, sl_queue_add(&c->base, "
                                                : "(c, sl_queue_add(&c->base, ");
    emit_parts(queue, text);
    base_text_print(text, ", sizeof c->m_%s.items[0]))", queue->name);
    for (const slicc_declaration *m = record->declaration->members; m != NULL; m = m->next) {
        if (m->kind != SLICC_OBJECT || argument == NULL)
            continue;
        const slicc_type field = slicc_type_find(e, m->type, m->place);
        base_text_print(text, ", (void)(%s.", slicc_text_or_zero(&pointer));
        slicc_c_field_name(record, m->name, text);
        base_text_add(text, field.kind == KIND_BOOL ? " = (bool)(" : " = (");
        slicc_emit_value(e, argument, &field, text);
        base_text_add(text, "))");
        argument = argument->next;
    }
    base_text_add(text, ")");
    if (argument != NULL)
        slicc_complain(e->report, argument->place, "%s has fewer fields than emplace is given",
                       record->name);
    slicc_text_end(e, &pointer);
}

slicc_type slicc_emit_queue_method(emitter *e, const slicc_expression *x,
                                   const slicc_declaration *queue, base_text *text) {
    static const slicc_type nothing = {.kind = KIND_VOID, .name = "void"};
    slicc_type record = slicc_template_type(e, queue, x->place);
    if (strcmp(x->text, "emplace") == 0) {
        emit_emplace(e, x, queue, &record, text);
        return nothing;
    }
    if (x->arguments == NULL && strcmp(x->text, "empty") == 0) {
        base_text_print(text, "(c->m_%s.head.count == 0)", queue->name);
        return (slicc_type){.kind = KIND_BOOL, .name = "bool"};
    }
    const bool is_pop = strcmp(x->text, "pop") == 0;
    if (x->arguments != NULL || (!is_pop && strcmp(x->text, "next") != 0)) {
        slicc_complain(e->report, x->place,
                       "a TriggerQueue of records has no method '%s' of these "
                       "arguments",
                       x->text);
        return slicc_no_value(text);
    }
    if (!is_pop) {
        base_text_add(text, "((");
        slicc_c_type(&record, text);
        base_text_add(text, ")");
    }
    base_text_print(text, "sl_queue_%s(&c->base, ", is_pop ? "pop" : "first");
    emit_parts(queue, text);
    if (is_pop) {
        base_text_print(text, ", sizeof c->m_%s.items[0])", queue->name);
        return nothing;
    }
    base_text_add(text, "))");
    record.certain = true;
    return record;
}
