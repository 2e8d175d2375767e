/* SPDX-License-Identifier: MIT */
/*
 * The XML that Verilator makes of an elaborated design, as a tree: see verilog_xml.c. Texts between
 * tags are of no interest. Nodes point into the text, which must outlive them.
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>

typedef struct xml_node {
    const char *name, *attributes, *end; /* in the text */
    size_t name_length;
    const struct xml_node *parent, *child, *next; /* the first child; the next of the parent */
} xml_node;

/* A part of the text, as it is written there: what names have in common is compared as that. */
typedef struct xml_slice {
    const char *text; /* NULL: there is none */
    size_t length;
} xml_slice;

/* Nodes are in the arena. */
col_status xml_read(base_arena *arena, const char *text, const xml_node **root,
                    col_problem *problem);

/* The node behind this one, children first, of those within `within`; NULL: there is none. */
const xml_node *xml_follow(const xml_node *node, const xml_node *within);
/* The same, but not one of its children. */
const xml_node *xml_skip(const xml_node *node, const xml_node *within);

bool xml_is(const xml_node *node, const char *name);
/* Is it one of these words, which are separated by blanks? */
bool xml_is_among(const xml_node *node, const char *names);
uint32_t xml_children(const xml_node *node);
/* The node with one of these names that is this one, or around it; NULL: none. */
const xml_node *xml_around(const xml_node *node, const char *names);
#define XML_MODULES "module package iface"

xml_slice xml_value(const xml_node *node, const char *attribute);
bool xml_same(xml_slice a, xml_slice b);
bool xml_says(const xml_node *node, const char *attribute, const char *value);
/* Its value, with characters instead of their codes such as &lt;. False: the node does not have the
 * attribute, or there is no room for its value. */
bool xml_get(const xml_node *node, const char *attribute, char *value, size_t size);
/* "e,11,13,11,17": the file's letters, the line, the column, and where it ends. */
enum { XML_FILE = 16 };
typedef struct xml_place {
    char file[XML_FILE];
    uint32_t line, column, last_line, end;
} xml_place;
bool xml_place_of(const xml_node *node, xml_place *place);

/* ---- What Verilator says in it. */

/* "5'h1f", or "32'sh3"; false: it is no such number, or has more than 64 bits. */
bool xml_number(const xml_node *constant, uint64_t *value);
/* The type of this number; NULL: none. */
const xml_node *xml_type(const xml_node *root, xml_slice id);
/* The type of a variable, an element or a member, behind all names that it has. */
const xml_node *xml_type_of(const xml_node *root, const xml_node *node);
/* Bits of what is packed; 0: it is not, or nothing that we know. */
uint32_t xml_bits(const xml_node *root, const xml_node *type);
/* Elements of an unpacked array, and their type; 0: it is none. */
uint32_t xml_elements(const xml_node *root, const xml_node *type, const xml_node **element);
/* The path of a file, by its letters; empty: there is none. */
void xml_path(const xml_node *root, const char *file, char *path, size_t size);
/* What a module calls by this name, such as state_t or my_package::state_t; NULL: there is none. */
const xml_node *xml_enumeration(const xml_node *root, const char *type, const char *module_name);
