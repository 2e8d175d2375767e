/* SPDX-License-Identifier: MIT */
/* A machine as C: its structure, functions, actions, ports, transition table and description. */
#include "slicc/emit.h"

#include "base/path.h"
#include "collider/protocol/message.h"

#include <stdlib.h>
#include <string.h>

/* ---- The controller's structure. */

typedef struct member_kind {
    const char *type, *c_type, *kind;
} member_kind;

static const member_kind member_kinds[] = {
    {"MessageBuffer", "sl_buffer *", "SL_MEMBER_BUFFER"},
    {"WireBuffer", "sl_buffer *", "SL_MEMBER_BUFFER"},
    {"MemoryControl", "sl_buffer *", "SL_MEMBER_BUFFER"},
    {"CacheMemory", "sl_cache *", "SL_MEMBER_CACHE"},
    {"DirectoryMemory", "sl_table *", "SL_MEMBER_TABLE"},
    {"PerfectCacheMemory", "sl_table *", "SL_MEMBER_PERFECT"},
    {"TBETable", "sl_table *", "SL_MEMBER_TBES"},
    {"TimerTable", "sl_timer *", "SL_MEMBER_TIMER"},
    {"PersistentTable", "sl_persistent *", "SL_MEMBER_PERSISTENT"},
    {"Sequencer", "void *", "SL_MEMBER_SEQUENCER"},
    {"DMASequencer", "void *", "SL_MEMBER_DMA"},
    {"HTMSequencer", "void *", "SL_MEMBER_SEQUENCER"},
    {"GPUCoalescer", "void *", "SL_MEMBER_COALESCER"},
    {"VIPERCoalescer", "void *", "SL_MEMBER_COALESCER"},
};

static const member_kind *kind_of(const char *type) {
    for (size_t i = 0; i < sizeof member_kinds / sizeof member_kinds[0]; i++)
        if (slicc_same(member_kinds[i].type, type))
            return &member_kinds[i];
    return NULL;
}

static bool is_number(const slicc_type *type) {
    return type->kind == KIND_NUMBER || type->kind == KIND_BOOL || type->kind == KIND_ENUM ||
           type->kind == KIND_MACHINE;
}

static void emit_member_fields(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind != SLICC_OBJECT)
            continue;
        const slicc_type type = slicc_type_find(e, d->type, d->place);
        const member_kind *kind = kind_of(d->type);
        if (kind != NULL)
            base_text_print(e->out, "%sm_%s;\n", kind->c_type, d->name);
        else if (type.kind == KIND_PLACED && slicc_queues_records(e, d, d->place))
            slicc_emit_queue_field(e, d);
        else if (is_number(&type))
            base_text_print(e->out, "%s m_%s;\n", slicc_is_natural(&type) ? "uint64_t" : "int64_t",
                            d->name);
        else if (type.kind == KIND_OBJECT)
            base_text_print(e->out, "void *m_%s;\n", d->name);
        else if (slicc_is_in_place(&type)) {
            slicc_c_field(&type, e->out);
            base_text_print(e->out, " m_%s;\n", d->name);
        }
    }
}

static void emit_controller(emitter *e) {
    base_text_print(e->out, "struct sm_%s {\nsl_controller base;\n", e->machine->name);
    emit_member_fields(e, e->machine->arguments);
    emit_member_fields(e, e->machine->members);
    if (slicc_counts_tbes(e->machine))
        base_text_add(e->out, "int64_t m_number_of_TBEs;\n");
    base_text_add(e->out, "};\n");
    /* The largest record that a cache or directory of this machine may hold. */
    base_text_print(e->out, "union sm_%s_entries {\nsl_entry none;\n", e->machine->name);
    uint32_t count = 0;
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_STRUCTURE && slicc_is_entry(d) && !d->external) {
            const slicc_type type = {KIND_RECORD, d->name, d,     e->machine,
                                     false,       false,   false, NULL};
            slicc_record_name(&type, e->out);
            base_text_print(e->out, " record_%u;\n", count++);
        }
    base_text_add(e->out, "};\n");
}

/* ---- Taking transitions: the functions that every machine must have. */

static bool is_state(const emitter *e, const slicc_type *type) {
    return type->kind == KIND_BAD ||
           (type->kind == KIND_ENUM && type->declaration == slicc_states_of(e->machine));
}

static bool is_state_argument(const emitter *e, const slicc_type *type) {
    return type->kind == KIND_NUMBER || type->kind == KIND_ENTRY || is_state(e, type) ||
           (type->kind == KIND_RECORD && slicc_is_entry(type->declaration));
}

/* Arguments of getState and its like: TBE, entry and address, as the function wants them. */
static void emit_state_arguments(emitter *e, const slicc_declaration *function) {
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next) {
        const slicc_type type = slicc_type_find(e, p->type, p->place);
        if (type.kind == KIND_NUMBER)
            base_text_add(e->out, ", address");
        else if (type.kind == KIND_ENUM)
            base_text_add(e->out, ", (int32_t)state");
        else if (type.kind == KIND_RECORD && slicc_same(type.name, "TBE"))
            base_text_add(e->out, ", tbe");
        else if (type.kind == KIND_RECORD && slicc_is_entry(type.declaration) &&
                 type.declaration != slicc_main_entry(e)) {
            base_text_add(e->out, ", ");
            slicc_emit_record(&type, "entry", p->place, e->out);
        } else
            base_text_add(e->out, ", entry");
        if (!is_state_argument(e, &type))
            slicc_complain(e->report, p->place,
                           "'%s' takes a TBE, an entry, an address and a state", function->name);
    }
}

static const slicc_declaration *find_by_name(emitter *e, const char *name, bool required) {
    const slicc_declaration *members = e->machine->members;
    for (const slicc_declaration *d = NULL; (d = slicc_member_next(members, d, name)) != NULL;)
        if (d->kind == SLICC_FUNCTION && d->defined)
            return d;
    if (required)
        slicc_complain(e->report, e->machine->place, "the machine %s has no function '%s'",
                       e->machine->name, name);
    return NULL;
}

/* Calls it if there is one; if it must, it returns a state. */
static void emit_state_call(emitter *e, const slicc_declaration *function, bool returns) {
    if (function == NULL)
        return;
    const slicc_type result = slicc_type_find(e, function->type, function->place);
    if (returns && !is_state(e, &result))
        slicc_complain(e->report, function->place, "'%s' returns a state, not %s", function->name,
                       result.name);
    slicc_need(e, function);
    base_text_add(e->out, returns ? "return (uint32_t)" : "");
    slicc_function_name(e, function, e->out);
    base_text_add(e->out, "(c");
    emit_state_arguments(e, function);
    base_text_add(e->out, ");\n");
}

static void emit_take(emitter *e, slicc_table *t) {
    const char *name = e->machine->name;
    const slicc_declaration *next = find_by_name(e, "getNextState", false);
    base_text_print(e->out,
                    "static uint32_t sm_%s_get(sl_controller *base, void *tbe, void *entry, "
                    "sl_address address) {\nstruct sm_%s *c = (struct sm_%s *)base;\n"
                    "(void)tbe; (void)entry; (void)address;\n",
                    name, name, name);
    emit_state_call(e, find_by_name(e, "getState", true), true);
    base_text_print(
        e->out,
        "}\nstatic void sm_%s_set(sl_controller *base, void *tbe, void *entry, "
        "sl_address address, uint32_t state) {\nstruct sm_%s *c = (struct sm_%s *)base;\n"
        "(void)tbe; (void)entry; (void)address; (void)state;\n",
        name, name, name);
    emit_state_call(e, find_by_name(e, "setState", true), false);
    emit_state_call(e, find_by_name(e, "setAccessPermission", false), false);
    base_text_print(e->out,
                    "}\nstatic uint32_t sm_%s_next(sl_controller *base, sl_address address) {\n"
                    "struct sm_%s *c = (struct sm_%s *)base;\n(void)c; (void)address;\n",
                    name, name, name);
    if (next != NULL)
        emit_state_call(e, next, true);
    else
        base_text_add(e->out, "return 0;\n");
    base_text_add(e->out, "}\n");
    slicc_emit_room(e, t);
    base_text_print(e->out,
                    "static sl_result sm_%s_take(struct sm_%s *c, uint32_t event, void *entry, "
                    "void *tbe, sl_address address) {\nreturn sl_take(&c->base, event, entry, tbe, "
                    "address, sm_%s_room, %u, %u, sm_%s_get, sm_%s_set, sm_%s_next);\n}\n",
                    name, name, name, t->state_count, t->event_count, name, name, name);
}

/* ---- Actions and ports. */

static bool implements(const slicc_declaration *d, const char *interface) {
    const slicc_pair *pair = slicc_pair_find(d->pairs, "interface");
    return pair != NULL && slicc_same(pair->value, interface);
}

const slicc_declaration *slicc_main_entry(const emitter *e) {
    static const char *const interfaces[] = {"AbstractCacheEntry", "AbstractEntry"};
    for (int i = 0; i < 2; i++)
        for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next) {
            if (d->kind != SLICC_STRUCTURE || !implements(d, interfaces[i]))
                continue;
            const slicc_pair *is_main = slicc_pair_find(d->pairs, "main");
            if (is_main == NULL || !slicc_same(is_main->value, "false"))
                return d;
        }
    return NULL;
}

/* What the transition is about, as a local variable. */
static void add_record(emitter *e, const slicc_declaration *d, const char *name,
                       const char *field) {
    const slicc_type type = {KIND_RECORD, d->name, d, e->machine, false, false, false, NULL};
    base_text text = {0};
    base_text_add(&text, "((");
    slicc_record_name(&type, &text);
    base_text_print(&text, " *)t->%s)", field);
    slicc_local_add(e, name, &type, slicc_text_or_zero(&text));
    slicc_text_end(e, &text);
}

static void emit_action(emitter *e, const slicc_declaration *action) {
    const char *name = e->machine->name;
    base_text_print(e->out,
                    "static inline void sm_%s_do_%s(sl_controller *base, sl_transition *t) {\n"
                    "struct sm_%s *c = (struct sm_%s *)base;\n(void)c; (void)t;\n",
                    name, action->name, name, name);
    e->local_count = 0;
    e->in_action = true;
    e->within = "action";
    e->within_name = action->name;
    e->result = (slicc_type){.kind = KIND_VOID, .name = "void"};
    const slicc_type address = {.kind = KIND_NUMBER, .name = "Addr"};
    slicc_local_add(e, "address", &address, "t->address");
    const slicc_declaration *tbe = slicc_member_find(e->machine->members, SLICC_STRUCTURE, "TBE");
    const slicc_declaration *entry = slicc_main_entry(e);
    if (tbe != NULL && slicc_is_entry(tbe))
        add_record(e, tbe, "tbe", "tbe");
    if (entry != NULL)
        add_record(e, entry, "cache_entry", "entry");
    slicc_emit_statements(e, action->body);
    base_text_add(e->out, "}\n");
    e->in_action = false;
    e->within = NULL;
}

static void emit_port(emitter *e, const slicc_declaration *port) {
    e->local_count = 0;
    e->result = (slicc_type){.kind = KIND_VOID, .name = "void"};
    e->port = port;
    e->within = "in_port";
    e->within_name = port->name;
    base_text_print(e->out, "static bool sm_%s_port_%s(struct sm_%s *c) {\n(void)c;\n",
                    e->machine->name, port->name, e->machine->name);
    slicc_emit_statements(e, port->body);
    base_text_add(e->out, "return false;\n}\n");
    e->port = NULL;
    e->within = NULL;
}

static void emit_wakeup(emitter *e) {
    const char *name = e->machine->name;
    base_text_print(
        e->out,
        "static void sm_%s_wakeup(sl_controller *base) {\n"
        "struct sm_%s *c = (struct sm_%s *)base;\n%s"
        "for (uint32_t taken = 0;; taken++) {\n"
        "if (taken == base->transitions_per_cycle) {\nsl_wake_later(base, 1);\nreturn;\n}\n",
        name, name, name, e->counts_calls ? "base->calls = 0;\n" : "");
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_IN_PORT)
            base_text_print(e->out, "if (sm_%s_port_%s(c)) continue;\n", name, d->name);
    base_text_add(e->out, "return;\n}\n}\n");
}

/* ---- Descriptions. */

static void emit_names(emitter *e, const char *what, const slicc_value *values) {
    base_text_print(e->out, "static const char *const sm_%s_%s[] = {", e->machine->name, what);
    for (; values != NULL; values = values->next) {
        slicc_c_string(values->name, e->out);
        base_text_add(e->out, ", ");
    }
    base_text_add(e->out, "NULL};\n");
}

static void emit_permissions(emitter *e, const slicc_declaration *states) {
    const slicc_type type = slicc_type_find(e, "AccessPermission", states->place);
    base_text_print(e->out, "static const uint8_t sm_%s_permissions[] = {", e->machine->name);
    for (const slicc_value *v = states->values; v != NULL; v = v->next) {
        if (v->permission == NULL || type.kind != KIND_ENUM ||
            slicc_value_place(type.declaration, v->permission) < 0) {
            slicc_complain(e->report, v->place, "'%s' is not an access permission",
                           v->permission == NULL ? "nothing" : v->permission);
            continue;
        }
        slicc_enumerator(&type, v->permission, e->out);
        base_text_add(e->out, ", ");
    }
    base_text_add(e->out, "};\n");
}

const slicc_declaration *slicc_port_on(const emitter *e, const char *buffer,
                                       slicc_declaration_kind kind) {
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == kind && slicc_same(d->buffer->text, buffer))
            return d;
    return NULL;
}

static void emit_buffer_description(emitter *e, const slicc_declaration *d) {
    const slicc_pair *network = slicc_pair_find(d->pairs, "network");
    const slicc_pair *virtual_network = slicc_pair_find(d->pairs, "virtual_network");
    const slicc_pair *ordered = slicc_pair_find(d->pairs, "ordered");
    const slicc_declaration *in = slicc_port_on(e, d->name, SLICC_IN_PORT);
    const slicc_declaration *out = slicc_port_on(e, d->name, SLICC_OUT_PORT);
    const slicc_declaration *port = in != NULL ? in : out;
    base_text_add(e->out, ", .network = ");
    if (virtual_network == NULL)
        base_text_add(e->out, "-1");
    else
        slicc_c_number(strtoul(virtual_network->value, NULL, 10), e->out); /* checked before */
    if (network != NULL)
        base_text_add(e->out, slicc_same(network->value, "To") ? ", .to_network = 1"
                                                               : ", .from_network = 1");
    if (ordered != NULL)
        base_text_print(e->out, ", .ordered = %d", slicc_same(ordered->value, "true") ? 1 : 2);
    base_text_add(e->out, ", .message = ");
    const slicc_type message = port != NULL && slicc_type_exists(e, port->type)
                                   ? slicc_type_find(e, port->type, port->place)
                                   : (slicc_type){.kind = KIND_BAD};
    if (message.kind == KIND_RECORD && slicc_is_message(message.declaration))
        slicc_message_number(&message, e->out);
    else
        base_text_add(e->out, "-1");
    base_text_print(e->out, ", .in_port = %d, .out_port = %d", in != NULL, out != NULL);
    if (slicc_same(d->type, "WireBuffer"))
        base_text_add(e->out, ", .wire = 1");
}

/* Does C know the value while it compiles? */
static bool is_constant(const slicc_expression *x) {
    if (x->kind == SLICC_BINARY)
        return strpbrk(x->text, "/%") == NULL && is_constant(x->left) && is_constant(x->right);
    if (x->kind == SLICC_UNARY)
        return x->text[1] == '\0' && is_constant(x->left);
    return x->kind == SLICC_NUMBER || x->kind == SLICC_BOOLEAN || x->kind == SLICC_STRING ||
           x->kind == SLICC_ENUMERATOR;
}

/* A default that design files can show; the machine's own variables are started by a function. */
static void emit_initial(emitter *e, const slicc_declaration *d, bool parameter,
                         const slicc_type *type) {
    if (!is_constant(d->value)) {
        if (parameter)
            slicc_complain(e->report, d->value->place, "the default of '%s' is not a constant",
                           d->name);
        return;
    }
    slicc_type any = *type;
    any.is_any = true;
    base_text_add(e->out, ", .has_initial = 1, .initial = ");
    slicc_emit_value(e, d->value, &any, e->out);
}

static void emit_member(emitter *e, const slicc_declaration *d, bool parameter) {
    const slicc_type type = slicc_type_find(e, d->type, d->place);
    const member_kind *kind = kind_of(d->type);
    const bool is_value = slicc_is_in_place(&type);
    if (kind == NULL && !is_value && !is_number(&type))
        return;
    base_text_add(e->out, "{");
    slicc_c_string(d->name, e->out);
    base_text_print(e->out, ", %s, offsetof(struct sm_%s, m_%s), .parameter = %d",
                    kind != NULL ? kind->kind
                    : is_value   ? "SL_MEMBER_VALUE"
                                 : "SL_MEMBER_NUMBER",
                    e->machine->name, d->name, parameter);
    if (kind == NULL && is_value)
        base_text_print(e->out, ", .record_size = sizeof ((struct sm_%s *)0)->m_%s",
                        e->machine->name, d->name);
    if (kind == NULL)
        base_text_print(e->out, ", .field = %s", slicc_field_kind(&type));
    if (slicc_is_buffer(d->type))
        emit_buffer_description(e, d);
    else if (kind != NULL)
        base_text_print(e->out, ", .record_size = sizeof(union sm_%s_entries)", e->machine->name);
    if (kind == NULL && !is_value && d->value != NULL)
        emit_initial(e, d, parameter, &type);
    if (kind == NULL && !is_value && parameter)
        slicc_emit_parameter(e, d, &type);
    base_text_add(e->out, "},\n");
}

static void emit_members(emitter *e) {
    base_text_print(e->out, "static const sl_member sm_%s_members[] = {\n", e->machine->name);
    for (const slicc_declaration *d = e->machine->arguments; d != NULL; d = d->next)
        if (d->kind == SLICC_OBJECT)
            emit_member(e, d, true);
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_OBJECT)
            emit_member(e, d, false);
    if (slicc_counts_tbes(e->machine))
        base_text_print(e->out,
                        "{\"number_of_TBEs\", SL_MEMBER_NUMBER, offsetof(struct sm_%s, "
                        "m_number_of_TBEs), .parameter = 1, .has_initial = 1, .initial = 256, "
                        ".has_least = 1, .least = 1, .has_most = 1, .most = SL_MOST_SLOTS},\n",
                        e->machine->name);
    base_text_add(e->out, "{NULL}\n};\n");
}

/* A variable of the machine that is neither a number nor data. */
static void emit_placed_start(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    if (slicc_same(type->name, "TBEStorage"))
        slicc_emit_storage_start(e, d);
    else if (type->kind == KIND_PLACED && slicc_queues_records(e, d, d->place))
        slicc_emit_queue_clear(d, e->out);
    else
        base_text_print(e->out, "memset(&c->m_%s, 0, sizeof c->m_%s);\n", d->name, d->name);
}

/* The machine's own variables start with their defaults, or with nothing. */
static void emit_initialise(emitter *e) {
    base_text_print(e->out,
                    "static void sm_%s_initialise(sl_controller *base) {\n"
                    "struct sm_%s *c = (struct sm_%s *)base;\n(void)c;\n",
                    e->machine->name, e->machine->name, e->machine->name);
    e->local_count = 0;
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next) {
        if (d->kind != SLICC_OBJECT || kind_of(d->type) != NULL)
            continue;
        const slicc_type type = slicc_type_find(e, d->type, d->place);
        const slicc_pair *given = slicc_pair_find(d->pairs, "default");
        if (given == NULL && type.kind == KIND_ENUM)
            given = slicc_pair_find(type.declaration->pairs, "default");
        if (type.kind == KIND_DESTINATION)
            base_text_print(e->out, "sl_dest_clear(c->base.system, &c->m_%s);\n", d->name);
        else if (type.kind == KIND_DATA)
            base_text_print(e->out, "sl_data_clear(&c->m_%s);\n", d->name);
        else if (slicc_is_in_place(&type))
            emit_placed_start(e, d, &type);
        if (!is_number(&type))
            continue;
        e->is_initial = true;
        base_text_print(e->out, "c->m_%s = (int64_t)(", d->name);
        if (d->value != NULL)
            slicc_emit_value(e, d->value, &type, e->out);
        else if (given != NULL)
            slicc_emit_default(e, given->value, &type, d->place, e->out);
        else
            base_text_add(e->out, "0");
        base_text_add(e->out, ");\n");
        e->is_initial = false;
    }
    base_text_add(e->out, "}\n");
}

static void emit_data_of(emitter *e, const slicc_declaration *entry, const char *field) {
    const slicc_type type = {KIND_RECORD, entry->name, entry, e->machine,
                             false,       false,       false, NULL};
    base_text_add(e->out, ".data = offsetof(");
    slicc_record_name(&type, e->out);
    base_text_add(e->out, ", ");
    slicc_c_field_name(&type, field, e->out);
    base_text_add(e->out, "),\n");
}

/* Where an entry keeps the block's data. */
static void emit_data_offset(emitter *e) {
    const slicc_declaration *entry = slicc_main_entry(e);
    const slicc_declaration *m = entry != NULL ? entry->members : NULL;
    while (m != NULL && !(m->kind == SLICC_OBJECT && slicc_same(m->type, "DataBlock")))
        m = m->next;
    if (m == NULL)
        base_text_add(e->out, ".data = -1,\n");
    else
        emit_data_of(e, entry, m->name);
}

static void emit_description(emitter *e, const slicc_table *t) {
    const char *name = e->machine->name;
    const slicc_pair *description = slicc_pair_find(e->machine->pairs, "short");
    uint32_t actions = 0;
    base_text_print(e->out, "static const char *const sm_%s_action_names[] = {", name);
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_ACTION) {
            slicc_c_string(d->name, e->out);
            base_text_add(e->out, ", ");
            actions++;
        }
    base_text_print(e->out, "NULL};\nstatic const sl_action sm_%s_actions[] = {", name);
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_ACTION)
            base_text_print(e->out, "sm_%s_do_%s, ", name, d->name);
    base_text_print(e->out, "NULL};\nstatic const sl_machine sm_%s_machine = {\n.name = ", name);
    slicc_c_string(name, e->out);
    base_text_add(e->out, ", .description = ");
    slicc_c_string(description != NULL ? description->value : "", e->out);
    base_text_print(
        e->out,
        ", .type = sm_value_MachineType_%s,\n"
        ".size = sizeof(struct sm_%s),\n"
        ".state_count = %u, .event_count = %u, .action_count = %u,\n"
        ".states = sm_%s_states, .events = sm_%s_events, .actions = sm_%s_action_names,\n"
        ".permissions = sm_%s_permissions,\n.members = sm_%s_members,\n"
        ".member_count = sizeof sm_%s_members / sizeof sm_%s_members[0] - 1,\n"
        ".cells = sm_%s_cells, .action_list = sm_%s_list, .action_list_count = %u,\n"
        ".resources = sm_%s_resources, .action_functions = sm_%s_actions,\n"
        ".sequences = sm_%s_sequences,\n"
        ".initialise = sm_%s_initialise, .wakeup = sm_%s_wakeup,\n",
        name, name, t->state_count, t->event_count, actions, name, name, name, name, name, name,
        name, name, name, t->list_count, name, name, name, name, name);
    emit_data_offset(e);
    slicc_emit_asymmetric(e);
    base_text_print(e->out,
                    ".records = sm_%s_records,\n"
                    ".record_count = sizeof sm_%s_records / sizeof sm_%s_records[0],\n",
                    name, name, name);
    base_text_print(e->out, ".needs = sm_%s_needs, .lines = sm_%s_lines, .file = ", name, name);
    slicc_c_string(base_path_name(e->machine->place.file), e->out);
    /* Locked accesses arrive as stores: what they need is ports that hold others back. */
    const uint64_t others = e->requests & ~(UINT64_C(1) << SL_LOCKED_WRITE);
    base_text_print(e->out, ",\n.requests = %llu,\n};\n",
                    (unsigned long long)(others | (uint64_t)e->holds_back << SL_LOCKED_WRITE));
}

void slicc_emit_machine(emitter *e, const slicc_declaration *machine) {
    base_arena arena = {0};
    slicc_table *t = calloc(1, sizeof *t);
    if (t == NULL) {
        e->report->failed = true;
        return;
    }
    e->machine = machine;
    e->needed_count = 0;
    e->stack = 0;
    e->requests = 0;
    e->holds_back = e->counts_calls = false;
    memset(e->asymmetric, 0, sizeof e->asymmetric);
    slicc_check_names(e, machine);
    base_text *out = e->out;
    slicc_emit_types(e, machine->members);
    emit_controller(e);
    slicc_emit_fresh_records(e, machine->members);
    if (slicc_find_cells(e, t, &arena)) {
        const slicc_declaration *states = slicc_states_of(machine);
        emit_permissions(e, states);
        emit_names(e, "states", states->values);
        emit_names(e, "events",
                   slicc_member_find(machine->members, SLICC_ENUMERATION, "Event")->values);
        /* Bodies first, into a text of their own: they tell which prototypes are needed. */
        base_text bodies = {0}, prototypes = {0};
        e->out = &bodies;
        emit_take(e, t);
        for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
            if (d->kind == SLICC_ACTION)
                emit_action(e, d);
        for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
            if (d->kind == SLICC_IN_PORT)
                emit_port(e, d);
        emit_initialise(e);
        slicc_emit_needed(e, &prototypes);
        slicc_check_unused(e, machine->members);
        if (e->stack > SLICC_MOST_STACK)
            slicc_complain(e->report, machine->place,
                           "the variables of the machine %s take more than %d KiB", machine->name,
                           SLICC_MOST_STACK / 1024);
        e->out = out;
        base_text_print(out,
                        "static sl_result sm_%s_take(struct sm_%s *, uint32_t, void *, void *, "
                        "sl_address);\n",
                        machine->name, machine->name);
        if (prototypes.data != NULL)
            base_text_add(out, prototypes.data);
        if (bodies.data != NULL)
            base_text_add(out, bodies.data);
        emit_wakeup(e);
        slicc_emit_table(e, t);
        emit_members(e);
        slicc_emit_records(e);
        emit_description(e, t);
        slicc_text_end(e, &bodies);
        slicc_text_end(e, &prototypes);
    }
    slicc_text_end(e, &t->list);
    slicc_text_end(e, &t->resources);
    free(t);
    base_arena_free(&arena);
    e->machine = NULL;
}
