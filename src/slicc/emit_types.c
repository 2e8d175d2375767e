/* SPDX-License-Identifier: MIT */
/* Enumerations and structures as C, with functions that give a fresh record its defaults. */
#include "slicc/emit.h"

static void emit_enumeration(emitter *e, const slicc_declaration *d) {
    const slicc_type type = {KIND_ENUM, d->name, d, e->machine, false};
    col_text_add(e->out, "enum {");
    for (const slicc_value *value = d->values; value != NULL; value = value->next) {
        col_text_add(e->out, " ");
        slicc_enumerator(&type, value->name, e->out);
        col_text_add(e->out, value->next != NULL ? "," : "");
    }
    col_text_add(e->out, " };\n");
}

/* Structures that the runtime already has. */
static bool is_given(const slicc_declaration *d) {
    return slicc_same(d->name, "RubyRequest") || slicc_same(d->name, "MemoryMsg");
}

static bool is_field(emitter *e, const slicc_declaration *member) {
    if (member->kind != SLICC_OBJECT)
        return false;
    /* Fields of types that do not exist here (packets, masks) are left out. */
    return slicc_type_exists(e, member->type);
}

static void emit_structure(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    slicc_record_name(type, e->out);
    col_text_add(e->out, " {\n");
    if (slicc_is_message(d))
        col_text_add(e->out, "sl_message header;\n");
    else if (slicc_is_entry(d))
        col_text_add(e->out, "sl_entry header;\n");
    /* Destinations last: they have room for all controllers, and few words of it are ever used. */
    for (int large = 0; large < 2; large++)
        for (const slicc_declaration *m = d->members; m != NULL; m = m->next) {
            if (!is_field(e, m))
                continue;
            const slicc_type field = slicc_type_find(e, m->type, m->place);
            if ((field.kind == KIND_DESTINATION) != (large == 1))
                continue;
            slicc_c_field(&field, e->out);
            col_text_print(e->out, " %s;\n", m->name);
        }
    col_text_add(e->out, "};\n");
}

/* A field's default: its own, or that of its enumeration. */
static void emit_field_default(emitter *e, const slicc_declaration *m, const slicc_type *field) {
    const slicc_pair *given = slicc_pair_find(m->pairs, "default");
    if (given == NULL && field->kind == KIND_ENUM)
        given = slicc_pair_find(field->declaration->pairs, "default");
    if (field->kind == KIND_DESTINATION) {
        col_text_print(e->out, "sl_dest_clear(c->base.system, &r->%s);\n", m->name);
        return;
    }
    if (field->kind == KIND_DATA) {
        col_text_print(e->out, "sl_data_clear(&r->%s);\n", m->name);
        return;
    }
    if (field->kind == KIND_RECORD) {
        col_text_print(e->out, "memset(&r->%s, 0, sizeof r->%s);\n", m->name, m->name);
        return;
    }
    col_text_print(e->out, "r->%s = ", m->name);
    if (given != NULL)
        slicc_emit_default(e, given->value, field, m->place, e->out);
    else
        col_text_add(e->out, "0");
    col_text_add(e->out, ";\n");
}

static void emit_fields_default(emitter *e, const slicc_declaration *d) {
    for (const slicc_declaration *m = d->members; m != NULL; m = m->next) {
        if (!is_field(e, m))
            continue;
        const slicc_type field = slicc_type_find(e, m->type, m->place);
        emit_field_default(e, m, &field);
    }
}

/* sm_RequestMsg_new and sm_L1Cache_Entry_init. */
static void emit_fresh(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    const bool message = slicc_is_message(d);
    if (!message && !slicc_is_entry(d))
        return;
    col_text_add(e->out, "static inline ");
    slicc_record_name(type, e->out);
    if (message)
        col_text_print(e->out, " *sm_%s_new(sm_any *c) {\n", d->name);
    else
        col_text_print(e->out, " *sm_%s_%s_init(struct sm_%s *c, void *record) {\n",
                       e->machine->name, d->name, e->machine->name);
    slicc_record_name(type, e->out);
    if (message)
        col_text_print(e->out, " *r = sl_message_new(c->base.system, SM_MESSAGE_%s);\n", d->name);
    else
        col_text_add(e->out, " *r = record;\n(void)c;\n");
    emit_fields_default(e, d);
    col_text_add(e->out, "return r;\n}\n");
    if (message)
        return;
    /* A perfect cache has every block: what is looked up is there from then on. */
    col_text_add(e->out, "static inline ");
    slicc_record_name(type, e->out);
    col_text_print(e->out,
                   " *sm_%s_%s_find(struct sm_%s *c, sl_table *table, sl_address address) {\n"
                   "void *record = sl_table_lookup(table, address);\n"
                   "return record != NULL ? record : sm_%s_%s_init(c, sl_table_allocate(table, "
                   "address));\n}\n",
                   e->machine->name, d->name, e->machine->name, e->machine->name, d->name);
}

void slicc_emit_types(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (d->kind == SLICC_ENUMERATION || d->kind == SLICC_STATES)
            emit_enumeration(e, d);
    if (e->machine != NULL)
        col_text_print(e->out, "struct sm_%s;\n", e->machine->name);
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind != SLICC_STRUCTURE || (!slicc_is_message(d) && !slicc_is_entry(d)))
            continue;
        const slicc_type type = {KIND_RECORD, d->name, d, e->machine, true};
        if (!is_given(d))
            emit_structure(e, d, &type);
        if (e->machine == NULL)
            emit_fresh(e, d, &type);
    }
}

void slicc_emit_fresh_records(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind != SLICC_STRUCTURE)
            continue;
        const slicc_type type = {KIND_RECORD, d->name, d, e->machine, true};
        emit_fresh(e, d, &type);
    }
}
