/* SPDX-License-Identifier: MIT */
/* Places in a text as editors count them: lines and UTF-16 units from 0; and as we do: bytes. A
 * line ends with "\n", "\r\n" or "\r". */
#pragma once

#include "base/memory.h"
#include "base/text.h"

#include <jansson.h>
#include <limits.h>

/* Where the lines of a text begin, which saves counting them from its beginning. */
typedef struct lsp_lines {
    size_t *starts;
    size_t count; /* 0: nobody has looked, or a "\r" alone ends a line, as no editor writes it */
} lsp_lines;

typedef struct lsp_text {
    const char *data;
    size_t length;
    const lsp_lines *lines; /* NULL: not known */
} lsp_text;

typedef struct lsp_position {
    uint32_t line, character;
} lsp_position;

/* Without memory there are none, which costs time alone. */
void lsp_lines_find(lsp_lines *lines, lsp_text text, base_arena *arena);

lsp_position lsp_position_at(lsp_text text, size_t offset);
/* Beyond the end of a line is its end; beyond the last line the end of the text. */
size_t lsp_offset_at(lsp_text text, lsp_position position);

/* Of our lines, which end with "\n" alone, and columns of bytes, both from 1. */
size_t lsp_offset_of(lsp_text text, uint32_t line, uint32_t column);

/* How many bytes the word at an offset has: letters, digits, _ and $; else 1, and 0 at the end of a
 * line. */
size_t lsp_word_length(lsp_text text, size_t offset);

/* {"start": ..., "end": ...}; NULL without memory. */
json_t *lsp_range(lsp_text text, size_t from, size_t to);

/* The documents that an editor has open: their texts stand for the files. */

typedef enum lsp_language { LSP_OTHER, LSP_SLICC, LSP_LITMUS } lsp_language;

typedef struct lsp_document {
    char *uri;
    char path[PATH_MAX]; /* the file itself, behind links; of what is no file, its URI */
    char list[PATH_MAX]; /* of SLICC: the list of the protocol that it is a part of; empty: not
                            known yet */
    lsp_language language;
    base_text text;
    struct lsp_document *next;
} lsp_document;

typedef struct lsp_documents {
    lsp_document *first;
} lsp_documents;

/* The path of file://... ; false: it is another kind of URI, or does not fit. */
bool lsp_uri_path(const char *uri, char path[PATH_MAX]);
/* And back. */
void lsp_path_uri(const char *path, base_text *uri);
/* The path behind all links; a file that is not there stays as it is named. */
void lsp_real_path(const char *path, char real[PATH_MAX]);

/* NULL: it is not open. */
lsp_document *lsp_document_find(const lsp_documents *documents, const char *uri);
lsp_document *lsp_document_at(const lsp_documents *documents, const char *real_path);

/* A document that is open already gets another text. NULL: there is no memory. */
lsp_document *lsp_document_open(lsp_documents *documents, const char *uri, const char *language,
                                const char *text, size_t length);
bool lsp_document_change(lsp_document *document, const char *text, size_t length);
void lsp_document_close(lsp_documents *documents, lsp_document *document);
void lsp_documents_free(lsp_documents *documents);
