/* SPDX-License-Identifier: MIT */
/* The whole protocol as one C file: see emit.h. */
#include "slicc/emit.h"

#include <stdlib.h>

/* The field of a message that says where it goes. */
static const char *field_of_type(const slicc_declaration *d, const char *type, const char *name) {
    for (const slicc_declaration *m = d->members; m != NULL; m = m->next)
        if (m->kind == SLICC_OBJECT && slicc_same(m->type, type) && slicc_same(m->name, name))
            return m->name;
    return NULL;
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
        if (slicc_is_message(d))
            visit(e, &(slicc_type){KIND_RECORD, d->name, d, e->machine, true, false, false, NULL});
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
    base_text_add(e->out, " ");
    slicc_message_number(message, e->out);
    base_text_add(e->out, ",");
}

static void emit_message_numbers(emitter *e) {
    base_text_add(e->out, "enum {");
    visit_messages(e, emit_message_number);
    base_text_add(e->out,
                  " SM_MESSAGES };\n"
                  "typedef struct sm_any { sl_controller base; } sm_any;\n"
                  "_Static_assert((int)SM_MESSAGE_RubyRequest == SL_REQUEST_MESSAGE, \"\");\n"
                  "_Static_assert((int)SM_MESSAGE_MemoryMsg == SL_MEMORY_MESSAGE, \"\");\n"
                  "_Static_assert((int)SM_MESSAGE_SequencerMsg == SL_DMA_MESSAGE, \"\");\n");
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
    if (field == NULL) {
        base_text_add(e->out, "-1");
        return;
    }
    base_text_add(e->out, "offsetof(");
    slicc_record_name(record, e->out);
    base_text_add(e->out, ", ");
    slicc_c_field_name(record, field, e->out);
    base_text_add(e->out, ")");
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

/* ", KINDS, COUNT" */
static void emit_kind_names(emitter *e, const slicc_declaration *kind) {
    uint32_t count = 0;
    if (kind == NULL) {
        base_text_add(e->out, ", NULL, 0");
        return;
    }
    base_text_add(e->out, ", (const char *const[]){");
    const slicc_type type = slicc_type_find(e, kind->type, kind->place);
    for (const slicc_value *v = type.declaration->values; v != NULL; v = v->next, count++) {
        slicc_c_string(v->name, e->out);
        base_text_add(e->out, ", ");
    }
    base_text_print(e->out, "}, %u", count);
}

static void emit_message_row(emitter *e, const slicc_type *type) {
    const slicc_declaration *d = type->declaration;
    base_text_add(e->out, "{");
    slicc_c_string(d->name, e->out);
    base_text_add(e->out, ", sizeof(");
    slicc_record_name(type, e->out);
    base_text_add(e->out, "), ");
    emit_offset(e, type, field_of_type(d, "NetDest", "Destination"));
    base_text_add(e->out, ", ");
    emit_offset(e, type, field_of_type(d, "MachineID", "Dest"));
    base_text_add(e->out, ", ");
    emit_offset(e, type, find_address(d));
    base_text_add(e->out, ", ");
    const slicc_declaration *kind = find_kind(e, d);
    emit_offset(e, type, kind == NULL ? NULL : kind->name);
    emit_kind_names(e, kind);
    base_text_add(e->out, ", ");
    slicc_emit_fields(e, type);
    base_text_add(e->out, "},\n");
}

static void emit_message_table(emitter *e) {
    base_text_add(e->out, "static const sl_message_type sm_messages[] = {\n");
    visit_messages(e, emit_message_row);
    base_text_add(e->out, "};\n");
}

static void emit_protocol(emitter *e, const char *name) {
    uint32_t machines = 0;
    base_text_add(e->out, "static const sl_machine *const sm_machines[] = {");
    for (const slicc_declaration *d = e->tree->declarations; d != NULL; d = d->next)
        if (is_built(d)) {
            base_text_print(e->out, "&sm_%s_machine, ", d->name);
            machines++;
        }
    base_text_add(e->out, "NULL};\nconst sl_protocol SL_ENTRY = {\n.abi = SL_ABI, .name = ");
    slicc_c_string(name, e->out);
    base_text_print(e->out,
                    ",\n.machines = sm_machines, .machine_count = %u,\n"
                    ".messages = sm_messages, .message_count = SM_MESSAGES,\n};\n",
                    machines);
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
    emitter *e = calloc(1, sizeof *e);
    if (e == NULL)
        return base_out_of_memory(problem);
    e->tree = tree;
    e->reached = reached;
    e->mutations = mutations;
    e->report = report;
    e->out = out;
    base_text_add(out, "#include <collider/protocol.h>\n#include <stddef.h>\n"
                       "#ifndef SL_ENTRY\n#define SL_ENTRY col_protocol_entry\n#endif\n");
    slicc_check_globals(e, tree->declarations);
    slicc_needs_find(&e->needs, tree, report);
    emit_message_numbers(e);
    slicc_emit_types(e, tree->declarations);
    slicc_emit_fresh_records(e, tree->declarations);
    emit_checks(e);
    for (const slicc_declaration *d = tree->declarations; d != NULL; d = d->next)
        if (is_built(d))
            slicc_emit_machine(e, d);
    check_unused(e);
    slicc_reached_complain(reached, report);
    emit_message_table(e);
    emit_protocol(e, name);
    slicc_needs_free(&e->needs);
    base_arena_free(&e->arena);
    free(e);
    return report->failed ? base_out_of_memory(problem) : base_text_status(out, problem);
}
