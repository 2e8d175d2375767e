/* SPDX-License-Identifier: MIT */
/* Calls of functions and methods as C: the protocol's own, and those of externals.c. */
#include "protocol/slicc/emit_protocol.h"

#include <string.h>

enum { MOST_ARGUMENTS = 12 };

typedef struct arguments {
    uint32_t count;
    base_text texts[MOST_ARGUMENTS];
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

static void end_arguments(emitter *e, arguments *a) {
    for (uint32_t i = 0; i < a->count; i++)
        slicc_text_end(e, &a->texts[i]);
}

static const char *argument(const arguments *a, uint32_t i) {
    return i < a->count ? slicc_text_or_zero(&a->texts[i]) : "0";
}

/* Fills the text of an external in. */
static void emit_template(const char *pattern, const char *object, const arguments *a,
                          base_text *text) {
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at != '$') {
            base_text_add_bytes(text, at, 1);
            continue;
        }
        at++;
        if (*at == 'c')
            base_text_add(text, "(&c->base)");
        else if (*at == 's')
            base_text_add(text, "c->base.system");
        else if (*at == '0')
            base_text_print(text, "(%s)", object);
        else
            base_text_print(text, "(%s)", argument(a, (uint32_t)(*at - '1')));
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
        table->kind == SLICC_NAME ? slicc_object_find(e, table->text) : NULL;
    const slicc_pair *pattern = object ? slicc_pair_find(object->pairs, "template") : NULL;
    return pattern == NULL ? slicc_type_find(e, "TBE", place)
                           : slicc_template_type(e, object, place);
}

/* cache.allocate(address, new Entry) and TBEs.allocate(address): a fresh record. */
static slicc_type emit_allocate(emitter *e, const slicc_expression *x, const slicc_type *object,
                                const char *pointer, base_text *text) {
    const bool cached = slicc_same(object->name, "CacheMemory");
    const slicc_expression *fresh = x->arguments != NULL ? x->arguments->next : NULL;
    slicc_type record;
    if (fresh != NULL && fresh->kind == SLICC_NEW)
        record = slicc_type_find(e, fresh->type, fresh->place);
    else
        record = record_of(e, x->left, x->place);
    if (record.kind == KIND_RECORD &&
        (slicc_same(object->name, "TBETable") || slicc_same(object->name, "PerfectCacheMemory"))) {
        const slicc_type kept = record_of(e, x->left, x->place);
        if (kept.kind == KIND_RECORD && kept.declaration != record.declaration)
            slicc_complain(e->report, x->place, "this table holds records of type %s, not %s",
                           kept.name, record.name);
    }
    if (x->arguments == NULL || record.kind != KIND_RECORD || !slicc_is_entry(record.declaration)) {
        slicc_complain(e->report, x->place, "allocate takes an address and a new record");
        return slicc_no_value(text);
    }
    slicc_print(e, text, "%k(c, sl_valid(&c->base, %s(%s, %s(%x)), %p))", &record, "init",
                cached ? "sl_cache_allocate" : "sl_table_allocate", pointer,
                slicc_same(object->name, "DirectoryMemory") ? "sl_line" : "", x->arguments,
                &slicc_address, x->place);
    record.certain = true;
    return record;
}

/* perfect_cache.lookup(address) */
static slicc_type emit_find(emitter *e, const slicc_expression *x, const char *pointer,
                            base_text *text) {
    slicc_type record = record_of(e, x->left, x->place);
    if (record.kind != KIND_RECORD || x->arguments == NULL || x->arguments->next != NULL) {
        slicc_complain(e->report, x->place, "lookup takes an address");
        return slicc_no_value(text);
    }
    slicc_print(e, text, "%k(c, %s, %x)", &record, "find", pointer, x->arguments, &slicc_address);
    record.certain = true;
    return record;
}

/* cache.setMRU(address) or (entry), with or without an access count. */
static slicc_type emit_touch(emitter *e, const slicc_expression *x, const char *pointer,
                             base_text *text) {
    base_text what = {0};
    const slicc_type type =
        x->arguments != NULL ? slicc_emit_expression(e, x->arguments, &what) : slicc_nothing;
    if (type.kind == KIND_NUMBER)
        base_text_print(text, "sl_cache_touch(%s, sl_cache_lookup(%s, %s))", pointer, pointer,
                        slicc_text_or_zero(&what));
    else
        base_text_print(text, "sl_cache_touch(%s, %s)", pointer, slicc_text_or_zero(&what));
    if (type.kind != KIND_NUMBER && type.kind != KIND_BAD && !slicc_is_any_entry(&type))
        slicc_complain(e->report, x->place, "setMRU takes an address or an entry");
    slicc_text_end(e, &what);
    return slicc_nothing;
}

/* Arguments of externals that are not plain values: see slicc_external. */
typedef struct argument_kind {
    char letter;
    slicc_kind kind;
    const char *name; /* of the type; NULL: any */
    const char *words;
} argument_kind;

static const argument_kind argument_kinds[] = {
    {'N', KIND_DESTINATION, NULL, "a NetDest or Set"},
    {'D', KIND_DATA, NULL, "a DataBlock"},
    {'M', KIND_PLACED, "WriteMask", "a WriteMask"},
    {'T', KIND_ENUM, "MachineType", "a MachineType"},
    {'E', KIND_ENUM, NULL, "a value of an enumeration"},
};

/* NULL: a plain value. */
static const argument_kind *find_kind(char letter) {
    for (size_t i = 0; i < sizeof argument_kinds / sizeof argument_kinds[0]; i++)
        if (argument_kinds[i].letter == letter)
            return &argument_kinds[i];
    return NULL;
}

static bool is_argument(const slicc_type *type, const argument_kind *wanted) {
    if (wanted == NULL)
        return slicc_is_number(type);
    return type->kind == wanted->kind &&
           (wanted->name == NULL || slicc_same(type->name, wanted->name));
}

/* Plain values where plain values belong, the rest where the rest does. */
static void check_arguments(emitter *e, const slicc_external *external, const slicc_expression *x,
                            const arguments *a) {
    const char *kinds = external->arguments + (external->arguments[0] == '*');
    const uint32_t least = (uint32_t)strlen(kinds);
    const slicc_expression *value = x->arguments;
    for (uint32_t i = 0; i < a->count; i++) {
        const argument_kind *wanted = i < least ? find_kind(kinds[i]) : NULL;
        if (!is_argument(&a->types[i], wanted) && a->types[i].kind != KIND_BAD &&
            external->text[0] != '\0')
            slicc_complain(e->report, value->place,
                           "argument %u of '%s' is %s, where %s is expected", i + 1, external->name,
                           a->types[i].name, wanted == NULL ? "a plain value" : wanted->words);
        value = value->next;
    }
    if (a->count < least)
        slicc_complain(e->report, x->place, "'%s' takes %u arguments or more", external->name,
                       least);
}

/* Which sequencer of the machine it is; UINT32_MAX: it is none, or the only one. */
static uint32_t sequencer_place(const emitter *e, const slicc_type *object) {
    uint32_t place = 0, count = 0;
    if (object->kind != KIND_OBJECT || object->object == NULL || !slicc_is_sequencer(object->name))
        return UINT32_MAX;
    for (const slicc_declaration *d = e->machine->arguments; d != NULL; d = d->next)
        if (d->kind == SLICC_OBJECT && slicc_is_sequencer(d->type)) {
            place = d == object->object ? count : place;
            count++;
        }
    return count < 2 ? UINT32_MAX : place;
}

static slicc_type emit_external(emitter *e, const slicc_external *external,
                                const slicc_expression *x, const slicc_type *object,
                                const char *pointer, base_text *text) {
    arguments a;
    emit_arguments(e, x->arguments, &a);
    if (a.count >= 2 && a.types[1].name != NULL)
        external = slicc_external_older(external, a.count, a.types[1].name);
    check_arguments(e, external, x, &a);
    slicc_note_use(e, external->object, external->name, x->place);
    const uint32_t place = sequencer_place(e, object);
    if (place != UINT32_MAX)
        base_text_print(text, "(c->base.sequencer = %u, ", place);
    if (external->text[0] == '\0') {
        /* A call without effect evaluates its arguments all the same: one may take a message. */
        base_text_add(text, "(");
        for (uint32_t i = 0; i < a.count; i++)
            base_text_print(text, "(void)(%s), ", slicc_text_or_zero(&a.texts[i]));
        base_text_add(text, "(void)0)");
    } else
        emit_template(external->text, pointer, &a, text);
    base_text_add(text, place != UINT32_MAX ? ")" : "");
    end_arguments(e, &a);
    if (strcmp(external->result, "record") == 0)
        return record_of(e, x->left, x->place);
    if (strcmp(external->result, "template") == 0)
        return slicc_template_type(e, object->object, x->place);
    return slicc_type_find(e, external->result, x->place);
}

static bool holds_records(const char *object) {
    static const char *const types[] = {"CacheMemory", "DirectoryMemory", "PerfectCacheMemory",
                                        "TBETable"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (slicc_same(types[i], object))
            return true;
    return false;
}

/* A function that exists in gem5, perhaps: in code that never runs only its arguments count. */
static slicc_type emit_unknown(emitter *e, const slicc_expression *x, base_text *text) {
    arguments a;
    emit_arguments(e, x->arguments, &a);
    end_arguments(e, &a);
    return slicc_no_value(text);
}

/* It would run when the system is built, and when it is cleared. */
static void complain_initial(emitter *e, const slicc_expression *x) {
    slicc_complain(e->report, x->place, "an initial value cannot call '%s'",
                   x->text == NULL ? "lookup" : x->text);
}

slicc_type slicc_emit_method(emitter *e, const slicc_expression *x, const char *name,
                             base_text *text) {
    base_text left = {0};
    const slicc_type object = slicc_emit_expression(e, x->left, &left);
    const char *pointer = slicc_text_or_zero(&left);
    const char *type_name = object.name;
    slicc_type result = slicc_bad;
    if (slicc_is_any_entry(&object))
        type_name = "AbstractCacheEntry";
    else if (slicc_is_buffer(type_name))
        type_name = "MessageBuffer";
    else if (slicc_is_sequencer(type_name))
        type_name = "Sequencer";
    const bool is_known = object.kind != KIND_BAD && type_name != NULL;
    const slicc_external *external = NULL;
    if (is_known)
        external = slicc_external_find(type_name, name, count_arguments(x->arguments));
    if (is_known && e->is_initial)
        complain_initial(e, x);
    if (!is_known || e->is_initial ||
        (object.kind == KIND_OBJECT && slicc_object_is_idle(type_name))) {
        result = slicc_no_value(text); /* of an idle object: of whatever type it is there */
    } else if (holds_records(type_name) &&
               (strcmp(name, "allocate") == 0 || strcmp(name, "allocateVoid") == 0)) {
        result = emit_allocate(e, x, &object, pointer, text);
    } else if (strcmp(name, "lookup") == 0 && slicc_same(type_name, "PerfectCacheMemory")) {
        result = emit_find(e, x, pointer, text);
    } else if (strcmp(name, "setMRU") == 0 && slicc_same(type_name, "CacheMemory")) {
        result = emit_touch(e, x, pointer, text);
    } else if (slicc_same(type_name, "TriggerQueue") && object.object != NULL &&
               slicc_queues_records(e, object.object, x->place)) {
        result = slicc_emit_queue_method(e, x, object.object, text);
    } else if (external == NULL && e->is_unused &&
               slicc_external_find(type_name, name, SLICC_ANY_NUMBER) == NULL) {
        result = emit_unknown(e, x, text);
    } else if (external == NULL) {
        slicc_complain(e->report, x->place, "%s has no method '%s' with %u arguments", type_name,
                       name, count_arguments(x->arguments));
        result = slicc_no_value(text);
    } else {
        result = emit_external(e, external, x, &object, pointer, text);
    }
    slicc_text_end(e, &left);
    return result;
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void expect_arguments(emitter *e, const slicc_expression *x, uint32_t count) {
    if (count_arguments(x->arguments) != count)
        slicc_complain(e->report, x->place, "'%s' takes %u arguments", x->text, count);
}

static slicc_type emit_assert(emitter *e, const slicc_expression *x, base_text *text) {
    expect_arguments(e, x, 1);
    slicc_print(e, text,
                "((%x) ? (void)0 : sl_fail(&c->base, \"an assertion of the protocol fails\", %p))",
                x->arguments, &slicc_boolean, x->place);
    return slicc_nothing;
}

static slicc_type emit_error(emitter *e, const slicc_expression *x, base_text *text) {
    const bool says = x->arguments != NULL && x->arguments->kind == SLICC_STRING;
    slicc_print(e, text, "sl_fail(&c->base, %q, %p)", says ? x->arguments->text : "error()",
                x->place);
    return slicc_nothing;
}

/* What cache_entry is in an action. */
static slicc_type entry_of_machine(const emitter *e) {
    const slicc_declaration *entry = slicc_main_entry(e);
    if (entry == NULL)
        return (slicc_type){.kind = KIND_ENTRY, .name = "AbstractCacheEntry"};
    return slicc_record_type(e, entry);
}

/* set_tbe(x), unset_tbe(), set_cache_entry(x), unset_cache_entry() */
static slicc_type emit_setting(emitter *e, const slicc_expression *x, base_text *text) {
    if (e->within == NULL || e->within->kind != SLICC_ACTION)
        slicc_complain(e->report, x->place, "'%s' is for actions", x->text);
    const bool is_tbe = ends_with(x->text, "_tbe");
    const slicc_type wanted = is_tbe ? slicc_type_find(e, "TBE", x->place) : entry_of_machine(e);
    expect_arguments(e, x, strncmp(x->text, "set_", 4) == 0);
    slicc_print(e, text, "t->%s = %x", is_tbe ? "tbe" : "entry", x->arguments, &wanted);
    return slicc_nothing;
}

static bool is_tbe(const slicc_type *type) {
    return type->kind == KIND_RECORD && slicc_same(type->declaration->name, "TBE") &&
           slicc_is_entry(type->declaration);
}

/* May it stand for the entry or TBE of a transition? */
static bool is_of_transition(const emitter *e, const slicc_type *type) {
    const slicc_declaration *entry = slicc_main_entry(e);
    if (type->kind == KIND_ENTRY || is_tbe(type))
        return true;
    return type->kind == KIND_RECORD && slicc_is_entry(type->declaration) &&
           (entry == NULL || type->declaration == entry);
}

static bool is_trigger(const emitter *e, const arguments *a) {
    for (uint32_t i = 0; i < a->count; i++) {
        const slicc_type *type = &a->types[i];
        const bool fits = (i == 0 && type->kind == KIND_ENUM && slicc_same(type->name, "Event")) ||
                          (i == 1 && type->kind == KIND_NUMBER) ||
                          (i > 1 && is_of_transition(e, type));
        if (!fits && type->kind != KIND_BAD)
            return false;
    }
    return a->count >= 2;
}

/* What the in_port says is to be done with a message that is stalled. */
static bool emit_handler(emitter *e, const char *key, base_text *text) {
    const slicc_declaration *port = slicc_port_at_work(e);
    const slicc_pair *handler = port == NULL ? NULL : slicc_pair_find(port->pairs, key);
    const slicc_declaration *function =
        handler == NULL ? NULL : slicc_function_find(e, handler->value, 0);
    if (handler == NULL)
        return false;
    if (function == NULL || !slicc_same(function->type, "bool")) {
        slicc_complain(e->report, handler->place,
                       "there is no function '%s' without arguments that returns a bool",
                       handler->value);
        return false;
    }
    slicc_need(e, function);
    slicc_print(e, text, "if (%g(c)) return true; ", function);
    return true;
}

/* trigger(event, address [, entry] [, tbe]) */
static slicc_type emit_trigger(emitter *e, const slicc_expression *x, base_text *text) {
    arguments a;
    emit_arguments(e, x->arguments, &a);
    const slicc_type wanted = entry_of_machine(e);
    const char *tbe = "NULL";
    base_text entry = {0};
    for (uint32_t i = 2; i < a.count; i++) {
        if (is_tbe(&a.types[i])) {
            tbe = argument(&a, i);
            continue;
        }
        slicc_text_end(e, &entry);
        entry = (base_text){0};
        if (a.types[i].kind == KIND_ENTRY && wanted.kind == KIND_RECORD)
            slicc_emit_record(e, &wanted, argument(&a, i), x->place, &entry);
        else
            base_text_add(&entry, argument(&a, i));
    }
    if (!is_trigger(e, &a))
        slicc_complain(e->report, x->place,
                       "trigger takes an event, an address, and the entry and TBE where the "
                       "machine has them");
    if (slicc_port_at_work(e) == NULL)
        slicc_complain(e->report, x->place, "trigger is for in_ports");
    slicc_print(e, text,
                "switch (sm_%M_take(c, (uint32_t)(%s), %s, %s, %s)) {\n"
                "case SL_VALID: return true;\n"
                "case SL_RESOURCE_STALL: ",
                argument(&a, 0), slicc_text_or_zero(&entry), tbe, argument(&a, 1));
    emit_handler(e, "rsc_stall_handler", text);
    base_text_add(text, "sl_wake_later(&c->base, 1); break;\ndefault: ");
    if (emit_handler(e, "prot_stall_handler", text))
        base_text_add(text, "sl_wake_later(&c->base, 1); ");
    base_text_add(text, "break;\n}");
    slicc_text_end(e, &entry);
    end_arguments(e, &a);
    return slicc_nothing;
}

static slicc_type emit_function_call(emitter *e, const slicc_declaration *function,
                                     const slicc_expression *x, base_text *text) {
    const slicc_type result = slicc_type_find(e, function->type, function->place);
    const bool by_value = slicc_is_in_place(&result);
    slicc_need(e, function);
    e->stack += e->is_unused || !by_value ? 0 : slicc_type_bytes(&result);
    if (by_value) { /* the value in a place of its own, so that it has an address */
        slicc_print(e, text, "((%f[1]){", &result);
    }
    slicc_print(e, text, "%g(c", function);
    const slicc_parameter *parameter = function->parameters;
    for (const slicc_expression *a = x->arguments; a != NULL; a = a->next) {
        const slicc_type wanted =
            parameter ? slicc_type_find(e, parameter->type, parameter->place) : slicc_bad;
        slicc_print(e, text, ", %x", a, &wanted);
        parameter = parameter ? parameter->next : NULL;
    }
    base_text_add(text, by_value ? ")})" : ")");
    return result;
}

/* Can what a variable starts with call it? It has a value and does nothing else. */
static bool may_start(const emitter *e, const slicc_expression *x) {
    const uint32_t count = count_arguments(x->arguments);
    const slicc_external *external = slicc_external_find("", x->text, count);
    return external != NULL && strcmp(external->result, "void") != 0 &&
           slicc_function_find(e, x->text, count) == NULL;
}

slicc_type slicc_emit_call(emitter *e, const slicc_expression *x, base_text *text) {
    const char *name = x->text;
    if (strncmp(name, "DPRINTF", 7) == 0 || strcmp(name, "APPEND_TRANSITION_COMMENT") == 0) {
        base_text_add(text, "(void)0");
        return slicc_nothing;
    }
    if (strncmp(name, "profile", 7) == 0) {
        static const slicc_external statistics = {"", "", "*", "void", ""};
        return emit_external(e, &statistics, x, &slicc_nothing, "0", text);
    }
    if (e->is_initial && !may_start(e, x)) {
        complain_initial(e, x);
        return slicc_no_value(text);
    }
    if (strcmp(name, "assert") == 0)
        return emit_assert(e, x, text);
    if (strcmp(name, "error") == 0)
        return emit_error(e, x, text);
    if (strcmp(name, "trigger") == 0)
        return emit_trigger(e, x, text);
    if (strcmp(name, "set_tbe") == 0 || strcmp(name, "unset_tbe") == 0 ||
        strcmp(name, "set_cache_entry") == 0 || strcmp(name, "unset_cache_entry") == 0)
        return emit_setting(e, x, text);
    if (ends_with(name, "_to_permission")) {
        const slicc_type state = slicc_type_find(e, "State", x->place);
        expect_arguments(e, x, 1);
        slicc_print(e, text,
                    "sl_permission(&c->base, sm_%M_permissions, sizeof sm_%M_permissions, %x)",
                    x->arguments, &state);
        return slicc_type_find(e, "AccessPermission", x->place);
    }
    if (ends_with(name, "_to_string")) {
        base_text_add(text, "\"\"");
        return (slicc_type){.kind = KIND_STRING, .name = "string"};
    }
    const uint32_t count = count_arguments(x->arguments);
    const slicc_declaration *function = slicc_function_find(e, name, count);
    if (function != NULL)
        return emit_function_call(e, function, x, text);
    const slicc_external *external = slicc_external_find("", name, count);
    if (external != NULL)
        return emit_external(e, external, x, &slicc_nothing, "0", text);
    if (e->is_unused && slicc_function_find(e, name, SLICC_ANY_NUMBER) == NULL &&
        slicc_external_find("", name, SLICC_ANY_NUMBER) == NULL)
        return emit_unknown(e, x, text);
    slicc_complain(e->report, x->place, "there is no function '%s' with %u arguments", name, count);
    return slicc_no_value(text);
}
