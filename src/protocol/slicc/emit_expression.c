/* SPDX-License-Identifier: MIT */
/* Expressions as C, with their types. */
#include "protocol/slicc/emit_protocol.h"
#include "protocol/slicc/parser.h"

#include <string.h>

slicc_type slicc_no_value(base_text *text) {
    base_text_add(text, "0");
    return slicc_bad;
}

static bool is_pointer(const slicc_type *type) {
    return type->kind == KIND_RECORD || type->kind == KIND_ENTRY || type->kind == KIND_OBJECT ||
           slicc_is_in_place(type);
}

/* ---- Names. */

static const slicc_local *find_local(const emitter *e, const char *name) {
    for (uint32_t i = e->local_count; i > 0; i--)
        if (slicc_same(e->locals[i - 1].name, name))
            return &e->locals[i - 1];
    return NULL;
}

void slicc_local_add(emitter *e, const char *name, const slicc_type *type, const char *text) {
    if (e->local_count == SLICC_MOST_LOCALS) {
        slicc_complain(e->report, e->machine->place, "a function has more than %d variables",
                       SLICC_MOST_LOCALS);
        return;
    }
    const char *copy = base_arena_text(&e->arena, text, strlen(text));
    e->report->failed = e->report->failed || copy == NULL;
    e->locals[e->local_count++] =
        (slicc_local){.name = name, .type = *type, .text = copy == NULL ? "0" : copy};
}

/* A port stands for the buffer or table behind it. */
static const slicc_declaration *find_port(const emitter *e, const char *name) {
    if (e->machine == NULL)
        return NULL;
    const slicc_declaration *port = slicc_member_find(e->machine->members, SLICC_IN_PORT, name);
    return port != NULL ? port : slicc_member_find(e->machine->members, SLICC_OUT_PORT, name);
}

const slicc_declaration *slicc_object_find(const emitter *e, const char *name) {
    if (e->machine == NULL)
        return NULL;
    const slicc_declaration *object = slicc_member_find(e->machine->arguments, SLICC_OBJECT, name);
    return object != NULL ? object : slicc_member_find(e->machine->members, SLICC_OBJECT, name);
}

static slicc_type emit_name(emitter *e, const slicc_expression *x, base_text *text) {
    static const struct {
        const char *name, *type, *text;
    } known[] = {
        {"machineID", "MachineID", "c->base.machine_id"},
        {"version", "NodeID", "(int64_t)sl_machine_number(c->base.machine_id)"},
        {"clusterID", "NodeID", "(int64_t)0"},
        {"recycle_latency", "Cycles", "(uint64_t)10"},
        {"nullptr", "RequestPtr", "(uint64_t)0"},
    };
    const slicc_local *local = find_local(e, x->text);
    if (local != NULL) {
        base_text_add(text, local->text);
        return local->type;
    }
    const slicc_declaration *port = find_port(e, x->text);
    const slicc_declaration *object =
        slicc_object_find(e, port != NULL ? port->buffer->text : x->text);
    if (object != NULL) {
        slicc_type type = slicc_type_find(e, object->type, object->place);
        if ((type.kind == KIND_RECORD && !slicc_is_plain(type.declaration)) ||
            type.kind == KIND_ENTRY || type.kind == KIND_STRING)
            slicc_complain(e->report, x->place, "a machine cannot have a variable of type %s",
                           type.name);
        base_text_print(text, "%sc->m_%s", slicc_is_in_place(&type) ? "&" : "", object->name);
        type.certain = true;
        type.object = object;
        return type;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (slicc_same(known[i].name, x->text)) {
            base_text_add(text, known[i].text);
            slicc_note_use(e, "", x->text, x->place);
            return slicc_type_find(e, known[i].type, x->place);
        }
    slicc_complain(e->report, x->place, "'%s' is not declared", x->text);
    return slicc_no_value(text);
}

/* A machine asks for the requests that it takes by name. Functions are written when something calls
 * them, so a mention in one that nobody calls does not count. */
static slicc_type emit_enumerator(emitter *e, const slicc_expression *x, base_text *text) {
    const slicc_type type = slicc_type_find(e, x->type, x->place);
    if (type.kind == KIND_BAD)
        return slicc_no_value(text);
    if (type.kind != KIND_ENUM) {
        slicc_complain(e->report, x->place, "'%s' is not an enumeration", x->type);
        return slicc_no_value(text);
    }
    if (slicc_value_find(type.declaration, x->text) == NULL) {
        slicc_complain(e->report, x->place, "%s has no value '%s'", x->type, x->text);
        return slicc_no_value(text);
    }
    slicc_enumerator(&type, x->text, text);
    if (slicc_same(x->type, "RubyRequestType"))
        e->requests |= UINT64_C(1) << slicc_value_place(type.declaration, x->text);
    return type;
}

bool slicc_is_variable(const emitter *e, const slicc_expression *target) {
    return target->kind == SLICC_MEMBER ||
           (target->kind == SLICC_NAME &&
            (find_local(e, target->text) != NULL || slicc_object_find(e, target->text) != NULL));
}

/* ---- Members. */

/* Wraps a pointer that may be null so that following it is a protocol error, not a crash. */
static void emit_followed(emitter *e, const slicc_type *type, const char *pointer,
                          slicc_place place, base_text *text) {
    if (type->certain)
        base_text_print(text, "(%s)", pointer);
    else
        slicc_print(e, text, "((%r *)sl_valid(&c->base, %s, %p))", type, pointer, place);
}

/* Counters that caches of older protocols have as fields. */
static bool is_counter(const slicc_type *object, const char *field) {
    return object->kind == KIND_OBJECT &&
           (strncmp(field, "demand_", 7) == 0 || strncmp(field, "prefetch_", 9) == 0 ||
            strncmp(field, "sw_prefetch", 11) == 0);
}

/* MemoryMsg.addr was called Address until 2012 and Addr until 2015. */
static const slicc_declaration *find_field(const slicc_type *record, const char *name) {
    const slicc_declaration *members = record->declaration->members;
    const slicc_declaration *member = slicc_member_find(members, SLICC_OBJECT, name);
    return member == NULL && slicc_is_given(record) &&
                   (slicc_same(name, "Addr") || slicc_same(name, "Address"))
               ? slicc_member_find(members, SLICC_OBJECT, "addr")
               : member;
}

static slicc_type emit_member(emitter *e, const slicc_expression *x, base_text *text) {
    base_text left = {0};
    const slicc_type type = slicc_emit_expression(e, x->left, &left);
    slicc_type field = slicc_bad;
    if (is_counter(&type, x->text)) {
        slicc_text_end(e, &left);
        base_text_add(text, "c->base.system->ignored");
        return (slicc_type){.kind = KIND_NUMBER, .name = "uint64_t"}; /* no count of the protocol */
    }
    if (type.kind == KIND_RECORD) {
        const slicc_declaration *member = find_field(&type, x->text);
        if (member == NULL && e->is_unused &&
            (type.declaration->external ||
             slicc_pair_find(type.declaration->pairs, "external") != NULL))
            field = slicc_bad; /* gem5's has more */
        else if (member == NULL)
            slicc_complain(e->report, x->place, "%s has no field '%s'", type.name, x->text);
        else
            field = slicc_type_find(e, member->type, member->place);
        field.object = member;
        slicc_note_use(e, type.name, x->text, x->place);
    } else if (type.kind != KIND_BAD) {
        slicc_complain(e->report, x->place, "'%s' is asked of something that has no fields",
                       x->text);
    }
    if (field.kind == KIND_BAD) {
        slicc_text_end(e, &left);
        return slicc_no_value(text);
    }
    if (is_pointer(&field)) {
        base_text_add(text, "&");
        field.certain = true;
    }
    emit_followed(e, &type, slicc_text_or_zero(&left), x->place, text);
    slicc_print(e, text, "->%a", &type, field.object->name);
    slicc_text_end(e, &left);
    return field;
}

/* ---- Operators. */

static bool is_plain(const slicc_type *type) {
    return type->kind == KIND_NUMBER || type->kind == KIND_BOOL || type->kind == KIND_MACHINE;
}

/* May a value of this type stand where that one is wanted? */
static bool fits(const slicc_type *type, const slicc_type *wanted) {
    if (type->kind == KIND_BAD || wanted->kind == KIND_BAD)
        return true;
    if (is_plain(type) && is_plain(wanted))
        return slicc_numbers_fit(type, wanted);
    if (wanted->kind == KIND_ENTRY || type->kind == KIND_ENTRY)
        return slicc_is_any_entry(type) && slicc_is_any_entry(wanted);
    if (type->kind != wanted->kind)
        return false;
    if (type->kind == KIND_OBJECT || type->kind == KIND_PLACED)
        return slicc_same(type->name, wanted->name);
    return type->declaration == wanted->declaration;
}

/* Complains about the sides of an operator; false if it did. The result's type, if it is one of the
 * sides'. */
static bool check_sides(emitter *e, const slicc_expression *x, const slicc_type *a,
                        const slicc_type *b, slicc_type *result) {
    const bool equality = strcmp(x->text, "==") == 0 || strcmp(x->text, "!=") == 0;
    const bool order = strcmp(x->text, "<") == 0 || strcmp(x->text, ">") == 0 ||
                       strcmp(x->text, "<=") == 0 || strcmp(x->text, ">=") == 0;
    const bool enumerations = a->kind == KIND_ENUM && b->kind == KIND_ENUM;
    const uint64_t before = e->report->count;
    if (a->kind == KIND_BAD || b->kind == KIND_BAD)
        return true;
    if (enumerations && a->declaration != b->declaration)
        slicc_complain(e->report, x->place, "%s and %s are different enumerations", a->name,
                       b->name);
    else if (a->kind == KIND_VOID || b->kind == KIND_VOID)
        slicc_complain(e->report, x->place, "one side of '%s' has no value", x->text);
    else if (!equality && !order) {
        const char *name = NULL;
        if (!slicc_operate(x->text, a, b, &name))
            slicc_complain(e->report, x->place, "'%s' does not take %s and %s", x->text, a->name,
                           b->name);
        else
            *result = (slicc_type){.kind = slicc_same(name, "bool") ? KIND_BOOL : KIND_NUMBER,
                                   .name = name};
    } else if (order && !enumerations && (a->kind != KIND_NUMBER || b->kind != KIND_NUMBER))
        slicc_complain(e->report, x->place, "'%s' needs numbers, got %s", x->text,
                       a->kind == KIND_NUMBER ? b->name : a->name);
    else if (is_plain(a) && is_plain(b) ? !slicc_numbers_compare(a, b) : !fits(a, b) && !fits(b, a))
        slicc_complain(e->report, x->place, "%s and %s cannot be compared", a->name, b->name);
    return e->report->count == before;
}

/* As docs/slicc.md defines it: 64 bits that wrap around, whatever C says of signed numbers. */
static void emit_arithmetic(const char *operator, const char * l, const char *r, bool natural,
                            base_text *text) {
    const char *type = natural ? "uint64_t" : "int64_t";
    if (operator[0] == '/' || operator[0] == '%')
        base_text_print(text,
                        "sl_%s%s(&c->base, %s, %s)", operator[0] == '/' ? "quotient" : "remainder",
                        natural ? "_natural" : "", l, r);
    else if (strcmp(operator, "<<") == 0)
        base_text_print(text, "((%s)((uint64_t)(%s) << ((%s) & 63)))", type, l, r);
    else if (strcmp(operator, ">>") == 0)
        base_text_print(text, "((%s)(%s) >> ((%s) & 63))", type, l, r);
    else
        base_text_print(text, "((%s)((uint64_t)(%s) %s (uint64_t)(%s)))", type, l, operator, r);
}

void slicc_emit_off(const char *number_text, int off, base_text *text) {
    if (off == 0)
        base_text_print(text, "(%s)", number_text);
    else
        base_text_print(text, "((int64_t)((uint64_t)(%s) %s 1))", number_text, off > 0 ? "+" : "-");
}

static slicc_type emit_binary(emitter *e, const slicc_expression *x, base_text *text) {
    base_text left = {0}, right = {0};
    const slicc_type a = slicc_emit_expression(e, x->left, &left);
    const slicc_type b = slicc_emit_expression(e, x->right, &right);
    const bool equality = strcmp(x->text, "==") == 0 || strcmp(x->text, "!=") == 0;
    const bool logical = strcmp(x->text, "&&") == 0 || strcmp(x->text, "||") == 0;
    const bool comparison = x->text[0] == '<' || x->text[0] == '>';
    const char *l = slicc_text_or_zero(&left), *r = slicc_text_or_zero(&right);
    const bool natural = slicc_is_natural(&a) || slicc_is_natural(&b);
    slicc_type result = a;
    const bool compares = equality || (comparison && x->text[1] != x->text[0]);
    const int off = compares && e->in_condition && slicc_is_int(&a) && slicc_is_int(&b)
                        ? slicc_mutate_count(e, SLICC_MUTATED_CONDITION, NULL, x)
                        : 0;
    const bool good = check_sides(e, x, &a, &b, &result);
    slicc_note_operator(e, x->text, &a, &b, x->place);

    if (equality && a.kind == KIND_DATA && b.kind == KIND_DATA)
        base_text_print(text, "(memcmp(%s, %s, sizeof(sl_data)) %s 0)", l, r, x->text);
    else if (equality && (is_pointer(&a) || is_pointer(&b)))
        base_text_print(text, "((const void *)(%s) %s (const void *)(%s))", l, x->text, r);
    else if (compares || logical) {
        base_text_print(text, "((%s) %s ", l, x->text);
        slicc_emit_off(r, off, text);
        base_text_add(text, ")");
    } else
        emit_arithmetic(x->text, l, r, x->text[1] == '\0' ? natural : slicc_is_natural(&a), text);
    if (!good)
        result = slicc_bad;
    else if (compares || logical)
        result = slicc_boolean;
    else if (x->text[1] == '\0')
        result.natural = natural;
    slicc_text_end(e, &left);
    slicc_text_end(e, &right);
    return result;
}

/* ++x and --x. A mutant takes two steps, or none. */
static slicc_type emit_step(emitter *e, const slicc_expression *x, base_text *text) {
    base_text operand = {0};
    const slicc_type type = slicc_emit_expression(e, x->left, &operand);
    const int off = slicc_is_int(&type) ? slicc_mutate_count(e, SLICC_MUTATED_COUNT, NULL, x) : 0;
    const int step = (x->text[0] == '+' ? 1 : -1) + off;
    if (type.kind != KIND_NUMBER && type.kind != KIND_BAD)
        slicc_complain(e->report, x->place, "expected int, got %s", type.name);
    else if (!slicc_is_variable(e, x->left))
        slicc_complain(e->report, x->place, "this cannot be assigned to");
    base_text_print(text, "((%s)(*(uint64_t *)&(%s) += (uint64_t)(%d)))",
                    slicc_is_natural(&type) ? "uint64_t" : "int64_t", slicc_text_or_zero(&operand),
                    step);
    slicc_text_end(e, &operand);
    return (slicc_type){.kind = KIND_NUMBER, .name = "int", .natural = slicc_is_natural(&type)};
}

static slicc_type emit_unary(emitter *e, const slicc_expression *x, base_text *text) {
    if (strcmp(x->text, "++") == 0 || strcmp(x->text, "--") == 0)
        return emit_step(e, x, text);
    const slicc_type wanted = x->text[0] == '!' ? slicc_boolean : slicc_number;
    slicc_print(e, text, "%s%x%s", x->text[0] == '!' ? "(!(" : "((int64_t)(0 - (uint64_t)(",
                x->left, &wanted, x->text[0] == '!' ? "))" : ")))");
    return wanted;
}

void slicc_emit_record(emitter *e, const slicc_type *wanted, const char *entry, slicc_place place,
                       base_text *text) {
    slicc_print(e, text, "sl_record(&c->base, %s, %u, %p)", entry, slicc_record_number(wanted),
                place);
}

/* A pointer of type `from` becomes one of another type. */
static void emit_pointer(emitter *e, const slicc_type *from, const slicc_type *to,
                         const slicc_expression *x, const char *pointer, base_text *text) {
    if (from->kind == KIND_ENTRY && to->kind == KIND_RECORD && slicc_is_any_entry(to) &&
        x->kind != SLICC_NULL)
        slicc_emit_record(e, to, pointer, x->place, text);
    else
        base_text_add(text, pointer);
}

static slicc_type emit_cast(emitter *e, const slicc_expression *x, base_text *text) {
    slicc_type type = slicc_type_find(e, x->type, x->place);
    base_text value = {0};
    const slicc_type from = slicc_emit_expression(e, x->left, &value);
    slicc_print(e, text, "((%c)(", &type);
    emit_pointer(e, &from, &type, x->left, slicc_text_or_zero(&value), text);
    base_text_add(text, "))");
    slicc_text_end(e, &value);
    slicc_note_cast(e, &from, &type, x->place);
    const bool counts = slicc_is_number(&from) && is_plain(&type);
    if (!fits(&from, &type) && !fits(&type, &from) && !counts)
        slicc_complain(e->report, x->place, "%s cannot be cast to %s", from.name, type.name);
    type.certain = from.certain && from.kind != KIND_ENTRY;
    return type;
}

slicc_type slicc_emit_expression(emitter *e, const slicc_expression *x, base_text *text) {
    switch (x->kind) {
    case SLICC_NUMBER:
        slicc_c_number(x->number, text);
        return (slicc_type){.kind = KIND_NUMBER, .name = "int", .natural = x->number > INT64_MAX};
    case SLICC_BOOLEAN:
        base_text_add(text, x->number != 0 ? "true" : "false");
        return slicc_boolean;
    case SLICC_STRING:
        /* "True" and "False" are how parameters say their defaults. */
        if (slicc_same(x->text, "True") || slicc_same(x->text, "False")) {
            base_text_add(text, x->text[0] == 'T' ? "true" : "false");
            return slicc_boolean;
        }
        base_text_add(text, "\"\"");
        return (slicc_type){.kind = KIND_STRING, .name = "string"};
    case SLICC_NULL:
        base_text_add(text, "NULL");
        return (slicc_type){.kind = KIND_ENTRY, .name = "AbstractCacheEntry"};
    case SLICC_NAME:
        return emit_name(e, x, text);
    case SLICC_ENUMERATOR:
        return emit_enumerator(e, x, text);
    case SLICC_MEMBER:
        return emit_member(e, x, text);
    case SLICC_CALL:
        return slicc_emit_call(e, x, text);
    case SLICC_CLASS_CALL: {
        const slicc_expression call = {
            .kind = SLICC_CALL, .place = x->place, .text = x->text, .arguments = x->arguments};
        return slicc_emit_call(e, &call, text);
    }
    case SLICC_METHOD:
        return slicc_emit_method(e, x, x->text, text);
    case SLICC_LOOKUP:
        return slicc_emit_method(e, x, "lookup", text);
    case SLICC_BINARY:
        return emit_binary(e, x, text);
    case SLICC_UNARY:
        return emit_unary(e, x, text);
    case SLICC_STATIC_CAST:
        return emit_cast(e, x, text);
    case SLICC_IS_VALID:
    case SLICC_IS_INVALID:
        base_text_add(text, "((const void *)(");
        const slicc_type type = slicc_emit_expression(e, x->left, text);
        base_text_print(text, ") %s NULL)", x->kind == SLICC_IS_VALID ? "!=" : "==");
        if (type.kind != KIND_BAD && !is_pointer(&type))
            slicc_complain(e->report, x->place,
                           "is_valid and is_invalid ask about entries and TBEs");
        return slicc_boolean;
    case SLICC_LOCAL:
        slicc_complain(e->report, x->place, "a variable is declared inside an expression");
        return slicc_no_value(text);
    case SLICC_NEW:
        slicc_complain(e->report, x->place, "new is for allocate");
        return slicc_no_value(text);
    }
    return slicc_no_value(text);
}

void slicc_emit_value(emitter *e, const slicc_expression *x, const slicc_type *wanted,
                      base_text *text) {
    if (x == NULL) {
        base_text_add(text, "0");
        return;
    }
    base_text value = {0};
    const slicc_type type = slicc_emit_expression(e, x, &value);
    slicc_type any = *wanted; /* "Cycles latency := 2" is how a default is written */
    any.is_any = any.is_any || e->is_initial;
    if (!fits(&type, &any))
        slicc_complain(e->report, x->place, "expected %s, got %s", wanted->name, type.name);
    emit_pointer(e, &type, wanted, x, slicc_text_or_zero(&value), text);
    slicc_text_end(e, &value);
}

/* As a declaration of SLICC in the line of the default; "(*m_x_ptr)" is how gem5's C++ says x,
 * until 2014 "(*m_L1Cache_x_ptr)". */
static void write_default(const emitter *e, const char *value, slicc_place place,
                          base_text *source) {
    const char *machine = e->machine == NULL ? "" : e->machine->name;
    const size_t length = strlen(machine);
    for (uint32_t line = 1; line < place.line; line++)
        base_text_add(source, "\n");
    base_text_add(source, "int x := ");
    for (const char *at = value; *at != '\0'; at++) {
        const char *end;
        if (strncmp(at, "(*m_", 4) == 0 && (end = strstr(at, "_ptr)")) != NULL) {
            at += 4;
            if (length > 0 && strncmp(at, machine, length) == 0 && at[length] == '_')
                at += length + 1;
            base_text_add_bytes(source, at, (size_t)(end - at));
            at = end + 4;
        } else {
            base_text_add_bytes(source, at, 1);
        }
    }
    base_text_add(source, ";");
}

void slicc_emit_default(emitter *e, const slicc_declaration *object, const slicc_type *type,
                        base_text *out) {
    const slicc_place place = object->place;
    const slicc_pair *given = slicc_pair_find(object->pairs, "default");
    if (type->kind == KIND_ENUM) {
        const slicc_value *value =
            slicc_default_of(type->declaration, given == NULL ? type->declaration->pairs : given);
        if (value != NULL)
            slicc_enumerator(type, value->name, out);
        else /* the first one */
            base_text_add(out, "0");
        return;
    }
    if (given == NULL) {
        base_text_add(out, "0");
        return;
    }
    /* "(8)", "max_tokens()": parsed like an expression of the protocol. */
    const char *value = given->value;
    base_text source = {0};
    slicc_tree scratch = {0};
    slicc_report report = {0};
    write_default(e, value, place, &source);
    const col_status status = source.failed ? COL_FAILURE
                                            : slicc_parse_text(&scratch, source.data, source.length,
                                                               place.file, &report, NULL);
    const slicc_declaration *only = scratch.declarations;
    e->report->failed = e->report->failed || report.failed || status == COL_FAILURE;
    if (status == COL_OK && report.count == 0 && only != NULL && only->next == NULL &&
        only->value != NULL) {
        const bool is_initial = e->is_initial;
        e->is_initial = true;
        slicc_emit_value(e, only->value, type, out);
        e->is_initial = is_initial;
    } else {
        slicc_complain(e->report, place, "the default \"%s\" is not understood", value);
        base_text_add(out, "0");
    }
    slicc_report_free(&report);
    slicc_tree_free(&scratch);
    slicc_text_end(e, &source);
}
