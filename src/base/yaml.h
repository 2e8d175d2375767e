/* SPDX-License-Identifier: MIT */
/*
 * YAML files (libyaml) read by tables of fields. Every error names its place: file:line:column. A
 * reader function takes one value; maps, lists and scalars below check what they are given and
 * refuse in one sentence.
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/problem.h"

#include <stdbool.h>
#include <yaml.h>

typedef yaml_node_t base_yaml_node;

typedef struct base_yaml {
    const char *file, *text; /* must outlive this */
    size_t length;
    yaml_document_t document;
    col_problem *problem;
} base_yaml;

typedef struct base_place {
    uint32_t line, column; /* from 1, columns in bytes */
} base_place;

/* Reads the value behind a key into `target`; of a list's item, `key` is the list's. */
typedef col_status (*base_yaml_reader)(base_yaml *yaml, const base_yaml_node *key,
                                       const base_yaml_node *value, void *target);

typedef struct base_yaml_field {
    const char *name;
    base_yaml_reader read;
    uint64_t least, most; /* for the reader: limits of a number */
    uint32_t item;        /* for the reader: which one */
} base_yaml_field;

/* One document, with a root; of 16 MiB at most, nested 64 levels deep at most, with 1000 aliases at
 * most, and no map of more than 4096 keys. */
col_status base_yaml_read(base_yaml *yaml, const char *text, size_t length, const char *file,
                          col_problem *problem);
void base_yaml_free(base_yaml *yaml);
const base_yaml_node *base_yaml_root(base_yaml *yaml);

base_place base_yaml_place(const base_yaml *yaml, const base_yaml_node *node);
/* The same of a text that is no longer read, by what the node's start_mark.index was. */
base_place base_yaml_place_in(const char *text, size_t length, size_t index);
col_status base_yaml_refuse(base_yaml *yaml, const base_yaml_node *node, const char *format, ...)
    BASE_PRINTF(3, 4);
/* The same for a part of a scalar, where the file has it; else where the scalar begins. */
col_status base_yaml_refuse_part(base_yaml *yaml, const base_yaml_node *node, const char *part,
                                 const char *format, ...) BASE_PRINTF(4, 5);

/* A scalar's text; NULL: it is none, or has a NUL in it. */
const char *base_yaml_scalar(const base_yaml_node *node);

/* Calls the reader for each entry of a map whose keys are free. `what` names the map. */
col_status base_yaml_each(base_yaml *yaml, const base_yaml_node *map, const char *what,
                          base_yaml_reader read, void *target);

/* A map with the keys of a table that ends with a NULL name; the field that a reader was called for
 * is base_yaml_field_of(fields, key). */
col_status base_yaml_fields(base_yaml *yaml, const base_yaml_node *map, const char *what,
                            const base_yaml_field *fields, void *target);
const base_yaml_field *base_yaml_field_of(const base_yaml_field *fields, const base_yaml_node *key);

/* Calls the reader for each item of a list; `key` may be NULL. */
col_status base_yaml_items(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *list,
                           base_yaml_reader read, void *target);

/* Scalars; errors name the key. */
col_status base_yaml_number(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            uint64_t least, uint64_t most, uint64_t *number);
col_status base_yaml_flag(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                          bool *flag);
col_status base_yaml_text(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                          char *text, size_t size);
/* The place of the value in a NULL-terminated list of words. */
col_status base_yaml_choice(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            const char *const *words, uint64_t *choice);

#endif
