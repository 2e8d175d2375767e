/* SPDX-License-Identifier: MIT */
/*
 * What protocols of 2014 and 2015 leave unsaid: a directory has its queue of memory's answers
 * without declaring it, and a structure in a table is an entry without an interface. It is added
 * to the tree here, so that nothing else knows of it.
 */
#include "slicc/parser.h"

#include <string.h>

static const char *intern(slicc_parser *parser, const char *text) {
    const slicc_token token = {.start = text, .length = strlen(text)};
    return slicc_text_of(parser, &token);
}

static bool declares(const slicc_declaration *list, const char *name) {
    for (; list != NULL; list = list->next)
        if (list->kind == SLICC_OBJECT && strcmp(list->name, name) == 0)
            return true;
    return false;
}

static const slicc_declaration *port_on(const slicc_declaration *machine, const char *buffer) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_IN_PORT && d->buffer != NULL && strcmp(d->buffer->text, buffer) == 0)
            return d;
    return NULL;
}

static void add_memory_queue(slicc_parser *parser, slicc_declaration *machine) {
    static const char queue[] = "responseFromMemory";
    const slicc_declaration *port = port_on(machine, queue);
    if (port == NULL || declares(machine->arguments, queue) || declares(machine->members, queue))
        return;
    slicc_declaration *object = slicc_make(parser, sizeof *object);
    if (object == NULL)
        return;
    object->kind = SLICC_OBJECT;
    object->place = port->place;
    object->name = intern(parser, queue);
    object->type = intern(parser, "MessageBuffer");
    object->pointer = true;
    if (object->name == NULL || object->type == NULL)
        return;
    object->next = machine->arguments;
    machine->arguments = object;
}

static const char *value_of(const slicc_pair *pairs, const char *key) {
    for (; pairs != NULL; pairs = pairs->next)
        if (strcmp(pairs->key, key) == 0)
            return pairs->value;
    return NULL;
}

/* Does "<L2Cache_DirEntry>" name the structure? */
static bool names(const char *template, const char *structure) {
    const size_t length = strlen(structure);
    const char *end = strrchr(template, '>');
    return end != NULL && (size_t)(end - template) > length &&
           strncmp(end - length, structure, length) == 0 && end[-(ptrdiff_t)length - 1] == '_';
}

static bool is_in_table(const slicc_declaration *machine, const char *structure) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next) {
        const char *template = d->kind == SLICC_OBJECT ? value_of(d->pairs, "template") : NULL;
        if (template != NULL && strcmp(d->type, "PerfectCacheMemory") == 0 &&
            names(template, structure))
            return true;
    }
    return false;
}

static void add_interface(slicc_parser *parser, slicc_declaration *structure) {
    slicc_pair *pair = slicc_make(parser, sizeof *pair);
    if (pair == NULL)
        return;
    *pair = (slicc_pair){.key = intern(parser, "interface"),
                         .value = intern(parser, "AbstractEntry"),
                         .place = structure->place,
                         .next = (slicc_pair *)structure->pairs};
    if (pair->key != NULL && pair->value != NULL)
        structure->pairs = pair;
}

void slicc_add_unsaid(slicc_parser *parser, slicc_declaration *machine) {
    add_memory_queue(parser, machine);
    for (slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_STRUCTURE && !d->external && value_of(d->pairs, "external") == NULL &&
            value_of(d->pairs, "interface") == NULL && is_in_table(machine, d->name))
            add_interface(parser, d);
}
