/* SPDX-License-Identifier: MIT */
/* Room for TBEs: tables of them, and storages (TBEStorage), whose size is a parameter of the
 * machine that their constructor names. */
#include "slicc/emit.h"

#include <string.h>

static const char undeclared[] = "number_of_TBEs"; /* every machine has it */

static bool is_storage(const slicc_declaration *d) {
    return d->kind == SLICC_OBJECT && slicc_same(d->type, "TBEStorage");
}

static bool has_room(const slicc_declaration *d) {
    return d->kind == SLICC_OBJECT && (slicc_same(d->type, "TBETable") || is_storage(d));
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
            if (has_room(d) && bit-- == 0)
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
    return type.kind == KIND_ENUM ? type : (slicc_type){.kind = KIND_BAD};
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
    slicc_type type = {.kind = KIND_BAD};
    if (check->requests != 0)
        type = request_type(e, function);
    const slicc_value *v = type.kind == KIND_ENUM ? type.declaration->values : NULL;
    for (; v != NULL && place < 64; v = v->next, place++) {
        if ((check->requests >> place & 1) == 0)
            continue;
        slicc_need(e, function);
        base_text_add(e->out, " && ");
        slicc_function_name(e, function, e->out);
        base_text_add(e->out, "(c, ");
        slicc_enumerator(&type, v->name, e->out);
        base_text_add(e->out, ", address)");
    }
    base_text_add(e->out, ";\n");
}

void slicc_emit_room(emitter *e, slicc_table *t) {
    const char *name = e->machine->name;
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_TRANSITION)
            find_checks(e, t, d);
    base_text_print(e->out,
                    "static inline bool sm_%s_room(sl_controller *base, uint32_t check, "
                    "sl_address address) {\nstruct sm_%s *c = (struct sm_%s *)base;\n"
                    "(void)c; (void)address;\nswitch (check) {\n",
                    name, name, name);
    for (uint32_t i = 0; i < t->check_count; i++) {
        base_text_print(e->out, "case %u: ", i + 1);
        emit_check(e, &t->checks[i]);
    }
    base_text_add(e->out, "default: return true;\n}\n}\n");
}
