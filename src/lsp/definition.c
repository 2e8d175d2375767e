/* SPDX-License-Identifier: MIT */
/* Where a word of a protocol is declared: see answer.h. */
#include "base/json.h"
#include "base/path.h"
#include "lsp/answer.h"
#include "lsp/resolve.h"

#include <string.h>

json_t *lsp_location(const char *real, lsp_text text, size_t from, size_t to) {
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
    base_json_append(list,
                     lsp_location(file->real, text, from, from + lsp_word_length(text, from)));
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
        base_json_append(list, lsp_location(real, lsp_protocol_text(protocol, file->name), 0, 0));
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
    if (!lsp_cursor_find(protocol, file, offset, &cursor))
        return list;
    if (cursor.token.kind == SLICC_TOKEN_STRING && cursor.before[0].kind == SLICC_TOKEN_INCLUDE)
        add_included(protocol, &cursor, &list);
    lsp_resolve(protocol, &cursor, &targets);
    if (targets.count == 1 && is_declared_here(&cursor, &targets.list[0]))
        add_transitions(protocol, &targets.list[0], &list);
    const bool has_transitions = json_array_size(list) > 0;
    for (size_t i = 0; i < targets.count && !has_transitions; i++)
        add_location(protocol, &targets.list[i], &list);
    return list;
}
