/* SPDX-License-Identifier: MIT */
/*
 * Verilator's XML: see verilog_xml.h. It has neither comments nor entities of its own. Types refer
 * to each other by numbers; a name that the source gives one is a node that refers to it.
 */
#include "design/verilog/verilog_xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

/* ---- The tree. */

/* Where the tag ends: a > outside quotes. */
static const char *end_of(const char *at) {
    while (at != NULL && *at != '\0' && *at != '>') {
        if (*at == '"')
            at = strchr(at + 1, '"');
        at = at == NULL ? NULL : at + 1;
    }
    return at != NULL && *at == '>' ? at : NULL;
}

static xml_node *new_node(base_arena *arena, const char *open, const char *end) {
    xml_node *node = base_arena_take(arena, sizeof *node);
    if (node == NULL)
        return NULL;
    node->name = open + 1;
    node->name_length = strcspn(node->name, " \t\r\n/>");
    node->attributes = node->name + node->name_length;
    node->end = end;
    return node;
}

col_status xml_read(base_arena *arena, const char *text, const xml_node **root,
                    col_problem *problem) {
    enum { DEEPEST = 2000 };
    static const char none[] = "<>";
    xml_node *open[DEEPEST], *last[DEEPEST] = {NULL};
    uint32_t depth = 1;
    open[0] = new_node(arena, none, none + 1);
    if (open[0] == NULL)
        return base_out_of_memory(problem);
    *root = open[0];
    for (const char *at = text, *end; (at = strchr(at, '<')) != NULL; at = end + 1) {
        end = end_of(at + 1);
        if (end == NULL)
            break;
        if (at[1] == '?' || at[1] == '!')
            continue;
        if (at[1] == '/') {
            depth -= depth > 1;
            continue;
        }
        xml_node *node = new_node(arena, at, end), *parent = open[depth - 1];
        if (node == NULL)
            return base_out_of_memory(problem);
        node->parent = parent;
        if (last[depth - 1] == NULL)
            parent->child = node;
        else
            last[depth - 1]->next = node;
        last[depth - 1] = node;
        if (end[-1] == '/')
            continue;
        if (depth == DEEPEST)
            return base_fail(problem, "the XML that Verilator made is nested too deeply");
        last[depth] = NULL;
        open[depth++] = node;
    }
    return COL_OK;
}

const xml_node *xml_skip(const xml_node *node, const xml_node *within) {
    while (node != NULL && node != within && node->next == NULL)
        node = node->parent;
    return node == NULL || node == within ? NULL : node->next;
}

const xml_node *xml_follow(const xml_node *node, const xml_node *within) {
    return node->child != NULL ? node->child : xml_skip(node, within);
}

bool xml_is(const xml_node *node, const char *name) {
    return strlen(name) == node->name_length && memcmp(node->name, name, node->name_length) == 0;
}

bool xml_is_among(const xml_node *node, const char *names) {
    for (size_t length; *names != '\0'; names += length + (names[length] == ' ')) {
        length = strcspn(names, " ");
        if (length == node->name_length && memcmp(node->name, names, length) == 0)
            return true;
    }
    return false;
}

uint32_t xml_children(const xml_node *node) {
    uint32_t count = 0;
    for (const xml_node *child = node->child; child != NULL; child = child->next)
        count++;
    return count;
}

const xml_node *xml_around(const xml_node *node, const char *names) {
    while (node != NULL && !xml_is_among(node, names))
        node = node->parent;
    return node;
}

/* ---- Attributes. */

xml_slice xml_value(const xml_node *node, const char *attribute) {
    const size_t length = strlen(attribute);
    for (const char *at = node->attributes; at < node->end;) {
        at += strspn(at, blanks);
        const char *open = memchr(at, '"', (size_t)(node->end - at));
        const char *close =
            open == NULL ? NULL : memchr(open + 1, '"', (size_t)(node->end - open - 1));
        if (close == NULL)
            break;
        if (strncmp(at, attribute, length) == 0 && at[length] == '=')
            return (xml_slice){open + 1, (size_t)(close - open - 1)};
        at = close + 1;
    }
    return (xml_slice){NULL, 0};
}

bool xml_same(xml_slice a, xml_slice b) {
    return a.text != NULL && b.text != NULL && a.length == b.length &&
           memcmp(a.text, b.text, a.length) == 0;
}

bool xml_says(const xml_node *node, const char *attribute, const char *value) {
    return xml_same(xml_value(node, attribute), (xml_slice){value, strlen(value)});
}

/* The character that `*at` begins with, which moves behind it. */
static char take_character(const char **at) {
    static const struct {
        const char *code;
        char character;
    } codes[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strncmp(*at, codes[i].code, strlen(codes[i].code)) == 0) {
            *at += strlen(codes[i].code);
            return codes[i].character;
        }
    return *(*at)++;
}

bool xml_get(const xml_node *node, const char *attribute, char *value, size_t size) {
    const xml_slice slice = xml_value(node, attribute);
    const char *from = slice.text, *const end = from == NULL ? NULL : from + slice.length;
    size_t length = 0;
    for (; from != NULL && from < end; value[length++] = take_character(&from))
        if (length + 1 >= size)
            return false;
    value[length] = '\0';
    return slice.text != NULL;
}

bool xml_place_of(const xml_node *node, xml_place *place) {
    const xml_slice loc = xml_value(node, "loc");
    *place = (xml_place){.line = 0};
    return loc.text != NULL &&
           sscanf(loc.text, "%15[a-zA-Z],%u,%u,%u,%u", place->file, &place->line, &place->column,
                  &place->last_line, &place->end) >= 2;
}

/* ---- Numbers and types. */

bool xml_number(const xml_node *constant, uint64_t *value) {
    char text[128], *end = NULL;
    *value = 0;
    if (!xml_is(constant, "const") || !xml_get(constant, "name", text, sizeof text))
        return false;
    const char *digits = strchr(text, 'h');
    if (digits == NULL || digits[1] == '\0')
        return false;
    digits += 1 + strspn(digits + 1, "0");
    *value = strlen(digits) > 16 ? 0 : strtoull(digits, &end, 16);
    return end != NULL && *end == '\0';
}

const xml_node *xml_type(const xml_node *root, xml_slice id) {
    const xml_node *table = root;
    while (table != NULL && !xml_is(table, "typetable"))
        table = xml_is_among(table, "module package iface files cells module_files")
                    ? xml_skip(table, root)
                    : xml_follow(table, root);
    for (const xml_node *type = table == NULL ? NULL : table->child; type != NULL;
         type = type->next)
        if (xml_same(xml_value(type, "id"), id))
            return type;
    return NULL;
}

const xml_node *xml_type_of(const xml_node *root, const xml_node *node) {
    const xml_slice own = xml_value(node, "dtype_id");
    const xml_node *type = xml_type(root, own.text != NULL ? own : xml_value(node, "sub_dtype_id"));
    for (int steps = 0; steps < 16 && type != NULL; steps++) {
        if (!xml_is_among(type, "enumdtype refdtype constdtype memberdtype"))
            return type;
        type = xml_type(root, xml_value(type, "sub_dtype_id"));
    }
    return NULL;
}

static uint32_t range_of(const xml_node *type) {
    const xml_node *range = type->child;
    uint64_t first = 0, second = 0;
    if (range == NULL || !xml_is(range, "range") || range->child == NULL ||
        range->child->next == NULL || !xml_number(range->child, &first) ||
        !xml_number(range->child->next, &second))
        return 0;
    const uint64_t count = (first > second ? first - second : second - first) + 1;
    return count > 1 << 30 ? 0 : (uint32_t)count;
}

static uint32_t product(uint32_t a, uint32_t b) {
    const uint64_t bits = (uint64_t)a * b;
    return bits > 1 << 30 ? 0 : (uint32_t)bits;
}

static uint32_t bits_within(const xml_node *root, const xml_node *type, int depth) {
    uint32_t most = 0, sum = 0;
    char left[16], right[16];
    if (type == NULL || depth == 0)
        return 0;
    if (xml_is(type, "basicdtype")) {
        if (!xml_get(type, "left", left, sizeof left) ||
            !xml_get(type, "right", right, sizeof right))
            return !xml_says(type, "name", "string");
        const long a = strtol(left, NULL, 10), b = strtol(right, NULL, 10);
        return (uint32_t)(a > b ? a - b : b - a) + 1;
    }
    if (xml_is(type, "packarraydtype"))
        return product(range_of(type), bits_within(root, xml_type_of(root, type), depth - 1));
    if (!xml_is_among(type, "structdtype uniondtype"))
        return 0;
    for (const xml_node *member = type->child; member != NULL; member = member->next) {
        const uint32_t bits = bits_within(root, xml_type_of(root, member), depth - 1);
        if (bits == 0)
            return 0;
        sum += bits;
        most = bits > most ? bits : most;
    }
    return xml_is(type, "uniondtype") ? most : sum;
}

uint32_t xml_bits(const xml_node *root, const xml_node *type) {
    return bits_within(root, type, 16);
}

uint32_t xml_elements(const xml_node *root, const xml_node *type, const xml_node **element) {
    if (type == NULL || !xml_is(type, "unpackarraydtype"))
        return 0;
    *element = xml_type_of(root, type);
    return range_of(type);
}

void xml_path(const xml_node *root, const char *file, char *path, size_t size) {
    path[0] = '\0';
    for (const xml_node *node = root; node != NULL; node = xml_follow(node, root))
        if (xml_is(node, "file") && xml_says(node, "id", file)) {
            if (!xml_get(node, "filename", path, size))
                path[0] = '\0';
            return;
        }
}

/* ---- Enumerations. */

/* Does the table's name, such as my_package::state_t, mean this type? 2: as this module's own. */
static int fits(const char *name, const char *type, const char *module_name) {
    const size_t length = strlen(name), tail = strlen(type), own = strlen(module_name);
    if (strcmp(name, type) == 0)
        return 2;
    if (length <= tail || strcmp(name + length - tail, type) != 0 ||
        strchr(":.", name[length - tail - 1]) == NULL)
        return 0;
    return length == own + 1 + tail && strncmp(name, module_name, own) == 0 ? 2 : 1;
}

const xml_node *xml_enumeration(const xml_node *root, const char *type, const char *module_name) {
    const xml_node *found = NULL;
    char name[512];
    int best = 0;
    for (const xml_node *n = root; n != NULL; n = xml_follow(n, root)) {
        if (!xml_is(n, "enumdtype") || !xml_get(n, "name", name, sizeof name))
            continue;
        const int fit = fits(name, type, module_name);
        found = fit > best ? n : found;
        best = fit > best ? fit : best;
    }
    return found;
}
