/* SPDX-License-Identifier: MIT */
/* Where a name of a protocol is used: see answer.h. Every word that is spelled so is looked up
 * where it stands, since machines may give one name to different things. */
#include "base/json.h"
#include "lsp/answer.h"
#include "lsp/resolve.h"

#include <string.h>

enum { MOST_REFERENCES = 5000 };

static bool is_same(const lsp_target *a, const lsp_target *b) {
    return a->declaration == b->declaration && a->value == b->value &&
           a->parameter == b->parameter && a->local == b->local;
}

static bool is_among(const lsp_target *target, const lsp_targets *targets) {
    for (size_t i = 0; i < targets->count; i++)
        if (is_same(target, &targets->list[i]))
            return true;
    return false;
}

static bool stands_at(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                      const lsp_targets *wanted) {
    lsp_cursor cursor;
    lsp_targets found;
    if (!lsp_cursor_find(protocol, file, offset, &cursor))
        return false;
    lsp_resolve(protocol, &cursor, &found);
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
            base_json_append(list, lsp_location(file->real, text, at, at + length));
        at += here == 0 ? 1 : here;
    }
}

json_t *lsp_references(const lsp_protocol *protocol, const lsp_file *file, size_t offset) {
    lsp_cursor cursor;
    lsp_targets targets;
    json_t *list = json_array();
    if (!lsp_cursor_find(protocol, file, offset, &cursor))
        return list;
    lsp_resolve(protocol, &cursor, &targets);
    for (size_t i = 0; targets.count > 0 && i < protocol->file_count; i++)
        search_file(protocol, &protocol->files[i], cursor.word, &targets, &list);
    return list;
}
