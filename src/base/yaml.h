/* SPDX-License-Identifier: MIT */
/*
 * YAML files (libyaml) read by tables of fields. Every error names its place: file:line:column. A
 * reader function takes one value; maps, lists and scalars below check what they are given and
 * refuse in one sentence.
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/error.h"

#include <stdbool.h>
#include <yaml.h>

typedef yaml_node_t col_yaml_node;

typedef struct col_yaml {
    const char *file, *text; /* must outlive this */
    size_t length;
    yaml_document_t document;
    col_error *error;
} col_yaml;

typedef struct col_place {
    uint32_t line, column; /* from 1, columns in bytes */
} col_place;

/* Reads the value behind a key into `target`; of a list's item, `key` is the list's. */
typedef col_status (*col_yaml_reader)(col_yaml *yaml, const col_yaml_node *key,
                                      const col_yaml_node *value, void *target);

typedef struct col_yaml_field {
    const char *name;
    col_yaml_reader read;
    uint64_t least, most; /* for the reader: limits of a number */
    uint32_t item;        /* for the reader: which one */
} col_yaml_field;

/* One document, with a root; of 16 MiB at most, nested 64 levels deep at most, with 1000 aliases at
 * most, and no map of more than 4096 keys. */
col_status col_yaml_read(col_yaml *yaml, const char *text, size_t length, const char *file,
                         col_error *error);
void col_yaml_free(col_yaml *yaml);
const col_yaml_node *col_yaml_root(col_yaml *yaml);

col_place col_yaml_place(const col_yaml *yaml, const col_yaml_node *node);
col_status col_yaml_refuse(col_yaml *yaml, const col_yaml_node *node, const char *format, ...)
    COL_PRINTF(3, 4);

/* A scalar's text; NULL: it is none, or has a NUL in it. */
const char *col_yaml_scalar(const col_yaml_node *node);

/* Calls the reader for each entry of a map whose keys are free. `what` names the map. */
col_status col_yaml_each(col_yaml *yaml, const col_yaml_node *map, const char *what,
                         col_yaml_reader read, void *target);

/* A map with the keys of a table that ends with a NULL name; the field that a reader was called for
 * is col_yaml_field_of(fields, key). */
col_status col_yaml_fields(col_yaml *yaml, const col_yaml_node *map, const char *what,
                           const col_yaml_field *fields, void *target);
const col_yaml_field *col_yaml_field_of(const col_yaml_field *fields, const col_yaml_node *key);

/* Calls the reader for each item of a list; `key` may be NULL. */
col_status col_yaml_items(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *list,
                          col_yaml_reader read, void *target);

/* Scalars; errors name the key. */
col_status col_yaml_number(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                           uint64_t least, uint64_t most, uint64_t *number);
col_status col_yaml_flag(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                         bool *flag);
col_status col_yaml_text(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                         char *text, size_t size);
/* The place of the value in a NULL-terminated list of words. */
col_status col_yaml_choice(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                           const char *const *words, uint64_t *choice);

#endif
