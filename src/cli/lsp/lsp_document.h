/* SPDX-License-Identifier: MIT */
/* The documents that an editor has open: their texts stand for the files. */
#ifndef LSP_DOCUMENT_H
#define LSP_DOCUMENT_H

#include "base/text.h"
#include "lsp/position.h"

#include <limits.h>

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

#endif
