/* SPDX-License-Identifier: MIT */
/*
 * What tells cores or blocks apart: an order among machine ids, numbers made of them, bits of
 * addresses. A machine without any of it treats all cores, or all blocks, alike
 * (docs/exploration.md), and says so in its description.
 */
#include "slicc/emit.h"

static const struct {
    const char *object, *name;
    uint32_t what;
} breakers[] = {
    {"", "machineIDToNodeID", SLICC_CORES},
    {"", "machineIDToVersion", SLICC_CORES},
    {"", "createMachineID", SLICC_CORES},
    {"NetDest", "smallestElement", SLICC_PICKS},
    {"Set", "smallestElement", SLICC_CORES},
    {"Set", "add", SLICC_CORES},
    {"PersistentTable", "persistentRequestLock", SLICC_CORES},
    {"", "makeNextStrideAddress", SLICC_BLOCKS},
    {"", "bitSelect", SLICC_BLOCKS},
    {"", "maskLowOrderBits", SLICC_BLOCKS},
    {"", "addressToInt", SLICC_BLOCKS},
    {"", "intToAddress", SLICC_BLOCKS},
};

static bool is_address(const slicc_type *type) {
    return type->kind == KIND_NUMBER &&
           (slicc_same(type->name, "Addr") || slicc_same(type->name, "Address"));
}

static bool is_node(const slicc_type *type) {
    return type->kind == KIND_NUMBER && slicc_same(type->name, "NodeID");
}

static void note(emitter *e, uint32_t what, slicc_place place) {
    if (!e->is_unused && e->asymmetric[what].file == NULL)
        e->asymmetric[what] = place;
}

void slicc_note_call(emitter *e, const char *object, const char *name, slicc_place place) {
    for (size_t i = 0; i < sizeof breakers / sizeof breakers[0]; i++)
        if (slicc_same(breakers[i].object, object) && slicc_same(breakers[i].name, name))
            note(e, breakers[i].what, place);
}

void slicc_note_name(emitter *e, const char *name, slicc_place place) {
    if (slicc_same(name, "version"))
        note(e, SLICC_CORES, place);
}

void slicc_note_field(emitter *e, const slicc_type *record, const char *name, slicc_place place) {
    if (slicc_same(record->name, "RubyRequest") && slicc_same(name, "contextId"))
        note(e, SLICC_CORES, place);
}

void slicc_note_operator(emitter *e, const char *name, const slicc_type *a, const slicc_type *b,
                         slicc_place place) {
    const bool is_equality = slicc_same(name, "==") || slicc_same(name, "!=");
    if ((is_address(a) || is_address(b)) && !(is_equality && is_address(a) && is_address(b)))
        note(e, SLICC_BLOCKS, place);
    if ((is_node(a) || is_node(b)) && !(is_equality && is_node(a) && is_node(b)))
        note(e, SLICC_CORES, place);
}

void slicc_note_cast(emitter *e, const slicc_type *from, const slicc_type *to, slicc_place place) {
    if (is_address(from) != is_address(to))
        note(e, SLICC_BLOCKS, place);
    if (is_node(from) != is_node(to))
        note(e, SLICC_CORES, place);
}

void slicc_emit_asymmetric(emitter *e) {
    base_text_add(e->out, ".asymmetric = {");
    for (uint32_t i = 0; i < SLICC_SYMMETRIES; i++) {
        if (e->asymmetric[i].file == NULL)
            base_text_add(e->out, "NULL");
        else
            slicc_c_place(e->asymmetric[i], e->out);
        base_text_add(e->out, ", ");
    }
    base_text_add(e->out, "},\n");
}
