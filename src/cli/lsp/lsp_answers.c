/* SPDX-License-Identifier: MIT */
/* Where a word of a protocol is declared: see lsp_answers.h. */
#include "cli/lsp/lsp_answers.h"

#include "base/json.h"
#include "base/path.h"

#include <string.h>

/* {"uri": ..., "range": ...} */
static json_t *location_of(const char *real, lsp_text text, size_t from, size_t to) {
    base_text uri = {0};
    lsp_path_uri(real, &uri);
    json_t *made = uri.failed ? NULL
                              : json_pack("{s:o, s:o}", "uri", base_json_text(uri.data), "range",
                                          lsp_range(text, from, to));
    base_text_free(&uri);
    return made;
}

/* Variables have the place of their type: the name comes behind it. */
static size_t name_from(lsp_text text, size_t from, const char *name) {
    enum { MOST_DISTANCE = 256 };
    const size_t length = name == NULL ? 0 : strlen(name);
    for (size_t at = from; length > 0 && at + length <= text.length && at < from + MOST_DISTANCE;) {
        const size_t word = lsp_word_length(text, at);
        if (word == length && memcmp(text.data + at, name, length) == 0)
            return at;
        at += word == 0 ? 1 : word;
    }
    return from;
}

/* What the prelude declares is in no file. */
static void add_location(const lsp_protocol *protocol, const lsp_target *target, json_t **list) {
    const slicc_place place = lsp_target_place(target);
    const lsp_file *file =
        place.file == NULL || place.line == 0 ? NULL : lsp_protocol_named(protocol, place.file);
    if (file == NULL)
        return;
    const lsp_text text = lsp_protocol_text(protocol, file->name);
    const size_t from =
        name_from(text, lsp_offset_of(text, place.line, place.column), lsp_target_name(target));
    base_json_append(list, location_of(file->real, text, from, from + lsp_word_length(text, from)));
}

/* include "file"; leads to the file. */
static void add_included(const lsp_protocol *protocol, const lsp_cursor *cursor, json_t **list) {
    char name[PATH_MAX], path[PATH_MAX], real[PATH_MAX];
    if (cursor->token.length >= sizeof name)
        return;
    memcpy(name, cursor->token.start, cursor->token.length);
    name[cursor->token.length] = '\0';
    if (base_path_beside(path, cursor->file->name, name, NULL) != COL_OK)
        return;
    lsp_real_path(path, real);
    const lsp_file *file = lsp_protocol_file(protocol, real);
    if (file != NULL)
        base_json_append(list, location_of(real, lsp_protocol_text(protocol, file->name), 0, 0));
}

/* The transitions from a state, or by an event. */
static void add_transitions(const lsp_protocol *protocol, const lsp_target *target, json_t **list) {
    const bool is_state = target->declaration->kind == SLICC_STATES;
    for (const slicc_declaration *d = target->machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_TRANSITION &&
            lsp_names_have(is_state ? d->states : d->events, target->value->name))
            add_location(protocol, &(lsp_target){.declaration = d, .machine = target->machine},
                         list);
}

/* Does the cursor stand where the state or event is declared? */
static bool is_declared_here(const lsp_cursor *cursor, const lsp_target *target) {
    return target->value != NULL && target->machine != NULL &&
           cursor->member == target->declaration &&
           target->value->place.line == cursor->token.place.line &&
           target->value->place.column == cursor->token.place.column;
}

json_t *lsp_definition(const lsp_protocol *protocol, const lsp_file *file, size_t offset) {
    lsp_cursor cursor;
    lsp_targets targets;
    json_t *list = json_array();
    if (!lsp_resolve(protocol, file, offset, &cursor, &targets))
        return list;
    if (cursor.token.kind == SLICC_TOKEN_STRING && cursor.before[0].kind == SLICC_TOKEN_INCLUDE)
        add_included(protocol, &cursor, &list);
    if (targets.count == 1 && is_declared_here(&cursor, &targets.list[0]))
        add_transitions(protocol, &targets.list[0], &list);
    const bool has_transitions = json_array_size(list) > 0;
    for (size_t i = 0; i < targets.count && !has_transitions; i++)
        add_location(protocol, &targets.list[i], &list);
    return list;
}

/* Where a name of a protocol is used: see lsp_answers.h. Every word that is spelled so is looked up
 * where it stands, since machines may give one name to different things. */

enum { MOST_REFERENCES = 5000 };

static bool is_among(const lsp_target *a, const lsp_targets *targets) {
    for (const lsp_target *b = targets->list; b < targets->list + targets->count; b++)
        if (a->declaration == b->declaration && a->value == b->value &&
            a->parameter == b->parameter && a->local == b->local)
            return true;
    return false;
}

static bool stands_at(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                      const lsp_targets *wanted) {
    lsp_cursor cursor;
    lsp_targets found;
    if (!lsp_resolve(protocol, file, offset, &cursor, &found))
        return false;
    for (size_t i = 0; i < found.count; i++)
        if (is_among(&found.list[i], wanted))
            return true;
    return false;
}

static void search_file(const lsp_protocol *protocol, const lsp_file *file, const char *word,
                        const lsp_targets *wanted, json_t **list) {
    const lsp_text text = lsp_protocol_text(protocol, file->name);
    const size_t length = strlen(word);
    for (size_t at = 0; at < text.length;) {
        const size_t here = lsp_word_length(text, at);
        if (here == length && memcmp(text.data + at, word, length) == 0 &&
            json_array_size(*list) < MOST_REFERENCES && stands_at(protocol, file, at, wanted))
            base_json_append(list, location_of(file->real, text, at, at + length));
        at += here == 0 ? 1 : here;
    }
}

json_t *lsp_references(const lsp_protocol *protocol, const lsp_file *file, size_t offset) {
    lsp_cursor cursor;
    lsp_targets targets;
    json_t *list = json_array();
    if (!lsp_resolve(protocol, file, offset, &cursor, &targets))
        return list;
    for (size_t i = 0; targets.count > 0 && i < protocol->file_count; i++)
        search_file(protocol, &protocol->files[i], cursor.word, &targets, &list);
    return list;
}

/* The declarations of a file, as an editor lists them. */

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

/*
 * What a word of a protocol stands for, in a few lines: see lsp_answers.h. Lines are code, so that
 * what a file says is shown and never interpreted.
 */

enum { MOST_ROWS = 100, MOST_LINES = 60 };

json_t *lsp_hover_text(const base_text *text, const char *language, bool is_markdown) {
    base_text fenced = {0}, clean = {0};
    for (const char *c = text->data == NULL ? "" : text->data; *c != '\0'; c++)
        base_text_add_bytes(&clean, *c == '`' ? "'" : c, 1); /* no fence ends early */
    if (is_markdown)
        base_text_print(&fenced, "```%s\n%s```\n", language, clean.data == NULL ? "" : clean.data);
    const char *value = is_markdown ? fenced.data : clean.data;
    const bool failed = text->failed || clean.failed || fenced.failed;
    json_t *hover = failed ? NULL
                           : json_pack("{s:{s:s, s:o}}", "contents", "kind",
                                       is_markdown ? "markdown" : "plaintext", "value",
                                       base_json_text(value == NULL ? "" : value));
    base_text_free(&fenced);
    base_text_free(&clean);
    return hover;
}

/* ---- Transitions. */

static const char *pair_of(const slicc_pair *pairs, const char *key) {
    for (; pairs != NULL; pairs = pairs->next)
        if (strcmp(pairs->key, key) == 0)
            return pairs->value;
    return NULL;
}

/* Rows of a transition, of one state or event if it is given. */
static uint32_t print_transition(const slicc_declaration *t, const char *state, const char *event,
                                 uint32_t room, base_text *text) {
    uint32_t count = 0;
    for (const slicc_name *s = t->states; s != NULL; s = s->next)
        for (const slicc_name *e = t->events; e != NULL; e = e->next) {
            if ((state != NULL && strcmp(s->text, state) != 0) ||
                (event != NULL && strcmp(e->text, event) != 0))
                continue;
            if (count++ < room) {
                const char *next = t->next_state == NULL                   ? s->text
                                   : strcmp(t->next_state->text, "*") == 0 ? "(by function)"
                                                                           : t->next_state->text;
                base_text_print(text, "%s × %s → %s:", s->text, e->text, next);
                for (const slicc_name *a = t->actions; a != NULL; a = a->next)
                    base_text_print(text, "%s %s", a == t->actions ? "" : ",", a->text);
                base_text_add(text, t->actions == NULL ? " no action\n" : "\n");
            }
        }
    return count;
}

static void print_more(uint32_t count, base_text *text) {
    if (count > MOST_ROWS)
        base_text_print(text, "... and %u more\n", count - MOST_ROWS);
}

/* The row of a state, or the column of an event, in its machine's table. */
static void print_table(const slicc_declaration *machine, const char *state, const char *event,
                        base_text *text) {
    uint32_t count = 0;
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_TRANSITION)
            count +=
                print_transition(d, state, event, count < MOST_ROWS ? MOST_ROWS - count : 0, text);
    print_more(count, text);
}

/* ---- Declarations. */

static void print_comment(const slicc_pair *pairs, base_text *text) {
    const char *said = pair_of(pairs, "desc");
    if (said != NULL)
        base_text_print(text, "// %s\n", said);
}

static void print_parameters(const slicc_declaration *d, base_text *text) {
    base_text_add(text, "(");
    for (const slicc_parameter *p = d->parameters; p != NULL; p = p->next)
        base_text_print(text, "%s%s%s%s%s%s", p == d->parameters ? "" : ", ", p->type,
                        p->pointer ? " *" : "", p->reference ? " &" : "",
                        p->name == NULL ? "" : " ", p->name == NULL ? "" : p->name);
    base_text_add(text, ")");
}

static void print_members(const slicc_declaration *d, base_text *text) {
    uint32_t lines = 0;
    for (const slicc_declaration *m = d->members; m != NULL && lines < MOST_LINES; m = m->next) {
        base_text_print(text, "  %s%s %s", m->type == NULL ? "" : m->type, m->pointer ? " *" : "",
                        m->name);
        if (m->kind == SLICC_FUNCTION)
            print_parameters(m, text);
        base_text_add(text, ";\n");
        lines++;
    }
}

static uint32_t count_uses(const slicc_declaration *machine, const char *action) {
    uint32_t uses = 0;
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        uses += d->kind == SLICC_TRANSITION && lsp_names_have(d->actions, action) ? 1 : 0;
    return uses;
}

static void print_declaration(const lsp_target *target, base_text *text) {
    const slicc_declaration *d = target->declaration;
    switch (d->kind) {
    case SLICC_MACHINE:
        base_text_print(text, "machine(MachineType:%s)\n", d->name);
        print_comment(d->pairs, text);
        for (const slicc_declaration *a = d->arguments; a != NULL; a = a->next)
            base_text_print(text, "  %s%s %s;\n", a->type, a->pointer ? " *" : "", a->name);
        return;
    case SLICC_STRUCTURE:
        base_text_print(text, "%s(%s)\n", d->external ? "external_type" : "structure", d->name);
        print_comment(d->pairs, text);
        print_members(d, text);
        return;
    case SLICC_ENUMERATION:
    case SLICC_STATES:
        base_text_print(text, "%s(%s)\n",
                        d->kind == SLICC_STATES ? "state_declaration" : "enumeration", d->name);
        print_comment(d->pairs, text);
        uint32_t lines = 0;
        for (const slicc_value *v = d->values; v != NULL && lines++ < MOST_LINES; v = v->next) {
            const char *said = pair_of(v->pairs, "desc");
            base_text_print(text, "  %s%s%s;%s%s\n", v->name, v->permission == NULL ? "" : ", ",
                            v->permission == NULL ? "" : v->permission, said == NULL ? "" : " // ",
                            said == NULL ? "" : said);
        }
        return;
    case SLICC_FUNCTION:
        base_text_print(text, "%s %s", d->type, d->name);
        print_parameters(d, text);
        base_text_add(text, "\n");
        return;
    case SLICC_IN_PORT:
    case SLICC_OUT_PORT:
        base_text_print(text, "%s(%s, %s, %s)\n", d->kind == SLICC_IN_PORT ? "in_port" : "out_port",
                        d->name, d->type, d->buffer == NULL ? "" : d->buffer->text);
        return;
    case SLICC_ACTION:
        base_text_print(text, "action(%s)\n", d->name);
        print_comment(d->pairs, text);
        if (target->machine != NULL)
            base_text_print(text, "// transitions that use it: %u\n",
                            count_uses(target->machine, d->name));
        return;
    case SLICC_OBJECT:
        base_text_print(text, "%s%s %s\n", d->type, d->pointer ? " *" : "", d->name);
        print_comment(d->pairs, text);
        return;
    case SLICC_TRANSITION:
        return;
    }
}

static void print_value(const lsp_target *target, base_text *text) {
    const slicc_declaration *d = target->declaration;
    const bool is_event =
        target->machine != NULL && d->kind == SLICC_ENUMERATION && strcmp(d->name, "Event") == 0;
    base_text_print(text, "%s:%s", d->name, target->value->name);
    if (target->value->permission != NULL)
        base_text_print(text, " (%s)", target->value->permission);
    base_text_add(text, "\n");
    print_comment(target->value->pairs, text);
    if (target->machine != NULL && d->kind == SLICC_STATES)
        print_table(target->machine, target->value->name, NULL, text);
    else if (is_event)
        print_table(target->machine, NULL, target->value->name, text);
}

static void print_target(const lsp_target *target, base_text *text) {
    if (target->value != NULL)
        print_value(target, text);
    else if (target->parameter != NULL)
        base_text_print(text, "%s%s%s %s\n", target->parameter->type,
                        target->parameter->pointer ? " *" : "",
                        target->parameter->reference ? " &" : "", target->parameter->name);
    else if (target->local != NULL)
        base_text_print(text, "%s %s\n", target->local->type, target->local->text);
    else
        print_declaration(target, text);
}

/* In a transition, a state or an event stands for its rows of that transition; an action for
 * itself; anything else for the whole transition. */
static bool print_within(const lsp_cursor *cursor, const lsp_targets *targets, base_text *text) {
    const slicc_declaration *t = cursor->member;
    if (t == NULL || t->kind != SLICC_TRANSITION ||
        (targets->count > 0 && targets->list[0].value == NULL))
        return false;
    const bool is_state = targets->count > 0 && targets->list[0].declaration->kind == SLICC_STATES;
    const bool is_event = targets->count > 0 && !is_state;
    const bool is_from = is_state && lsp_names_have(t->states, cursor->word);
    if (is_state && !is_from)
        return false; /* the next state: its own row is of interest */
    if (targets->count > 0)
        print_comment(targets->list[0].value->pairs, text);
    const uint32_t count = print_transition(t, is_from ? cursor->word : NULL,
                                            is_event ? cursor->word : NULL, MOST_ROWS, text);
    print_more(count, text);
    return count > 0;
}

json_t *lsp_hover(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                  bool is_markdown) {
    lsp_cursor cursor;
    lsp_targets targets;
    base_text text = {0};
    if (!lsp_resolve(protocol, file, offset, &cursor, &targets))
        return json_null();
    const char *message = lsp_message_type(&cursor);
    if (message != NULL && targets.count == 0)
        base_text_print(&text, "%s %s\n", message, cursor.word);
    else if (!print_within(&cursor, &targets, &text))
        for (size_t i = 0; i < targets.count; i++)
            print_target(&targets.list[i], &text);
    json_t *hover = text.length == 0 && !text.failed ? json_null()
                                                     : lsp_hover_text(&text, "slicc", is_markdown);
    base_text_free(&text);
    return hover;
}
