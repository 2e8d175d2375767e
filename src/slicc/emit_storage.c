/* SPDX-License-Identifier: MIT */
/* Room for TBEs: tables of them, and storages (TBEStorage), whose size is a parameter of the
 * machine that their constructor names. */
#include "slicc/emit.h"

#include <string.h>

static const char undeclared[] = "number_of_TBEs"; /* every machine has it */

static bool is_storage(const slicc_declaration *d) {
    return d->kind == SLICC_OBJECT && slicc_same(d->type, "TBEStorage");
}

static bool checks(const slicc_statement *list, const char *name) {
    for (; list != NULL; list = list->next)
        if ((list->kind == SLICC_CHECK_ALLOCATE && slicc_same(list->port->text, name)) ||
            checks(list->body, name) || checks(list->otherwise, name))
            return true;
    return false;
}

/* A table or storage that some action asks for room. */
static bool is_checked(const slicc_declaration *machine, const slicc_declaration *d) {
    if (d->kind != SLICC_OBJECT ||
        (!slicc_same(d->type, "TBETable") && !slicc_same(d->type, "TBEStorage")))
        return false;
    for (const slicc_declaration *a = machine->members; a != NULL; a = a->next)
        if (a->kind == SLICC_ACTION && checks(a->body, d->name))
            return true;
    return false;
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

uint32_t slicc_storage_bit(const emitter *e, const char *name) {
    const slicc_declaration *const lists[] = {e->machine->members, e->machine->arguments};
    uint32_t bit = 0;
    for (int i = 0; i < 2; i++)
        for (const slicc_declaration *d = lists[i]; d != NULL; d = d->next) {
            if (!is_checked(e->machine, d))
                continue;
            if (slicc_same(d->name, name))
                return bit;
            bit++;
        }
    return bit;
}

void slicc_emit_room(emitter *e) {
    const slicc_declaration *const lists[] = {e->machine->members, e->machine->arguments};
    const char *name = e->machine->name;
    uint32_t bit = 0;
    base_text_print(e->out,
                    "static inline bool sm_%s_room(sl_controller *base, uint32_t tables) {\n"
                    "struct sm_%s *c = (struct sm_%s *)base;\n(void)c; (void)tables;\n"
                    "return true",
                    name, name, name);
    for (int i = 0; i < 2; i++)
        for (const slicc_declaration *d = lists[i]; d != NULL; d = d->next)
            if (is_checked(e->machine, d)) {
                base_text_print(e->out,
                                is_storage(d)
                                    ? " && ((tables & %u) == 0 || sl_storage_free(&c->m_%s) > 0)"
                                    : " && ((tables & %u) == 0 || sl_table_has_room(c->m_%s))",
                                1U << (bit < SLICC_MOST_TABLES ? bit : 0), d->name);
                bit++;
            }
    base_text_add(e->out, ";\n}\n");
    if (bit > SLICC_MOST_TABLES)
        slicc_complain(e->report, e->machine->place,
                       "the actions of a machine ask at most %d tables for room",
                       SLICC_MOST_TABLES);
}
