/* SPDX-License-Identifier: MIT */
/* Making a report, step by step: see report_maker.h. */
#include "results/report/report.h"

#include "base/file.h"
#include "results/report/report_escape.h"
#include "results/report/report_maker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the steps share. */

void *rep_take(rep_maker *m, size_t count, size_t size) {
    void *piece =
        count > SIZE_MAX / 8 / size ? NULL : base_arena_take(&m->report->arena, (count + 1) * size);
    (void)rep_has(m, piece);
    return piece;
}

bool rep_reserve(rep_maker *m, void *array, size_t *capacity, size_t count, size_t size) {
    BASE_THEN(m->status, base_reserve(array, capacity, count, size, m->problem));
    return m->status == COL_OK;
}

bool rep_grow(rep_maker *m, void *array, size_t *capacity, size_t count, size_t size) {
    void *old, *larger;
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    larger = rep_take(m, wanted, size);
    if (larger == NULL)
        return false;
    memcpy(&old, array, sizeof old); /* whatever it points to */
    if (count > 0)
        memcpy(larger, old, count * size);
    memcpy(array, &larger, sizeof larger);
    *capacity = wanted;
    return true;
}

static const char *print_to(rep_maker *m, base_arena *arena, const char *format, va_list list) {
    char buffer[2048];
    const int length = vsnprintf(buffer, sizeof buffer, format, list);
    const size_t kept = length < 0                       ? 0
                        : (size_t)length < sizeof buffer ? (size_t)length
                                                         : sizeof buffer - 1;
    const char *text = base_arena_text(arena, buffer, kept);
    return rep_has(m, text) ? text : "";
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

uint32_t rep_number_of(rep_maker *m, base_names *names, const char *text, bool *is_new) {
    uint32_t number = 0;
    bool was_new = false;
    BASE_THEN(m->status, base_names_add(names, text, &number, &was_new, m->problem));
    if (is_new != NULL)
        *is_new = was_new;
    return number;
}

const char *rep_keep(rep_maker *m, const char *text) {
    if (text == NULL)
        return NULL;
    const uint32_t number = rep_number_of(m, &m->texts, text, NULL);
    return m->status == COL_OK ? m->texts.texts[number] : "";
}

const char **rep_texts(rep_maker *m, const base_names *names) {
    const char **texts = rep_take(m, names->count, sizeof *texts);
    if (texts != NULL && names->count > 0)
        memcpy(texts, names->texts, names->count * sizeof *texts);
    return texts;
}

const char *rep_value(const cam_pair *pairs, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (pairs[i].name == name)
            return pairs[i].value;
    return NULL;
}

/* ---- All of it. */

/* All but what the report has of it, and the trials by groups, which plots are drawn from. */
static void forget(rep_maker *m) {
    base_names_free(&m->texts);
    cam_failure_kinds_free(&m->kinds);
    base_index_free(&m->kept);
    rep_protocols_free(&m->protocols);
    base_arena_free(&m->brief);
    free(m->groups);
    m->groups = NULL;
    m->settings = NULL;
}

static void choose_title(rep_maker *m) {
    rep_report *r = m->report;
    r->tool = rep_print(m, "collider %s", col_version());
    if (m->settings->title != NULL)
        r->title = rep_keep(m, m->settings->title);
    else if (r->is_run && strcmp(r->plans[0].hash, "episodes") == 0)
        r->title =
            rep_print(m, "%s, %u core%s, seed %llu", r->groups[0].design, r->groups[0].cores,
                      base_plural(r->groups[0].cores), (unsigned long long)m->trials[0].row.seed);
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
    rep_maker *m = NULL;
    BASE_TRY(base_new(&m, 1, sizeof *m, problem));
    *m = (rep_maker){.report = report,
                     .settings = settings,
                     .problem = problem,
                     .texts.arena = arena,
                     .keys.arena = &m->names,
                     .identities.arena = &m->names,
                     .counted.arena = &m->names,
                     .kinds.names.arena = arena,
                     .protocols = {.machines.arena = arena, .designs.arena = arena}};
    report->source = m;
    rep_gather(m);
    /* By these, trials and failures of several stores and plans were found to be the same. */
    base_names_free(&m->keys);
    base_names_free(&m->identities);
    base_names_free(&m->counted);
    base_arena_free(&m->names);
    static void (*const steps[])(rep_maker * maker) = {
        rep_arrange, rep_finish_protocols, rep_make_plots, rep_make_tables, choose_title};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && m->status == COL_OK; i++)
        steps[i](m);
    forget(m);
    m->problem = NULL;
    return m->status;
}

void rep_report_free(rep_report *report) {
    rep_maker *m = report->source;
    if (m != NULL) {
        for (uint32_t i = 0; i < report->table_count; i++)
            free(report->tables[i].rows);
        free(m->table_rows);
        free(m->failures);
        free(m->plots);
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
    BASE_THEN(status, base_text_status(&file, problem));
    BASE_THEN(status, base_path_in(path, folder, file.data, problem));
    BASE_THEN(status, base_file_write_anew(path, text->data == NULL ? "" : text->data, text->length,
                                           problem));
    base_text_free(&file);
    return status;
}

col_status rep_write_plots(const rep_report *report, const char *folder, const char *extension,
                           void (*add)(const rep_plot *plot, base_text *text),
                           col_problem *problem) {
    base_text text = {0};
    col_status status = COL_OK;
    for (uint32_t i = 0; i < report->plot_count && status == COL_OK; i++) {
        rep_drawn drawn;
        text.length = 0;
        status = rep_plot_draw(report, &report->plots[i], &drawn, problem);
        if (status == COL_OK)
            add(&drawn.plot, &text);
        rep_drawn_free(&drawn);
        BASE_THEN(status, rep_write_part(&text, folder, report->plots[i].id, extension, problem));
    }
    base_text_free(&text);
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
    BASE_THEN(status, write_text(&text, path, problem));
    base_text_free(&text);
    return status;
}

#define WORD(name, word, ...) [name] = (word),
#define ROW(name, word, about, ...) [name] = {.summary = (about), __VA_ARGS__},
const char *const rep_formats[REP_FORMAT_COUNT + 1] = {REP_FORMATS(WORD)};
const rep_format_facts rep_format_of[REP_FORMAT_COUNT] = {REP_FORMATS(ROW)};

col_status rep_write(const rep_report *report, rep_format format, const char *path,
                     col_problem *problem) {
    const rep_format_facts *f = &rep_format_of[format];
    if (f->text == NULL)
        return f->write(report, path, problem);
    base_text text = {0};
    f->text(report, &text);
    const col_status status = write_text(&text, path, problem);
    base_text_free(&text);
    return status;
}
