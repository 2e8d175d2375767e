/* SPDX-License-Identifier: MIT */
/* Statements as C. */
#include "protocol/slicc/emit_protocol.h"

#include <string.h>

/* Declares a local variable; what it starts with is left to the caller. */
static slicc_type declare(emitter *e, const slicc_expression *local) {
    slicc_type type = slicc_type_find(e, local->type, local->place);
    base_text name = {0};
    const bool in_place = slicc_is_in_place(&type);
    slicc_out(e, in_place ? "%f v_%s" : "%c v_%s", &type, local->text);
    base_text_print(&name, in_place ? "(&v_%s)" : "v_%s", local->text);
    type.certain = in_place;
    e->stack += e->is_unused ? 0 : slicc_type_bytes(&type);
    for (uint32_t i = e->scope; i < e->local_count; i++)
        if (slicc_same(e->locals[i].name, local->text) && slicc_same(e->locals[i].text, name.data))
            slicc_complain(e->report, local->place, "'%s' is already declared here", local->text);
    slicc_local_add(e, local->text, &type, slicc_text_or_zero(&name));
    slicc_text_end(e, &name);
    return type;
}

/* A value that is assigned. An int is a count: a mutant has one more or less. */
static void emit_counted(emitter *e, const slicc_expression *target, const slicc_expression *value,
                         const slicc_type *type, base_text *text) {
    const int off =
        slicc_is_int(type) ? slicc_mutate_count(e, SLICC_MUTATED_COUNT, target, value) : 0;
    base_text exact = {0};
    slicc_emit_value(e, value, type, &exact);
    slicc_emit_off(slicc_text_or_zero(&exact), off, text);
    slicc_text_end(e, &exact);
}

static void emit_local(emitter *e, const slicc_expression *local, const slicc_expression *value) {
    base_text text = {0};
    slicc_type type = slicc_type_find(e, local->type, local->place);
    if (value != NULL)
        emit_counted(e, local, value, &type, &text); /* before the name is known */
    type = declare(e, local);
    const char *start = slicc_text_or_zero(&text);
    if (type.kind == KIND_OBJECT && value == NULL)
        slicc_complain(e->report, local->place, "a variable of type %s needs a value", type.name);
    if (type.kind == KIND_PLACED && !slicc_same(type.name, "WriteMask"))
        slicc_complain(e->report, local->place, "a variable cannot have the type %s", type.name);
    if (type.kind == KIND_DESTINATION && value == NULL)
        base_text_print(e->out, ";\nsl_dest_clear(c->base.system, &v_%s);\n", local->text);
    else if (type.kind == KIND_DESTINATION)
        base_text_print(e->out, ";\nsl_dest_copy(c->base.system, &v_%s, %s);\n", local->text,
                        start);
    else if (type.kind == KIND_DATA && value == NULL)
        base_text_print(e->out, ";\nsl_data_clear(&v_%s);\n", local->text);
    else if (slicc_is_in_place(&type) && value != NULL)
        base_text_print(e->out, " = *%s;\n", start);
    else if (type.kind == KIND_PLACED)
        base_text_add(e->out, " = {0};\n");
    else if (slicc_is_in_place(&type)) {
        slicc_out(e, ";\n%k(%sc, &v_%s);\n", &type, "start",
                  type.machine == NULL ? "(sm_any *)" : "", local->text);
    } else
        base_text_print(e->out, " = %s;\n", start);
    base_text_print(e->out, "(void)v_%s;\n", local->text);
    slicc_text_end(e, &text);
}

static void emit_assign(emitter *e, const slicc_statement *s) {
    if (s->target->kind == SLICC_LOCAL) {
        emit_local(e, s->target, s->value);
        return;
    }
    base_text target = {0}, value = {0};
    const slicc_type type = slicc_emit_expression(e, s->target, &target);
    emit_counted(e, s->target, s->value, &type, &value);
    const char *left = slicc_text_or_zero(&target), *right = slicc_text_or_zero(&value);
    if (type.kind != KIND_BAD && !slicc_is_variable(e, s->target))
        slicc_complain(e->report, s->target->place, "this cannot be assigned to");
    else if (type.kind == KIND_DESTINATION)
        base_text_print(e->out, "sl_dest_copy(c->base.system, %s, %s);\n", left, right);
    else if (type.kind == KIND_RECORD && slicc_is_message(type.declaration)) {
        slicc_out(e, "%k(%s, %s);\n", &type, "copy", left, right);
    } else if (slicc_is_in_place(&type))
        base_text_print(e->out, "*(%s) = *(%s);\n", left, right);
    else if (type.kind == KIND_OBJECT)
        slicc_complain(e->report, s->target->place, "a %s cannot be assigned to", type.name);
    else if (type.kind == KIND_BOOL)
        base_text_print(e->out, "%s = (bool)(%s);\n", left, right);
    else
        base_text_print(e->out, "%s = %s;\n", left, right);
    slicc_text_end(e, &target);
    slicc_text_end(e, &value);
}

/* Statements in a scope of their own; what the caller declared from `outer` on belongs to it. */
static void emit_scope(emitter *e, const slicc_statement *body, uint32_t outer) {
    const uint32_t scope = e->scope;
    e->scope = outer;
    slicc_emit_statements(e, body);
    e->scope = scope;
    e->local_count = outer;
}

static void emit_block(emitter *e, const slicc_statement *body) {
    base_text_add(e->out, "{\n");
    emit_scope(e, body, e->local_count);
    base_text_add(e->out, "}\n");
}

static void emit_if(emitter *e, const slicc_statement *s) {
    const bool chooses = slicc_port_at_work(e) != NULL || slicc_same(e->result.name, "Event");
    const bool negated =
        chooses && slicc_mutate(e, SLICC_MUTATED_CONDITION, NULL, s->value, "!(", ")");
    base_text_add(e->out, negated ? "if (!(" : "if (");
    e->in_condition = chooses;
    slicc_emit_value(e, s->value, &slicc_boolean, e->out);
    e->in_condition = false;
    base_text_add(e->out, negated ? ")) " : ") ");
    emit_block(e, s->body);
    if (s->otherwise != NULL) {
        base_text_add(e->out, "else ");
        emit_block(e, s->otherwise);
    }
}

static void emit_return(emitter *e, const slicc_statement *s) {
    const bool by_value = slicc_is_in_place(&e->result);
    slicc_out(e, "%s%x);\n", by_value ? "return *(" : "return (", s->value, &e->result);
}

/* The declaration of a port that a statement names. */
static const slicc_declaration *port_of(emitter *e, const slicc_statement *s,
                                        slicc_declaration_kind kind) {
    const slicc_declaration *port = slicc_member_find(e->machine->members, kind, s->port->text);
    if (port == NULL)
        slicc_complain(e->report, s->port->place, "there is no %s '%s'",
                       kind == SLICC_IN_PORT ? "in_port" : "out_port", s->port->text);
    const slicc_declaration *object =
        port == NULL ? NULL : slicc_object_find(e, port->buffer->text);
    if (object != NULL && !slicc_is_buffer(object->type))
        slicc_complain(e->report, s->port->place, "the port '%s' is of a %s, which has no messages",
                       port->name, object->type);
    return port;
}

static void check_allocate(emitter *e, const slicc_statement *s) {
    const slicc_declaration *table = slicc_object_find(e, s->port->text);
    if (table == NULL ||
        (!slicc_same(table->type, "TBETable") && !slicc_same(table->type, "TBEStorage")))
        slicc_complain(e->report, s->port->place, "'%s' is not a TBETable", s->port->text);
}

static bool is_message_type(emitter *e, const slicc_statement *s, const slicc_type *type) {
    if (type->kind == KIND_RECORD && slicc_is_message(type->declaration))
        return true;
    if (type->kind != KIND_BAD)
        slicc_complain(e->report, s->place, "%s is not a message", type->name);
    return false;
}

/* What goes into a buffer comes out as the same structure: that of its first in_port. */
static void check_port_type(emitter *e, const slicc_statement *s, const slicc_declaration *port) {
    const slicc_declaration *first = slicc_port_on(e->machine, port->buffer->text, SLICC_IN_PORT);
    if (port->kind == SLICC_OUT_PORT && first != NULL && slicc_same(first->type, s->type))
        return; /* whatever the out_port says */
    if (!slicc_same(port->type, s->type))
        slicc_complain(e->report, s->place, "the port '%s' has messages of type %s, not %s",
                       port->name, port->type, s->type);
    else if (first != NULL && !slicc_same(first->type, port->type))
        slicc_complain(
            e->report, s->place,
            "the port '%s' has messages of type %s, but its buffer is read as %s by '%s'",
            port->name, port->type, first->type, first->name);
}

/* The port goes on with other messages while this one, or the request that it is, waits for a
 * locked block. */
static void emit_lock_check(emitter *e, const slicc_declaration *port, const char *address,
                            bool own) {
    base_text_print(e->out,
                    "if (COL_RARELY(c->base.lock_count > 0) && "
                    "sl_wait_for_lock(&c->base, c->m_%s, %s, %s)) return true;\n",
                    port->buffer->text, address, own ? "true" : "false");
}

/* block_on="field" of a peek: the message waits while the block that its field names is locked. */
static void emit_block_on(emitter *e, const slicc_statement *s, const slicc_declaration *port,
                          const slicc_type *type) {
    const slicc_pair *pair = slicc_pair_find(s->pairs, "block_on");
    base_text address = {0};
    if (pair == NULL || slicc_port_at_work(e) == NULL)
        return;
    const slicc_declaration *field =
        slicc_member_find(type->declaration->members, SLICC_OBJECT, pair->value);
    if (field == NULL ||
        (!slicc_same(field->type, "Addr") && !slicc_same(field->type, "Address"))) {
        slicc_complain(e->report, s->place, "%s has no address '%s' to block on", type->name,
                       pair->value);
        return;
    }
    e->holds_back = e->holds_back || !slicc_same(port->type, "RubyRequest");
    slicc_print(e, &address, "in_msg->%a", type, field->name);
    emit_lock_check(e, port, slicc_text_or_zero(&address), false);
    slicc_text_end(e, &address);
}

/* check_on_cache_probe: the request would replace this block. */
static void emit_probe(emitter *e, const slicc_statement *s) {
    const slicc_declaration *port = port_of(e, s, SLICC_IN_PORT);
    base_text address = {0};
    if (port == NULL)
        return;
    if (slicc_port_at_work(e) == NULL) {
        slicc_complain(e->report, s->place, "check_on_cache_probe is only for in_ports");
        return;
    }
    slicc_emit_value(e, s->value, &slicc_address, &address);
    emit_lock_check(e, port, slicc_text_or_zero(&address), true);
    slicc_text_end(e, &address);
}

static void emit_peek(emitter *e, const slicc_statement *s) {
    const slicc_declaration *port = port_of(e, s, SLICC_IN_PORT);
    slicc_type type = slicc_type_find(e, s->type, s->place);
    if (port == NULL || !is_message_type(e, s, &type))
        return;
    check_port_type(e, s, port);
    const uint32_t outer = e->local_count;
    type.certain = true;
    slicc_out(e, "{\n%r *in_msg = sl_peek(c->m_%s);\n(void)in_msg;\n", &type, port->buffer->text);
    emit_block_on(e, s, port, &type);
    slicc_local_add(e, "in_msg", &type, "in_msg");
    emit_scope(e, s->body, outer);
    base_text_add(e->out, "}\n");
}

static void emit_enqueue(emitter *e, const slicc_statement *s) {
    const slicc_declaration *port = port_of(e, s, SLICC_OUT_PORT);
    slicc_type type = slicc_type_find(e, s->type, s->place);
    const slicc_type cycles = {.kind = KIND_NUMBER, .name = "Cycles", .is_any = true};
    if (port == NULL || !is_message_type(e, s, &type))
        return;
    check_port_type(e, s, port);
    const uint32_t outer = e->local_count;
    type.certain = true;
    slicc_out(e, "{\n%r *out_msg = %k%s", &type, &type, "new",
              type.machine == NULL ? "((sm_any *)c);\n" : "(c);\n");
    slicc_local_add(e, "out_msg", &type, "out_msg");
    emit_scope(e, s->body, outer);
    const slicc_declaration *buffer = slicc_object_find(e, port->buffer->text);
    const bool is_memory = buffer != NULL && slicc_same(buffer->type, "MemoryControl");
    if (is_memory && slicc_is_given(&type)) /* it answered with what the request said */
        base_text_add(e->out, "out_msg->Sender = out_msg->OriginalRequestorMachId;\n");
    const char *destination = slicc_destination_of(type.declaration);
    base_text_print(e->out,
                    is_memory ? "c->base.system->services->send(c->m_%s, &out_msg->header, "
                    : destination == NULL ? "sl_enqueue(c->m_%s, out_msg, "
                                          : "sl_enqueue_to(c->m_%s, out_msg, ",
                    port->buffer->text);
    if (!is_memory && destination != NULL)
        slicc_out(e, "&out_msg->%a, ", &type, destination);
    slicc_out(e, s->latency == NULL ? "1);\n}\n" : "%x);\n}\n", s->latency, &cycles);
}

static void emit_waiting(emitter *e, const slicc_statement *s, const char *pattern) {
    const slicc_declaration *port = port_of(e, s, SLICC_IN_PORT);
    if (port == NULL)
        return;
    slicc_out(e, "%s(c->m_%s, %x%s", pattern, port->buffer->text, s->value, &slicc_address,
              strcmp(pattern, "sl_buffer_wake") == 0 ? ", false);\n" : ");\n");
}

static void emit_statement(emitter *e, const slicc_statement *s) {
    switch (s->kind) {
    case SLICC_EXPRESSION:
        if (s->value->kind == SLICC_LOCAL) {
            emit_local(e, s->value, NULL);
            break;
        }
        (void)slicc_emit_expression(e, s->value, e->out);
        base_text_add(e->out, ";\n");
        break;
    case SLICC_ASSIGN:
        emit_assign(e, s);
        break;
    case SLICC_IF:
        emit_if(e, s);
        break;
    case SLICC_RETURN:
        emit_return(e, s);
        break;
    case SLICC_PEEK:
        emit_peek(e, s);
        break;
    case SLICC_ENQUEUE:
        emit_enqueue(e, s);
        break;
    case SLICC_STALL_AND_WAIT:
        emit_waiting(e, s, "sl_stall_and_wait");
        break;
    case SLICC_WAKEUP_PORT:
        emit_waiting(e, s, "sl_buffer_wake");
        break;
    case SLICC_CHECK_NEXT_CYCLE:
        base_text_add(e->out, "sl_wake_later(&c->base, 1);\n");
        break;
    case SLICC_CHECK_ALLOCATE: /* a resource of the transition */
        check_allocate(e, s);
        break;
    case SLICC_CHECK_STOP_SLOTS: /* likewise */
        break;
    case SLICC_CHECK_PROBE:
        emit_probe(e, s);
        break;
    case SLICC_DEFER_ENQUEUEING:
        slicc_complain(e->report, s->place, "defer_enqueueing is not supported");
        break;
    }
}

void slicc_emit_statements(emitter *e, const slicc_statement *list) {
    for (; list != NULL; list = list->next)
        emit_statement(e, list);
}

/*
 * Functions of a machine as C: written when something that runs needs them, else only checked.
 * There are neither loops nor recursion, but functions that call others twice each may make 2^40
 * calls: those that may make many count them, so that a step ends. All others cost nothing.
 */

enum { FEW_CALLS = 1 << 12 }; /* far more than in any protocol that is meant seriously */

static uint32_t count_parameters(const slicc_declaration *function) {
    uint32_t count = 0;
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next)
        count++;
    return count;
}

const slicc_declaration *slicc_function_find(const emitter *e, const char *name,
                                             uint32_t arguments) {
    const slicc_declaration *const lists[] = {e->machine != NULL ? e->machine->members : NULL,
                                              e->tree->declarations};
    for (int i = 0; i < 2; i++)
        for (const slicc_declaration *d = NULL; (d = slicc_member_next(lists[i], d, name)) != NULL;)
            if (d->kind == SLICC_FUNCTION && d->defined &&
                (arguments == SLICC_ANY_NUMBER || count_parameters(d) == arguments))
                return d;
    return NULL;
}

void slicc_function_name(emitter *e, const slicc_declaration *function, base_text *text) {
    slicc_print(e, text, "sm_%M_call_%n_%u", function->name, count_parameters(function));
}

static bool is_called(const emitter *e, const slicc_declaration *function) {
    const slicc_called *called = e->called;
    while (called != NULL && called->function != function)
        called = called->next;
    return called != NULL;
}

static void note_call(emitter *e, const slicc_declaration *function) {
    if (is_called(e, function))
        return;
    slicc_called *called = base_arena_take(&e->arena, sizeof *called);
    if (called == NULL) {
        e->report->failed = true;
        return;
    }
    *called = (slicc_called){.function = function, .next = e->called};
    e->called = called;
}

void slicc_need(emitter *e, const slicc_declaration *function) {
    if (e->is_unused)
        return;
    note_call(e, function);
    uint32_t place = 0;
    while (place < e->needed_count && e->needed[place].function != function)
        place++;
    if (place == SLICC_MOST_NEEDED) {
        slicc_complain(e->report, function->place, "a machine has more than %d functions",
                       SLICC_MOST_NEEDED);
        return;
    }
    if (place == e->needed_count)
        e->needed[e->needed_count++] = (slicc_needed){.function = function};
    if (e->caller == NULL)
        return;
    slicc_edge *edge = base_arena_take(&e->arena, sizeof *edge);
    if (edge == NULL) {
        e->report->failed = true;
        return;
    }
    *edge = (slicc_edge){.to = place, .next = e->caller->calls};
    e->caller->calls = edge;
}

/* Follows calls depth-first: one that leads to a function that is open is recursion. What a call
 * comes to is a sum over all calls in the text, whichever of them are made. */
static void check_calls(emitter *e, slicc_needed *caller) {
    caller->visit = SLICC_OPEN;
    caller->cost = 1;
    for (const slicc_edge *edge = caller->calls; edge != NULL; edge = edge->next) {
        slicc_needed *called = &e->needed[edge->to];
        if (called->visit == SLICC_OPEN)
            slicc_complain(e->report, called->function->place,
                           called == caller ? "the function '%s' calls itself"
                                            : "the function '%s' calls itself through others",
                           called->function->name);
        else if (called->visit == SLICC_UNSEEN)
            check_calls(e, called);
        if (caller->cost <= FEW_CALLS) /* nobody asks how much more it is */
            caller->cost += called->cost;
    }
    caller->visit = SLICC_DONE;
}

static void emit_signature(emitter *e, const slicc_declaration *function, base_text *text) {
    const slicc_type result = slicc_type_find(e, function->type, function->place);
    slicc_print(e, text, slicc_is_in_place(&result) ? "static %f " : "static %c ", &result);
    slicc_print(e, text, "%g(struct sm_%M *c", function);
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next) {
        const slicc_type type = slicc_type_find(e, p->type, p->place);
        slicc_print(e, text, ", %c v_%n", &type, p->name == NULL ? "" : p->name);
    }
    base_text_add(text, ")");
}

static void emit_function(emitter *e, const slicc_declaration *function) {
    e->local_count = 0;
    e->result = slicc_type_find(e, function->type, function->place);
    e->within = function;
    emit_signature(e, function, e->out);
    base_text_add(e->out, " {\n(void)c;\n");
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next) {
        slicc_type type = slicc_type_find(e, p->type, p->place);
        type.certain = slicc_is_in_place(&type);
        base_text name = {0};
        slicc_print(e, &name, "v_%n", p->name == NULL ? "" : p->name);
        slicc_local_add(e, p->name, &type, slicc_text_or_zero(&name));
        base_text_print(e->out, "(void)%s;\n", slicc_text_or_zero(&name));
        slicc_text_end(e, &name);
    }
    if (e->caller != NULL)
        e->caller->entry = e->out->length;
    slicc_emit_statements(e, function->body);
    if (e->result.kind != KIND_VOID)
        slicc_out(e,
                  "sl_fail(&c->base, \"a function ends without a value\", "
                  "%p);\n__builtin_unreachable();\n",
                  function->place);
    base_text_add(e->out, "}\n");
    e->within = NULL;
}

/* The bodies, with a count at the beginning of those that may make many calls. */
static void add_bodies(emitter *e, const base_text *bodies) {
    size_t from = 0;
    for (uint32_t i = 0; i < e->needed_count && bodies->data != NULL; i++) {
        const slicc_needed *needed = &e->needed[i];
        if (needed->cost <= FEW_CALLS)
            continue;
        base_text_add_bytes(e->out, bodies->data + from, needed->entry - from);
        slicc_out(e, "sl_count_call(&c->base, %p);\n", needed->function->place);
        e->counts_calls = true;
        from = needed->entry;
    }
    if (bodies->data != NULL)
        base_text_add_bytes(e->out, bodies->data + from, bodies->length - from);
}

void slicc_emit_needed(emitter *e, base_text *prototypes) {
    base_text *const out = e->out;
    base_text bodies = {0};
    e->out = &bodies;
    for (uint32_t i = 0; i < e->needed_count; i++) {
        emit_signature(e, e->needed[i].function, prototypes);
        base_text_add(prototypes, ";\n");
        e->caller = &e->needed[i];
        emit_function(e, e->needed[i].function);
        e->caller = NULL;
    }
    for (uint32_t i = 0; i < e->needed_count; i++)
        if (e->needed[i].visit == SLICC_UNSEEN)
            check_calls(e, &e->needed[i]);
    e->out = out;
    add_bodies(e, &bodies);
    slicc_text_end(e, &bodies);
}

static void check_function(emitter *e, const slicc_declaration *function) {
    base_text *const out = e->out;
    slicc_mutations *const mutations = e->mutations;
    const uint64_t requests = e->requests;
    base_text text = {0};
    e->out = &text;
    e->mutations = NULL;
    e->is_unused = true;
    emit_function(e, function);
    e->is_unused = false;
    e->mutations = mutations;
    e->out = out;
    e->requests = requests;
    slicc_text_end(e, &text);
}

void slicc_check_unused(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (d->kind == SLICC_FUNCTION && d->defined && !is_called(e, d))
            check_function(e, d);
}
