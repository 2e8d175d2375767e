/* SPDX-License-Identifier: MIT */
/*
 * What older protocols say otherwise or leave unsaid: buffers are members of a machine, numbers
 * stand in quotes, a directory has its queue of memory's answers without declaring it, and a
 * structure in a table is an entry without an interface. The tree is made here as if they were of
 * today, so that nothing else knows of it.
 */
#include "base/number.h"
#include "protocol/slicc/parser.h"

#include <string.h>

static const char *intern(slicc_parser *parser, const char *text) {
    const slicc_token token = {.start = text, .length = strlen(text)};
    return slicc_text_of(parser, &token);
}

/* A value that may stand in quotes: "1", "False", 'NULL', which is none, or a name. */
bool slicc_parse_quoted(slicc_parser *parser, slicc_expression **value) {
    if (!slicc_at(parser, SLICC_TOKEN_STRING))
        return (*value = slicc_parse_expression(parser)) != NULL;
    const slicc_place place = parser->token.place;
    const char *text = slicc_expect_string(parser, "a value");
    if (text == NULL || strcmp(text, "NULL") == 0)
        return text != NULL;
    slicc_expression *x = slicc_make(parser, sizeof *x);
    if (x == NULL)
        return false;
    *x = (slicc_expression){.kind = SLICC_NAME, .place = place, .text = text};
    const bool is_true = strcmp(text, "True") == 0 || strcmp(text, "true") == 0;
    if (base_number_parse(text, &x->number)) {
        x->kind = SLICC_NUMBER;
    } else if (is_true || strcmp(text, "False") == 0 || strcmp(text, "false") == 0) {
        x->kind = SLICC_BOOLEAN;
        x->number = is_true;
    }
    *value = x;
    return true;
}

/* Buffers among the members become parameters, which is where they are today. */
static void move_buffers(slicc_declaration *machine) {
    slicc_declaration **end = &machine->arguments;
    while (*end != NULL)
        end = &(*end)->next;
    for (slicc_declaration **at = &machine->members; *at != NULL;) {
        slicc_declaration *d = *at;
        if (d->kind != SLICC_OBJECT || d->pointer || strcmp(d->type, "MessageBuffer") != 0) {
            at = &d->next;
            continue;
        }
        *at = d->next;
        d->next = NULL;
        d->pointer = true;
        *end = d;
        end = &d->next;
    }
}

static void add_memory_queue(slicc_parser *parser, slicc_declaration *machine) {
    static const char queue[] = "responseFromMemory";
    const slicc_declaration *port = slicc_port_on(machine, queue, SLICC_IN_PORT);
    if (port == NULL || slicc_member_find(machine->arguments, SLICC_OBJECT, queue) != NULL ||
        slicc_member_find(machine->members, SLICC_OBJECT, queue) != NULL)
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

/* Does "<L2Cache_DirEntry>" name the structure? */
static bool names(const char *template, const char *structure) {
    const size_t length = strlen(structure);
    const char *end = strrchr(template, '>');
    return end != NULL && (size_t)(end - template) > length &&
           strncmp(end - length, structure, length) == 0 && end[-(ptrdiff_t)length - 1] == '_';
}

static bool is_in_table(const slicc_declaration *machine, const char *structure) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next) {
        const slicc_pair *template =
            d->kind == SLICC_OBJECT ? slicc_pair_find(d->pairs, "template") : NULL;
        if (template != NULL && strcmp(d->type, "PerfectCacheMemory") == 0 &&
            names(template->value, structure))
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
    move_buffers(machine);
    /* template_hack is what template was called in 2012. */
    for (slicc_declaration *d = machine->members; d != NULL; d = d->next)
        for (slicc_pair *p = (slicc_pair *)d->pairs; p != NULL; p = p->next)
            if (strcmp(p->key, "template_hack") == 0) {
                const char *key = intern(parser, "template");
                p->key = key == NULL ? p->key : key;
            }
    add_memory_queue(parser, machine);
    for (slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_STRUCTURE && !d->external &&
            slicc_pair_find(d->pairs, "external") == NULL &&
            slicc_pair_find(d->pairs, "interface") == NULL && is_in_table(machine, d->name))
            add_interface(parser, d);
}
