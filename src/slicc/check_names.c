/* SPDX-License-Identifier: MIT */
/* What is wrong with the names of a machine before any of it is written: see emit.h. */
#include "slicc/emit.h"

#include "base/path.h"
#include "slicc/externals.h"

#include <string.h>

static void check_values(emitter *e, const slicc_declaration *enumeration) {
    for (const slicc_value *v = enumeration->values; v != NULL; v = v->next)
        if (slicc_value_find(enumeration, v->name) != v)
            slicc_complain(e->report, v->place, "%s has a value '%s' already", enumeration->name,
                           v->name);
}

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

static void check_list(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        const slicc_declaration *first = find_namesake(list, d);
        if (first != NULL && first != d)
            complain_again(e, d, first);
        if (d->kind == SLICC_ENUMERATION || d->kind == SLICC_STATES)
            check_values(e, d);
        if (d->kind == SLICC_STRUCTURE)
            check_list(e, d->members);
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

static void check_port(emitter *e, const slicc_declaration *port) {
    const char *name = port->buffer->text;
    const slicc_declaration *object = slicc_member_find(e->machine->arguments, SLICC_OBJECT, name);
    if (object == NULL)
        object = slicc_member_find(e->machine->members, SLICC_OBJECT, name);
    if (object == NULL)
        slicc_complain(e->report, port->buffer->place, "there is no buffer '%s'", name);
    else if (!slicc_is_buffer(object->type) &&
             !(slicc_same(object->type, "TimerTable") && port->kind == SLICC_IN_PORT) &&
             !slicc_object_is_idle(object->type))
        slicc_complain(e->report, port->buffer->place, "'%s' is a %s, not a buffer", name,
                       object->type);
}

void slicc_check_globals(emitter *e, const slicc_declaration *list) {
    check_list(e, list);
}

/* Machines are values of MachineType. */
static void check_machine_type(emitter *e, const slicc_declaration *machine) {
    const slicc_declaration *types =
        slicc_member_find(e->tree->declarations, SLICC_ENUMERATION, "MachineType");
    if (types == NULL || slicc_value_place(types, machine->name) >= 0)
        return;
    base_text names = {0};
    for (const slicc_value *v = types->values; v != NULL; v = v->next)
        if (!slicc_same(v->name, "NULL"))
            base_text_print(&names, "%s%s", v == types->values ? "" : ", ", v->name);
    slicc_complain(e->report, machine->place, "'%s' is not a MachineType; these are %s",
                   machine->name, names.data == NULL ? "" : names.data);
    slicc_text_end(e, &names);
}

void slicc_check_names(emitter *e, const slicc_declaration *machine) {
    check_machine_type(e, machine);
    check_list(e, machine->arguments);
    check_list(e, machine->members);
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next) {
        const slicc_declaration *parameter = find_namesake(machine->arguments, d);
        if (parameter != NULL)
            complain_again(e, d, parameter);
    }
    check_network(e, machine->arguments);
    check_network(e, machine->members);
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_IN_PORT || d->kind == SLICC_OUT_PORT)
            check_port(e, d);
}
