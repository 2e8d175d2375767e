/* SPDX-License-Identifier: MIT */
/* Statements as C. */
#include "slicc/emit.h"

#include <string.h>

/* Declares a local variable; what it starts with is left to the caller. */
static slicc_type declare(emitter *e, const slicc_expression *local) {
    slicc_type type = slicc_type_find(e, local->type, local->place);
    base_text name = {0};
    const bool in_place = slicc_is_in_place(&type);
    if (in_place)
        slicc_c_field(&type, e->out);
    else
        slicc_c_type(&type, e->out);
    base_text_print(&name, in_place ? "(&v_%s)" : "v_%s", local->text);
    base_text_print(e->out, " v_%s", local->text);
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

/* A record with its defaults. */
static void emit_started(emitter *e, const slicc_type *type, const char *name) {
    base_text_add(e->out, ";\n");
    slicc_record_maker(type, "start", e->out);
    base_text_print(e->out, "(%sc, &v_%s);\n", type->machine == NULL ? "(sm_any *)" : "", name);
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
    else if (slicc_is_in_place(&type))
        emit_started(e, &type, local->text);
    else
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
        slicc_record_maker(&type, "copy", e->out);
        base_text_print(e->out, "(%s, %s);\n", left, right);
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
    const slicc_type condition = {.kind = KIND_BOOL, .name = "bool"};
    const bool chooses = e->port != NULL || slicc_same(e->result.name, "Event");
    const bool negated =
        chooses && slicc_mutate(e, SLICC_MUTATED_CONDITION, NULL, s->value, "!(", ")");
    base_text_add(e->out, negated ? "if (!(" : "if (");
    e->in_condition = chooses;
    slicc_emit_value(e, s->value, &condition, e->out);
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
    base_text_add(e->out, by_value ? "return *(" : "return (");
    slicc_emit_value(e, s->value, &e->result, e->out);
    base_text_add(e->out, ");\n");
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
    const slicc_declaration *first = slicc_port_on(e, port->buffer->text, SLICC_IN_PORT);
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
    if (pair == NULL || e->port == NULL)
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
    base_text_add(&address, "in_msg->");
    slicc_c_field_name(type, field->name, &address);
    emit_lock_check(e, port, slicc_text_or_zero(&address), false);
    slicc_text_end(e, &address);
}

/* check_on_cache_probe: the request would replace this block. */
static void emit_probe(emitter *e, const slicc_statement *s) {
    const slicc_declaration *port = port_of(e, s, SLICC_IN_PORT);
    const slicc_type type = {.kind = KIND_NUMBER, .name = "Addr"};
    base_text address = {0};
    if (port == NULL)
        return;
    if (e->port == NULL) {
        slicc_complain(e->report, s->place, "check_on_cache_probe is only for in_ports");
        return;
    }
    slicc_emit_value(e, s->value, &type, &address);
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
    base_text_add(e->out, "{\n");
    slicc_record_name(&type, e->out);
    base_text_print(e->out, " *in_msg = sl_peek(c->m_%s);\n(void)in_msg;\n", port->buffer->text);
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
    base_text_add(e->out, "{\n");
    slicc_record_name(&type, e->out);
    base_text_add(e->out, " *out_msg = ");
    slicc_record_maker(&type, "new", e->out);
    base_text_add(e->out, type.machine == NULL ? "((sm_any *)c);\n" : "(c);\n");
    slicc_local_add(e, "out_msg", &type, "out_msg");
    emit_scope(e, s->body, outer);
    const slicc_declaration *buffer = slicc_object_find(e, port->buffer->text);
    const bool is_memory = buffer != NULL && slicc_same(buffer->type, "MemoryControl");
    if (is_memory && slicc_is_given(&type)) /* it answered with what the request said */
        base_text_add(e->out, "out_msg->Sender = out_msg->OriginalRequestorMachId;\n");
    base_text_print(e->out,
                    is_memory ? "c->base.system->services->send(c->m_%s, &out_msg->header, "
                              : "sl_enqueue(c->m_%s, out_msg, ",
                    port->buffer->text);
    if (s->latency == NULL)
        base_text_add(e->out, "1");
    else
        slicc_emit_value(e, s->latency, &cycles, e->out);
    base_text_add(e->out, ");\n}\n");
}

static void emit_waiting(emitter *e, const slicc_statement *s, const char *pattern) {
    const slicc_declaration *port = port_of(e, s, SLICC_IN_PORT);
    const slicc_type address = {.kind = KIND_NUMBER, .name = "Addr"};
    if (port == NULL)
        return;
    base_text_print(e->out, "%s(c->m_%s, ", pattern, port->buffer->text);
    slicc_emit_value(e, s->value, &address, e->out);
    base_text_add(e->out, strcmp(pattern, "sl_buffer_wake") == 0 ? ", false);\n" : ");\n");
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
