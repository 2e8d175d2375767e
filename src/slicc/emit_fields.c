/* SPDX-License-Identifier: MIT */
/*
 * What records hold, for the description of a protocol: where each field is and what it means. A
 * field that is a record itself is written as its own fields.
 */
#include "slicc/emit.h"

enum { MOST_NESTED = 8 };

/* Fields on the way to the one at work, in C, joined by dots. */
typedef struct path {
    const slicc_type *record; /* the outermost */
    base_text inner;
    uint32_t depth;
} path;

const char *slicc_field_kind(const slicc_type *type) {
    switch (type->kind) {
    case KIND_BOOL:
        return "SL_FIELD_BOOL";
    case KIND_ENUM:
        return "SL_FIELD_ENUM";
    case KIND_MACHINE:
        return "SL_FIELD_MACHINE";
    case KIND_DESTINATION:
        return slicc_same(type->name, "Set") ? "SL_FIELD_SET" : "SL_FIELD_DESTINATION";
    case KIND_DATA:
        return "SL_FIELD_DATA";
    case KIND_PLACED:
        return slicc_same(type->name, "WriteMask") ? "SL_FIELD_NUMBER" : "SL_FIELD_OTHER";
    default:
        return slicc_same(type->name, "Addr") || slicc_same(type->name, "Address")
                   ? "SL_FIELD_ADDRESS"
               : slicc_same(type->name, "NodeID") ? "SL_FIELD_NODE"
                                                  : "SL_FIELD_NUMBER";
    }
}

/* "{offsetof(struct sm_record_X, f_a.f_b), KIND}, " */
static void emit_field(emitter *e, const path *p, const char *name, const char *kind) {
    base_text_add(e->out, "{offsetof(");
    slicc_record_name(p->record, e->out);
    base_text_print(e->out, ", %s%s), %s}, ", p->inner.data == NULL ? "" : p->inner.data, name,
                    kind);
}

/* Of a record inside another: its header is part of what is copied and compared. */
static void emit_header(emitter *e, const path *p, const slicc_declaration *d) {
    if (slicc_is_message(d)) {
        emit_field(e, p, "header.references", "SL_FIELD_NUMBER");
        emit_field(e, p, "header.number", "SL_FIELD_NUMBER");
        return;
    }
    emit_field(e, p, "header.address", "SL_FIELD_ADDRESS");
    emit_field(e, p, "header.last_use", "SL_FIELD_NUMBER");
    emit_field(e, p, "header.permission", "SL_FIELD_NUMBER");
}

static void emit_all(emitter *e, path *p, const slicc_type *record) {
    if (p->depth > 0)
        emit_header(e, p, record->declaration);
    for (const slicc_declaration *m = record->declaration->members; m != NULL; m = m->next) {
        if (m->kind != SLICC_OBJECT || !slicc_type_exists(e, m->type))
            continue;
        const slicc_type type = slicc_type_find(e, m->type, m->place);
        base_text name = {0};
        slicc_c_field_name(record, m->name, &name);
        if (type.kind != KIND_RECORD) {
            emit_field(e, p, slicc_text_or_zero(&name), slicc_field_kind(&type));
        } else if (p->depth == MOST_NESTED && e->report->count > 0) {
            /* It may be part of itself, which was complained about. */
        } else if (p->depth == MOST_NESTED) {
            slicc_complain(e->report, m->place, "records are nested more than %d deep",
                           MOST_NESTED);
        } else {
            path inside = {.record = p->record, .depth = p->depth + 1};
            base_text_print(&inside.inner, "%s%s.", p->inner.data == NULL ? "" : p->inner.data,
                            slicc_text_or_zero(&name));
            emit_all(e, &inside, &type);
            slicc_text_end(e, &inside.inner);
        }
        slicc_text_end(e, &name);
    }
}

void slicc_emit_fields(emitter *e, const slicc_type *record) {
    path p = {.record = record};
    base_text_add(e->out, "(const sl_field[]){");
    emit_all(e, &p, record);
    base_text_add(e->out, "{0, SL_FIELD_END}}");
}

void slicc_emit_records(emitter *e) {
    base_text_print(e->out, "static const sl_field *const sm_%s_records[] = {NULL,\n",
                    e->machine->name);
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next) {
        if (d->kind != SLICC_STRUCTURE || !slicc_is_entry(d))
            continue;
        const slicc_type type = {KIND_RECORD, d->name, d, e->machine, false, false, false, NULL};
        slicc_emit_fields(e, &type);
        base_text_add(e->out, ",\n");
    }
    base_text_add(e->out, "};\n");
}
