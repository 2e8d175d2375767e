/* SPDX-License-Identifier: MIT */
/* What is wrong with the names of a machine before any of it is written: see emit_protocol.h. */
#include "base/path.h"
#include "protocol/slicc/emit_protocol.h"

#include <string.h>

/* The first of a list that wants the same name in C, the declaration itself included. Functions are
 * told apart by their arguments. */
static const slicc_declaration *find_namesake(const slicc_declaration *list,
                                              const slicc_declaration *d) {
    return d->kind == SLICC_FUNCTION || d->kind == SLICC_TRANSITION
               ? NULL
               : slicc_member_find(list, d->kind, d->name);
}

/* The place of an earlier declaration, with its file where that is another one. */
static void complain_again(emitter *e, const slicc_declaration *d,
                           const slicc_declaration *before) {
    if (slicc_same(d->place.file, before->place.file))
        slicc_complain(e->report, d->place, "'%s' is already declared in line %u", d->name,
                       before->place.line);
    else
        slicc_complain(e->report, d->place, "'%s' is already declared in %s:%u", d->name,
                       base_path_name(before->place.file), before->place.line);
}

void slicc_check_list(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        const slicc_declaration *first = find_namesake(list, d);
        if (first != NULL && first != d)
            complain_again(e, d, first);
        for (const slicc_value *v = d->values; v != NULL; v = v->next)
            if (slicc_value_find(d, v->name) != v)
                slicc_complain(e->report, v->place, "%s has a value '%s' already", d->name,
                               v->name);
        if (d->kind == SLICC_STRUCTURE)
            slicc_check_list(e, d->members);
    }
}

static void check_network(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        const slicc_pair *network = slicc_pair_find(d->pairs, "virtual_network");
        if (d->kind == SLICC_OBJECT && network != NULL &&
            (network->value[0] == '\0' || strlen(network->value) > 3 ||
             strspn(network->value, "0123456789") != strlen(network->value)))
            slicc_complain(e->report, d->place, "the virtual network of '%s' is not a number",
                           d->name);
    }
}

/* Machines are values of MachineType. */
static void check_machine_type(emitter *e, const slicc_declaration *machine) {
    const slicc_declaration *types =
        slicc_member_find(e->tree->declarations, SLICC_ENUMERATION, "MachineType");
    if (types == NULL || slicc_value_place(types, machine->name) >= 0)
        return;
    base_list names = {""};
    for (const slicc_value *v = types->values; v != NULL; v = v->next)
        if (!slicc_same(v->name, "NULL"))
            base_list_add(&names, v->name);
    slicc_complain(e->report, machine->place, "'%s' is not a MachineType; these are %s",
                   machine->name, names.text);
}

void slicc_check_names(emitter *e, const slicc_declaration *machine) {
    check_machine_type(e, machine);
    slicc_check_list(e, machine->arguments);
    slicc_check_list(e, machine->members);
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next) {
        const slicc_declaration *parameter = find_namesake(machine->arguments, d);
        if (parameter != NULL)
            complain_again(e, d, parameter);
    }
    check_network(e, machine->arguments);
    check_network(e, machine->members);
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_IN_PORT || d->kind == SLICC_OUT_PORT) {
            const char *name = d->buffer->text;
            const slicc_declaration *object = slicc_object_find(e, name);
            if (object == NULL)
                slicc_complain(e->report, d->buffer->place, "there is no buffer '%s'", name);
            else if (!slicc_is_buffer(object->type) &&
                     !(slicc_same(object->type, "TimerTable") && d->kind == SLICC_IN_PORT) &&
                     !slicc_object_is_idle(object->type))
                slicc_complain(e->report, d->buffer->place, "'%s' is a %s, not a buffer", name,
                               object->type);
        }
}

/*
 * Which types go together, as gem5's compiler has it: a value is of the type that is wanted, an int
 * is neither a bool nor a number of cycles, and operators take the pairs of types listed here.
 */

/* Older protocols have other names for two of the types. */
static const char *usual_name(const slicc_type *type) {
    return slicc_same(type->name, "Address") ? "Addr"
           : slicc_same(type->name, "Time")  ? "Cycles"
                                             : type->name;
}

bool slicc_numbers_fit(const slicc_type *type, const slicc_type *wanted) {
    if (type->kind != wanted->kind)
        return false;
    return type->kind != KIND_NUMBER || wanted->is_any || type->is_any ||
           slicc_same(usual_name(type), usual_name(wanted));
}

bool slicc_numbers_compare(const slicc_type *a, const slicc_type *b) {
    const char *left = usual_name(a), *right = usual_name(b);
    return slicc_numbers_fit(a, b) || (slicc_same(left, "Addr") && slicc_same(right, "int")) ||
           (slicc_same(left, "int") && slicc_same(right, "Addr"));
}

bool slicc_operate(const char *name, const slicc_type *a, const slicc_type *b,
                   const char **result) {
    static const struct {
        const char *operators, *left, *right, *result;
    } rows[] = {
        {"&& ||", "bool", "bool", "bool"},           {"<< >>", "int", "int", "int"},
        {"<< >>", "Cycles", "int", "Cycles"},        {"+ - * / %", "int", "int", "int"},
        {"+ - * / %", "Cycles", "Cycles", "Cycles"}, {"+ - * / %", "Tick", "Tick", "Tick"},
        {"+ - * / %", "Addr", "Addr", "Addr"},       {"+ - * / %", "Cycles", "int", "Cycles"},
        {"+ - * / %", "Scalar", "int", "Scalar"},    {"+ - * / %", "int", "bool", "int"},
        {"+ - * / %", "bool", "int", "int"},         {"+ - * / %", "int", "Cycles", "Cycles"},
        {"+ - * / %", "Addr", "int", "Addr"},        {"+ - * / %", "int", "Addr", "Addr"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strstr(rows[i].operators, name) != NULL && slicc_same(rows[i].left, usual_name(a)) &&
            slicc_same(rows[i].right, usual_name(b))) {
            *result = rows[i].result;
            return true;
        }
    return false;
}

/*
 * What a protocol declares and never uses: actions of no transition, events that nothing triggers,
 * states that nothing leads to. Such a protocol is translated all the same. One walk over a machine
 * marks what is used; names are found by bisection.
 */

typedef struct used_names {
    const slicc_declaration *members;
    bool **marks; /* by the number of a member: of an action one, of states and events one each */
} used_names;

static bool is_watched(const slicc_declaration *d) {
    return d->kind == SLICC_STATES || d->kind == SLICC_ACTION ||
           (d->kind == SLICC_ENUMERATION && slicc_same(d->name, "Event"));
}

static void mark_value(const used_names *u, const slicc_declaration *d, const char *name) {
    const slicc_value *value =
        d != NULL && u->marks[d->number] != NULL ? slicc_value_find(d, name) : NULL;
    if (value != NULL)
        u->marks[d->number][value->number] = true;
}

/* Type:name written anywhere. Mentions in functions count, too: getState may well be the only one
 * to know of a state. */
static void mark_expression(const used_names *u, const slicc_expression *x) {
    for (; x != NULL; x = x->next) {
        if (x->kind == SLICC_ENUMERATOR) {
            mark_value(u, slicc_member_find(u->members, SLICC_STATES, x->type), x->text);
            mark_value(u, slicc_member_find(u->members, SLICC_ENUMERATION, x->type), x->text);
        }
        mark_expression(u, x->left);
        mark_expression(u, x->right);
        mark_expression(u, x->arguments);
    }
}

static void mark_statements(const used_names *u, const slicc_statement *s) {
    for (; s != NULL; s = s->next) {
        mark_expression(u, s->target);
        mark_expression(u, s->value);
        mark_expression(u, s->latency);
        mark_expression(u, s->bypass);
        mark_statements(u, s->body);
        mark_statements(u, s->otherwise);
    }
}

/* By transitions; one without a next state stays in its states, which leads nowhere new. */
static void mark_entered(const used_names *u, const slicc_declaration *states) {
    for (const slicc_declaration *d = u->members; d != NULL; d = d->next)
        if (d->kind == SLICC_TRANSITION && d->next_state != NULL)
            mark_value(u, states, d->next_state->text);
}

static void mark_members(const used_names *u) {
    for (const slicc_declaration *d = u->members; d != NULL; d = d->next) {
        mark_statements(u, d->body);
        mark_expression(u, d->value);
        if (d->kind == SLICC_STATES)
            mark_entered(u, d);
        for (const slicc_name *a = d->actions; a != NULL; a = a->next) {
            const slicc_declaration *action = slicc_member_find(u->members, SLICC_ACTION, a->text);
            if (action != NULL)
                *u->marks[action->number] = true;
        }
    }
}

/* The tree is sorted, so declarations and values have their numbers. False: no memory. */
static bool warn_of_machine(const slicc_declaration *m, slicc_report *report, base_arena *arena) {
    used_names u = {.members = m->members};
    size_t members = 0;
    for (const slicc_declaration *d = m->members; d != NULL; d = d->next)
        members++;
    u.marks = base_arena_take(arena, (members + 1) * sizeof *u.marks);
    if (u.marks == NULL)
        return false;
    for (const slicc_declaration *d = m->members; d != NULL; d = d->next)
        if (is_watched(d) &&
            (u.marks[d->number] = base_arena_take(arena, d->value_count + 1)) == NULL)
            return false;
    mark_members(&u);
    for (const slicc_declaration *d = m->members; d != NULL; d = d->next) {
        const bool *marks = u.marks[d->number];
        if (d->kind == SLICC_ACTION && !*marks)
            slicc_warn(report, d->place, "the action %s is never used", d->name);
        for (const slicc_value *v = marks == NULL ? NULL : d->values; v != NULL; v = v->next)
            if (d->kind != SLICC_STATES && !marks[v->number])
                slicc_warn(report, v->place, "the event %s is never triggered", v->name);
            else if (d->kind == SLICC_STATES && !marks[v->number] &&
                     v != slicc_default_of(d, d->pairs)) /* in which the machine starts */
                slicc_warn(report, v->place, "the state %s is never entered", v->name);
    }
    return true;
}

void slicc_warn_of_unused(const slicc_tree *tree, slicc_report *report) {
    base_arena arena = {0};
    for (const slicc_declaration *m = tree->declarations; m != NULL; m = m->next)
        if (m->kind == SLICC_MACHINE && !warn_of_machine(m, report, &arena))
            report->failed = true;
    base_arena_free(&arena);
}

/*
 * What tells cores or blocks apart: an order among machine ids, numbers made of them, bits of
 * addresses. A machine without any of it treats all cores, or all blocks, alike
 * (docs/exploration.md), and says so in its description.
 */

static const struct {
    const char *object, *name;
    uint32_t what;
} breakers[] = {
    {"", "version", SL_ASYMMETRIC_CORES},
    {"RubyRequest", "contextId", SL_ASYMMETRIC_CORES},
    {"", "machineIDToNodeID", SL_ASYMMETRIC_CORES},
    {"", "machineIDToVersion", SL_ASYMMETRIC_CORES},
    {"", "createMachineID", SL_ASYMMETRIC_CORES},
    {"NetDest", "smallestElement", SL_ASYMMETRIC_PICKS},
    {"Set", "smallestElement", SL_ASYMMETRIC_CORES},
    {"Set", "add", SL_ASYMMETRIC_CORES},
    {"PersistentTable", "persistentRequestLock", SL_ASYMMETRIC_CORES},
    {"", "makeNextStrideAddress", SL_ASYMMETRIC_BLOCKS},
    {"", "bitSelect", SL_ASYMMETRIC_BLOCKS},
    {"", "maskLowOrderBits", SL_ASYMMETRIC_BLOCKS},
    {"", "addressToInt", SL_ASYMMETRIC_BLOCKS},
    {"", "intToAddress", SL_ASYMMETRIC_BLOCKS},
};

static bool is_address(const slicc_type *type) {
    return type->kind == KIND_NUMBER &&
           (slicc_same(type->name, "Addr") || slicc_same(type->name, "Address"));
}

static bool is_node(const slicc_type *type) {
    return type->kind == KIND_NUMBER && slicc_same(type->name, "NodeID");
}

static void note(emitter *e, uint32_t what, slicc_place place) {
    if (!e->is_unused && e->asymmetric[what].file == NULL)
        e->asymmetric[what] = place;
}

void slicc_note_use(emitter *e, const char *object, const char *name, slicc_place place) {
    for (size_t i = 0; i < sizeof breakers / sizeof breakers[0]; i++)
        if (slicc_same(breakers[i].object, object) && slicc_same(breakers[i].name, name))
            note(e, breakers[i].what, place);
}

void slicc_note_operator(emitter *e, const char *name, const slicc_type *a, const slicc_type *b,
                         slicc_place place) {
    const bool is_equality = slicc_same(name, "==") || slicc_same(name, "!=");
    if ((is_address(a) || is_address(b)) && !(is_equality && is_address(a) && is_address(b)))
        note(e, SL_ASYMMETRIC_BLOCKS, place);
    if ((is_node(a) || is_node(b)) && !(is_equality && is_node(a) && is_node(b)))
        note(e, SL_ASYMMETRIC_CORES, place);
}

void slicc_note_cast(emitter *e, const slicc_type *from, const slicc_type *to, slicc_place place) {
    if (is_address(from) != is_address(to))
        note(e, SL_ASYMMETRIC_BLOCKS, place);
    if (is_node(from) != is_node(to))
        note(e, SL_ASYMMETRIC_CORES, place);
}

void slicc_emit_asymmetric(emitter *e) {
    base_text_add(e->out, ".asymmetric = {");
    for (uint32_t i = 0; i < SL_SYMMETRIES; i++)
        slicc_out(e, e->asymmetric[i].file == NULL ? "NULL, " : "%p, ", e->asymmetric[i]);
    base_text_add(e->out, "},\n");
}
