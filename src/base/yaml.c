/* SPDX-License-Identifier: MIT */
/* YAML files read by tables of fields: see yaml.h. */
#include "base/yaml.h"

#include "base/choice.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Places. libyaml counts characters; columns are bytes. */

static col_place place_of(const col_yaml *yaml, size_t characters) {
    col_place place = {1, 1};
    size_t byte = 0;
    while (byte < yaml->length && characters-- > 0) {
        const bool ends_line = yaml->text[byte] == '\n';
        const size_t start = byte++;
        while (byte < yaml->length && ((unsigned char)yaml->text[byte] & 0xc0) == 0x80)
            byte++;
        place.line += ends_line;
        place.column = ends_line ? 1 : place.column + (uint32_t)(byte - start);
    }
    return place;
}

col_place col_yaml_place(const col_yaml *yaml, const col_yaml_node *node) {
    return place_of(yaml, node->start_mark.index);
}

col_status col_yaml_refuse(col_yaml *yaml, const col_yaml_node *node, const char *format, ...) {
    char message[512];
    const col_place place = col_yaml_place(yaml, node);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return col_refuse_at(yaml->error, yaml->file, place.line, place.column, "%s", message);
}

/* ---- The document. */

static col_status refuse_syntax(const col_yaml *yaml, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR) /* from its loader */
        return col_out_of_memory(yaml->error);
    col_place place = place_of(yaml, parser->problem_mark.index);
    if (parser->error == YAML_READER_ERROR) { /* knows the byte alone */
        place = (col_place){1, 1};
        for (size_t i = 0; i < parser->problem_offset && i < yaml->length; i++) {
            place.line += yaml->text[i] == '\n';
            place.column = yaml->text[i] == '\n' ? 1 : place.column + 1;
        }
    }
    return col_refuse_at(yaml->error, yaml->file, place.line, place.column, "this is not YAML: %s",
                         parser->problem != NULL ? parser->problem : "it cannot be read");
}

/* ---- Bounds. libyaml takes a time that is quadratic in the depth, and readers follow an alias
 * each time that it is used. No file of ours comes near. */

enum { MOST_BYTES = 16 << 20, MOST_DEPTH = 64, MOST_ALIASES = 1000, MOST_KEYS = 4096 };

typedef struct extent {
    uint32_t depth, aliases;
} extent;

static col_status measure(const col_yaml *yaml, const yaml_event_t *event, extent *e) {
    const char *what = NULL;
    const bool begins =
        event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
    const bool ends =
        event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
    e->depth += begins;
    e->depth -= ends;
    e->aliases += event->type == YAML_ALIAS_EVENT;
    if (e->depth > MOST_DEPTH)
        what = "lists and maps are nested deeper than 64 levels here";
    else if (e->aliases > MOST_ALIASES)
        what = "a file has at most 1000 aliases";
    if (what == NULL)
        return COL_OK;
    const col_place place = place_of(yaml, event->start_mark.index);
    return col_refuse_at(yaml->error, yaml->file, place.line, place.column, "%s", what);
}

/* Before anything is made of it. */
static col_status check(col_yaml *yaml, yaml_parser_t *parser) {
    extent e = {0};
    col_status status = COL_OK;
    bool is_over = false;
    while (status == COL_OK && !is_over) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return refuse_syntax(yaml, parser);
        is_over = event.type == YAML_STREAM_END_EVENT;
        status = measure(yaml, &event, &e);
        yaml_event_delete(&event);
    }
    return status;
}

static col_status load(col_yaml *yaml, yaml_parser_t *parser) {
    if (!yaml_parser_load(parser, &yaml->document))
        return refuse_syntax(yaml, parser);
    if (yaml_document_get_root_node(&yaml->document) == NULL) {
        col_yaml_free(yaml);
        return col_refuse_at(yaml->error, yaml->file, 1, 1, "the file is empty");
    }
    yaml_document_t second;
    col_status status = COL_OK;
    if (!yaml_parser_load(parser, &second)) {
        status = refuse_syntax(yaml, parser);
    } else {
        const col_yaml_node *root = yaml_document_get_root_node(&second);
        if (root != NULL)
            status = col_yaml_refuse(yaml, root, "a second document begins here; a file holds one");
        yaml_document_delete(&second);
    }
    if (status != COL_OK)
        col_yaml_free(yaml);
    return status;
}

static col_status parse(col_yaml *yaml, col_status (*use)(col_yaml *, yaml_parser_t *)) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return col_out_of_memory(yaml->error);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)yaml->text, yaml->length);
    const col_status status = use(yaml, &parser);
    yaml_parser_delete(&parser);
    return status;
}

col_status col_yaml_read(col_yaml *yaml, const char *text, size_t length, const char *file,
                         col_error *error) {
    text = col_skip_bom(text, &length);
    *yaml = (col_yaml){.file = file, .text = text, .length = length, .error = error};
    if (length > MOST_BYTES)
        return col_refuse_at(error, file, 1, 1, "a YAML file has at most %d MiB", MOST_BYTES >> 20);
    const col_status status = parse(yaml, check);
    return status == COL_OK ? parse(yaml, load) : status;
}

void col_yaml_free(col_yaml *yaml) {
    yaml_document_delete(&yaml->document);
}

const col_yaml_node *col_yaml_root(col_yaml *yaml) {
    return yaml_document_get_root_node(&yaml->document);
}

/* ---- Maps and lists. */

static const col_yaml_node *node_at(col_yaml *yaml, int index) {
    return yaml_document_get_node(&yaml->document, index);
}

const char *col_yaml_scalar(const col_yaml_node *node) {
    if (node->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

/* Keys are words, and each is there once. */
static col_status check_key(col_yaml *yaml, const col_yaml_node *map, const yaml_node_pair_t *pair,
                            const char *what) {
    const col_yaml_node *key = node_at(yaml, pair->key);
    const char *name = col_yaml_scalar(key);
    if (name == NULL || name[0] == '\0')
        return col_yaml_refuse(yaml, key, "a key of %s is a word", what);
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < pair; p++)
        if (strcmp(col_yaml_scalar(node_at(yaml, p->key)), name) == 0)
            return col_yaml_refuse(yaml, key, "%s says '%.60s' twice", what, name);
    return COL_OK;
}

col_status col_yaml_each(col_yaml *yaml, const col_yaml_node *map, const char *what,
                         col_yaml_reader read, void *target) {
    if (map->type != YAML_MAPPING_NODE)
        return col_yaml_refuse(yaml, map, "%s is a map, such as { name: value }", what);
    if (map->data.mapping.pairs.top - map->data.mapping.pairs.start > MOST_KEYS)
        return col_yaml_refuse(yaml, map, "%s has more than %d keys", what, MOST_KEYS);
    for (const yaml_node_pair_t *pair = map->data.mapping.pairs.start;
         pair < map->data.mapping.pairs.top; pair++) {
        col_status status = check_key(yaml, map, pair, what);
        if (status == COL_OK)
            status = read(yaml, node_at(yaml, pair->key), node_at(yaml, pair->value), target);
        if (status != COL_OK)
            return status;
    }
    return COL_OK;
}

const col_yaml_field *col_yaml_field_of(const col_yaml_field *fields, const col_yaml_node *key) {
    for (const col_yaml_field *field = fields; field->name != NULL; field++)
        if (strcmp(field->name, col_yaml_scalar(key)) == 0)
            return field;
    return NULL;
}

typedef struct field_reader {
    const col_yaml_field *fields;
    const char *what;
    void *target;
} field_reader;

static col_status read_field(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                             void *target) {
    const field_reader *reader = target;
    const col_yaml_field *field = col_yaml_field_of(reader->fields, key);
    if (field != NULL)
        return field->read(yaml, key, value, reader->target);
    col_text list = {0};
    for (field = reader->fields; field->name != NULL; field++)
        col_text_print(&list, "%s%s", field == reader->fields ? "" : ", ", field->name);
    const col_status status =
        col_yaml_refuse(yaml, key, "%s has no key '%.60s'; its keys are %s", reader->what,
                        col_yaml_scalar(key), list.failed ? "others" : list.data);
    col_text_free(&list);
    return status;
}

col_status col_yaml_fields(col_yaml *yaml, const col_yaml_node *map, const char *what,
                           const col_yaml_field *fields, void *target) {
    field_reader reader = {fields, what, target};
    return col_yaml_each(yaml, map, what, read_field, &reader);
}

col_status col_yaml_items(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *list,
                          col_yaml_reader read, void *target) {
    if (list->type != YAML_SEQUENCE_NODE)
        return col_yaml_refuse(yaml, list, "%s is a list, such as [1, 2]",
                               key == NULL ? "this" : col_yaml_scalar(key));
    for (const yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; item++) {
        const col_status status = read(yaml, key, node_at(yaml, *item), target);
        if (status != COL_OK)
            return status;
    }
    return COL_OK;
}

/* ---- Scalars. */

static const char *shown(const col_yaml_node *value) {
    const char *text = col_yaml_scalar(value);
    return text != NULL                        ? text
           : value->type == YAML_MAPPING_NODE  ? "a map"
           : value->type == YAML_SEQUENCE_NODE ? "a list"
                                               : "a text with a NUL";
}

col_status col_yaml_number(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                           uint64_t least, uint64_t most, uint64_t *number) {
    const char *text = col_yaml_scalar(value);
    if (text != NULL && col_number_parse(text, number) && *number >= least && *number <= most)
        return COL_OK;
    return col_yaml_refuse(yaml, value, "%s is a number from %llu to %llu, not '%.60s'",
                           col_yaml_scalar(key), (unsigned long long)least,
                           (unsigned long long)most, shown(value));
}

col_status col_yaml_flag(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                         bool *flag) {
    static const char *const words[] = {"false", "true", NULL};
    uint64_t choice = 0;
    const col_status status = col_yaml_choice(yaml, key, value, words, &choice);
    *flag = choice == 1;
    return status;
}

col_status col_yaml_text(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                         char *text, size_t size) {
    const char *scalar = col_yaml_scalar(value);
    if (scalar == NULL || scalar[0] == '\0' || strlen(scalar) >= size)
        return col_yaml_refuse(yaml, value, "%s is a text of 1 to %zu bytes", col_yaml_scalar(key),
                               size - 1);
    memcpy(text, scalar, strlen(scalar) + 1);
    return COL_OK;
}

col_status col_yaml_choice(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                           const char *const *words, uint64_t *choice) {
    const char *text = col_yaml_scalar(value);
    uint32_t place = 0;
    if (text != NULL && col_choice_find(words, text, strlen(text), &place)) {
        *choice = place;
        return COL_OK;
    }
    *choice = 0;
    col_text list = {0};
    col_choice_list(words, &list);
    col_status status = col_text_status(&list, yaml->error);
    if (status == COL_OK)
        status = col_yaml_refuse(yaml, value, "%s is %s, not '%.60s'", col_yaml_scalar(key),
                                 list.data, shown(value));
    col_text_free(&list);
    return status;
}
