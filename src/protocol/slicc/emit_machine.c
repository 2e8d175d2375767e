/* SPDX-License-Identifier: MIT */
/* A machine as C: its structure, functions, actions, ports, transition table and description. */
#include "base/path.h"
#include "protocol/slicc/emit_protocol.h"

#include <stdlib.h>
#include <string.h>

/* ---- The controller's structure. */

static void emit_member_fields(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind != SLICC_OBJECT)
            continue;
        const slicc_type type = slicc_type_find(e, d->type, d->place);
        const slicc_member_kind *kind = slicc_member_kind_of(d->type);
        if (kind != NULL)
            base_text_print(e->out, "%sm_%s;\n", kind->c_type, d->name);
        else if (type.kind == KIND_PLACED && slicc_queues_records(e, d, d->place))
            slicc_emit_queue_field(e, d);
        else if (slicc_is_number(&type))
            base_text_print(e->out, "%s m_%s;\n", slicc_is_natural(&type) ? "uint64_t" : "int64_t",
                            d->name);
        else if (type.kind == KIND_OBJECT)
            base_text_print(e->out, "void *m_%s;\n", d->name);
        else if (slicc_is_in_place(&type))
            slicc_out(e, "%f m_%s;\n", &type, d->name);
    }
}

static void emit_controller(emitter *e) {
    slicc_out(e, "struct sm_%M {\nsl_controller base;\n");
    emit_member_fields(e, e->machine->arguments);
    emit_member_fields(e, e->machine->members);
    if (slicc_counts_tbes(e->machine))
        base_text_add(e->out, "int64_t m_number_of_TBEs;\n");
    base_text_add(e->out, "};\n");
    /* The largest record that a cache or directory of this machine may hold. */
    slicc_out(e, "union sm_%M_entries {\nsl_entry none;\n");
    uint32_t count = 0;
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_STRUCTURE && slicc_is_entry(d) && !d->external) {
            const slicc_type type = slicc_record_type(e, d);
            slicc_out(e, "%r record_%u;\n", &type, count++);
        }
    base_text_add(e->out, "};\n");
}

/* ---- Taking transitions: the functions that every machine must have. */

static bool is_state(const emitter *e, const slicc_type *type) {
    return type->kind == KIND_BAD ||
           (type->kind == KIND_ENUM && type->declaration == slicc_states_of(e->machine));
}

static bool is_state_argument(const emitter *e, const slicc_type *type) {
    return type->kind == KIND_NUMBER || is_state(e, type) || slicc_is_any_entry(type);
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
            slicc_emit_record(e, &type, "entry", p->place, e->out);
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
    slicc_out(e, "%s%g(c", returns ? "return (uint32_t)" : "", function);
    emit_state_arguments(e, function);
    base_text_add(e->out, ");\n");
}

static void emit_take(emitter *e, slicc_table *t) {
    const slicc_declaration *next = find_by_name(e, "getNextState", false);
    slicc_out(e, "static uint32_t sm_%M_get(sl_controller *base, void *tbe, void *entry, "
                 "sl_address address) {\nstruct sm_%M *c = (struct sm_%M *)base;\n"
                 "(void)tbe; (void)entry; (void)address;\n");
    emit_state_call(e, find_by_name(e, "getState", true), true);
    slicc_out(e, "}\nstatic void sm_%M_set(sl_controller *base, void *tbe, void *entry, "
                 "sl_address address, uint32_t state) {\nstruct sm_%M *c = (struct sm_%M *)base;\n"
                 "(void)tbe; (void)entry; (void)address; (void)state;\n");
    emit_state_call(e, find_by_name(e, "setState", true), false);
    emit_state_call(e, find_by_name(e, "setAccessPermission", false), false);
    slicc_out(e, "}\nstatic uint32_t sm_%M_next(sl_controller *base, sl_address address) {\n"
                 "struct sm_%M *c = (struct sm_%M *)base;\n(void)c; (void)address;\n");
    if (next != NULL)
        emit_state_call(e, next, true);
    else
        base_text_add(e->out, "return 0;\n");
    base_text_add(e->out, "}\n");
    slicc_emit_room(e, t);
    slicc_out(e,
              "static sl_result sm_%M_take(struct sm_%M *c, uint32_t event, void *entry, "
              "void *tbe, sl_address address) {\nreturn sl_take(&c->base, event, entry, tbe, "
              "address, sm_%M_room, %u, %u, sm_%M_get, sm_%M_set, sm_%M_next);\n}\n",
              t->state_count, t->event_count);
}

/* ---- Actions and ports. */

const slicc_declaration *slicc_main_entry(const emitter *e) {
    static const char *const interfaces[] = {"AbstractCacheEntry", "AbstractEntry"};
    for (int i = 0; i < 2; i++)
        for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next) {
            if (d->kind != SLICC_STRUCTURE || !slicc_implements(d, interfaces[i]))
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
    const slicc_type type = slicc_record_type(e, d);
    base_text text = {0};
    slicc_print(e, &text, "((%r *)t->%s)", &type, field);
    slicc_local_add(e, name, &type, slicc_text_or_zero(&text));
    slicc_text_end(e, &text);
}

static void emit_action(emitter *e, const slicc_declaration *action) {
    slicc_out(e,
              "static inline void sm_%M_do_%s(sl_controller *base, sl_transition *t) {\n"
              "struct sm_%M *c = (struct sm_%M *)base;\n(void)c; (void)t;\n",
              action->name);
    e->local_count = 0;
    e->within = action;
    e->result = slicc_nothing;
    slicc_local_add(e, "address", &slicc_address, "t->address");
    const slicc_declaration *tbe = slicc_member_find(e->machine->members, SLICC_STRUCTURE, "TBE");
    const slicc_declaration *entry = slicc_main_entry(e);
    if (tbe != NULL && slicc_is_entry(tbe))
        add_record(e, tbe, "tbe", "tbe");
    if (entry != NULL)
        add_record(e, entry, "cache_entry", "entry");
    slicc_emit_statements(e, action->body);
    base_text_add(e->out, "}\n");
    e->within = NULL;
}

const slicc_declaration *slicc_port_at_work(const emitter *e) {
    return e->within != NULL && e->within->kind == SLICC_IN_PORT ? e->within : NULL;
}

static void emit_port(emitter *e, const slicc_declaration *port) {
    e->local_count = 0;
    e->result = slicc_nothing;
    e->within = port;
    slicc_out(e, "static bool sm_%M_port_%s(struct sm_%M *c) {\n(void)c;\n", port->name);
    slicc_emit_statements(e, port->body);
    base_text_add(e->out, "return false;\n}\n");
    e->within = NULL;
}

static void emit_wakeup(emitter *e) {
    slicc_out(e,
              "static void sm_%M_wakeup(sl_controller *base) {\n"
              "struct sm_%M *c = (struct sm_%M *)base;\n%s"
              "for (uint32_t taken = 0;; taken++) {\n"
              "if (taken == base->transitions_per_cycle) {\nsl_wake_later(base, 1);\nreturn;\n}\n",
              e->counts_calls ? "base->calls = 0;\n" : "");
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_IN_PORT)
            slicc_out(e, "if (sm_%M_port_%s(c)) continue;\n", d->name);
    base_text_add(e->out, "return;\n}\n}\n");
}

/* ---- Descriptions. */

static void emit_names(emitter *e, const char *what, const slicc_value *values) {
    slicc_out(e, "static const char *const sm_%M_%s[] = {", what);
    for (; values != NULL; values = values->next)
        slicc_out(e, "%q, ", values->name);
    base_text_add(e->out, "NULL};\n");
}

static void emit_permissions(emitter *e, const slicc_declaration *states) {
    const slicc_type type = slicc_type_find(e, "AccessPermission", states->place);
    slicc_out(e, "static const uint8_t sm_%M_permissions[] = {");
    for (const slicc_value *v = states->values; v != NULL; v = v->next) {
        if (v->permission == NULL || type.kind != KIND_ENUM ||
            slicc_value_place(type.declaration, v->permission) < 0) {
            slicc_complain(e->report, v->place, "'%s' is not an access permission",
                           v->permission == NULL ? "nothing" : v->permission);
            continue;
        }
        slicc_out(e, "%v, ", &type, v->permission);
    }
    base_text_add(e->out, "};\n");
}

static void emit_buffer_description(emitter *e, const slicc_declaration *d) {
    const slicc_pair *network = slicc_pair_find(d->pairs, "network");
    const slicc_pair *virtual_network = slicc_pair_find(d->pairs, "virtual_network");
    const slicc_pair *ordered = slicc_pair_find(d->pairs, "ordered");
    const slicc_declaration *in = slicc_port_on(e->machine, d->name, SLICC_IN_PORT);
    const slicc_declaration *out = slicc_port_on(e->machine, d->name, SLICC_OUT_PORT);
    const slicc_declaration *port = in != NULL ? in : out;
    slicc_out(e, ", .network = %d", /* checked before */
              virtual_network == NULL ? -1 : (int)strtoul(virtual_network->value, NULL, 10));
    if (network != NULL)
        base_text_add(e->out, slicc_same(network->value, "To") ? ", .to_network = 1"
                                                               : ", .from_network = 1");
    if (ordered != NULL)
        base_text_print(e->out, ", .ordered = %d", slicc_same(ordered->value, "true") ? 1 : 2);
    const slicc_type message = port != NULL && slicc_type_exists(e, port->type)
                                   ? slicc_type_find(e, port->type, port->place)
                                   : slicc_bad;
    const bool is_message = message.kind == KIND_RECORD && slicc_is_message(message.declaration);
    slicc_out(e, is_message ? ", .message = %i" : ", .message = -1", &message);
    slicc_out(e, ", .in_port = %d, .out_port = %d", in != NULL, out != NULL);
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
    slicc_out(e, ", .has_initial = 1, .initial = %x", d->value, &any);
}

static void emit_member(emitter *e, const slicc_declaration *d, bool parameter) {
    const slicc_type type = slicc_type_find(e, d->type, d->place);
    const slicc_member_kind *kind = slicc_member_kind_of(d->type);
    const bool is_value = slicc_is_in_place(&type);
    if (kind == NULL && !is_value && !slicc_is_number(&type))
        return;
    slicc_out(e, "{%q, %s, offsetof(struct sm_%M, m_%s), .parameter = %d", d->name,
              kind != NULL ? kind->kind
              : is_value   ? "SL_MEMBER_VALUE"
                           : "SL_MEMBER_NUMBER",
              d->name, parameter);
    if (kind == NULL && is_value)
        slicc_out(e, ", .record_size = sizeof ((struct sm_%M *)0)->m_%s", d->name);
    if (kind == NULL)
        base_text_print(e->out, ", .field = %s", slicc_field_kind(&type));
    if (slicc_is_buffer(d->type))
        emit_buffer_description(e, d);
    else if (kind != NULL)
        slicc_out(e, ", .record_size = sizeof(union sm_%M_entries)");
    if (kind == NULL && !is_value && d->value != NULL)
        emit_initial(e, d, parameter, &type);
    if (kind == NULL && !is_value && parameter)
        slicc_emit_parameter(e, d, &type);
    base_text_add(e->out, "},\n");
}

static void emit_members(emitter *e) {
    slicc_out(e, "static const sl_member sm_%M_members[] = {\n");
    for (const slicc_declaration *d = e->machine->arguments; d != NULL; d = d->next)
        if (d->kind == SLICC_OBJECT)
            emit_member(e, d, true);
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_OBJECT)
            emit_member(e, d, false);
    if (slicc_counts_tbes(e->machine))
        slicc_out(e, "{\"number_of_TBEs\", SL_MEMBER_NUMBER, offsetof(struct sm_%M, "
                     "m_number_of_TBEs), .parameter = 1, .has_initial = 1, .initial = 256, "
                     ".has_least = 1, .least = 1, .has_most = 1, .most = SL_MOST_SLOTS},\n");
    base_text_add(e->out, "{NULL}\n};\n");
}

/* The machine's own variables start with their defaults, or with nothing. */
static void emit_initialise(emitter *e) {
    slicc_out(e, "static void sm_%M_initialise(sl_controller *base) {\n"
                 "struct sm_%M *c = (struct sm_%M *)base;\n(void)c;\n");
    e->local_count = 0;
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next) {
        if (d->kind != SLICC_OBJECT || slicc_member_kind_of(d->type) != NULL)
            continue;
        const slicc_type type = slicc_type_find(e, d->type, d->place);
        if (type.kind == KIND_DESTINATION)
            base_text_print(e->out, "sl_dest_clear(c->base.system, &c->m_%s);\n", d->name);
        else if (type.kind == KIND_DATA)
            base_text_print(e->out, "sl_data_clear(&c->m_%s);\n", d->name);
        else if (slicc_is_in_place(&type)) {
            /* A variable of the machine that is neither a number nor data. */
            if (slicc_same(type.name, "TBEStorage"))
                slicc_emit_storage_start(e, d);
            else if (type.kind == KIND_PLACED && slicc_queues_records(e, d, d->place))
                slicc_emit_queue_clear(d, e->out);
            else
                base_text_print(e->out, "memset(&c->m_%s, 0, sizeof c->m_%s);\n", d->name, d->name);
        }
        if (!slicc_is_number(&type))
            continue;
        e->is_initial = true;
        base_text_print(e->out, "c->m_%s = (int64_t)(", d->name);
        if (d->value != NULL)
            slicc_emit_value(e, d->value, &type, e->out);
        else
            slicc_emit_default(e, d, &type, e->out);
        base_text_add(e->out, ");\n");
        e->is_initial = false;
    }
    base_text_add(e->out, "}\n");
}

static void emit_description(emitter *e, const slicc_table *t) {
    const char *name = e->machine->name;
    const slicc_pair *description = slicc_pair_find(e->machine->pairs, "short");
    uint32_t actions = 0;
    slicc_out(e, "static const char *const sm_%M_action_names[] = {");
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_ACTION) {
            slicc_out(e, "%q, ", d->name);
            actions++;
        }
    slicc_out(e, "NULL};\nstatic const sl_action sm_%M_actions[] = {");
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_ACTION)
            slicc_out(e, "sm_%M_do_%s, ", d->name);
    slicc_out(e,
              "NULL};\nstatic const sl_machine sm_%M_machine = {\n.name = %q, .description = %q, "
              ".type = sm_value_MachineType_%M,\n"
              ".size = sizeof(struct sm_%M),\n"
              ".state_count = %u, .event_count = %u, .action_count = %u,\n"
              ".states = sm_%M_states, .events = sm_%M_events, .actions = sm_%M_action_names,\n"
              ".permissions = sm_%M_permissions,\n.members = sm_%M_members,\n"
              ".member_count = sizeof sm_%M_members / sizeof sm_%M_members[0] - 1,\n"
              ".cells = sm_%M_cells, .action_list = sm_%M_list, .action_list_count = %u,\n"
              ".resources = sm_%M_resources, .action_functions = sm_%M_actions,\n"
              ".sequences = sm_%M_sequences,\n"
              ".initialise = sm_%M_initialise, .wakeup = sm_%M_wakeup,\n",
              name, description != NULL ? description->value : "", t->state_count, t->event_count,
              actions, t->list_count);
    /* Where an entry keeps the block's data. */
    const slicc_declaration *entry = slicc_main_entry(e);
    const slicc_declaration *m = entry != NULL ? entry->members : NULL;
    while (m != NULL && !(m->kind == SLICC_OBJECT && slicc_same(m->type, "DataBlock")))
        m = m->next;
    if (m == NULL)
        base_text_add(e->out, ".data = -1,\n");
    else {
        const slicc_type type = slicc_record_type(e, entry);
        slicc_out(e, ".data = offsetof(%r, %a),\n", &type, &type, m->name);
    }
    slicc_emit_asymmetric(e);
    slicc_out(e,
              ".records = sm_%M_records,\n"
              ".record_count = sizeof sm_%M_records / sizeof sm_%M_records[0],\n.needs = "
              "sm_%M_needs, .lines = sm_%M_lines, .file = %q",
              base_path_name(e->machine->place.file));
    /* Locked accesses arrive as stores: what they need is ports that hold others back. */
    const uint64_t others = e->requests & ~(UINT64_C(1) << SL_LOCKED_WRITE);
    base_text_print(e->out, ",\n.requests = %llu,\n};\n",
                    (unsigned long long)(others | (uint64_t)e->holds_back << SL_LOCKED_WRITE));
}

void slicc_emit_machine(emitter *e, const slicc_declaration *machine) {
    base_arena arena = {0};
    slicc_table *t = base_arena_take(&arena, sizeof *t);
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
    base_arena_free(&arena);
    e->machine = NULL;
}
