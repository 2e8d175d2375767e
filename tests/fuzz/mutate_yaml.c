/* SPDX-License-Identifier: MIT */
/*
 * A mutator for YAML: it changes the tree, not the bytes, so that most of what it makes passes the
 * parser and tries what reads the tree. Scalars become others of the file or words of the field,
 * entries are swapped, left out, said twice (as aliases) and moved. What is no YAML is mutated as
 * bytes.
 */
#include "base/random.h"
#include "base/text.h"
#include "fuzz.h"

#include <yaml.h>

static const char *const words[] = {"0",           "1",           "2",
                                    "8",           "64",          "1Ki",
                                    "64KiB",       "4:128",       "1..3",
                                    "-1",          "1e9",         "0.5",
                                    "0.3s",        "4294967296",  "18446744073709551615",
                                    "none",        "yes",         "no",
                                    "true",        "false",       "",
                                    "~",           "*",           "design",
                                    "cores",       "engine",      "error",
                                    "mutant",      "seed",        "ops",
                                    "locations",   "sets",        "mix",
                                    "tests",       "time",        "cycles",
                                    "options",     "shrink",      "kind",
                                    "episode",     "tour",        "protocol",
                                    "method",      "bfs",         "euler",
                                    "mesi2",       "mesi3",       "msi",
                                    "htg",         "plain",       "chain",
                                    "rlg",         "x.so",        "x.yaml",
                                    "plan",        "title",       "grids",
                                    "defaults",    "without",     "scales",
                                    "small",       "published",   "rows",
                                    "columns",     "cells",       "where",
                                    "statistic",   "unit",        "per",
                                    "baseline",    ">24 (0/10)",  "5 (1/10)",
                                    "machines",    "machine",     "count",
                                    "caches",      "size",        "ways",
                                    "parameters",  "links",       "state",
                                    "event",       "next",        "actions",
                                    "edits",       "L1Cache",     "Directory",
                                    "id",          "class",       "name",
                                    "description", "source",      "wiring",
                                    "tbes",        "outstanding", "\xc2\x9b",
                                    "\x1b[2J",     "=1+1",        "../../x",
                                    "/dev/zero",   "a?",          "${GEM5}/x.slicc",
                                    "known",       "bug",         "mend",
                                    "plus",        "x]}; D4",     "2027-01-31"};

/* ---- The tree. */

typedef struct tree {
    yaml_document_t document;
    base_rng rng;
} tree;

static int node_count(const tree *t) {
    return (int)(t->document.nodes.top - t->document.nodes.start);
}

static uint64_t below(tree *t, uint64_t count) {
    return count == 0 ? 0 : base_rng_below(&t->rng, count);
}

static yaml_node_t *any_node(tree *t) {
    return t->document.nodes.start + below(t, (uint64_t)node_count(t));
}

static int any_number(tree *t) {
    return 1 + (int)below(t, (uint64_t)node_count(t));
}

/* Another scalar of the file, or a word. */
static const char *any_word(tree *t) {
    const yaml_node_t *node = any_node(t);
    return node->type == YAML_SCALAR_NODE && below(t, 2) == 0
               ? (const char *)node->data.scalar.value
               : words[below(t, sizeof words / sizeof words[0])];
}

static int new_scalar(tree *t, const char *text) {
    char copy[256]; /* adding may move what it is a part of */
    (void)snprintf(copy, sizeof copy, "%s", text);
    return yaml_document_add_scalar(&t->document, NULL, (yaml_char_t *)copy, -1,
                                    YAML_ANY_SCALAR_STYLE);
}

static void set_scalar(yaml_node_t *node, const char *text) {
    char *copy = strdup(text);
    if (copy == NULL || node->type != YAML_SCALAR_NODE) {
        free(copy);
        return;
    }
    free(node->data.scalar.value);
    node->data.scalar.value = (yaml_char_t *)copy;
    node->data.scalar.length = strlen(copy);
    node->data.scalar.style = YAML_ANY_SCALAR_STYLE;
}

static void change_list(tree *t, yaml_node_t *node) {
    const int number = (int)(node - t->document.nodes.start) + 1;
    yaml_node_item_t *items = node->data.sequence.items.start;
    const uint64_t count = (uint64_t)(node->data.sequence.items.top - items);
    const uint64_t which = below(t, count);
    switch (count == 0 ? 3 : below(t, 5)) {
    case 0:
        memmove(items + which, items + which + 1, (count - which - 1) * sizeof *items);
        node->data.sequence.items.top--;
        break;
    case 1: {
        const uint64_t other = below(t, count);
        const yaml_node_item_t item = items[which];
        items[which] = items[other];
        items[other] = item;
        break;
    }
    case 2:
        items[which] = any_number(t);
        break;
    case 3:
        (void)yaml_document_append_sequence_item(&t->document, number, new_scalar(t, any_word(t)));
        break;
    default:
        (void)yaml_document_append_sequence_item(&t->document, number, any_number(t));
    }
}

static void change_map(tree *t, yaml_node_t *node) {
    const int number = (int)(node - t->document.nodes.start) + 1;
    yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
    const uint64_t count = (uint64_t)(node->data.mapping.pairs.top - pairs);
    const uint64_t which = below(t, count);
    switch (count == 0 ? 3 : below(t, 5)) {
    case 0:
        memmove(pairs + which, pairs + which + 1, (count - which - 1) * sizeof *pairs);
        node->data.mapping.pairs.top--;
        break;
    case 1: {
        const uint64_t other = below(t, count);
        const int value = pairs[which].value;
        pairs[which].value = pairs[other].value;
        pairs[other].value = value;
        break;
    }
    case 2:
        pairs[which].value = any_number(t);
        break;
    case 3: {
        const int key = new_scalar(t, any_word(t));
        (void)yaml_document_append_mapping_pair(&t->document, number, key,
                                                new_scalar(t, any_word(t)));
        break;
    }
    default: { /* a value becomes a list of values, or a new entry takes one */
        const int value = pairs[which].value,
                  list = yaml_document_add_sequence(&t->document, NULL, YAML_FLOW_SEQUENCE_STYLE);
        (void)yaml_document_append_sequence_item(&t->document, list, value);
        (void)yaml_document_append_sequence_item(&t->document, list, new_scalar(t, any_word(t)));
        t->document.nodes.start[number - 1].data.mapping.pairs.start[which].value = list;
    }
    }
}

static void change(tree *t) {
    yaml_node_t *node = any_node(t);
    if (node->type == YAML_SCALAR_NODE) {
        char word[256];
        (void)snprintf(word, sizeof word, "%s", any_word(t));
        set_scalar(node, word);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        change_list(t, node);
    } else if (node->type == YAML_MAPPING_NODE) {
        change_map(t, node);
    }
}

/* ---- Text and tree. */

static bool load(tree *t, const uint8_t *data, size_t size) {
    yaml_parser_t parser;
    require(yaml_parser_initialize(&parser));
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, data, size);
    bool is_good = yaml_parser_load(&parser, &t->document) != 0;
    yaml_parser_delete(&parser);
    if (is_good && node_count(t) == 0) {
        yaml_document_delete(&t->document);
        is_good = false;
    }
    return is_good;
}

static size_t dump(tree *t, uint8_t *data, size_t most) {
    yaml_emitter_t emitter;
    size_t written = 0;
    require(yaml_emitter_initialize(&emitter));
    yaml_emitter_set_output_string(&emitter, data, most, &written);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, -1);
    const bool is_good = yaml_emitter_open(&emitter) && yaml_emitter_dump(&emitter, &t->document) &&
                         yaml_emitter_flush(&emitter);
    yaml_emitter_delete(&emitter);
    return is_good ? written : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    enum { MOST_CHANGES = 4, BYTES_IN = 8 };
    tree t = {0};
    base_rng_seed(&t.rng, seed, size);
    if (below(&t, BYTES_IN) == 0 || !load(&t, data, size))
        return LLVMFuzzerMutate(data, size, most);
    for (uint64_t i = 0, count = 1 + below(&t, MOST_CHANGES); i < count; i++)
        change(&t);
    uint8_t *text = malloc(most);
    const size_t length = text == NULL ? 0 : dump(&t, text, most);
    if (length > 0)
        memcpy(data, text, length);
    free(text);
    return length > 0 ? length : LLVMFuzzerMutate(data, size, most);
}
