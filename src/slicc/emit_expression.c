/* SPDX-License-Identifier: MIT */
/* Expressions as C, with their types. */
#include "slicc/emit.h"
#include "slicc/externals.h"
#include "slicc/parse.h"

#include <string.h>

static const slicc_type bad = {.kind = KIND_BAD};
static const slicc_type nothing = {.kind = KIND_VOID, .name = "void"};
static const slicc_type boolean = {.kind = KIND_BOOL, .name = "bool"};
static const slicc_type number = {.kind = KIND_NUMBER, .name = "int"};

static slicc_type complaint(col_text *text) {
    col_text_add(text, "0");
    return bad;
}

static bool is_pointer(const slicc_type *type) {
    return type->kind == KIND_RECORD || type->kind == KIND_ENTRY || type->kind == KIND_OBJECT ||
           type->kind == KIND_DESTINATION || type->kind == KIND_DATA;
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
    slicc_local *local = &e->locals[e->local_count++];
    *local = (slicc_local){.name = name, .type = *type};
    const size_t length = strlen(text);
    memcpy(local->text, text, length < sizeof local->text ? length : sizeof local->text - 1);
}

/* A port stands for the buffer or table behind it. */
static const slicc_declaration *find_port(const emitter *e, const char *name) {
    if (e->machine == NULL)
        return NULL;
    const slicc_declaration *port = slicc_member_find(e->machine->members, SLICC_IN_PORT, name);
    return port != NULL ? port : slicc_member_find(e->machine->members, SLICC_OUT_PORT, name);
}

static const slicc_declaration *find_object(const emitter *e, const char *name) {
    if (e->machine == NULL)
        return NULL;
    const slicc_declaration *object =
        slicc_member_find(e->machine->arguments, SLICC_OBJECT, name);
    return object != NULL ? object : slicc_member_find(e->machine->members, SLICC_OBJECT, name);
}

static slicc_type emit_name(emitter *e, const slicc_expression *x, col_text *text) {
    static const struct {
        const char *name, *type, *text;
    } known[] = {
        {"machineID", "MachineID", "c->base.machine_id"},
        {"version", "NodeID", "(int64_t)c->base.number"},
        {"clusterID", "NodeID", "(int64_t)0"},
        {"recycle_latency", "Cycles", "(uint64_t)10"},
    };
    const slicc_local *local = find_local(e, x->text);
    if (local != NULL) {
        col_text_add(text, local->text);
        return local->type;
    }
    const slicc_declaration *port = find_port(e, x->text);
    const slicc_declaration *object =
        find_object(e, port != NULL ? port->buffer->text : x->text);
    if (object != NULL) {
        slicc_type type = slicc_type_find(e, object->type, object->place);
        const bool in_place = type.kind == KIND_DESTINATION || type.kind == KIND_DATA;
        col_text_print(text, "%sc->m_%s", in_place ? "&" : "", object->name);
        type.certain = true;
        return type;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (slicc_same(known[i].name, x->text)) {
            col_text_add(text, known[i].text);
            return slicc_type_find(e, known[i].type, x->place);
        }
    slicc_complain(e->report, x->place, "'%s' is not declared", x->text);
    return complaint(text);
}

static slicc_type emit_enumerator(emitter *e, const slicc_expression *x, col_text *text) {
    const slicc_type type = slicc_type_find(e, x->type, x->place);
    if (type.kind == KIND_BAD)
        return complaint(text);
    if (type.kind != KIND_ENUM) {
        slicc_complain(e->report, x->place, "'%s' is not an enumeration", x->type);
        return complaint(text);
    }
    for (const slicc_value *value = type.declaration->values; value != NULL; value = value->next)
        if (slicc_same(value->name, x->text)) {
            slicc_enumerator(&type, x->text, text);
            return type;
        }
    slicc_complain(e->report, x->place, "%s has no value '%s'", x->type, x->text);
    return complaint(text);
}

/* ---- Members. */

/* Wraps a pointer that may be null so that following it is a protocol error, not a crash. */
static void emit_followed(const slicc_type *type, const char *pointer, slicc_place place,
                          col_text *text) {
    if (type->certain) {
        col_text_print(text, "(%s)", pointer);
        return;
    }
    col_text_add(text, "((");
    slicc_record_name(type, text);
    col_text_print(text, " *)sl_valid(&c->base, %s, ", pointer);
    slicc_place_write(place, text);
    col_text_add(text, "))");
}

static slicc_type emit_member(emitter *e, const slicc_expression *x, col_text *text) {
    col_text left = {0};
    const slicc_type type = slicc_emit_expression(e, x->left, &left);
    slicc_type field = bad;
    if (type.kind == KIND_RECORD) {
        const slicc_declaration *member =
            slicc_member_find(type.declaration->members, SLICC_OBJECT, x->text);
        if (member == NULL)
            slicc_complain(e->report, x->place, "%s has no field '%s'", type.name, x->text);
        else
            field = slicc_type_find(e, member->type, member->place);
    } else if (type.kind != KIND_BAD) {
        slicc_complain(e->report, x->place, "'%s' is asked of something that has no fields",
                       x->text);
    }
    if (field.kind == KIND_BAD || left.failed) {
        col_text_free(&left);
        return complaint(text);
    }
    if (is_pointer(&field)) {
        col_text_add(text, "&");
        field.certain = true;
    }
    emit_followed(&type, left.data, x->place, text);
    col_text_print(text, "->%s", x->text);
    col_text_free(&left);
    return field;
}

/* ---- Calls. */

enum { MOST_ARGUMENTS = 12 };

typedef struct arguments {
    uint32_t count;
    col_text texts[MOST_ARGUMENTS];
    slicc_type types[MOST_ARGUMENTS];
} arguments;

static void emit_arguments(emitter *e, const slicc_expression *list, arguments *a) {
    *a = (arguments){0};
    for (; list != NULL; list = list->next) {
        if (a->count == MOST_ARGUMENTS) {
            slicc_complain(e->report, list->place, "a call has more than %d arguments",
                           MOST_ARGUMENTS);
            return;
        }
        a->types[a->count] = slicc_emit_expression(e, list, &a->texts[a->count]);
        a->count++;
    }
}

static void free_arguments(arguments *a) {
    for (uint32_t i = 0; i < a->count; i++)
        col_text_free(&a->texts[i]);
}

static const char *argument(const arguments *a, uint32_t i) {
    return i < a->count && a->texts[i].data != NULL ? a->texts[i].data : "0";
}

/* Fills the text of an external in. */
static void emit_template(const char *pattern, const char *object, const arguments *a,
                          col_text *text) {
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at != '$') {
            col_text_add_bytes(text, at, 1);
            continue;
        }
        at++;
        if (*at == 'c')
            col_text_add(text, "(&c->base)");
        else if (*at == 's')
            col_text_add(text, "c->base.system");
        else if (*at == '0')
            col_text_print(text, "(%s)", object);
        else
            col_text_print(text, "(%s)", argument(a, (uint32_t)(*at - '1')));
    }
}

static uint32_t count_arguments(const slicc_expression *list) {
    uint32_t count = 0;
    for (; list != NULL; list = list->next)
        count++;
    return count;
}

/* "<L2Cache_DirEntry>", the template of a table, names the record. */
static slicc_type record_of(emitter *e, const slicc_expression *table, slicc_place place) {
    const slicc_declaration *object =
        table->kind == SLICC_NAME ? find_object(e, table->text) : NULL;
    const slicc_pair *pattern = object ? slicc_pair_find(object->pairs, "template") : NULL;
    if (pattern == NULL)
        return slicc_type_find(e, "TBE", place);
    const slicc_declaration *member = e->machine->members;
    for (; member != NULL; member = member->next) {
        if (member->kind != SLICC_STRUCTURE)
            continue;
        const char *found = strstr(pattern->value, member->name);
        const size_t length = strlen(member->name);
        if (found != NULL && (found[length] == '>' || found[length] == '\0') &&
            found > pattern->value && (found[-1] == '_' || found[-1] == '<'))
            return slicc_type_find(e, member->name, place);
    }
    slicc_complain(e->report, place, "the template %s of '%s' names no structure of this machine",
                   pattern->value, object->name);
    return bad;
}

/* cache.allocate(address, new Entry) and TBEs.allocate(address): a fresh record. */
static slicc_type emit_allocate(emitter *e, const slicc_expression *x, const slicc_type *object,
                                const char *pointer, col_text *text) {
    const bool cached = slicc_same(object->name, "CacheMemory");
    const slicc_expression *fresh = x->arguments != NULL ? x->arguments->next : NULL;
    slicc_type record;
    if (fresh != NULL && fresh->kind == SLICC_NEW)
        record = slicc_type_find(e, fresh->type, fresh->place);
    else
        record = record_of(e, x->left, x->place);
    if (x->arguments == NULL || record.kind != KIND_RECORD) {
        slicc_complain(e->report, x->place, "allocate takes an address and a new record");
        return complaint(text);
    }
    slicc_type address = number;
    col_text name = {0}, place = {0};
    slicc_record_name(&record, &name);
    slicc_place_write(x->place, &place);
    col_text_print(text, "%s_init(c, sl_valid(&c->base, %s(%s, ", name.data + 7,
                   cached ? "sl_cache_allocate" : "sl_table_allocate", pointer);
    slicc_emit_value(e, x->arguments, &address, text);
    col_text_print(text, "), %s))", place.data);
    col_text_free(&name);
    col_text_free(&place);
    record.certain = true;
    return record;
}

/* cache.setMRU(address) or (entry), with or without an access count. */
static slicc_type emit_touch(emitter *e, const slicc_expression *x, const char *pointer,
                             col_text *text) {
    col_text what = {0};
    const slicc_type type =
        x->arguments != NULL ? slicc_emit_expression(e, x->arguments, &what) : bad;
    if (type.kind == KIND_NUMBER)
        col_text_print(text, "sl_cache_touch(%s, sl_cache_lookup(%s, %s))", pointer, pointer,
                       what.data);
    else
        col_text_print(text, "sl_cache_touch(%s, %s)", pointer, what.data ? what.data : "NULL");
    col_text_free(&what);
    return nothing;
}

static slicc_type emit_external(emitter *e, const slicc_external *external,
                                const slicc_expression *x, const char *pointer, col_text *text) {
    arguments a;
    emit_arguments(e, x->arguments, &a);
    if (external->text[0] == '\0')
        col_text_add(text, "(void)0");
    else
        emit_template(external->text, pointer, &a, text);
    free_arguments(&a);
    if (strcmp(external->result, "record") == 0)
        return record_of(e, x->left, x->place);
    return slicc_type_find(e, external->result, x->place);
}

static slicc_type emit_method(emitter *e, const slicc_expression *x, const char *name,
                              col_text *text) {
    col_text left = {0};
    const slicc_type object = slicc_emit_expression(e, x->left, &left);
    const char *pointer = left.data == NULL ? "0" : left.data;
    const char *type_name = object.name;
    slicc_type result = bad;
    if (object.kind == KIND_RECORD || object.kind == KIND_ENTRY)
        type_name = "AbstractCacheEntry";
    const slicc_external *external = NULL;
    if (object.kind != KIND_BAD && type_name != NULL)
        external = slicc_external_find(type_name, name, count_arguments(x->arguments));

    if (object.kind == KIND_BAD) {
        result = complaint(text);
    } else if (object.kind == KIND_OBJECT && slicc_object_is_idle(type_name)) {
        col_text_add(text, "0");
        result = number;
    } else if (object.kind == KIND_OBJECT &&
               (strcmp(name, "allocate") == 0 || strcmp(name, "allocateVoid") == 0)) {
        result = emit_allocate(e, x, &object, pointer, text);
    } else if (strcmp(name, "setMRU") == 0) {
        result = emit_touch(e, x, pointer, text);
    } else if (external == NULL) {
        slicc_complain(e->report, x->place, "%s has no method '%s' with %u arguments", type_name,
                       name, count_arguments(x->arguments));
        result = complaint(text);
    } else {
        result = emit_external(e, external, x, pointer, text);
    }
    col_text_free(&left);
    return result;
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static slicc_type emit_assert(emitter *e, const slicc_expression *x, col_text *text) {
    col_text_add(text, "((");
    slicc_emit_value(e, x->arguments, &boolean, text);
    col_text_add(text, ") ? (void)0 : sl_fail(&c->base, \"an assertion of the protocol fails\", ");
    slicc_place_write(x->place, text);
    col_text_add(text, "))");
    return nothing;
}

static slicc_type emit_error(const slicc_expression *x, col_text *text) {
    col_text_add(text, "sl_fail(&c->base, \"");
    const char *message =
        x->arguments != NULL && x->arguments->kind == SLICC_STRING ? x->arguments->text : "error()";
    for (const char *at = message; *at != '\0'; at++)
        if (*at != '"' && *at != '\\' && (unsigned char)*at >= ' ')
            col_text_add_bytes(text, at, 1);
    col_text_add(text, "\", ");
    slicc_place_write(x->place, text);
    col_text_add(text, ")");
    return nothing;
}

/* set_tbe(x), unset_tbe(), set_cache_entry(x), unset_cache_entry() */
static slicc_type emit_setting(emitter *e, const slicc_expression *x, col_text *text) {
    if (!e->in_action)
        slicc_complain(e->report, x->place, "'%s' is for actions", x->text);
    col_text_print(text, "t->%s = ", ends_with(x->text, "_tbe") ? "tbe" : "entry");
    if (x->arguments == NULL)
        col_text_add(text, "NULL");
    else
        (void)slicc_emit_expression(e, x->arguments, text);
    return nothing;
}

/* trigger(event, address [, entry] [, tbe]) */
static slicc_type emit_trigger(emitter *e, const slicc_expression *x, col_text *text) {
    arguments a;
    emit_arguments(e, x->arguments, &a);
    const char *entry = "NULL", *tbe = "NULL";
    for (uint32_t i = 2; i < a.count; i++) {
        const bool is_tbe =
            a.types[i].kind == KIND_RECORD && slicc_same(a.types[i].declaration->name, "TBE");
        *(is_tbe ? &tbe : &entry) = argument(&a, i);
    }
    if (a.count < 2 || a.types[0].kind != KIND_ENUM)
        slicc_complain(e->report, x->place, "trigger takes an event, an address, and the entry and "
                                            "TBE where the machine has them");
    if (e->port == NULL)
        slicc_complain(e->report, x->place, "trigger is for in_ports");
    col_text_print(text, "switch (sm_%s_take(c, (uint32_t)(%s), %s, %s, %s)) {\n"
                         "case SL_VALID: return true;\n"
                         "case SL_RESOURCE_STALL: sl_wake_later(&c->base, 1); break;\n"
                         "default: break;\n}",
                   e->machine->name, argument(&a, 0), entry, tbe, argument(&a, 1));
    free_arguments(&a);
    return nothing;
}

static slicc_type emit_function_call(emitter *e, const slicc_declaration *function,
                                     const slicc_expression *x, col_text *text) {
    const slicc_type result = slicc_type_find(e, function->type, function->place);
    const bool by_value = result.kind == KIND_DESTINATION || result.kind == KIND_DATA;
    slicc_need(e, function);
    if (by_value) /* the value in a place of its own, so that it has an address */
        col_text_print(text, "((%s[1]){",
                       result.kind == KIND_DATA ? "sl_data" : "sl_destination");
    slicc_function_name(e, function, text);
    col_text_add(text, "(c");
    const slicc_parameter *parameter = function->parameters;
    for (const slicc_expression *a = x->arguments; a != NULL; a = a->next) {
        const slicc_type wanted =
            parameter ? slicc_type_find(e, parameter->type, parameter->place) : bad;
        col_text_add(text, ", ");
        slicc_emit_value(e, a, &wanted, text);
        parameter = parameter ? parameter->next : NULL;
    }
    col_text_add(text, by_value ? ")})" : ")");
    return result;
}

static slicc_type emit_call(emitter *e, const slicc_expression *x, col_text *text) {
    const char *name = x->text;
    if (strncmp(name, "DPRINTF", 7) == 0 || strcmp(name, "APPEND_TRANSITION_COMMENT") == 0 ||
        strncmp(name, "profile", 7) == 0) {
        col_text_add(text, "(void)0");
        return nothing;
    }
    if (strcmp(name, "assert") == 0)
        return emit_assert(e, x, text);
    if (strcmp(name, "error") == 0)
        return emit_error(x, text);
    if (strcmp(name, "trigger") == 0)
        return emit_trigger(e, x, text);
    if (strcmp(name, "set_tbe") == 0 || strcmp(name, "unset_tbe") == 0 ||
        strcmp(name, "set_cache_entry") == 0 || strcmp(name, "unset_cache_entry") == 0)
        return emit_setting(e, x, text);
    if (ends_with(name, "_to_permission")) {
        col_text_print(text, "(int32_t)sm_%s_permissions[", e->machine->name);
        (void)slicc_emit_expression(e, x->arguments, text);
        col_text_add(text, "]");
        return slicc_type_find(e, "AccessPermission", x->place);
    }
    if (ends_with(name, "_to_string")) {
        col_text_add(text, "\"\"");
        return (slicc_type){.kind = KIND_STRING, .name = "string"};
    }
    const uint32_t count = count_arguments(x->arguments);
    const slicc_declaration *function = slicc_function_find(e, name, count);
    if (function != NULL)
        return emit_function_call(e, function, x, text);
    const slicc_external *external = slicc_external_find("", name, count);
    if (external != NULL)
        return emit_external(e, external, x, "0", text);
    slicc_complain(e->report, x->place, "there is no function '%s' with %u arguments", name, count);
    return complaint(text);
}

/* ---- Operators. */

static slicc_type emit_binary(emitter *e, const slicc_expression *x, col_text *text) {
    col_text left = {0}, right = {0};
    const slicc_type a = slicc_emit_expression(e, x->left, &left);
    const slicc_type b = slicc_emit_expression(e, x->right, &right);
    const bool equality = strcmp(x->text, "==") == 0 || strcmp(x->text, "!=") == 0;
    const bool logical = strcmp(x->text, "&&") == 0 || strcmp(x->text, "||") == 0;
    const bool comparison = x->text[0] == '<' || x->text[0] == '>';
    const char *l = left.data ? left.data : "0", *r = right.data ? right.data : "0";
    slicc_type result = a;
    if (a.kind == KIND_ENUM && b.kind == KIND_ENUM && a.declaration != b.declaration)
        slicc_complain(e->report, x->place, "%s and %s are different enumerations", a.name, b.name);
    else if (a.kind == KIND_VOID || b.kind == KIND_VOID)
        slicc_complain(e->report, x->place, "one side of '%s' has no value", x->text);

    if (equality && a.kind == KIND_DATA && b.kind == KIND_DATA)
        col_text_print(text, "(memcmp(%s, %s, sizeof(sl_data)) %s 0)", l, r, x->text);
    else if (equality && (is_pointer(&a) || is_pointer(&b)))
        col_text_print(text, "((const void *)(%s) %s (const void *)(%s))", l, x->text, r);
    else
        col_text_print(text, "((%s) %s (%s))", l, x->text, r);
    if (equality || logical || (comparison && x->text[1] != x->text[0]))
        result = boolean;
    col_text_free(&left);
    col_text_free(&right);
    return result;
}

static slicc_type emit_unary(emitter *e, const slicc_expression *x, col_text *text) {
    col_text_print(text, "(%s", x->text);
    const slicc_type type = slicc_emit_expression(e, x->left, text);
    col_text_add(text, ")");
    return x->text[0] == '!' ? boolean : type;
}

static slicc_type emit_cast(emitter *e, const slicc_expression *x, col_text *text) {
    slicc_type type = slicc_type_find(e, x->type, x->place);
    col_text_add(text, "((");
    slicc_c_type(&type, text);
    col_text_add(text, ")(");
    const slicc_type from = slicc_emit_expression(e, x->left, text);
    col_text_add(text, "))");
    type.certain = from.certain && from.kind != KIND_ENTRY;
    return type;
}

static slicc_type emit_validity(emitter *e, const slicc_expression *x, col_text *text) {
    col_text_add(text, "((const void *)(");
    const slicc_type type = slicc_emit_expression(e, x->left, text);
    col_text_print(text, ") %s NULL)", x->kind == SLICC_IS_VALID ? "!=" : "==");
    if (type.kind != KIND_BAD && !is_pointer(&type))
        slicc_complain(e->report, x->place, "is_valid and is_invalid ask about entries and TBEs");
    return boolean;
}

slicc_type slicc_emit_expression(emitter *e, const slicc_expression *x, col_text *text) {
    switch (x->kind) {
    case SLICC_NUMBER:
        col_text_number(text, x->number);
        return number;
    case SLICC_BOOLEAN:
        col_text_add(text, x->number != 0 ? "true" : "false");
        return boolean;
    case SLICC_STRING:
        /* "True" and "False" are how parameters say their defaults. */
        if (slicc_same(x->text, "True") || slicc_same(x->text, "False")) {
            col_text_add(text, x->text[0] == 'T' ? "true" : "false");
            return boolean;
        }
        col_text_add(text, "\"\"");
        return (slicc_type){.kind = KIND_STRING, .name = "string"};
    case SLICC_NULL:
        col_text_add(text, "NULL");
        return (slicc_type){.kind = KIND_ENTRY, .name = "AbstractCacheEntry"};
    case SLICC_NAME:
        return emit_name(e, x, text);
    case SLICC_ENUMERATOR:
        return emit_enumerator(e, x, text);
    case SLICC_MEMBER:
        return emit_member(e, x, text);
    case SLICC_CALL:
        return emit_call(e, x, text);
    case SLICC_CLASS_CALL: {
        const slicc_expression call = {
            .kind = SLICC_CALL, .place = x->place, .text = x->text, .arguments = x->arguments};
        return emit_call(e, &call, text);
    }
    case SLICC_METHOD:
        return emit_method(e, x, x->text, text);
    case SLICC_LOOKUP:
        return emit_method(e, x, "lookup", text);
    case SLICC_BINARY:
        return emit_binary(e, x, text);
    case SLICC_UNARY:
        return emit_unary(e, x, text);
    case SLICC_STATIC_CAST:
        return emit_cast(e, x, text);
    case SLICC_IS_VALID:
    case SLICC_IS_INVALID:
        return emit_validity(e, x, text);
    case SLICC_LOCAL:
        slicc_complain(e->report, x->place, "a variable is declared inside an expression");
        return complaint(text);
    case SLICC_NEW:
        slicc_complain(e->report, x->place, "new is for allocate");
        return complaint(text);
    }
    return complaint(text);
}

static bool is_numeric(const slicc_type *type) {
    return type->kind == KIND_NUMBER || type->kind == KIND_BOOL || type->kind == KIND_MACHINE ||
           type->kind == KIND_BAD;
}

/* May a value of this type stand where that one is wanted? */
static bool fits(const slicc_type *type, const slicc_type *wanted) {
    if (type->kind == KIND_BAD || wanted->kind == KIND_BAD)
        return true;
    if (is_numeric(type) && is_numeric(wanted))
        return true;
    if (wanted->kind == KIND_ENTRY)
        return type->kind == KIND_RECORD || type->kind == KIND_ENTRY;
    if (type->kind == KIND_ENTRY)
        return wanted->kind == KIND_RECORD;
    if (type->kind != wanted->kind)
        return false;
    return type->declaration == wanted->declaration;
}

void slicc_emit_value(emitter *e, const slicc_expression *x, const slicc_type *wanted,
                      col_text *text) {
    if (x == NULL) {
        col_text_add(text, "0");
        return;
    }
    const slicc_type type = slicc_emit_expression(e, x, text);
    if (!fits(&type, wanted))
        slicc_complain(e->report, x->place, "expected %s, got %s", wanted->name, type.name);
}

/* "(8)", "max_tokens()", "L1Cache_State_I": parsed like an expression of the protocol. */
void slicc_emit_default(emitter *e, const char *value, const slicc_type *type, slicc_place place,
                        col_text *out) {
    if (type->kind == KIND_ENUM) {
        const char *start = strstr(value, type->name);
        const char *found = start != NULL ? start + strlen(type->name) + 1 : value;
        for (const slicc_value *v = type->declaration->values; v != NULL; v = v->next)
            if (slicc_same(v->name, found)) {
                slicc_enumerator(type, found, out);
                return;
            }
        col_text_add(out, "0");
        return;
    }
    col_text source = {0};
    col_text_add(&source, "int x := ");
    for (const char *at = value; *at != '\0'; at++) {
        const char *end;
        if (strncmp(at, "(*m_", 4) == 0 && (end = strstr(at, "_ptr)")) != NULL) {
            col_text_add_bytes(&source, at + 4, (size_t)(end - at) - 4);
            at = end + 4;
        } else {
            col_text_add_bytes(&source, at, 1);
        }
    }
    col_text_add(&source, ";");
    slicc_tree scratch = {0};
    slicc_report report = {0};
    const bool parsed = !source.failed &&
                        slicc_parse_text(&scratch, source.data, source.length, place.file, &report,
                                         NULL) == COL_OK &&
                        report.count == 0 && scratch.declarations != NULL &&
                        scratch.declarations->value != NULL;
    if (parsed) {
        (void)slicc_emit_expression(e, scratch.declarations->value, out);
    } else {
        slicc_complain(e->report, place, "the default \"%s\" is not understood", value);
        col_text_add(out, "0");
    }
    slicc_report_free(&report);
    slicc_tree_free(&scratch);
    col_text_free(&source);
}
