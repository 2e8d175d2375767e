/* SPDX-License-Identifier: MIT */
/* Making a report, step by step: see report_maker.h. */
#include "results/report/report.h"

#include "base/file.h"
#include "base/path.h"
#include "results/report/report_escape.h"
#include "results/report/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the steps share. */

static const char *print_to(rep_maker *m, base_arena *arena, const char *format, va_list list) {
    char buffer[2048];
    const int length = vsnprintf(buffer, sizeof buffer, format, list);
    const size_t kept = length < 0                       ? 0
                        : (size_t)length < sizeof buffer ? (size_t)length
                                                         : sizeof buffer - 1;
    const char *text = base_arena_text(arena, buffer, kept);
    m->failed |= text == NULL;
    return text == NULL ? "" : text;
}

const char *rep_print(rep_maker *m, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const char *text = print_to(m, &m->report->arena, format, list);
    va_end(list);
    return text;
}

const char *rep_brief(rep_maker *m, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const char *text = print_to(m, &m->brief, format, list);
    va_end(list);
    return text;
}

const char *rep_keep(rep_maker *m, const char *text) {
    uint32_t number;
    if (text == NULL)
        return NULL;
    if (base_names_add(&m->texts, text, &number, NULL, NULL) != COL_OK) {
        m->failed = true;
        return "";
    }
    return m->texts.texts[number];
}

void *rep_grow(base_arena *arena, void *array, size_t count, size_t *capacity, size_t item_size) {
    if (count < *capacity)
        return array;
    const size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *larger =
        wanted > SIZE_MAX / 8 / item_size ? NULL : base_arena_take(arena, wanted * item_size);
    if (larger == NULL)
        return NULL;
    if (count > 0)
        memcpy(larger, array, count * item_size);
    *capacity = wanted;
    return larger;
}

col_status rep_move(rep_maker *m, void *to, void *from, size_t size, col_problem *problem) {
    void *old, *moved = base_arena_take(&m->report->arena, size);
    if (moved == NULL)
        return base_out_of_memory(problem);
    memcpy(&old, from, sizeof old); /* whatever it points to */
    if (size > 0)
        memcpy(moved, old, size);
    free(old);
    old = NULL;
    memcpy(from, &old, sizeof old);
    memcpy(to, &moved, sizeof moved);
    return COL_OK;
}

const char *rep_value(const cam_pair *pairs, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (pairs[i].name == name)
            return pairs[i].value;
    return NULL;
}

/* ---- All of it. */

/* All but the trials by groups, which plots are drawn from. */
static void forget(rep_maker *m) {
    base_names_free(&m->texts);
    cam_failure_kinds_free(&m->kinds);
    base_index_free(&m->kept);
    rep_protocols_free(&m->protocols);
    base_arena_free(&m->brief);
    free(m->groups);
    m->groups = NULL;
    free(m->failures);
    m->failures = NULL;
    free(m->plots);
    m->plots = NULL;
    free(m->table_rows);
    m->table_rows = NULL;
    m->settings = NULL;
}

static void choose_title(rep_maker *m) {
    rep_report *r = m->report;
    r->tool = rep_print(m, "collider %s", col_version());
    if (m->settings->title != NULL)
        r->title = rep_keep(m, m->settings->title);
    else if (r->plan_count == 1)
        r->title = r->plans[0].title[0] != '\0' ? r->plans[0].title : r->plans[0].name;
    else
        r->title = r->plan_count == 0 ? "No results" : rep_print(m, "%u plans", r->plan_count);
    if (m->settings->until > 0)
        r->title =
            rep_print(m, "%s (until cycle %llu)", r->title, (unsigned long long)m->settings->until);
    if (m->settings->price > 0)
        r->title = rep_print(m, "%s (each test costs %.0f cycles besides its own)", r->title,
                             m->settings->price);
}

col_status rep_report_make(rep_report *report, const rep_settings *settings, col_problem *problem) {
    base_arena *arena = &report->arena;
    rep_maker *m = calloc(1, sizeof *m);
    if (m == NULL)
        return base_out_of_memory(problem);
    *m =
        (rep_maker){.report = report,
                    .settings = settings,
                    .texts.arena = arena,
                    .keys.arena = &m->names,
                    .identities.arena = &m->names,
                    .counted.arena = &m->names,
                    .kinds.names.arena = arena,
                    .protocols = {.arena = arena, .machines.arena = arena, .designs.arena = arena}};
    report->source = m;
    col_status status = rep_gather(m, problem);
    /* By these, trials and failures of several stores and plans were found to be the same. */
    base_names_free(&m->keys);
    base_names_free(&m->identities);
    base_names_free(&m->counted);
    base_arena_free(&m->names);
    if (status == COL_OK)
        status = rep_arrange(m, problem);
    if (status == COL_OK)
        status = rep_protocols_finish(&m->protocols, report, problem);
    if (status == COL_OK && settings->paper == NULL)
        status = rep_make_plots(m, problem);
    if (status == COL_OK)
        status = rep_make_tables(m, problem);
    choose_title(m);
    if (status == COL_OK && m->failed)
        status = base_out_of_memory(problem);
    forget(m);
    return status;
}

void rep_report_free(rep_report *report) {
    rep_maker *m = report->source;
    if (m != NULL) {
        free(m->trials);
        free(m->members);
        free(m->rows);
        free(m->begins);
        free(m);
    }
    base_arena_free(&report->arena);
    *report = (rep_report){0};
}

/* The formats of the report and their writers. */

col_status rep_write_part(const base_text *text, const char *folder, const char *name,
                          const char *extension, col_problem *problem) {
    char path[PATH_MAX];
    base_text file = {0};
    rep_file_name(&file, name);
    base_text_print(&file, ".%s", extension);
    col_status status = base_text_status(text, problem);
    if (status == COL_OK)
        status = base_text_status(&file, problem);
    if (status == COL_OK)
        status = base_path_in(path, folder, file.data, problem);
    if (status == COL_OK)
        status =
            base_file_write_anew(path, text->data == NULL ? "" : text->data, text->length, problem);
    base_text_free(&file);
    return status;
}

static col_status write_text(const base_text *text, const char *path, col_problem *problem) {
    const col_status status = base_text_status(text, problem);
    return status == COL_OK ? base_file_write(path, text->data, text->length, problem) : status;
}

static col_status write_json(const rep_report *report, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = rep_page_data(report, 0, &text, problem);
    base_text_add(&text, "\n");
    if (status == COL_OK)
        status = write_text(&text, path, problem);
    base_text_free(&text);
    return status;
}

/* ---- The formats. */

typedef struct format {
    const char *summary, *file, *files;
    void (*text)(const rep_report *report, base_text *text);
    col_status (*write)(const rep_report *report, const char *path, col_problem *problem);
} format;

#define WORD(name, word, ...) [name] = (word),
#define ROW(name, word, about, ...) [name] = {.summary = (about), __VA_ARGS__},
const char *const rep_formats[REP_FORMAT_COUNT + 1] = {REP_FORMATS(WORD)};
static const format formats[REP_FORMAT_COUNT] = {REP_FORMATS(ROW)};

const char *rep_format_summary(rep_format place) {
    return formats[place].summary;
}

const char *rep_format_file(rep_format place) {
    return formats[place].file;
}

const char *rep_format_files(rep_format place) {
    return formats[place].files;
}

col_status rep_write(const rep_report *report, rep_format place, const char *path,
                     col_problem *problem) {
    const format *f = &formats[place];
    if (f->text == NULL)
        return f->write(report, path, problem);
    base_text text = {0};
    f->text(report, &text);
    const col_status status = write_text(&text, path, problem);
    base_text_free(&text);
    return status;
}
