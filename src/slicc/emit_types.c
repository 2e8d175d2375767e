/* SPDX-License-Identifier: MIT */
/* Enumerations and structures as C, with functions that give a fresh record its defaults. */
#include "slicc/emit.h"

static void emit_enumeration(emitter *e, const slicc_declaration *d) {
    const slicc_type type = {KIND_ENUM, d->name, d, e->machine, false, false, false, NULL};
    if (d->values == NULL)
        return; /* C has none without values */
    base_text_add(e->out, "enum {");
    for (const slicc_value *value = d->values; value != NULL; value = value->next) {
        base_text_add(e->out, " ");
        slicc_enumerator(&type, value->name, e->out);
        base_text_add(e->out, value->next != NULL ? "," : "");
    }
    base_text_add(e->out, " };\n");
}

static bool is_field(emitter *e, const slicc_declaration *member) {
    if (member->kind != SLICC_OBJECT)
        return false;
    /* Fields of types that do not exist here (packets, masks) are left out. */
    return slicc_type_exists(e, member->type);
}

/* Is the record of the field written before the record that has it? */
static bool is_complete(const slicc_type *field, const slicc_type *record) {
    const slicc_declaration *type = field->declaration;
    if (!slicc_is_plain(type) && !slicc_is_message(type) &&
        (field->machine == NULL || !slicc_is_entry(type)))
        return false;
    if (slicc_is_given(field) || field->machine != record->machine)
        return true;
    const slicc_declaration *d = field->declaration->next;
    while (d != NULL && d != record->declaration)
        d = d->next;
    return d != NULL;
}

/* What is stored in machines alone. */
static bool is_of_machines(emitter *e, const slicc_type *field, const slicc_declaration *m) {
    return field->kind == KIND_ENTRY || field->kind == KIND_OBJECT ||
           slicc_same(field->name, "TBEStorage") ||
           (slicc_same(field->name, "TriggerQueue") &&
            (e->machine == NULL || slicc_queues_records(e, m, m->place)));
}

/* Copies of a plain record are small: they may be variables. */
static void check_plain(emitter *e, const slicc_declaration *d, const slicc_type *field,
                        const slicc_declaration *m) {
    if (slicc_is_plain(d) && (slicc_is_in_place(field) || field->kind == KIND_RECORD) &&
        !slicc_same(field->name, "WriteMask"))
        slicc_complain(e->report, m->place,
                       "a field of %s cannot have the type %s: it is neither a message nor an "
                       "entry",
                       d->name, field->name);
}

static void emit_structure(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    slicc_record_name(type, e->out);
    base_text_add(e->out, " {\n");
    if (slicc_is_message(d))
        base_text_add(e->out, "sl_message header;\n");
    else if (slicc_is_entry(d))
        base_text_add(e->out, "sl_entry header;\n");
    /* Destinations last: they have room for all controllers, and few words of it are ever used. */
    for (int large = 0; large < 2; large++)
        for (const slicc_declaration *m = d->members; m != NULL; m = m->next) {
            if (!is_field(e, m))
                continue;
            const slicc_type field = slicc_type_find(e, m->type, m->place);
            if ((field.kind == KIND_DESTINATION) != (large == 1))
                continue;
            if (field.kind == KIND_RECORD && !is_complete(&field, type))
                slicc_complain(e->report, m->place,
                               "a field can be a message or an entry that is declared before, %s "
                               "is not",
                               field.name);
            check_plain(e, d, &field, m);
            if (is_of_machines(e, &field, m))
                slicc_complain(e->report, m->place, "a field cannot have the type %s", field.name);
            if (field.kind == KIND_BOOL) /* in a message that is gone it may be anything */
                base_text_add(e->out, "uint8_t");
            else
                slicc_c_field(&field, e->out);
            base_text_add(e->out, " ");
            slicc_c_field_name(type, m->name, e->out);
            base_text_add(e->out, ";\n");
        }
    base_text_add(e->out, "};\n");
}

/* The field `name`, in C, starts with its own default or that of its enumeration. */
static void emit_field_default(emitter *e, const slicc_declaration *m, const slicc_type *field,
                               const char *name) {
    const slicc_pair *given = slicc_pair_find(m->pairs, "default");
    if (given == NULL && field->kind == KIND_ENUM)
        given = slicc_pair_find(field->declaration->pairs, "default");
    if (field->kind == KIND_DESTINATION) {
        base_text_print(e->out, "sl_dest_clear(c->base.system, &r->%s);\n", name);
        return;
    }
    if (field->kind == KIND_DATA) {
        base_text_print(e->out, "sl_data_clear(&r->%s);\n", name);
        return;
    }
    if (field->kind == KIND_RECORD || field->kind == KIND_PLACED) {
        base_text_print(e->out, "memset(&r->%s, 0, sizeof r->%s);\n", name, name);
        return;
    }
    base_text_print(e->out, "r->%s = %s(", name, field->kind == KIND_BOOL ? "(bool)" : "");
    if (given != NULL)
        slicc_emit_default(e, given->value, field, m->place, e->out);
    else
        base_text_add(e->out, "0");
    base_text_add(e->out, ");\n");
}

static void emit_fields_default(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    for (const slicc_declaration *m = d->members; m != NULL; m = m->next) {
        if (!is_field(e, m))
            continue;
        const slicc_type field = slicc_type_find(e, m->type, m->place);
        base_text name = {0};
        slicc_c_field_name(type, m->name, &name);
        emit_field_default(e, m, &field, slicc_text_or_zero(&name));
        slicc_text_end(e, &name);
    }
}

/* "static inline struct sm_record_RequestMsg *sm_new_RequestMsg" */
static void emit_maker(emitter *e, const slicc_type *type, const char *what) {
    base_text_add(e->out, "static inline ");
    slicc_record_name(type, e->out);
    base_text_add(e->out, " *");
    slicc_record_maker(type, what, e->out);
}

/* "(sm_any *c" or, of a type inside of a machine, "(struct sm_Cache *c" */
static void emit_owner(emitter *e) {
    if (e->machine == NULL)
        base_text_add(e->out, "(sm_any *c");
    else
        base_text_print(e->out, "(struct sm_%s *c", e->machine->name);
}

/* sm_new_RequestMsg */
static void emit_fresh_message(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    emit_maker(e, type, "new");
    emit_owner(e);
    base_text_add(e->out, ") {\n");
    slicc_record_name(type, e->out);
    base_text_add(e->out, " *r = sl_message_new(c->base.system, ");
    slicc_message_number(type, e->out);
    base_text_add(e->out, ");\n");
    emit_fields_default(e, d, type);
    base_text_add(e->out, "return r;\n}\n");
}

/* sm_copy_RequestMsg: a message becomes like another; its header stays. */
static void emit_message_copy(emitter *e, const slicc_type *type) {
    base_text_add(e->out, "static inline void ");
    slicc_record_maker(type, "copy", e->out);
    base_text_add(e->out, "(");
    slicc_record_name(type, e->out);
    base_text_add(e->out, " *to, const ");
    slicc_record_name(type, e->out);
    base_text_add(e->out, " *from) {\nconst sl_message header = to->header;\n*to = *from;\n"
                          "to->header = header;\n}\n");
}

/* sm_Cache_start_RetryQueueEntry: a value with its defaults, where it is. */
static void emit_fresh_value(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    emit_maker(e, type, "start");
    emit_owner(e);
    base_text_add(e->out, ", ");
    slicc_record_name(type, e->out);
    base_text_add(e->out, " *r) {\n(void)c;\nmemset(r, 0, sizeof *r);\n");
    emit_fields_default(e, d, type);
    base_text_add(e->out, "return r;\n}\n");
}

/* sm_L1Cache_init_Entry and sm_L1Cache_find_Entry */
static void emit_fresh_entry(emitter *e, const slicc_declaration *d) {
    const slicc_type type = {KIND_RECORD, d->name, d, e->machine, true, false, false, NULL};
    emit_maker(e, &type, "init");
    base_text_print(e->out, "(struct sm_%s *c, void *record) {\n", e->machine->name);
    slicc_record_name(&type, e->out);
    base_text_print(e->out, " *r = record;\n(void)c;\nr->header.record = %u;\n",
                    slicc_record_number(&type));
    emit_fields_default(e, d, &type);
    base_text_add(e->out, "return r;\n}\n");
    /* A perfect cache has every block: what is looked up is there from then on. */
    emit_maker(e, &type, "find");
    base_text_print(
        e->out,
        "(struct sm_%s *c, sl_table *table, sl_address address) {\n"
        "void *record = sl_record(&c->base, sl_table_lookup(table, address), %u, NULL);\n"
        "return record != NULL ? record : ",
        e->machine->name, slicc_record_number(&type));
    slicc_record_maker(&type, "init", e->out);
    base_text_add(e->out, "(c, sl_table_allocate(table, address));\n}\n");
}

/* Entries and TBEs are inside of machines. */
static bool is_written(emitter *e, const slicc_declaration *d) {
    const bool inside = e->machine != NULL;
    if (slicc_is_entry(d) && !inside)
        slicc_complain(e->report, d->place, "an entry or TBE is declared inside a machine");
    return slicc_is_plain(d) || slicc_is_message(d) || (inside && slicc_is_entry(d));
}

void slicc_emit_types(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (d->kind == SLICC_ENUMERATION || d->kind == SLICC_STATES)
            emit_enumeration(e, d);
    if (e->machine != NULL)
        base_text_print(e->out, "struct sm_%s;\n", e->machine->name);
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind != SLICC_STRUCTURE || !is_written(e, d))
            continue;
        const slicc_type type = {KIND_RECORD, d->name, d, e->machine, true, false, false, NULL};
        if (!slicc_is_given(&type))
            emit_structure(e, d, &type);
    }
}

void slicc_emit_fresh_records(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        const slicc_type type = {KIND_RECORD, d->name, d, e->machine, true, false, false, NULL};
        if (slicc_is_message(d)) {
            emit_fresh_message(e, d, &type);
            emit_message_copy(e, &type);
        } else if (slicc_is_plain(d)) {
            emit_fresh_value(e, d, &type);
        } else if (d->kind == SLICC_STRUCTURE && slicc_is_entry(d) && e->machine != NULL) {
            emit_fresh_entry(e, d);
        }
    }
}
