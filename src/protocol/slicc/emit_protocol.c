/* SPDX-License-Identifier: MIT */
/* The whole protocol as one C file: see emit_protocol.h. */
#include "protocol/slicc/emit_protocol.h"

#include "base/memory.h"
#include "base/path.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The field of a message that says where it goes. */
static const char *field_of_type(const slicc_declaration *d, const char *type, const char *name) {
    const slicc_declaration *m = slicc_member_find(d->members, SLICC_OBJECT, name);
    return m != NULL && slicc_same(m->type, type) ? m->name : NULL;
}

static bool has_object(const slicc_declaration *list, const char *type) {
    for (; list != NULL; list = list->next)
        if (list->kind == SLICC_OBJECT && slicc_same(list->type, type))
            return true;
    return false;
}

/* Machines for TLB invalidations, which no core makes, have no place in a system. */
static bool is_built(const slicc_declaration *d) {
    return d->kind == SLICC_MACHINE && !has_object(d->members, "MN_TBETable");
}

typedef void (*message_visitor)(emitter *e, const slicc_type *message);

static void visit_list(emitter *e, const slicc_declaration *list, message_visitor visit) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (slicc_is_message(d)) {
            const slicc_type type = slicc_record_type(e, d);
            visit(e, &type);
        }
}

/* All messages: those outside of machines first, as the runtime's own are. */
static void visit_messages(emitter *e, message_visitor visit) {
    visit_list(e, e->tree->declarations, visit);
    for (const slicc_declaration *d = e->tree->declarations; d != NULL; d = d->next)
        if (is_built(d)) {
            e->machine = d;
            visit_list(e, d->members, visit);
            e->machine = NULL;
        }
}

static void emit_message_number(emitter *e, const slicc_type *message) {
    slicc_out(e, " %i,", message);
}

static void emit_checks(emitter *e) {
    static const struct {
        const char *value, *constant;
    } checks[] = {
        {"RubyRequestType_LD", "SL_LD"},
        {"RubyRequestType_ST", "SL_ST"},
        {"RubyRequestType_ATOMIC", "SL_ATOMIC"},
        {"RubyRequestType_IFETCH", "SL_IFETCH"},
        {"RubyRequestType_Store_Conditional", "SL_STORE_CONDITIONAL"},
        {"RubyRequestType_Locked_RMW_Read", "SL_LOCKED_READ"},
        {"RubyRequestType_Locked_RMW_Write", "SL_LOCKED_WRITE"},
        {"RubyRequestType_FLUSH", "SL_FLUSH"},
        {"RubyRequestType_Acquire", "SL_ACQUIRE"},
        {"PrefetchBit_Yes", "SL_PREFETCH"},
        {"SequencerRequestType_LD", "SL_DMA_LD"},
        {"SequencerRequestType_ST", "SL_DMA_ST"},
        {"AccessPermission_Read_Only", "SL_READ_ONLY"},
        {"AccessPermission_Read_Write", "SL_READ_WRITE"},
        {"MemoryRequestType_MEMORY_READ", "SL_MEMORY_READ"},
        {"MemoryRequestType_MEMORY_WB", "SL_MEMORY_WB"},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        base_text_print(e->out, "_Static_assert((int)sm_value_%s == (int)%s, \"\");\n",
                        checks[i].value, checks[i].constant);
}

/* Of a field in its record; -1: there is no field. */
static void emit_offset(emitter *e, const slicc_type *record, const char *field) {
    if (field == NULL)
        slicc_out(e, "-1, ");
    else
        slicc_out(e, "offsetof(%r, %a), ", record, record, field);
}

/* What stories of failures call a message by: its field Type (or Class), an enumeration. */
static const slicc_declaration *find_kind(emitter *e, const slicc_declaration *d) {
    static const char *const names[] = {"Type", "Class", "type", "event"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const slicc_declaration *m = slicc_member_find(d->members, SLICC_OBJECT, names[i]);
        if (m == NULL || !slicc_type_exists(e, m->type))
            continue;
        const slicc_type type = slicc_type_find(e, m->type, m->place);
        if (type.kind == KIND_ENUM && type.declaration->values != NULL)
            return m;
    }
    return NULL;
}

const char *slicc_destination_of(const slicc_declaration *message) {
    return field_of_type(message, "NetDest", "Destination");
}

static const char *find_address(const slicc_declaration *d) {
    static const char *const names[] = {"addr", "Addr", "Address", "LineAddress"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *field = field_of_type(d, "Addr", names[i]);
        if (field == NULL) /* the type's older name */
            field = field_of_type(d, "Address", names[i]);
        if (field != NULL)
            return field;
    }
    return NULL;
}

/* How the kinds of the message are called comes at the end: "KINDS, COUNT". */
static void emit_message_row(emitter *e, const slicc_type *type) {
    const slicc_declaration *d = type->declaration, *kind = find_kind(e, d);
    slicc_out(e, "{%q, sizeof(%r), ", d->name, type);
    emit_offset(e, type, slicc_destination_of(d));
    emit_offset(e, type, field_of_type(d, "MachineID", "Dest"));
    emit_offset(e, type, find_address(d));
    emit_offset(e, type, kind == NULL ? NULL : kind->name);
    if (kind == NULL) {
        slicc_out(e, "NULL, 0, ");
    } else {
        const slicc_declaration *kinds = slicc_type_find(e, kind->type, kind->place).declaration;
        slicc_out(e, "(const char *const[]){");
        for (const slicc_value *v = kinds->values; v != NULL; v = v->next)
            slicc_out(e, "%q, ", v->name);
        slicc_out(e, "}, %u, ", kinds->value_count);
    }
    slicc_emit_fields(e, type);
    slicc_out(e, "},\n");
}

static void emit_protocol(emitter *e, const char *name) {
    uint32_t machines = 0;
    base_text_add(e->out, "static const sl_machine *const sm_machines[] = {");
    for (const slicc_declaration *d = e->tree->declarations; d != NULL; d = d->next)
        if (is_built(d)) {
            base_text_print(e->out, "&sm_%s_machine, ", d->name);
            machines++;
        }
    slicc_out(e,
              "NULL};\nconst sl_protocol SL_ENTRY = {\n.abi = SL_ABI, .name = %q,\n.machines = "
              "sm_machines, .machine_count = %u,\n"
              ".messages = sm_messages, .message_count = SM_MESSAGES,\n};\n",
              name, machines);
}

/* Functions outside of machines that no machine calls. */
static void check_unused(emitter *e) {
    const slicc_declaration *machine = e->tree->declarations;
    while (machine != NULL && !is_built(machine))
        machine = machine->next;
    if (machine == NULL)
        return;
    e->machine = machine;
    e->needed_count = 0;
    slicc_check_unused(e, e->tree->declarations);
    e->machine = NULL;
}

col_status slicc_emit(const slicc_tree *tree, slicc_reached *reached, slicc_mutations *mutations,
                      const char *name, slicc_report *report, base_text *out,
                      col_problem *problem) {
    emitter *e = NULL;
    BASE_TRY(base_new(&e, 1, sizeof *e, problem));
    e->tree = tree;
    e->reached = reached;
    e->mutations = mutations;
    e->report = report;
    e->out = out;
    base_text_add(out, "#include <collider/protocol.h>\n#include <stddef.h>\n"
                       "#ifndef SL_ENTRY\n#define SL_ENTRY col_protocol_entry\n#endif\n");
    slicc_check_list(e, tree->declarations);
    slicc_needs_find(&e->needs, tree, report);
    base_text_add(e->out, "enum {");
    visit_messages(e, emit_message_number);
    base_text_add(e->out,
                  " SM_MESSAGES };\n"
                  "typedef struct sm_any { sl_controller base; } sm_any;\n"
                  "_Static_assert((int)SM_MESSAGE_RubyRequest == SL_REQUEST_MESSAGE, \"\");\n"
                  "_Static_assert((int)SM_MESSAGE_MemoryMsg == SL_MEMORY_MESSAGE, \"\");\n"
                  "_Static_assert((int)SM_MESSAGE_SequencerMsg == SL_DMA_MESSAGE, \"\");\n");
    slicc_emit_types(e, tree->declarations);
    slicc_emit_fresh_records(e, tree->declarations);
    emit_checks(e);
    for (const slicc_declaration *d = tree->declarations; d != NULL; d = d->next)
        if (is_built(d))
            slicc_emit_machine(e, d);
    check_unused(e);
    slicc_reached_complain(reached, report);
    base_text_add(e->out, "static const sl_message_type sm_messages[] = {\n");
    visit_messages(e, emit_message_row);
    base_text_add(e->out, "};\n");
    emit_protocol(e, name);
    slicc_needs_free(&e->needs);
    base_arena_free(&e->arena);
    free(e);
    return report->failed ? base_out_of_memory(problem) : base_text_status(out, problem);
}

/*
 * How the protocol's own words enter the generated C: strings, names, numbers and places. Nothing
 * else that a protocol says is copied, so that no text of it can become code.
 */

/* A question mark might begin a trigraph; three octal digits end before any digit that follows. */
static bool is_plain(char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
}

static void add_escaped(const char *value, base_text *text) {
    for (const char *at = value; *at != '\0';) {
        size_t plain = 0;
        while (is_plain(at[plain]))
            plain++;
        base_text_add_bytes(text, at, plain);
        at += plain;
        if (*at != '\0')
            base_text_print(text, "\\%03o", (unsigned)(unsigned char)*at++);
    }
}

void slicc_c_string(const char *value, base_text *text) {
    base_text_add(text, "\"");
    add_escaped(value, text);
    base_text_add(text, "\"");
}

void slicc_c_place(slicc_place place, base_text *text) {
    base_text_add(text, "\"");
    add_escaped(base_path_name(place.file), text);
    base_text_print(text, ":%u\"", place.line);
}

static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void slicc_c_name(const char *name, base_text *text) {
    for (const char *at = name; *at != '\0'; at++)
        base_text_add_bytes(text, is_of_name(*at) ? at : "_", 1);
}

void slicc_c_number(uint64_t number, base_text *text) {
    base_text_number(text, number);
    base_text_add(text, number > INT64_MAX ? "u" : "");
}

/* ---- Templates. */

static void add_text(const char *value, base_text *text) {
    base_text_add(text, value);
}

/* Directives that take a text, a type, or a type and a name. */
static const struct {
    char directive;
    void (*put)(const char *value, base_text *text);
} of_texts[] = {{'s', add_text}, {'q', slicc_c_string}, {'n', slicc_c_name}};

static const struct {
    char directive;
    void (*put)(const slicc_type *type, base_text *text);
} of_types[] = {{'r', slicc_record_name},
                {'c', slicc_c_type},
                {'f', slicc_c_field},
                {'i', slicc_message_number}};

static const struct {
    char directive;
    void (*put)(const slicc_type *type, const char *name, base_text *text);
} of_names[] = {{'k', slicc_record_maker}, {'a', slicc_c_field_name}, {'v', slicc_enumerator}};

static void print_directive(emitter *e, base_text *text, char directive, va_list *arguments) {
    for (size_t i = 0; i < sizeof of_texts / sizeof of_texts[0]; i++)
        if (of_texts[i].directive == directive)
            of_texts[i].put(va_arg(*arguments, const char *), text);
    for (size_t i = 0; i < sizeof of_types / sizeof of_types[0]; i++)
        if (of_types[i].directive == directive)
            of_types[i].put(va_arg(*arguments, const slicc_type *), text);
    for (size_t i = 0; i < sizeof of_names / sizeof of_names[0]; i++)
        if (of_names[i].directive == directive) {
            const slicc_type *type = va_arg(*arguments, const slicc_type *);
            of_names[i].put(type, va_arg(*arguments, const char *), text);
        }
    if (directive == 'M')
        base_text_add(text, e->machine->name);
    else if (directive == 'o')
        base_text_print(text, e->machine == NULL ? "sm_any" : "struct sm_%s",
                        e->machine == NULL ? "" : e->machine->name);
    else if (directive == 'u')
        base_text_number(text, va_arg(*arguments, unsigned));
    else if (directive == 'd')
        base_text_print(text, "%d", va_arg(*arguments, int));
    else if (directive == 'w')
        slicc_c_number(va_arg(*arguments, uint64_t), text);
    else if (directive == 'p')
        slicc_c_place(va_arg(*arguments, slicc_place), text);
    else if (directive == 'g')
        slicc_function_name(e, va_arg(*arguments, const slicc_declaration *), text);
    else if (directive == '%')
        base_text_add(text, "%");
    if (directive == 'x') {
        const slicc_expression *value = va_arg(*arguments, const slicc_expression *);
        slicc_emit_value(e, value, va_arg(*arguments, const slicc_type *), text);
    }
}

static void print_template(emitter *e, base_text *text, const char *format, va_list *arguments) {
    for (const char *at = format; *at != '\0'; at++) {
        const size_t plain = strcspn(at, "%");
        base_text_add_bytes(text, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        print_directive(e, text, *++at, arguments);
    }
}

void slicc_print(emitter *e, base_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_template(e, text, format, &arguments);
    va_end(arguments);
}

void slicc_out(emitter *e, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_template(e, e->out, format, &arguments);
    va_end(arguments);
}

/* ---- Texts that become a part of the output. */

const char *slicc_text_or_zero(const base_text *text) {
    return text->data == NULL || text->failed ? "0" : text->data;
}

void slicc_text_end(emitter *e, base_text *text) {
    e->report->failed = e->report->failed || text->failed;
    base_text_free(text);
}

/* Enumerations and structures as C, with functions that give a fresh record its defaults. */

static void emit_enumeration(emitter *e, const slicc_declaration *d) {
    const slicc_type type = {
        .kind = KIND_ENUM, .name = d->name, .declaration = d, .machine = e->machine};
    if (d->values == NULL)
        return; /* C has none without values */
    slicc_out(e, "enum {");
    for (const slicc_value *value = d->values; value != NULL; value = value->next)
        slicc_out(e, value->next != NULL ? " %v," : " %v", &type, value->name);
    slicc_out(e, " };\n");
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

static void emit_structure(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    slicc_out(e, "%r {\n", type);
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
            /* Copies of a plain record are small: they may be variables. */
            if (slicc_is_plain(d) && (slicc_is_in_place(&field) || field.kind == KIND_RECORD) &&
                !slicc_same(field.name, "WriteMask"))
                slicc_complain(
                    e->report, m->place,
                    "a field of %s cannot have the type %s: it is neither a message nor an "
                    "entry",
                    d->name, field.name);
            if (is_of_machines(e, &field, m))
                slicc_complain(e->report, m->place, "a field cannot have the type %s", field.name);
            /* A bool in a message that is gone may be anything. */
            slicc_out(e, field.kind == KIND_BOOL ? "uint8_t" : "%f", &field);
            slicc_out(e, " %a;\n", type, m->name);
        }
    base_text_add(e->out, "};\n");
}

/* The field starts with its own default or that of its enumeration. */
static void emit_field_default(emitter *e, const slicc_declaration *m, const slicc_type *field,
                               const slicc_type *record) {
    if (field->kind == KIND_DESTINATION) {
        slicc_out(e, "sl_dest_clear(c->base.system, &r->%a);\n", record, m->name);
    } else if (field->kind == KIND_DATA) {
        slicc_out(e, "sl_data_clear(&r->%a);\n", record, m->name);
    } else if (field->kind == KIND_RECORD || field->kind == KIND_PLACED) {
        slicc_out(e, "memset(&r->%a, 0, sizeof r->%a);\n", record, m->name, record, m->name);
    } else {
        slicc_out(e, "r->%a = %s(", record, m->name, field->kind == KIND_BOOL ? "(bool)" : "");
        slicc_emit_default(e, m, field, e->out);
        slicc_out(e, ");\n");
    }
}

static void emit_fields_default(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    for (const slicc_declaration *m = d->members; m != NULL; m = m->next) {
        if (!is_field(e, m))
            continue;
        const slicc_type field = slicc_type_find(e, m->type, m->place);
        emit_field_default(e, m, &field, type);
    }
}

/* sm_new_RequestMsg, and sm_copy_RequestMsg: a message becomes like another; its header stays. */
static void emit_fresh_message(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    slicc_out(e, "static inline %r *%k(%o *c) {\n%r *r = sl_message_new(c->base.system, %i);\n",
              type, type, "new", type, type);
    emit_fields_default(e, d, type);
    slicc_out(e,
              "return r;\n}\nstatic inline void %k(%r *to, const %r *from) {\n"
              "const sl_message header = to->header;\n*to = *from;\nto->header = header;\n}\n",
              type, "copy", type, type);
}

/* sm_Cache_start_RetryQueueEntry: a value with its defaults, where it is. */
static void emit_fresh_value(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    slicc_out(e, "static inline %r *%k(%o *c, %r *r) {\n(void)c;\nmemset(r, 0, sizeof *r);\n", type,
              type, "start", type);
    emit_fields_default(e, d, type);
    slicc_out(e, "return r;\n}\n");
}

/* sm_L1Cache_init_Entry and sm_L1Cache_find_Entry. A perfect cache has every block: what is looked
 * up is there from then on. */
static void emit_fresh_entry(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    const uint32_t number = slicc_record_number(type);
    slicc_out(e,
              "static inline %r *%k(%o *c, void *record) {\n%r *r = record;\n(void)c;\n"
              "r->header.record = %u;\n",
              type, type, "init", type, number);
    emit_fields_default(e, d, type);
    slicc_out(e,
              "return r;\n}\nstatic inline %r *%k(%o *c, sl_table *table, sl_address address) {\n"
              "void *record = sl_record(&c->base, sl_table_lookup(table, address), %u, NULL);\n"
              "return record != NULL ? record : %k(c, sl_table_allocate(table, address));\n}\n",
              type, type, "find", number, type, "init");
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
        slicc_out(e, "struct sm_%M;\n");
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind != SLICC_STRUCTURE || !is_written(e, d))
            continue;
        const slicc_type type = slicc_record_type(e, d);
        if (!slicc_is_given(&type))
            emit_structure(e, d, &type);
    }
}

void slicc_emit_fresh_records(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        const slicc_type type = slicc_record_type(e, d);
        if (slicc_is_message(d))
            emit_fresh_message(e, d, &type);
        else if (slicc_is_plain(d))
            emit_fresh_value(e, d, &type);
        else if (d->kind == SLICC_STRUCTURE && slicc_is_entry(d) && e->machine != NULL)
            emit_fresh_entry(e, d, &type);
    }
}
