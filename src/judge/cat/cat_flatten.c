/* SPDX-License-Identifier: MIT */
/*
 * A model as one text. Inclusion in cat is as if the text stood there, but for two things that come
 * first in a file: its title, which is left out, and `catdep`, which goes to the beginning. What is
 * included where the model does not go may be no cat that we read: it stays as it is.
 */
#include "judge/cat/cat_model.h"

#include "judge/cat/cat_syntax.h"

#include <string.h>

typedef struct writer {
    const cat_sources *sources;
    base_names names;
    base_arena arena;
    uint32_t inclusion, included;
    bool finds_dependencies; /* `catdep` stands in an included file */
    col_status status;       /* the first problem stays */
    col_problem *problem;
} writer;

/* The head of a file: its title, and `catdep`. */
typedef struct head {
    const char *end;
    uint32_t line;
    bool finds_dependencies;
} head;

/* After a problem: the end of the file. */
static void scan(writer *w, cat_scanner *scanner, cat_token *token) {
    token->kind = CAT_END_OF_FILE;
    if (w->status == COL_OK)
        w->status = cat_scan(scanner, token);
    if (w->status != COL_OK)
        token->kind = CAT_END_OF_FILE;
}

static head read_head(writer *w, cat_scanner *scanner) {
    for (int words = 0;; words++) {
        const cat_scanner before = *scanner;
        cat_token token;
        scan(w, scanner, &token);
        if (token.kind == CAT_CATDEP)
            return (head){scanner->at, scanner->place.line, true};
        if (words == 2 || (token.kind != CAT_WORD && token.kind != CAT_STRING)) {
            *scanner = before;
            return (head){before.at, before.place.line, false};
        }
        if (token.kind == CAT_STRING)
            words = 1; /* the last word of a title */
    }
}

static void add_body(writer *w, const cat_source *source, cat_scanner *scanner, base_text *text);

/* Can it be taken in? */
static bool parses(writer *w, const cat_source *source) {
    cat_file file;
    col_problem problem;
    const col_status status =
        cat_parse(&file, source->bytes, source->length, source->path, &w->names, &problem);
    if (status == COL_FAILURE) {
        w->status = status;
        *w->problem = problem;
    }
    return status == COL_OK;
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

/* False: it is not taken in. */
static bool add_file(writer *w, const cat_source *source, base_text *text) {
    cat_scanner scanner = scanner_of(w, source);
    if (!parses(w, source))
        return false;
    const head h = read_head(w, &scanner);
    w->finds_dependencies |= h.finds_dependencies;
    base_text_print(text, "(*line %u*)", h.line);
    add_body(w, source, &scanner, text);
    return true;
}

/* In the place of an include statement; false: it stays. */
static bool add_included(writer *w, const cat_source *includer, const char *name, base_text *text) {
    cat_source found;
    if (strcmp(name, "cross.cat") == 0 || cat_leaves_folder(name) ||
        w->inclusion == CAT_MOST_INCLUSION || w->included == CAT_MOST_INCLUDED ||
        text->length > CAT_MOST_BYTES)
        return false;
    w->inclusion++;
    w->included++;
    w->status = cat_source_include(&found, includer->path, name, w->sources, w->problem);
    const bool is_taken = w->status == COL_OK && found.bytes != NULL &&
                          found.length <= CAT_MOST_BYTES && add_file(w, &found, text);
    cat_source_close(&found);
    w->inclusion--;
    return is_taken;
}

/* From where the scanner stands. */
static void add_body(writer *w, const cat_source *source, cat_scanner *scanner, base_text *text) {
    const char *from = scanner->at;
    cat_token token;
    for (scan(w, scanner, &token); token.kind != CAT_END_OF_FILE; scan(w, scanner, &token)) {
        if (token.kind != CAT_INCLUDE)
            continue;
        const char *start = scanner->at - strlen("include");
        scan(w, scanner, &token);
        if (token.kind != CAT_STRING)
            continue;
        const size_t length = text->length;
        base_text_add_bytes(text, from, (size_t)(start - from));
        if (add_included(w, source, token.text, text)) {
            base_text_print(text, "\n(*line %u*)", scanner->place.line);
            from = scanner->at;
        } else if (text->data != NULL) {
            text->length = length;
            text->data[length] = '\0';
        }
    }
    base_text_add_bytes(text, from, (size_t)(scanner->end - from));
    if (w->status == COL_OK)
        w->status = base_text_status(text, w->problem);
}

/* A library that lies with the model comes before it. */
static void add_library(writer *w, const cat_source *model, base_text *text) {
    cat_source found;
    const bool finds_dependencies = w->finds_dependencies;
    w->status = cat_source_include(&found, model->path, "stdlib.cat", w->sources, w->problem);
    if (w->status == COL_OK && cat_is_old_library(&found))
        base_text_add(text, "include \"" CAT_OLD_NAMES "\"\n");
    if (w->status == COL_OK && found.text.length > 0)
        (void)add_file(w, &found, text);
    w->finds_dependencies = finds_dependencies; /* its own does not count */
    cat_source_close(&found);
}

static void put_together(writer *w, const cat_source *source, base_text *text) {
    cat_scanner scanner = scanner_of(w, source);
    const char *start = scanner.at;
    base_text library = {0}, body = {0};
    const head h = read_head(w, &scanner);
    if (w->status == COL_OK)
        add_library(w, source, &library);
    if (w->status == COL_OK)
        add_body(w, source, &scanner, &body);
    base_text_add_bytes(text, start, (size_t)(h.end - start));
    if (w->finds_dependencies && !h.finds_dependencies)
        base_text_add(text, " catdep ");
    if (library.length > 0) {
        base_text_add(text, "\n");
        base_text_add_bytes(text, library.data, library.length);
        base_text_print(text, "\n(*line %u*)", h.line);
    }
    if (body.length > 0)
        base_text_add_bytes(text, body.data, body.length);
    base_text_free_part(&library, text);
    base_text_free_part(&body, text);
    if (text->length == 0)
        base_text_add(text, "\n");
    if (w->status == COL_OK)
        w->status = base_text_status(text, w->problem);
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
    w.status = cat_source_open(&source, path, sources, problem);
    if (w.status == COL_OK)
        put_together(&w, &source, text);
    if (w.status == COL_OK)
        w.status = compare(&source, sources, text, problem);
    cat_source_close(&source);
    base_names_free(&w.names);
    base_arena_free(&w.arena);
    return w.status;
}
