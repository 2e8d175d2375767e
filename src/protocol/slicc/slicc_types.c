/* SPDX-License-Identifier: MIT */
/* The types of SLICC and what they are in C: see emit_protocol.h. */
#include "protocol/slicc/emit_protocol.h"

#include <stdlib.h>
#include <string.h>

bool slicc_same(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

const slicc_pair *slicc_pair_find(const slicc_pair *pairs, const char *key) {
    for (; pairs != NULL; pairs = pairs->next)
        if (slicc_same(pairs->key, key))
            return pairs;
    return NULL;
}

const slicc_type slicc_bad = {.kind = KIND_BAD};
const slicc_type slicc_nothing = {.kind = KIND_VOID, .name = "void"};
const slicc_type slicc_boolean = {.kind = KIND_BOOL, .name = "bool"};
const slicc_type slicc_number = {.kind = KIND_NUMBER, .name = "int"};
const slicc_type slicc_address = {.kind = KIND_NUMBER, .name = "Addr"};

static const struct {
    const char *name;
    slicc_kind kind;
} builtins[] = {
    {"void", KIND_VOID},           {"int", KIND_NUMBER},
    {"uint32_t", KIND_NUMBER},     {"uint64_t", KIND_NUMBER},
    {"Scalar", KIND_NUMBER},       {"NodeID", KIND_NUMBER},
    {"Cycles", KIND_NUMBER},       {"Tick", KIND_NUMBER},
    {"Addr", KIND_NUMBER},         {"Address", KIND_NUMBER},
    {"Time", KIND_NUMBER},         {"bool", KIND_BOOL},
    {"std::string", KIND_STRING},  {"string", KIND_STRING},
    {"MachineID", KIND_MACHINE},   {"NetDest", KIND_DESTINATION},
    {"Set", KIND_DESTINATION},     {"DataBlock", KIND_DATA},
    {"WriteMask", KIND_PLACED},    {"TriggerQueue", KIND_PLACED},
    {"ExpectedMap", KIND_PLACED},  {"TBEStorage", KIND_PLACED},
    {"RequestPtr", KIND_NUMBER},   {"PacketPtr", KIND_NUMBER},
    {"RequestorID", KIND_NUMBER},  {"AbstractCacheEntry", KIND_ENTRY},
    {"AbstractEntry", KIND_ENTRY},
};

static const slicc_member_kind member_kinds[] = {
    {"MessageBuffer", "sl_buffer *", "SL_MEMBER_BUFFER"},
    {"WireBuffer", "sl_buffer *", "SL_MEMBER_BUFFER"},
    /* Until 2014: memory, and the queue of its answers. */
    {"MemoryControl", "sl_buffer *", "SL_MEMBER_BUFFER"},
    {"CacheMemory", "sl_cache *", "SL_MEMBER_CACHE"},
    {"DirectoryMemory", "sl_table *", "SL_MEMBER_TABLE"},
    {"PerfectCacheMemory", "sl_table *", "SL_MEMBER_PERFECT"},
    {"TBETable", "sl_table *", "SL_MEMBER_TBES"},
    {"TimerTable", "sl_timer *", "SL_MEMBER_TIMER"},
    {"PersistentTable", "sl_persistent *", "SL_MEMBER_PERSISTENT"},
    {"Sequencer", "void *", "SL_MEMBER_SEQUENCER"},
    {"DMASequencer", "void *", "SL_MEMBER_DMA"},
    {"HTMSequencer", "void *", "SL_MEMBER_SEQUENCER"},
    {"GPUCoalescer", "void *", "SL_MEMBER_COALESCER"},
    {"VIPERCoalescer", "void *", "SL_MEMBER_COALESCER"},
};

const slicc_member_kind *slicc_member_kind_of(const char *type) {
    for (size_t i = 0; i < sizeof member_kinds / sizeof member_kinds[0]; i++)
        if (slicc_same(member_kinds[i].type, type))
            return &member_kinds[i];
    return NULL;
}

bool slicc_is_buffer(const char *type) {
    const slicc_member_kind *kind = slicc_member_kind_of(type);
    return kind != NULL && strcmp(kind->kind, "SL_MEMBER_BUFFER") == 0;
}

bool slicc_is_sequencer(const char *type) {
    return slicc_same(type, "Sequencer") || slicc_same(type, "HTMSequencer");
}

static slicc_type declared_type(const slicc_declaration *list, const slicc_declaration *machine,
                                const char *name) {
    for (const slicc_declaration *d = NULL; (d = slicc_member_next(list, d, name)) != NULL;) {
        if (d->kind == SLICC_ENUMERATION || d->kind == SLICC_STATES)
            return (slicc_type){KIND_ENUM, name, d, machine, false, false, false, NULL};
        if (d->kind == SLICC_STRUCTURE)
            return (slicc_type){KIND_RECORD, name, d, machine, false, false, false, NULL};
    }
    return slicc_bad;
}

static slicc_type look_up(const emitter *e, const char *name) {
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return (slicc_type){.kind = builtins[i].kind, .name = builtins[i].name};
    if (slicc_member_kind_of(name) != NULL || slicc_object_is_idle(name))
        return (slicc_type){.kind = KIND_OBJECT, .name = name};
    slicc_type type = slicc_bad;
    if (e->machine != NULL)
        type = declared_type(e->machine->members, e->machine, name);
    if (type.kind == KIND_BAD)
        type = declared_type(e->tree->declarations, NULL, name);
    return type;
}

slicc_type slicc_record_type(const emitter *e, const slicc_declaration *structure) {
    return (slicc_type){.kind = KIND_RECORD,
                        .name = structure->name,
                        .declaration = structure,
                        .machine = e->machine};
}

bool slicc_type_exists(const emitter *e, const char *name) {
    return look_up(e, name).kind != KIND_BAD;
}

slicc_type slicc_type_find(emitter *e, const char *name, slicc_place place) {
    const slicc_type type = look_up(e, name);
    if (type.kind == KIND_BAD && !e->is_unused)
        slicc_complain(e->report, place, "there is no type '%s'", name);
    return type;
}

bool slicc_is_int(const slicc_type *type) {
    return type->kind == KIND_NUMBER && slicc_same(type->name, "int");
}

bool slicc_implements(const slicc_declaration *d, const char *name) {
    const slicc_pair *pair = slicc_pair_find(d->pairs, "interface");
    return pair != NULL && slicc_same(pair->value, name);
}

bool slicc_is_entry(const slicc_declaration *structure) {
    return (slicc_same(structure->name, "TBE") && !slicc_is_message(structure)) ||
           slicc_implements(structure, "AbstractCacheEntry") ||
           slicc_implements(structure, "AbstractEntry");
}

bool slicc_is_any_entry(const slicc_type *type) {
    return type->kind == KIND_ENTRY ||
           (type->kind == KIND_RECORD && slicc_is_entry(type->declaration));
}

bool slicc_is_number(const slicc_type *type) {
    return type->kind == KIND_NUMBER || type->kind == KIND_BOOL || type->kind == KIND_ENUM ||
           type->kind == KIND_MACHINE;
}

bool slicc_is_message(const slicc_declaration *d) {
    return d->kind == SLICC_STRUCTURE && (slicc_implements(d, "Message") ||
                                          slicc_implements(d, "NetworkMessage")); /* until 2015 */
}

bool slicc_is_plain(const slicc_declaration *d) {
    return d->kind == SLICC_STRUCTURE && !d->external &&
           slicc_pair_find(d->pairs, "external") == NULL && !slicc_is_entry(d) &&
           !slicc_is_message(d);
}

bool slicc_is_in_place(const slicc_type *type) {
    return type->kind == KIND_DESTINATION || type->kind == KIND_DATA || type->kind == KIND_PLACED ||
           (type->kind == KIND_RECORD && slicc_is_plain(type->declaration));
}

/* Does a template such as "<Cache_Event>" name this? */
static bool template_names(const char *pattern, const char *name) {
    const char *found = strstr(pattern, name);
    const size_t length = strlen(name);
    return found != NULL && (found[length] == '>' || found[length] == '\0') && found > pattern &&
           (found[-1] == '_' || found[-1] == '<');
}

slicc_type slicc_template_type(emitter *e, const slicc_declaration *object, slicc_place place) {
    const slicc_pair *pattern = slicc_pair_find(object->pairs, "template");
    for (const slicc_declaration *d = e->machine->members; d != NULL && pattern != NULL;
         d = d->next)
        if ((d->kind == SLICC_STRUCTURE || d->kind == SLICC_ENUMERATION) &&
            template_names(pattern->value, d->name))
            return slicc_type_find(e, d->name, place);
    slicc_complain(e->report, place, "the template %s of '%s' names no structure of this machine",
                   pattern == NULL ? "" : pattern->value, object->name);
    return slicc_bad;
}

bool slicc_queues_records(emitter *e, const slicc_declaration *object, slicc_place place) {
    return slicc_same(object->type, "TriggerQueue") &&
           slicc_template_type(e, object, place).kind == KIND_RECORD;
}

/* Structures of the prelude that the runtime has, with fields of the same names. */
static const char *given_name(const slicc_type *type) {
    if (type->machine != NULL)
        return NULL;
    return slicc_same(type->name, "RubyRequest")    ? "sl_request"
           : slicc_same(type->name, "MemoryMsg")    ? "sl_memory_message"
           : slicc_same(type->name, "SequencerMsg") ? "sl_dma_message"
                                                    : NULL;
}

bool slicc_is_given(const slicc_type *type) {
    return given_name(type) != NULL;
}

/* "sm_" or "sm_L1Cache_": what belongs to a machine is told from what does not by the next word. */
static void add_owner(const slicc_type *type, base_text *text) {
    base_text_add(text, "sm_");
    if (type->machine != NULL)
        base_text_print(text, "%s_", type->machine->name);
}

void slicc_record_name(const slicc_type *type, base_text *text) {
    if (slicc_is_given(type)) {
        base_text_add(text, given_name(type));
        return;
    }
    base_text_add(text, "struct ");
    add_owner(type, text);
    base_text_add(text, "record_");
    slicc_c_name(type->name, text);
}

void slicc_message_number(const slicc_type *message, base_text *text) {
    if (message->machine != NULL)
        add_owner(message, text);
    base_text_add(text, message->machine != NULL ? "message_" : "SM_MESSAGE_");
    slicc_c_name(message->name, text);
}

void slicc_record_maker(const slicc_type *type, const char *what, base_text *text) {
    add_owner(type, text);
    base_text_print(text, "%s_", what);
    slicc_c_name(type->name, text);
}

void slicc_c_field_name(const slicc_type *record, const char *field, base_text *text) {
    base_text_add(text, slicc_is_given(record) ? "" : "f_");
    slicc_c_name(field, text);
}

bool slicc_is_natural(const slicc_type *type) {
    static const char *const natural[] = {"Addr",     "Address", "Cycles",     "Tick",
                                          "uint64_t", "Time",    "RequestPtr", "PacketPtr"};
    if (type->kind != KIND_NUMBER || type->natural)
        return type->natural;
    for (size_t i = 0; i < sizeof natural / sizeof natural[0]; i++)
        if (slicc_same(natural[i], type->name))
            return true;
    return false;
}

uint32_t slicc_type_bytes(const slicc_type *type) {
    return type->kind == KIND_DESTINATION                                   ? 512
           : type->kind == KIND_DATA                                        ? 64
           : type->kind == KIND_RECORD && slicc_is_plain(type->declaration) ? 1024
                                                                            : 8;
}

uint32_t slicc_record_number(const slicc_type *entry) {
    uint32_t number = 1;
    for (const slicc_declaration *d = entry->machine->members; d != entry->declaration; d = d->next)
        number += d->kind == SLICC_STRUCTURE && slicc_is_entry(d);
    return number;
}

void slicc_c_field(const slicc_type *type, base_text *text) {
    static const struct {
        slicc_kind kind;
        const char *type; /* NULL: whichever */
        const char *c_type;
    } names[] = {
        {KIND_VOID, NULL, "void"},
        {KIND_BOOL, NULL, "bool"},
        {KIND_ENUM, NULL, "int32_t"},
        {KIND_STRING, NULL, "const char *"},
        {KIND_MACHINE, NULL, "sl_machine_id"},
        {KIND_DESTINATION, NULL, "sl_destination"},
        {KIND_DATA, NULL, "sl_data"},
        {KIND_PLACED, "WriteMask", "sl_mask"},
        {KIND_PLACED, "TriggerQueue", "sl_triggers"},
        {KIND_PLACED, "ExpectedMap", "sl_expected"},
        {KIND_PLACED, "TBEStorage", "sl_storage"},
    };
    const char *name = "void *";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].kind == type->kind &&
            (names[i].type == NULL || slicc_same(names[i].type, type->name)))
            name = names[i].c_type;
    if (type->kind == KIND_NUMBER)
        name = slicc_is_natural(type) ? "uint64_t" : "int64_t";
    if (type->kind == KIND_RECORD)
        slicc_record_name(type, text);
    else
        base_text_add(text, name);
}

void slicc_c_type(const slicc_type *type, base_text *text) {
    slicc_c_field(type, text);
    if (type->kind == KIND_RECORD || slicc_is_in_place(type))
        base_text_add(text, " *");
}

void slicc_enumerator(const slicc_type *type, const char *value, base_text *text) {
    add_owner(type, text);
    base_text_add(text, "value_");
    slicc_c_name(type->name, text);
    base_text_add(text, "_");
    slicc_c_name(value, text);
}

/*
 * Declarations and values by their names. A tree that is complete is sorted once: its lists stay as
 * they are, and the first of each gets an array of all, by name and then by place. A list that has
 * none, because a tree is still being read or memory is short, is searched from its beginning.
 */

/* A declaration or a value, with its number in its list. */
typedef struct slicc_named {
    const char *name;
    uint32_t number;
    const void *item;
} slicc_named;

static int compare_named(const void *a, const void *b) {
    const slicc_named *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static void sort_values(slicc_tree *tree, slicc_declaration *enumeration) {
    uint32_t count = 0;
    for (slicc_value *v = enumeration->values; v != NULL; v = v->next)
        v->number = count++;
    enumeration->value_count = count;
    slicc_named *sorted = base_arena_take(&tree->arena, (count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return;
    for (const slicc_value *v = enumeration->values; v != NULL; v = v->next)
        sorted[v->number] = (slicc_named){v->name, v->number, v};
    qsort(sorted, count, sizeof *sorted, compare_named);
    enumeration->sorted_values = sorted;
}

static void sort_list(slicc_tree *tree, slicc_declaration *list) {
    uint32_t count = 0, named = 0;
    for (slicc_declaration *d = list; d != NULL; d = d->next) {
        d->number = count++;
        sort_list(tree, d->members);
        sort_list(tree, d->arguments);
        if (d->values != NULL)
            sort_values(tree, d);
    }
    slicc_named *sorted = count == 0 ? NULL : base_arena_take(&tree->arena, count * sizeof *sorted);
    if (sorted == NULL)
        return;
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (d->name != NULL)
            sorted[named++] = (slicc_named){d->name, d->number, d};
    qsort(sorted, named, sizeof *sorted, compare_named);
    list->sorted = sorted;
    list->sorted_count = named;
}

void slicc_tree_sort(slicc_tree *tree) {
    sort_list(tree, tree->declarations);
}

/* The first of this name whose number is `least` or more. */
static const void *find_sorted(const slicc_named *sorted, uint32_t count, const char *name,
                               uint32_t least) {
    const slicc_named wanted = {.name = name, .number = least};
    uint32_t from = 0, to = count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (compare_named(&sorted[middle], &wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && strcmp(sorted[from].name, name) == 0 ? sorted[from].item : NULL;
}

const slicc_declaration *slicc_member_next(const slicc_declaration *list,
                                           const slicc_declaration *before, const char *name) {
    if (name != NULL && list != NULL && list->sorted != NULL)
        return find_sorted(list->sorted, list->sorted_count, name,
                           before == NULL ? 0 : before->number + 1);
    const slicc_declaration *d = before == NULL ? list : before->next;
    while (d != NULL && !slicc_same(d->name, name))
        d = d->next;
    return d;
}

const slicc_declaration *slicc_member_find(const slicc_declaration *list,
                                           slicc_declaration_kind kind, const char *name) {
    const slicc_declaration *d = slicc_member_next(list, NULL, name);
    while (d != NULL && d->kind != kind)
        d = slicc_member_next(list, d, name);
    return d;
}

const slicc_declaration *slicc_port_on(const slicc_declaration *machine, const char *buffer,
                                       slicc_declaration_kind kind) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == kind && slicc_same(d->buffer->text, buffer))
            return d;
    return NULL;
}

const slicc_value *slicc_value_find(const slicc_declaration *enumeration, const char *name) {
    if (name != NULL && enumeration->sorted_values != NULL)
        return find_sorted(enumeration->sorted_values, enumeration->value_count, name, 0);
    const slicc_value *v = enumeration->values;
    while (v != NULL && !slicc_same(v->name, name))
        v = v->next;
    return v;
}

const slicc_value *slicc_default_of(const slicc_declaration *enumeration, const slicc_pair *pairs) {
    const slicc_pair *given = slicc_pair_find(pairs, "default");
    if (given == NULL)
        return NULL;
    const size_t length = strlen(enumeration->name);
    const char *start = strstr(given->value, enumeration->name);
    const bool is_long = start != NULL && start[length] != '\0';
    return slicc_value_find(enumeration, is_long ? start + length + 1 : given->value);
}
