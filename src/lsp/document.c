/* SPDX-License-Identifier: MIT */
/* The documents that an editor has open: see document.h. */
#include "lsp/document.h"

#include "base/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names. */

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    const int letter = tolower((unsigned char)c);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

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
            const int high = digit_of(uri[1]), low = high < 0 ? -1 : digit_of(uri[2]);
            if (low < 0 || high * 16 + low == 0)
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
