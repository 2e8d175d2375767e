/* SPDX-License-Identifier: MIT */
/*
 * YAML files (libyaml) read by tables of fields. Every error names its place: file:line:column. A
 * reader function takes one value; maps, lists and scalars below check what they are given and
 * refuse in one sentence.
 */
#pragma once

#include "base/field.h"

#include <yaml.h>

typedef yaml_node_t base_yaml_node;

typedef struct base_yaml {
    const char *file, *text; /* must outlive this */
    size_t length;
    yaml_document_t document;
    col_problem *problem;
} base_yaml;

/* One document, with a root; of 16 MiB at most, nested 64 levels deep at most, with 1000 aliases at
 * most, and no map of more than 4096 keys. */
col_status base_yaml_read(base_yaml *yaml, const char *text, size_t length, const char *file,
                          col_problem *problem);
void base_yaml_free(base_yaml *yaml);
const base_yaml_node *base_yaml_root(base_yaml *yaml);

base_place base_yaml_place(const base_yaml *yaml, const base_yaml_node *node);
/* The same of a text that is no longer read, by what the node's start_mark.index was. */
base_place base_yaml_place_in(const char *text, size_t length, size_t index);
/* Of a part of a scalar, where the file has it; else where the scalar begins. */
base_place base_yaml_place_of_part(const base_yaml *yaml, const base_yaml_node *node,
                                   const char *part);
col_status base_yaml_refuse_at(base_yaml *yaml, base_place place, const char *format, ...)
    BASE_PRINTF(3, 4);
#define base_yaml_refuse(yaml, node, ...)                                                          \
    base_yaml_refuse_at((yaml), base_yaml_place((yaml), (node)), __VA_ARGS__)
#define base_yaml_refuse_part(yaml, node, part, ...)                                               \
    base_yaml_refuse_at((yaml), base_yaml_place_of_part((yaml), (node), (part)), __VA_ARGS__)

#define base_refuse_key(entry, ...) base_yaml_refuse((entry)->yaml, (entry)->key, __VA_ARGS__)
#define base_refuse_value(entry, ...) base_yaml_refuse((entry)->yaml, (entry)->value, __VA_ARGS__)

/* A scalar's text; NULL: it is none, or has a NUL in it. */
const char *base_yaml_scalar(const base_yaml_node *node);
/* The key, the value if it is a scalar, and where the value is. */
const char *base_entry_name(const base_entry *entry);
const char *base_entry_text(const base_entry *entry);
const char *base_entry_shown(const base_entry *entry); /* "something else" if it is none */
base_place base_entry_place(const base_entry *entry);

/* Calls the reader for each entry of a map whose keys are free. `what` names the map. */
col_status base_yaml_each(base_yaml *yaml, const base_yaml_node *map, const char *what,
                          base_yaml_reader read, void *target);

/* A map with the keys of a table, or one value of such a key; `what` names the map. */
col_status base_yaml_map(base_yaml *yaml, const base_yaml_node *map, const char *what,
                         const base_field *fields, void *target);
col_status base_yaml_value(const base_entry *entry, const base_field *field, void *target);

/* Calls the reader for each item of a list. */
col_status base_yaml_items(const base_entry *list, base_yaml_reader read, void *target);
/* The same, or once for one item without a list. */
col_status base_yaml_one_or_more(const base_entry *entry, base_yaml_reader read, void *target);
