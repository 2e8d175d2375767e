/* SPDX-License-Identifier: MIT */
/* A SLICC protocol as an editor sees it: see lsp_protocol.h. */
#include "cli/lsp/lsp_protocol.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"
#include "protocol/slicc/parser.h"
#include "protocol/slicc/translate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LISTS = 64, MOST_COMPLAINTS = 1000 };

static const char *keep(lsp_protocol *p, const char *text) {
    const char *kept = base_arena_text(&p->arena, text, strlen(text));
    p->failed = p->failed || kept == NULL;
    return kept;
}

/* ---- Its files. */

static void note_file(lsp_protocol *p, const char *name, const char *real) {
    if (base_reserve(&p->files, &p->file_capacity, p->file_count + 1, sizeof *p->files, NULL) !=
        COL_OK) {
        p->failed = true;
        return;
    }
    const lsp_file file = {.name = keep(p, name), .real = keep(p, real)};
    if (!p->failed)
        p->files[p->file_count++] = file;
}

static const char *find_text(void *context, const char *path, size_t *length) {
    lsp_protocol *p = context;
    char real[PATH_MAX];
    lsp_real_path(path, real);
    note_file(p, path, real);
    const lsp_document *document = lsp_document_at(p->documents, real);
    if (document == NULL)
        return NULL;
    *length = document->text.length;
    return document->text.data;
}

const lsp_file *lsp_protocol_file(const lsp_protocol *protocol, const char *real_path) {
    for (size_t i = 0; i < protocol->file_count; i++)
        if (strcmp(protocol->files[i].real, real_path) == 0)
            return &protocol->files[i];
    return NULL;
}

const lsp_file *lsp_protocol_named(const lsp_protocol *protocol, const char *name) {
    for (size_t i = 0; i < protocol->file_count; i++)
        if (strcmp(protocol->files[i].name, name) == 0)
            return &protocol->files[i];
    return NULL;
}

lsp_text lsp_protocol_text(const lsp_protocol *protocol, const char *file) {
    lsp_text text = {0};
    text.data = slicc_report_text(&protocol->report, file, &text.length);
    const lsp_file *known = lsp_protocol_named(protocol, file);
    if (text.data == NULL)
        return (lsp_text){.data = ""};
    text.lines = known == NULL ? NULL : &known->lines;
    return text;
}

/* ---- What is wrong with it. */

static void note_complaint(void *context, const slicc_complaint *complaint) {
    lsp_protocol *p = context;
    const slicc_place *place = &complaint->place;
    if (place->file == NULL || p->complaint_count == MOST_COMPLAINTS)
        return;
    for (size_t i = 0; i < p->complaint_count; i++) {
        const lsp_complaint *before = &p->complaints[i];
        if (before->line == place->line && before->column == place->column &&
            strcmp(before->message, complaint->message) == 0 &&
            strcmp(before->file, place->file) == 0)
            return;
    }
    if (base_reserve(&p->complaints, &p->complaint_capacity, p->complaint_count + 1,
                     sizeof *p->complaints, NULL) != COL_OK) {
        p->failed = true;
        return;
    }
    const lsp_complaint noted = {.file = keep(p, place->file),
                                 .line = place->line,
                                 .column = place->column,
                                 .is_warning = complaint->is_warning,
                                 .message = keep(p, complaint->message)};
    if (!p->failed)
        p->complaints[p->complaint_count++] = noted;
}

/* ---- Reading. */

static void begin(lsp_protocol *p, const lsp_documents *documents) {
    *p = (lsp_protocol){.documents = documents};
    p->overlay = (slicc_overlay){find_text, p};
    p->tree.overlay = &p->overlay;
    p->report.listener = note_complaint;
    p->report.context = p;
}

void lsp_protocol_free(lsp_protocol *protocol) {
    slicc_tree_free(&protocol->tree);
    slicc_report_free(&protocol->report);
    base_arena_free(&protocol->arena);
    free(protocol->files);
    free(protocol->complaints);
    *protocol = (lsp_protocol){0};
}

/* Does the list include the document? */
static col_status includes(const char *list, const lsp_documents *documents,
                           const lsp_document *document, bool *found, col_problem *problem) {
    lsp_protocol p;
    struct stat about;
    if (stat(list, &about) != 0 || !S_ISREG(about.st_mode))
        return COL_OK;
    begin(&p, documents);
    col_status status = slicc_parse_file(&p.tree, list, &p.report, problem);
    if (p.failed)
        status = base_out_of_memory(problem);
    *found = lsp_protocol_file(&p, document->path) != NULL;
    lsp_protocol_free(&p);
    return status == COL_BAD_INPUT ? COL_OK : status;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lists in a folder, by name. */
static col_status lists_in(const char *folder, char *names[MOST_LISTS], size_t *count,
                           col_problem *problem) {
    col_status status = COL_OK;
    errno = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return errno == ENOMEM ? base_out_of_memory(problem) : COL_OK;
    for (const struct dirent *entry;
         status == COL_OK && *count < MOST_LISTS && (entry = base_folder_next(entries)) != NULL;)
        if (base_path_ends(entry->d_name, ".slicc")) {
            names[*count] = strdup(entry->d_name);
            if (names[*count] == NULL)
                status = base_out_of_memory(problem);
            else
                (*count)++;
        }
    if (status == COL_OK && *count < MOST_LISTS && errno != 0)
        status = base_cannot_read(folder, errno, problem);
    (void)closedir(entries);
    qsort(names, *count, sizeof *names, by_text);
    return status;
}

static col_status find_list(const lsp_documents *documents, lsp_document *document,
                            col_problem *problem) {
    char *names[MOST_LISTS];
    char folder[PATH_MAX];
    size_t count = 0;
    bool found = false;
    memcpy(document->list, document->path, sizeof document->list);
    if (base_path_ends(document->path, ".slicc") ||
        base_path_beside(folder, document->path, ".", NULL) != COL_OK)
        return COL_OK;
    col_status status = lists_in(folder, names, &count, problem);
    for (size_t i = 0; i < count; i++) {
        char list[PATH_MAX];
        if (status == COL_OK && !found &&
            base_path_beside(list, document->path, names[i], NULL) == COL_OK) {
            status = includes(list, documents, document, &found, problem);
            if (found)
                memcpy(document->list, list, sizeof list);
        }
        free(names[i]);
    }
    return status;
}

col_status lsp_protocol_read(lsp_protocol *protocol, const lsp_documents *documents,
                             lsp_document *document, col_problem *problem) {
    col_status status = COL_OK;
    begin(protocol, documents);
    if (document->list[0] == '\0' || strcmp(document->list, document->path) == 0)
        status = find_list(documents, document, problem);
    if (status == COL_OK)
        status = slicc_analyse(&protocol->tree, &protocol->report, document->list, problem);
    if (status == COL_OK && lsp_protocol_file(protocol, document->path) == NULL) {
        /* It was taken from its list: it stands alone now. */
        lsp_protocol_free(protocol);
        memcpy(document->list, document->path, sizeof document->list);
        begin(protocol, documents);
        status = slicc_analyse(&protocol->tree, &protocol->report, document->list, problem);
    }
    for (size_t i = 0; i < protocol->file_count; i++)
        lsp_lines_find(&protocol->files[i].lines,
                       lsp_protocol_text(protocol, protocol->files[i].name), &protocol->arena);
    return status == COL_OK && protocol->failed ? base_out_of_memory(problem) : status;
}

/* What is wrong with documents. */

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING = 2 };

static json_t *range_at(lsp_text text, uint32_t line, uint32_t column) {
    if (text.length > 0) {
        const size_t from = lsp_offset_of(text, line, column);
        return lsp_range(text, from, from + lsp_word_length(text, from));
    }
    const json_int_t l = line == 0 ? 0 : line - 1, c = column == 0 ? 0 : column - 1;
    return json_pack("{s:{s:I, s:I}, s:{s:I, s:I}}", "start", "line", l, "character", c, "end",
                     "line", l, "character", c);
}

json_t *lsp_diagnostic(lsp_text text, uint32_t line, uint32_t column, bool is_warning,
                       const char *message) {
    return json_pack("{s:o, s:i, s:s, s:o}", "range", range_at(text, line, column), "severity",
                     is_warning ? SEVERITY_WARNING : SEVERITY_ERROR, "source", "collider",
                     "message", base_json_text(message));
}

void lsp_complaint_path(const lsp_protocol *protocol, const lsp_complaint *complaint,
                        char real[PATH_MAX]) {
    const lsp_file *file = lsp_protocol_named(protocol, complaint->file);
    if (file == NULL)
        lsp_real_path(complaint->file, real);
    else
        (void)snprintf(real, PATH_MAX, "%s", file->real);
}

json_t *lsp_diagnostics_of(const lsp_protocol *protocol, const char *real_path) {
    json_t *list = json_array();
    for (size_t i = 0; i < protocol->complaint_count; i++) {
        const lsp_complaint *c = &protocol->complaints[i];
        char real[PATH_MAX];
        lsp_complaint_path(protocol, c, real);
        if (strcmp(real, real_path) == 0)
            base_json_append(&list, lsp_diagnostic(lsp_protocol_text(protocol, c->file), c->line,
                                                   c->column, c->is_warning, c->message));
    }
    return list;
}
