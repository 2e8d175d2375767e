/* SPDX-License-Identifier: MIT */
/* The declarations of a file, as an editor lists them: see answer.h. */
#include "base/json.h"
#include "lsp/answer.h"

#include <string.h>

json_t *lsp_symbol(const char *name, const char *detail, int kind, lsp_text text, size_t from,
                   size_t to, size_t name_from, size_t name_to) {
    const bool holds = from <= name_from && name_to <= to; /* the protocol demands it */
    json_t *symbol =
        json_pack("{s:o, s:i, s:o, s:o}", "name", base_json_text(name[0] == '\0' ? "?" : name),
                  "kind", kind, "range", lsp_range(text, from, to), "selectionRange",
                  lsp_range(text, holds ? name_from : from, holds ? name_to : from));
    if (detail != NULL && symbol != NULL)
        base_json_set(&symbol, "detail", base_json_text(detail));
    return symbol;
}

/* ---- Flat. */

static void flatten(json_t *symbol, const char *uri, const char *container, json_t **list) {
    json_t *child;
    size_t i;
    const char *name = json_string_value(json_object_get(symbol, "name"));
    json_t *flat = json_pack("{s:O, s:O, s:{s:s, s:O}}", "name", json_object_get(symbol, "name"),
                             "kind", json_object_get(symbol, "kind"), "location", "uri", uri,
                             "range", json_object_get(symbol, "range"));
    if (container != NULL && flat != NULL)
        base_json_set(&flat, "containerName", base_json_text(container));
    base_json_append(list, flat);
    const json_t *children = json_object_get(symbol, "children");
    json_array_foreach(children, i, child) {
        flatten(child, uri, name, list);
    }
}

json_t *lsp_flat_symbols(json_t *tree, const char *uri) {
    json_t *list = json_array(), *symbol;
    size_t i;
    json_array_foreach(tree, i, symbol) {
        flatten(symbol, uri, NULL, &list);
    }
    json_decref(tree);
    return list;
}

/* ---- Of a protocol. */

typedef struct lister {
    const lsp_file *file;
    lsp_text text;
} lister;

static bool is_here(const lister *l, slicc_place place) {
    return place.file != NULL && place.line > 0 && strcmp(place.file, l->file->name) == 0;
}

static size_t offset_of(const lister *l, slicc_place place) {
    return lsp_offset_of(l->text, place.line, place.column);
}

static int kind_of(const slicc_declaration *d) {
    static const int kinds[] = {[SLICC_MACHINE] = LSP_CLASS,     [SLICC_STRUCTURE] = LSP_STRUCT,
                                [SLICC_ENUMERATION] = LSP_ENUM,  [SLICC_STATES] = LSP_ENUM,
                                [SLICC_OBJECT] = LSP_VARIABLE,   [SLICC_FUNCTION] = LSP_FUNCTION,
                                [SLICC_IN_PORT] = LSP_INTERFACE, [SLICC_OUT_PORT] = LSP_INTERFACE,
                                [SLICC_ACTION] = LSP_METHOD,     [SLICC_TRANSITION] = LSP_EVENT};
    return kinds[d->kind];
}

static void print_names(const slicc_name *list, base_text *text) {
    const bool is_set = list != NULL && list->next != NULL;
    base_text_add(text, is_set ? "{" : "");
    for (const slicc_name *n = list; n != NULL; n = n->next)
        base_text_print(text, "%s%s", n == list ? "" : ", ", n->text);
    base_text_add(text, is_set ? "}" : "");
}

static void print_title(const slicc_declaration *d, base_text *text) {
    if (d->kind != SLICC_TRANSITION) {
        base_text_add(text, d->name == NULL ? "" : d->name);
        return;
    }
    print_names(d->states, text);
    base_text_add(text, " × ");
    print_names(d->events, text);
    if (d->next_state != NULL)
        base_text_print(text, " → %s", d->next_state->text);
}

static void list_all(const lister *l, const slicc_declaration *list, json_t **symbols);

static void list_values(const lister *l, const slicc_declaration *d, json_t **symbols) {
    for (const slicc_value *v = d->values; v != NULL; v = v->next) {
        if (!is_here(l, v->place))
            continue;
        const size_t from = offset_of(l, v->place), to = from + strlen(v->name);
        base_json_append(symbols, lsp_symbol(v->name, v->permission, LSP_ENUM_MEMBER, l->text, from,
                                             to, from, to));
    }
}

static json_t *make_symbol(const lister *l, const slicc_declaration *d) {
    base_text title = {0};
    json_t *children = json_array();
    const size_t from = offset_of(l, d->start), to = offset_of(l, d->end);
    const size_t name_from = offset_of(l, d->place);
    print_title(d, &title);
    json_t *symbol = title.failed ? NULL
                                  : lsp_symbol(title.data == NULL ? "" : title.data, d->type,
                                               kind_of(d), l->text, from, to, name_from,
                                               name_from + lsp_word_length(l->text, name_from));
    base_text_free(&title);
    list_values(l, d, &children);
    list_all(l, d->arguments, &children);
    list_all(l, d->members, &children);
    if (symbol != NULL && (children == NULL || json_array_size(children) > 0))
        base_json_set(&symbol, "children", children);
    else
        json_decref(children);
    return symbol;
}

/* What a machine has from other files is listed there, at the top. */
static void list_all(const lister *l, const slicc_declaration *list, json_t **symbols) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (is_here(l, d->start) && d->end.line > 0)
            base_json_append(symbols, make_symbol(l, d));
        else if (d->kind == SLICC_MACHINE)
            list_all(l, d->members, symbols);
}

json_t *lsp_symbols(const lsp_protocol *protocol, const lsp_file *file) {
    const lister l = {file, lsp_protocol_text(protocol, file->name)};
    json_t *symbols = json_array();
    list_all(&l, protocol->tree.declarations, &symbols);
    return symbols;
}
