/* SPDX-License-Identifier: MIT */
/* Making a report, step by step: see maker.h. */
#include "report/report.h"

#include "report/maker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the steps share. */

const char *rep_print(rep_maker *m, const char *format, ...) {
    char buffer[2048];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    const size_t kept = length < 0                       ? 0
                        : (size_t)length < sizeof buffer ? (size_t)length
                                                         : sizeof buffer - 1;
    const char *text = base_arena_text(&m->report->arena, buffer, kept);
    m->failed |= text == NULL;
    return text == NULL ? "" : text;
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

const char *rep_value(const cam_pair *pairs, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (pairs[i].name == name)
            return pairs[i].value;
    return NULL;
}

/* ---- All of it. */

static void choose_title(rep_maker *m) {
    rep_report *r = m->report;
    r->tool = rep_print(m, "collider %s", col_version());
    if (m->settings->title != NULL)
        r->title = rep_keep(m, m->settings->title);
    else if (r->plan_count == 1)
        r->title = r->plans[0].title[0] != '\0' ? r->plans[0].title : r->plans[0].name;
    else
        r->title = r->plan_count == 0 ? "No results" : rep_print(m, "%u plans", r->plan_count);
    if (m->settings->price > 0)
        r->title = rep_print(m, "%s (each test costs %.0f cycles besides its own)", r->title,
                             m->settings->price);
}

static void forget(rep_maker *m) {
    base_names_free(&m->texts);
    base_names_free(&m->keys);
    base_names_free(&m->identities);
    base_names_free(&m->counted);
    cam_failure_kinds_free(&m->kinds);
    rep_protocols_free(&m->protocols);
    free(m->trials);
    free(m->members);
    free(m->rows);
    free(m->begins);
}

col_status rep_report_make(rep_report *report, const rep_settings *settings, col_problem *problem) {
    base_arena *arena = &report->arena;
    rep_maker m = {.report = report,
                   .settings = settings,
                   .texts.arena = arena,
                   .keys.arena = arena,
                   .identities.arena = arena,
                   .counted.arena = arena,
                   .kinds.names.arena = arena,
                   .protocols = {.arena = arena, .machines.arena = arena, .designs.arena = arena}};
    col_status status = rep_gather(&m, problem);
    if (status == COL_OK)
        status = rep_arrange(&m, problem);
    if (status == COL_OK)
        status = rep_protocols_finish(&m.protocols, report, problem);
    if (status == COL_OK && settings->paper == NULL)
        status = rep_make_plots(&m, problem);
    if (status == COL_OK)
        status = rep_make_tables(&m, problem);
    choose_title(&m);
    if (status == COL_OK && m.failed)
        status = base_out_of_memory(problem);
    forget(&m);
    return status;
}

void rep_report_free(rep_report *report) {
    base_arena_free(&report->arena);
    *report = (rep_report){0};
}
