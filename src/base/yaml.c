/* SPDX-License-Identifier: MIT */
/* YAML files read by tables of fields: see yaml.h. */
#include "base/yaml.h"

#include "base/names.h"
#include "base/number.h"

#include <string.h>

/* ---- Places. libyaml counts characters; columns are bytes. */

/* Where the character behind the one at this byte begins. */
static size_t next_character(const base_yaml *yaml, size_t byte) {
    byte++;
    while (byte < yaml->length && ((unsigned char)yaml->text[byte] & 0xc0) == 0x80)
        byte++;
    return byte;
}

static base_place place_of(const base_yaml *yaml, size_t characters) {
    base_place place = {1, 1};
    size_t byte = 0;
    while (byte < yaml->length && characters-- > 0) {
        const bool ends_line = yaml->text[byte] == '\n';
        const size_t start = byte;
        byte = next_character(yaml, byte);
        place.line += ends_line;
        place.column = ends_line ? 1 : place.column + (uint32_t)(byte - start);
    }
    return place;
}

base_place base_yaml_place(const base_yaml *yaml, const base_yaml_node *node) {
    return place_of(yaml, node->start_mark.index);
}

base_place base_yaml_place_in(const char *text, size_t length, size_t index) {
    text = base_skip_bom(text, &length);
    const base_yaml yaml = {.text = text, .length = length};
    return place_of(&yaml, index);
}

col_status base_yaml_refuse_at(base_yaml *yaml, base_place place, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return base_refuse_at(yaml->problem, yaml->file, place.line, place.column, "%s", message);
}

base_place base_yaml_place_of_part(const base_yaml *yaml, const base_yaml_node *node,
                                   const char *part) {
    const size_t length = strlen(part);
    size_t byte = 0;
    for (size_t c = 0; c < node->end_mark.index && byte + length <= yaml->length; c++) {
        if (c >= node->start_mark.index && memcmp(yaml->text + byte, part, length) == 0)
            return place_of(yaml, c);
        byte = next_character(yaml, byte);
    }
    return base_yaml_place(yaml, node);
}

/* ---- The document. */

static col_status refuse_syntax(base_yaml *yaml, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR) /* from its loader */
        return base_out_of_memory(yaml->problem);
    base_place place = place_of(yaml, parser->problem_mark.index);
    if (parser->error == YAML_READER_ERROR) { /* knows the byte alone */
        place = (base_place){1, 1};
        for (size_t i = 0; i < parser->problem_offset && i < yaml->length; i++) {
            place.line += yaml->text[i] == '\n';
            place.column = yaml->text[i] == '\n' ? 1 : place.column + 1;
        }
    }
    return base_yaml_refuse_at(yaml, place, "this is not YAML: %s",
                               parser->problem != NULL ? parser->problem : "it cannot be read");
}

/* ---- Bounds. libyaml takes a time that is quadratic in the depth, and readers follow an alias
 * each time that it is used. No file of ours comes near. */

enum { MOST_BYTES = 16 << 20, MOST_DEPTH = 64, MOST_ALIASES = 1000, MOST_KEYS = 4096 };

typedef struct extent {
    uint32_t depth, aliases;
} extent;

static col_status measure(base_yaml *yaml, const yaml_event_t *event, extent *e) {
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
    return what == NULL
               ? COL_OK
               : base_yaml_refuse_at(yaml, place_of(yaml, event->start_mark.index), "%s", what);
}

/* Before anything is made of it. */
static col_status check(base_yaml *yaml, yaml_parser_t *parser) {
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

static col_status load(base_yaml *yaml, yaml_parser_t *parser) {
    if (!yaml_parser_load(parser, &yaml->document))
        return refuse_syntax(yaml, parser);
    if (yaml_document_get_root_node(&yaml->document) == NULL) {
        base_yaml_free(yaml);
        return base_refuse_at(yaml->problem, yaml->file, 1, 1, "the file is empty");
    }
    yaml_document_t second;
    col_status status = COL_OK;
    if (!yaml_parser_load(parser, &second)) {
        status = refuse_syntax(yaml, parser);
    } else {
        const base_yaml_node *root = yaml_document_get_root_node(&second);
        if (root != NULL)
            status =
                base_yaml_refuse(yaml, root, "a second document begins here; a file holds one");
        yaml_document_delete(&second);
    }
    if (status != COL_OK)
        base_yaml_free(yaml);
    return status;
}

static col_status parse(base_yaml *yaml, col_status (*use)(base_yaml *, yaml_parser_t *)) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return base_out_of_memory(yaml->problem);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)yaml->text, yaml->length);
    const col_status status = use(yaml, &parser);
    yaml_parser_delete(&parser);
    return status;
}

col_status base_yaml_read(base_yaml *yaml, const char *text, size_t length, const char *file,
                          col_problem *problem) {
    text = base_skip_bom(text, &length);
    *yaml = (base_yaml){.file = file, .text = text, .length = length, .problem = problem};
    if (length > MOST_BYTES)
        return base_refuse_at(problem, file, 1, 1, "a YAML file has at most %d MiB",
                              MOST_BYTES >> 20);
    const col_status status = parse(yaml, check);
    return status == COL_OK ? parse(yaml, load) : status;
}

void base_yaml_free(base_yaml *yaml) {
    yaml_document_delete(&yaml->document);
}

const base_yaml_node *base_yaml_root(base_yaml *yaml) {
    return yaml_document_get_root_node(&yaml->document);
}

/* ---- Maps and lists. */

static const base_yaml_node *node_at(base_yaml *yaml, int index) {
    return yaml_document_get_node(&yaml->document, index);
}

const char *base_yaml_scalar(const base_yaml_node *node) {
    if (node->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

const char *base_entry_name(const base_entry *entry) {
    return base_yaml_scalar(entry->key);
}

const char *base_entry_text(const base_entry *entry) {
    return base_yaml_scalar(entry->value);
}

const char *base_entry_shown(const base_entry *entry) {
    const char *text = base_entry_text(entry);
    return text == NULL ? "something else" : text;
}

base_place base_entry_place(const base_entry *entry) {
    return base_yaml_place(entry->yaml, entry->value);
}

/* Keys are words, and each is there once. */
static col_status check_key(base_yaml *yaml, const base_yaml_node *map,
                            const yaml_node_pair_t *pair, const char *what) {
    const base_yaml_node *key = node_at(yaml, pair->key);
    const char *name = base_yaml_scalar(key);
    if (name == NULL || name[0] == '\0')
        return base_yaml_refuse(yaml, key, "a key of %s is a word", what);
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < pair; p++)
        if (strcmp(base_yaml_scalar(node_at(yaml, p->key)), name) == 0)
            return base_yaml_refuse(yaml, key, "%s says '%.60s' twice", what, name);
    return COL_OK;
}

col_status base_yaml_each(base_yaml *yaml, const base_yaml_node *map, const char *what,
                          base_yaml_reader read, void *target) {
    if (map->type != YAML_MAPPING_NODE)
        return base_yaml_refuse(yaml, map, "%s is a map, such as { name: value }", what);
    if (map->data.mapping.pairs.top - map->data.mapping.pairs.start > MOST_KEYS)
        return base_yaml_refuse(yaml, map, "%s has more than %d keys", what, MOST_KEYS);
    for (const yaml_node_pair_t *pair = map->data.mapping.pairs.start;
         pair < map->data.mapping.pairs.top; pair++) {
        const base_entry entry = {yaml, node_at(yaml, pair->key), node_at(yaml, pair->value)};
        BASE_TRY(check_key(yaml, map, pair, what));
        BASE_TRY(read(&entry, target));
    }
    return COL_OK;
}

col_status base_yaml_items(const base_entry *list, base_yaml_reader read, void *target) {
    const base_yaml_node *node = list->value;
    if (node->type != YAML_SEQUENCE_NODE)
        return base_refuse_value(list, "%s is a list, such as [1, 2]",
                                 list->key == NULL ? "this" : base_entry_name(list));
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        const base_entry entry = {list->yaml, list->key, node_at(list->yaml, *item)};
        BASE_TRY(read(&entry, target));
    }
    return COL_OK;
}

col_status base_yaml_one_or_more(const base_entry *entry, base_yaml_reader read, void *target) {
    return entry->value->type == YAML_SEQUENCE_NODE ? base_yaml_items(entry, read, target)
                                                    : read(entry, target);
}

/* ---- Fields. */

static col_status read_plain(const base_entry *entry, const base_field *field, void *target) {
    const char *text = base_entry_text(entry);
    col_problem problem;
    col_status status;
    if (text == NULL)
        status = base_field_refuse(field,
                                   entry->value->type == YAML_MAPPING_NODE    ? "a map"
                                   : entry->value->type == YAML_SEQUENCE_NODE ? "a list"
                                                                              : "a text with a NUL",
                                   "", &problem);
    else if (text[0] == '\0' && (field->kind == BASE_STRING || field->kind == BASE_TEXT))
        status = base_field_refuse(field, text, "", &problem);
    else
        status = base_field_read(field, text, "", target, &problem);
    if (status == COL_BAD_INPUT)
        return base_refuse_value(entry, "%s", problem.message);
    return status == COL_OK ? COL_OK : base_out_of_memory(entry->yaml->problem);
}

col_status base_yaml_value(const base_entry *entry, const base_field *field, void *target) {
    void *member = target == NULL ? NULL : (char *)target + field->offset;
    const char *what = field->what != NULL ? field->what : field->name;
    if (field->place > 0 && target != NULL)
        *(base_place *)(void *)((char *)target + field->place) = base_entry_place(entry);
    if (field->is_said > 0 && target != NULL)
        *(bool *)((char *)target + field->is_said) = true;
    switch (field->kind) {
    case BASE_OWN:
        return field->read(entry, member);
    case BASE_EACH:
        return base_yaml_each(entry->yaml, entry->value, what, field->read, member);
    case BASE_ONE_OR_MORE:
        return base_yaml_one_or_more(entry, field->read, member);
    case BASE_ITEMS:
        return base_yaml_items(entry, field->read, member);
    case BASE_MAP:
        BASE_TRY(base_yaml_map(entry->yaml, entry->value, what, field->fields, member));
        break;
    default:
        BASE_TRY(read_plain(entry, field, target));
    }
    return field->read != NULL ? field->read(entry, member) : COL_OK;
}

typedef struct map_reader {
    const base_field *fields;
    const char *what;
    void *target;
} map_reader;

static col_status read_key(const base_entry *entry, void *target) {
    const map_reader *reader = target;
    const char *name = base_entry_name(entry);
    const base_field *field = base_field_find(reader->fields, name);
    col_problem problem;
    if (field != NULL)
        return base_yaml_value(entry, field, reader->target);
    const col_status status =
        base_fields_refuse(reader->fields, reader->what, "key", name, &problem);
    return status == COL_BAD_INPUT ? base_refuse_key(entry, "%s", problem.message)
                                   : base_out_of_memory(entry->yaml->problem);
}

col_status base_yaml_map(base_yaml *yaml, const base_yaml_node *map, const char *what,
                         const base_field *fields, void *target) {
    map_reader reader = {fields, what, target};
    return base_yaml_each(yaml, map, what, read_key, &reader);
}
