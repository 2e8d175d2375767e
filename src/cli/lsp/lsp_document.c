/* SPDX-License-Identifier: MIT */
/* The documents that an editor has open: see lsp_document.h. */
#include "cli/lsp/lsp_document.h"

#include "base/number.h"
#include "base/path.h"

#include <ctype.h>

#include <stdlib.h>
#include <string.h>

/* ---- Names. */

bool lsp_uri_path(const char *uri, char path[PATH_MAX]) {
    static const char scheme[] = "file://";
    size_t length = 0;
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0)
        return false;
    uri += sizeof scheme - 1;
    if (*uri != '/') { /* file://localhost/path */
        uri = strchr(uri, '/');
        if (uri == NULL)
            return false;
    }
    for (; *uri != '\0' && *uri != '?' && *uri != '#'; uri++) {
        char c = *uri;
        if (c == '%') {
            const uint32_t high = base_digit(uri[1]), low = high > 15 ? 16 : base_digit(uri[2]);
            if (low > 15 || high * 16 + low == 0)
                return false;
            c = (char)(high * 16 + low);
            uri += 2;
        }
        if (length + 1 >= PATH_MAX)
            return false;
        path[length++] = c;
    }
    path[length] = '\0';
    return length > 0;
}

void lsp_path_uri(const char *path, base_text *uri) {
    base_text_add(uri, "file://");
    for (; *path != '\0'; path++)
        if (isalnum((unsigned char)*path) || strchr("/-._~", *path) != NULL)
            base_text_add_bytes(uri, path, 1);
        else
            base_text_print(uri, "%%%02X", (unsigned)(unsigned char)*path);
}

void lsp_real_path(const char *path, char real[PATH_MAX]) {
    if (realpath(path, real) != NULL)
        return;
    const size_t length = strlen(path);
    real[0] = '\0';
    if (length < PATH_MAX)
        memcpy(real, path, length + 1);
}

static lsp_language language_of(const char *uri, const char *said) {
    if (base_path_ends(uri, ".sm") || base_path_ends(uri, ".slicc") || strcmp(said, "slicc") == 0)
        return LSP_SLICC;
    if (base_path_ends(uri, ".litmus") || strcmp(said, "litmus") == 0)
        return LSP_LITMUS;
    return LSP_OTHER;
}

/* ---- The list. */

lsp_document *lsp_document_find(const lsp_documents *documents, const char *uri) {
    lsp_document *document = documents->first;
    while (document != NULL && strcmp(document->uri, uri) != 0)
        document = document->next;
    return document;
}

lsp_document *lsp_document_at(const lsp_documents *documents, const char *real_path) {
    lsp_document *document = documents->first;
    while (document != NULL &&
           (document->path[0] == '\0' || strcmp(document->path, real_path) != 0))
        document = document->next;
    return document;
}

bool lsp_document_change(lsp_document *document, const char *text, size_t length) {
    base_text changed = {0};
    base_text_add_bytes(&changed, text, length);
    if (changed.failed) {
        base_text_free(&changed);
        return false;
    }
    base_text_free(&document->text);
    document->text = changed;
    return true;
}

lsp_document *lsp_document_open(lsp_documents *documents, const char *uri, const char *language,
                                const char *text, size_t length) {
    char path[PATH_MAX];
    lsp_document *document = lsp_document_find(documents, uri);
    if (document != NULL)
        return lsp_document_change(document, text, length) ? document : NULL;
    document = calloc(1, sizeof *document);
    if (document == NULL)
        return NULL;
    document->uri = strdup(uri);
    if (document->uri == NULL || !lsp_document_change(document, text, length)) {
        free(document->uri);
        free(document);
        return NULL;
    }
    document->language = language_of(uri, language);
    if (lsp_uri_path(uri, path))
        lsp_real_path(path, document->path);
    else if (strlen(uri) < sizeof document->path)
        memcpy(document->path, uri, strlen(uri) + 1); /* untitled:1 and the like */
    document->next = documents->first;
    documents->first = document;
    return document;
}

void lsp_document_close(lsp_documents *documents, lsp_document *document) {
    lsp_document **link = &documents->first;
    while (*link != NULL && *link != document)
        link = &(*link)->next;
    if (*link == NULL)
        return;
    *link = document->next;
    base_text_free(&document->text);
    free(document->uri);
    free(document);
}

void lsp_documents_free(lsp_documents *documents) {
    while (documents->first != NULL)
        lsp_document_close(documents, documents->first);
}

/* Places in a text as editors count them. */

/* The bytes of the character at `at`, and its UTF-16 units. What is not UTF-8 is one of each. */
static size_t character_at(lsp_text text, size_t at, uint32_t *units) {
    const unsigned char first = (unsigned char)text.data[at];
    const size_t count = first < 0xC2   ? 1
                         : first < 0xE0 ? 2
                         : first < 0xF0 ? 3
                         : first < 0xF5 ? 4
                                        : 1;
    *units = 1;
    if (count > text.length - at)
        return 1;
    for (size_t i = 1; i < count; i++)
        if (((unsigned char)text.data[at + i] & 0xC0) != 0x80)
            return 1;
    *units = count == 4 ? 2 : 1;
    return count;
}

/* The bytes of the line end at `at`; 0: there is none. */
static size_t line_end_at(lsp_text text, size_t at) {
    if (text.data[at] == '\n')
        return 1;
    if (text.data[at] != '\r')
        return 0;
    return at + 1 < text.length && text.data[at + 1] == '\n' ? 2 : 1;
}

/* ---- Lines. */

void lsp_lines_find(lsp_lines *lines, lsp_text text, base_arena *arena) {
    size_t count = 1;
    *lines = (lsp_lines){0};
    for (size_t at = 0; at < text.length; at++) {
        count += text.data[at] == '\n';
        if (text.data[at] == '\r' && line_end_at(text, at) == 1)
            return;
    }
    size_t *starts = base_arena_take(arena, count * sizeof *starts);
    if (starts == NULL)
        return;
    *lines = (lsp_lines){.starts = starts, .count = count};
    count = 1; /* the first begins at 0 */
    for (size_t at = 0; at < text.length; at++)
        if (text.data[at] == '\n')
            starts[count++] = at + 1;
}

static bool has_lines(lsp_text text) {
    return text.lines != NULL && text.lines->count > 0;
}

/* The last line that begins at the offset or before it. */
static size_t line_of(const lsp_lines *lines, size_t offset) {
    size_t from = 0, to = lines->count;
    while (to - from > 1) {
        const size_t middle = from + (to - from) / 2;
        if (lines->starts[middle] <= offset)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* ---- Places. */

lsp_position lsp_position_at(lsp_text text, size_t offset) {
    const size_t line = has_lines(text) ? line_of(text.lines, offset) : 0;
    lsp_position position = {(uint32_t)line, 0};
    for (size_t at = line == 0 ? 0 : text.lines->starts[line]; at < offset && at < text.length;) {
        uint32_t units;
        const size_t end = line_end_at(text, at);
        if (end > 0 && at + end <= offset) {
            position = (lsp_position){position.line + 1, 0};
            at += end;
            continue;
        }
        if (end > 0) /* between \r and \n: still at the end of the line */
            break;
        at += character_at(text, at, &units);
        if (at <= offset)
            position.character += units;
    }
    return position;
}

size_t lsp_offset_at(lsp_text text, lsp_position position) {
    size_t at = 0;
    for (uint32_t line = 0; line < position.line; line++) {
        while (at < text.length && line_end_at(text, at) == 0)
            at++;
        if (at == text.length)
            return at;
        at += line_end_at(text, at);
    }
    for (uint32_t units, left = position.character;
         left > 0 && at < text.length && line_end_at(text, at) == 0; left -= units) {
        const size_t count = character_at(text, at, &units);
        if (units > left)
            break;
        at += count;
    }
    return at;
}

size_t lsp_offset_of(lsp_text text, uint32_t line, uint32_t column) {
    const bool is_known = has_lines(text) && line > 0 && line <= text.lines->count;
    size_t at = is_known ? text.lines->starts[line - 1] : 0;
    for (uint32_t i = 1; i < line && !is_known; i++) {
        const char *end = at < text.length ? memchr(text.data + at, '\n', text.length - at) : NULL;
        if (end == NULL)
            return text.length;
        at = (size_t)(end - text.data) + 1;
    }
    const size_t offset = column == 0 ? 0 : column - 1;
    return offset > text.length - at ? text.length : at + offset;
}

size_t lsp_word_length(lsp_text text, size_t offset) {
    size_t count = 0;
    while (offset + count < text.length &&
           (isalnum((unsigned char)text.data[offset + count]) || text.data[offset + count] == '_' ||
            text.data[offset + count] == '$'))
        count++;
    if (count > 0 || offset >= text.length || line_end_at(text, offset) > 0)
        return count;
    uint32_t units;
    return character_at(text, offset, &units);
}

static json_t *position_of(lsp_text text, size_t offset) {
    const lsp_position position = lsp_position_at(text, offset);
    return json_pack("{s:I, s:I}", "line", (json_int_t)position.line, "character",
                     (json_int_t)position.character);
}

json_t *lsp_range(lsp_text text, size_t from, size_t to) {
    return json_pack("{s:o, s:o}", "start", position_of(text, from), "end", position_of(text, to));
}
