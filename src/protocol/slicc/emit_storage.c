/* SPDX-License-Identifier: MIT */
/* Room for TBEs: tables of them, and storages (TBEStorage), whose size is a parameter of the
 * machine that their constructor names. */
#include "protocol/slicc/emit_protocol.h"

#include <string.h>

static const char undeclared[] = "number_of_TBEs"; /* every machine has it */

static bool is_storage(const slicc_declaration *d) {
    return d->kind == SLICC_OBJECT && slicc_same(d->type, "TBEStorage");
}

/* Does the text end with the name of this parameter, as gem5's C++ writes it? */
static bool names(const char *constructor, const char *parameter) {
    const size_t length = strlen(constructor), tail = strlen(parameter);
    return length >= tail + 2 && strcmp(constructor + length - tail, parameter) == 0 &&
           strncmp(constructor + length - tail - 2, "m_", 2) == 0;
}

static const slicc_declaration *size_of(const slicc_declaration *machine,
                                        const slicc_declaration *storage) {
    const slicc_pair *constructor = slicc_pair_find(storage->pairs, "constructor");
    for (const slicc_declaration *d = machine->arguments; d != NULL && constructor != NULL;
         d = d->next)
        if (d->kind == SLICC_OBJECT && slicc_same(d->type, "int") &&
            names(constructor->value, d->name))
            return d;
    return NULL;
}

bool slicc_counts_tbes(const slicc_declaration *machine) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (is_storage(d) && size_of(machine, d) == NULL)
            return slicc_member_find(machine->arguments, SLICC_OBJECT, undeclared) == NULL;
    return false;
}

void slicc_emit_storage_start(emitter *e, const slicc_declaration *storage) {
    const slicc_declaration *size = size_of(e->machine, storage);
    base_text_print(e->out, "sl_storage_start(&c->m_%s, c->m_%s);\n", storage->name,
                    size == NULL ? undeclared : size->name);
}

/* ---- What a transition needs before it is taken. */

/* The tables and storages of the machine, in the order of the bits of slicc_check. */
static const slicc_declaration *table_at(const emitter *e, uint32_t bit) {
    const slicc_declaration *const lists[] = {e->machine->members, e->machine->arguments};
    for (int i = 0; i < 2; i++)
        for (const slicc_declaration *d = lists[i]; d != NULL; d = d->next)
            if ((d->kind == SLICC_OBJECT && (slicc_same(d->type, "TBETable") || is_storage(d))) &&
                bit-- == 0)
                return d;
    return NULL;
}

static uint64_t table_bit(const emitter *e, const char *name) {
    const slicc_declaration *table;
    for (uint32_t bit = 0; bit < 64 && (table = table_at(e, bit)) != NULL; bit++)
        if (slicc_same(table->name, name))
            return UINT64_C(1) << bit;
    return 0;
}

/* check_allocate in these statements. */
static uint64_t checked_tables(const emitter *e, const slicc_statement *list) {
    uint64_t tables = 0;
    for (; list != NULL; list = list->next) {
        tables |= checked_tables(e, list->body) | checked_tables(e, list->otherwise);
        if (list->kind == SLICC_CHECK_ALLOCATE)
            tables |= table_bit(e, list->port->text);
    }
    return tables;
}

/* The machine's function for {types} of a transition. */
static const slicc_declaration *request_function(const emitter *e) {
    return slicc_function_find(e, "checkResourceAvailable", 2);
}

/* The type of what it is asked for. */
static slicc_type request_type(emitter *e, const slicc_declaration *function) {
    const slicc_type type =
        slicc_type_find(e, function->parameters->type, function->parameters->place);
    return type.kind == KIND_ENUM ? type : slicc_bad;
}

static uint64_t checked_requests(emitter *e, const slicc_declaration *transition) {
    const slicc_declaration *function = request_function(e);
    uint64_t requests = 0;
    if (function == NULL)
        return 0;
    const slicc_type type = request_type(e, function);
    for (const slicc_name *r = transition->requests; r != NULL && type.kind == KIND_ENUM;
         r = r->next) {
        const int32_t place = slicc_value_place(type.declaration, r->text);
        if (place < 0 || place > 63)
            slicc_complain(e->report, r->place, "%s has no value '%s'", type.name, r->text);
        else
            requests |= UINT64_C(1) << place;
    }
    return requests;
}

static void find_checks(emitter *e, slicc_table *t, const slicc_declaration *transition) {
    slicc_check check = {.requests = checked_requests(e, transition)};
    for (const slicc_name *a = transition->actions; a != NULL; a = a->next) {
        const slicc_declaration *action =
            slicc_member_find(e->machine->members, SLICC_ACTION, a->text);
        check.tables |= action == NULL ? 0 : checked_tables(e, action->body);
    }
    if (check.tables == 0 && check.requests == 0)
        return;
    uint32_t place = 0;
    while (place < t->check_count &&
           (t->checks[place].tables != check.tables || t->checks[place].requests != check.requests))
        place++;
    if (place == SLICC_MOST_CHECKS) {
        slicc_complain(e->report, transition->place,
                       "the transitions of a machine need more than %d different things",
                       SLICC_MOST_CHECKS);
        return;
    }
    if (place == t->check_count)
        t->checks[t->check_count++] = check;
    for (uint32_t i = 0; i < t->state_count * t->event_count; i++)
        if (t->cells[i] == transition)
            t->check_of[i] = (uint8_t)(place + 1);
}

static void emit_check(emitter *e, const slicc_check *check) {
    const slicc_declaration *function = request_function(e), *table;
    base_text_add(e->out, "return true");
    for (uint32_t bit = 0; bit < 64 && (table = table_at(e, bit)) != NULL; bit++)
        if ((check->tables >> bit & 1) != 0)
            base_text_print(e->out,
                            is_storage(table) ? " && sl_storage_free(&c->m_%s) > 0"
                                              : " && sl_table_has_room(c->m_%s)",
                            table->name);
    uint32_t place = 0;
    slicc_type type = slicc_bad;
    if (check->requests != 0)
        type = request_type(e, function);
    const slicc_value *v = type.kind == KIND_ENUM ? type.declaration->values : NULL;
    for (; v != NULL && place < 64; v = v->next, place++) {
        if ((check->requests >> place & 1) == 0)
            continue;
        slicc_need(e, function);
        slicc_out(e, " && %g(c, %v, address)", function, &type, v->name);
    }
    base_text_add(e->out, ";\n");
}

void slicc_emit_room(emitter *e, slicc_table *t) {
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_TRANSITION)
            find_checks(e, t, d);
    slicc_out(e, "static inline bool sm_%M_room(sl_controller *base, uint32_t check, "
                 "sl_address address) {\nstruct sm_%M *c = (struct sm_%M *)base;\n"
                 "(void)c; (void)address;\nswitch (check) {\n");
    for (uint32_t i = 0; i < t->check_count; i++) {
        base_text_print(e->out, "case %u: ", i + 1);
        emit_check(e, &t->checks[i]);
    }
    base_text_add(e->out, "default: return true;\n}\n}\n");
}

/* TriggerQueue of records as C: who waits for a credit. A machine's own variable; its records are
 * behind the queue's head. */

void slicc_emit_queue_field(emitter *e, const slicc_declaration *queue) {
    const slicc_type record = slicc_template_type(e, queue, queue->place);
    slicc_out(e, "struct { sl_queue head; %f items[SL_MOST_QUEUED]; } m_%s;\n", &record,
              queue->name);
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
    slicc_print(e, text, "(%k%s", record, "start",
                record->machine == NULL ? "((sm_any *)c, sl_queue_add(&c->base, "
                                        : "(c, sl_queue_add(&c->base, ");
    emit_parts(queue, text);
    base_text_print(text, ", sizeof c->m_%s.items[0]))", queue->name);
    for (const slicc_declaration *m = record->declaration->members; m != NULL; m = m->next) {
        if (m->kind != SLICC_OBJECT || argument == NULL)
            continue;
        const slicc_type field = slicc_type_find(e, m->type, m->place);
        slicc_print(e, text, ", (void)(%s.%a%s%x))", slicc_text_or_zero(&pointer), record, m->name,
                    field.kind == KIND_BOOL ? " = (bool)(" : " = (", argument, &field);
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
    slicc_type record = slicc_template_type(e, queue, x->place);
    if (strcmp(x->text, "emplace") == 0) {
        emit_emplace(e, x, queue, &record, text);
        return slicc_nothing;
    }
    if (x->arguments == NULL && strcmp(x->text, "empty") == 0) {
        base_text_print(text, "(c->m_%s.head.count == 0)", queue->name);
        return slicc_boolean;
    }
    const bool is_pop = strcmp(x->text, "pop") == 0;
    if (x->arguments != NULL || (!is_pop && strcmp(x->text, "next") != 0)) {
        slicc_complain(e->report, x->place,
                       "a TriggerQueue of records has no method '%s' of these "
                       "arguments",
                       x->text);
        return slicc_no_value(text);
    }
    if (!is_pop)
        slicc_print(e, text, "((%c)", &record);
    base_text_print(text, "sl_queue_%s(&c->base, ", is_pop ? "pop" : "first");
    emit_parts(queue, text);
    if (is_pop) {
        base_text_print(text, ", sizeof c->m_%s.items[0])", queue->name);
        return slicc_nothing;
    }
    base_text_add(text, "))");
    record.certain = true;
    return record;
}
