/* SPDX-License-Identifier: MIT */
/*
 * A model as one text. Inclusion in cat is as if the text stood there, but for two things that come
 * first in a file: its title, which is left out, and `catdep`, which goes to the beginning. What is
 * included where the model does not go may be no cat that we read: it stays as it is.
 */
#include "judge/cat/cat_model.h"

#include "judge/cat/cat_scanner.h"
#include "judge/cat/cat_syntax.h"

#include <string.h>

typedef struct writer {
    const cat_sources *sources;
    base_names names;
    base_arena arena;
    uint32_t inclusion, included;
    bool finds_dependencies; /* `catdep` stands in an included file */
    col_problem *problem;
} writer;

/* The head of a file: its title, and `catdep`. */
typedef struct head {
    const char *end;
    uint32_t line;
    bool finds_dependencies;
} head;

static col_status read_head(cat_scanner *scanner, head *h) {
    cat_token token;
    col_status status = COL_OK;
    bool goes_on = true;
    for (int words = 0; status == COL_OK && goes_on; words++) {
        const cat_scanner before = *scanner;
        h->end = scanner->at;
        h->line = scanner->place.line;
        status = cat_scan(scanner, &token);
        if (status == COL_OK && token.kind == CAT_CATDEP) {
            *h = (head){scanner->at, scanner->place.line, true};
            return COL_OK;
        }
        goes_on =
            status == COL_OK && words < 2 && (token.kind == CAT_WORD || token.kind == CAT_STRING);
        if (!goes_on)
            *scanner = before;
        else if (token.kind == CAT_STRING)
            words = 1; /* the last word of a title */
    }
    return status;
}

static col_status add_body(writer *w, const cat_source *source, cat_scanner *scanner,
                           base_text *text);

/* Can it be taken in? */
static col_status parses(writer *w, const cat_source *source, bool *does) {
    cat_file file;
    col_problem problem;
    const col_status status =
        cat_parse(&file, source->bytes, source->length, source->path, &w->names, &problem);
    *does = status == COL_OK;
    if (status == COL_FAILURE)
        *w->problem = problem;
    return status == COL_FAILURE ? status : COL_OK;
}

static cat_scanner scanner_of(writer *w, const cat_source *source) {
    size_t length = source->length;
    const char *start = base_skip_bom(source->bytes, &length);
    return (cat_scanner){.at = start,
                         .end = start + length,
                         .place = {source->path, 1, 1},
                         .names = &w->names,
                         .problem = w->problem};
}

static col_status add_file(writer *w, const cat_source *source, bool *is_taken, base_text *text) {
    cat_scanner scanner = scanner_of(w, source);
    head h = {0};
    col_status status = parses(w, source, is_taken);
    if (status == COL_OK && *is_taken)
        status = read_head(&scanner, &h);
    if (status != COL_OK || !*is_taken)
        return status;
    w->finds_dependencies |= h.finds_dependencies;
    base_text_print(text, "(*line %u*)", h.line);
    return add_body(w, source, &scanner, text);
}

/* In the place of an include statement. */
static col_status add_included(writer *w, const cat_source *includer, const char *name,
                               bool *is_taken, base_text *text) {
    cat_source found;
    *is_taken = false;
    if (strcmp(name, "cross.cat") == 0 || cat_leaves_folder(name) ||
        w->inclusion == CAT_MOST_INCLUSION || w->included == CAT_MOST_INCLUDED ||
        text->length > CAT_MOST_BYTES)
        return COL_OK;
    w->inclusion++;
    w->included++;
    col_status status = cat_source_include(&found, includer->path, name, w->sources, w->problem);
    if (status == COL_OK && found.bytes != NULL && found.length <= CAT_MOST_BYTES)
        status = add_file(w, &found, is_taken, text);
    cat_source_close(&found);
    w->inclusion--;
    return status;
}

/* From where the scanner stands. */
static col_status add_body(writer *w, const cat_source *source, cat_scanner *scanner,
                           base_text *text) {
    const char *from = scanner->at;
    cat_token token = {.kind = CAT_END};
    col_status status = COL_OK;
    while (status == COL_OK && token.kind != CAT_END_OF_FILE) {
        bool is_taken = false;
        status = cat_scan(scanner, &token);
        if (status != COL_OK || token.kind != CAT_INCLUDE)
            continue;
        const char *start = scanner->at - strlen("include");
        status = cat_scan(scanner, &token);
        if (status != COL_OK || token.kind != CAT_STRING)
            continue;
        const size_t length = text->length;
        base_text_add_bytes(text, from, (size_t)(start - from));
        status = add_included(w, source, token.text, &is_taken, text);
        if (is_taken) {
            base_text_print(text, "\n(*line %u*)", scanner->place.line);
            from = scanner->at;
        } else if (text->data != NULL) {
            text->length = length;
            text->data[length] = '\0';
        }
    }
    base_text_add_bytes(text, from, (size_t)(scanner->end - from));
    return status == COL_OK ? base_text_status(text, w->problem) : status;
}

/* A library that lies with the model comes before it. */
static col_status add_library(writer *w, const cat_source *model, base_text *text) {
    cat_source found;
    bool is_taken = false;
    const bool finds_dependencies = w->finds_dependencies;
    col_status status =
        cat_source_include(&found, model->path, "stdlib.cat", w->sources, w->problem);
    if (status == COL_OK && cat_is_old_library(&found))
        base_text_add(text, "include \"" CAT_OLD_NAMES "\"\n");
    if (status == COL_OK && found.text.length > 0)
        status = add_file(w, &found, &is_taken, text);
    w->finds_dependencies = finds_dependencies; /* its own does not count */
    cat_source_close(&found);
    return status;
}

static col_status put_together(writer *w, const cat_source *source, base_text *text) {
    cat_scanner scanner = scanner_of(w, source);
    const char *start = scanner.at;
    base_text library = {0}, body = {0};
    head h = {0};
    col_status status = read_head(&scanner, &h);
    const uint32_t line = h.line;
    if (status == COL_OK)
        status = add_library(w, source, &library);
    if (status == COL_OK)
        status = add_body(w, source, &scanner, &body);
    base_text_add_bytes(text, start, status == COL_OK ? (size_t)(h.end - start) : 0);
    if (w->finds_dependencies && !h.finds_dependencies)
        base_text_add(text, " catdep ");
    if (library.length > 0) {
        base_text_add(text, "\n");
        base_text_add_bytes(text, library.data, library.length);
        base_text_print(text, "\n(*line %u*)", line);
    }
    if (body.length > 0)
        base_text_add_bytes(text, body.data, body.length);
    base_text_free_part(&library, text);
    base_text_free_part(&body, text);
    return status == COL_OK ? base_text_status(text, w->problem) : status;
}

/* Reads it back. */
static col_status compare(const cat_source *source, const cat_sources *sources,
                          const base_text *text, col_problem *problem) {
    const cat_sources alone = {.variants = sources->variants, .is_whole = true};
    cat_model model, again;
    col_problem unused;
    if (text->length > CAT_MOST_BYTES || strlen(text->data) != text->length)
        return base_refuse_at(problem, source->path, 1, 1,
                              text->length > CAT_MOST_BYTES
                                  ? "a model of more than 1 MiB, with what it includes"
                                  : "a model with a zero byte");
    col_status status =
        cat_model_read(&model, source->bytes, source->length, source->path, sources, problem);
    if (status != COL_OK)
        return status;
    status = cat_model_read(&again, text->data, text->length, source->path, &alone, &unused);
    const bool is_same = status == COL_OK && again.digest == model.digest &&
                         again.finds_dependencies == model.finds_dependencies;
    if (status == COL_OK)
        cat_model_free(&again);
    cat_model_free(&model);
    if (status == COL_FAILURE)
        *problem = unused;
    if (status == COL_FAILURE || is_same)
        return status;
    return base_refuse_at(problem, source->path, 1, 1,
                          "this model and the files that it includes do not fit into one text");
}

col_status cat_whole(base_text *text, const char *path, const cat_sources *sources,
                     col_problem *problem) {
    writer w = {.sources = sources, .problem = problem};
    cat_source source;
    w.names.arena = &w.arena;
    col_status status = cat_source_open(&source, path, sources, problem);
    if (status == COL_OK)
        status = put_together(&w, &source, text);
    if (status == COL_OK && text->length == 0)
        base_text_add(text, "\n");
    if (status == COL_OK)
        status = base_text_status(text, problem);
    if (status == COL_OK)
        status = compare(&source, sources, text, problem);
    cat_source_close(&source);
    base_names_free(&w.names);
    base_arena_free(&w.arena);
    return status;
}
