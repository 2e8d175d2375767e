/* SPDX-License-Identifier: MIT */
/* The data of the page: JSON that says what the model says, within its budget, and the same each
 * time. */
#include "harness.h"

#include "base/random.h"
#include "results/report/made_store.h"
#include "results/report/writers_sample.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char plan[] = "plan: sample\n"
                           "title: 'Results <of> a \"sample\" & more'\n"
                           "defaults: {design: mesi2, cores: 4, cycles: 1000}\n"
                           "grids:\n"
                           "  - {engine: [plain, htg, chain], locations: 1..40, seed: 1..2}\n"
                           "  - {engine: [plain, htg], error: E.1, seed: 1..3}\n";

enum { FAILING = 240 }; /* the first trial of the second grid */

static bool fill(const cam_trial *trial, size_t place, cam_row *row) {
    static uint64_t hits[MADE_POINTS];
    static uint32_t first[MADE_POINTS];
    base_rng rng;
    (void)trial;
    base_rng_seed(&rng, 3, place);
    made_step(row, 1 + base_rng_below(&rng, 900), 1 + (uint32_t)base_rng_below(&rng, 10));
    for (uint32_t i = 0; i < MADE_POINTS; i++) {
        hits[i] = base_rng_below(&rng, 4);
        first[i] = hits[i] > 0;
    }
    row->hits = hits;
    row->first = first;
    row->point_count = MADE_POINTS;
    row->is_done = place % 50 != 7;
    row->reason = row->is_done ? NULL : "it was <killed>\x01\xFF";
    return place != FAILING;
}

typedef struct made {
    made_folder folder;
    char path[128];
    rep_report report;
} made;

static void make(made *m, made_fill with) {
    made_folder_begin(&m->folder);
    (void)snprintf(m->path, sizeof m->path, "%s/a.db", m->folder.path);
    made_store(m->path, plan, NULL, with);
    if (with != NULL)
        made_failure(m->path, plan, FAILING);
    made_report(&m->report, m->path);
}

static void unmake(made *m) {
    rep_report_free(&m->report);
    made_folder_end(&m->folder);
}

static json_t *read_data(const rep_report *report, size_t budget, size_t *length) {
    base_text text = {0};
    col_problem problem;
    json_error_t where;
    assert_int_equal(rep_page_data(report, budget, &text, &problem), COL_OK);
    assert_null(strchr(text.data, '<'));
    json_t *data = json_loads(text.data, JSON_REJECT_DUPLICATES, &where);
    if (data == NULL)
        fail_msg("%s at %d", where.text, where.position);
    *length = text.length;
    base_text_free(&text);
    return data;
}

static size_t size_of(const json_t *data, const char *key) {
    const json_t *list = json_object_get(data, key);
    assert_true(json_is_array(list));
    return json_array_size(list);
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

/* ---- Without a budget everything is there. */

static void assert_series(const json_t *line, const rep_series *series) {
    const char *const keys[] = {"lower", "median", "upper"};
    const double *const numbers[] = {series->lower, series->median, series->upper};
    assert_int_equal(json_integer_value(json_object_get(line, "group")), series->group);
    for (uint32_t k = 0; k < 3; k++) {
        const json_t *list = json_object_get(line, keys[k]);
        assert_int_equal(json_array_size(list), series->count);
        for (size_t i = 0; i < series->count; i++) {
            const json_t *value = json_array_get(list, i);
            if (isnan(numbers[k][i]))
                assert_true(json_is_null(value));
            else
                assert_true(json_number_value(value) == numbers[k][i]);
        }
    }
}

static void assert_evolutions(const json_t *data, const rep_report *r) {
    const json_t *list = json_object_get(data, "evolutions");
    size_t subject = 0;
    for (uint32_t i = 0; i < r->plot_count; i++) {
        rep_drawn drawn;
        if (strcmp(r->plots[i].about, "evolution") != 0)
            continue;
        assert_int_equal(rep_plot_draw(r, &r->plots[i], &drawn, NULL), COL_OK);
        const rep_plot *plot = &drawn.plot;
        subject = plot->subject;
        const json_t *entry = json_array_get(list, subject);
        const json_t *against = json_object_get(json_object_get(entry, "against"), plot->unit);
        const json_t *lines = json_object_get(against, "lines");
        assert_string_equal(text_of(entry, "title"), plot->title);
        assert_string_equal(text_of(entry, "metric"), plot->metric);
        assert_int_equal(json_array_size(lines), plot->series_count);
        for (uint32_t k = 0; k < plot->series_count; k++)
            assert_series(json_array_get(lines, k), &plot->series[k]);
        rep_drawn_free(&drawn);
    }
    assert_int_equal(json_array_size(list), subject + 1);
}

static void assert_tables(const json_t *data, const rep_report *r) {
    const json_t *list = json_object_get(data, "tables");
    assert_int_equal(json_array_size(list), r->table_count);
    for (uint32_t i = 0; i < r->table_count; i++) {
        const rep_table *table = &r->tables[i];
        const json_t *entry = json_array_get(list, i), *rows = json_object_get(entry, "rows");
        assert_string_equal(text_of(entry, "id"), table->id);
        assert_int_equal(size_of(entry, "columns"), table->column_count);
        assert_int_equal(json_array_size(rows), table->row_count);
        for (size_t k = 0; k < table->row_count; k++) {
            const json_t *cells = json_object_get(json_array_get(rows, k), "cells");
            assert_int_equal(json_array_size(cells), table->column_count);
            const rep_cell *row = rep_row_cells(table, &table->rows[k]);
            for (uint32_t c = 0; c < table->column_count; c++) {
                const rep_cell *cell = &row[c];
                const json_t *value = json_object_get(json_array_get(cells, c), "value");
                if (isfinite(cell->value))
                    assert_true(json_number_value(value) == cell->value);
                else
                    assert_null(value);
            }
        }
    }
}

TEST(everything_is_in_the_data) {
    made m;
    size_t length;
    make(&m, fill);
    const rep_report *r = &m.report;
    json_t *data = read_data(r, 0, &length);
    assert_int_equal(json_integer_value(json_object_get(data, "format")), 1);
    assert_string_equal(text_of(data, "title"), "Results <of> a \"sample\" & more");
    assert_int_equal(size_of(data, "groups"), 122);
    assert_int_equal(size_of(data, "protocols"), 2);
    assert_int_equal(size_of(data, "failures"), 1);
    assert_int_equal(size_of(data, "left_out"), 0);
    assert_evolutions(data, r);
    assert_tables(data, r);
    const json_t *failure = json_array_get(json_object_get(data, "failures"), 0);
    assert_string_equal(text_of(failure, "story"), "once upon a time </script>");
    assert_int_equal(json_integer_value(json_object_get(failure, "operations")), 5);
    assert_true(json_is_null(json_object_get(failure, "litmus")));
    assert_string_equal(text_of(failure, "fingerprint"), "mesi2, violation: A: load x");
    assert_non_null(strstr(text_of(failure, "command"), "collider replay "));
    const json_t *cell = json_array_get(
        json_object_get(json_array_get(json_object_get(data, "protocols"), 1), "cells"), 5);
    assert_true(json_is_false(json_object_get(cell, "reachable")));
    json_decref(data);
    unmake(&m);
}

/* ---- With one it is kept, and what is there is whole. */

static void assert_groups_exist(const json_t *value, size_t groups) {
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_array(value)) {
        json_array_foreach(value, i, member) assert_groups_exist(member, groups);
        return;
    }
    json_object_foreach((json_t *)value, key, member) {
        if (strcmp(key, "group") == 0)
            assert_true(json_is_null(member) || (size_t)json_integer_value(member) < groups);
        else
            assert_groups_exist(member, groups);
    }
}

TEST(budgets_are_kept) {
    made m;
    size_t whole, length;
    make(&m, fill);
    json_decref(read_data(&m.report, 0, &whole));
    json_t *data = read_data(&m.report, 2 * whole, &length);
    assert_int_equal(size_of(data, "left_out"), 0);
    assert_int_equal(length, whole);
    json_decref(data);
    for (size_t budget = 20000; budget < whole; budget += budget / 3) {
        data = read_data(&m.report, budget, &length);
        assert_true(length <= budget + 3000); /* heads of tables, and what was left out */
        assert_true(size_of(data, "left_out") > 0);
        assert_true(size_of(data, "groups") > 0);
        assert_true(size_of(data, "tables") == m.report.table_count);
        assert_groups_exist(json_object_get(data, "tables"), size_of(data, "groups"));
        assert_groups_exist(json_object_get(data, "evolutions"), size_of(data, "groups"));
        assert_groups_exist(json_object_get(data, "boxes"), size_of(data, "groups"));
        json_decref(data);
    }
    data = read_data(&m.report, 100, &length); /* absurd, but JSON */
    json_decref(data);
    unmake(&m);
}

/* Stories and pictures are large: they get the room that the rest does not take. */
TEST(failures_take_what_is_left) {
    enum { FAILURES = 20, STORY = 10000 };
    static char story[STORY];
    rep_report report = empty_report();
    rep_group group = {.contender = "htg", .scenario = "", .name = "htg", .design = "mesi3"};
    rep_failure failures[FAILURES];
    size_t length;
    memset(story, 'x', STORY - 1);
    for (size_t i = 0; i < FAILURES; i++)
        failures[i] =
            (rep_failure){.seed = i, .verdict = "violation", .reason = "", .story = story};
    report.groups = &group;
    report.group_count = 1;
    report.failures = failures;
    report.failure_count = FAILURES;
    json_t *data = read_data(&report, FAILURES * STORY + 20000, &length);
    assert_int_equal(size_of(data, "failures"), FAILURES);
    assert_int_equal(size_of(data, "left_out"), 0);
    json_decref(data);
    data = read_data(&report, FAILURES * STORY / 2, &length);
    assert_in_range(size_of(data, "failures"), FAILURES / 2 - 1, FAILURES / 2);
    assert_string_equal(json_string_value(json_array_get(json_object_get(data, "left_out"), 0)),
                        size_of(data, "failures") == FAILURES / 2
                            ? "10 failures: --format json has them all"
                            : "11 failures: --format json has them all");
    json_decref(data);
}

/* ---- The same results, the same bytes. */

TEST(the_data_are_reproducible) {
    made m;
    rep_report again;
    base_text texts[2] = {{0}, {0}};
    col_problem problem;
    make(&m, fill);
    made_report(&again, m.path);
    assert_int_equal(rep_page_data(&m.report, 0, &texts[0], &problem), COL_OK);
    assert_int_equal(rep_page_data(&again, 0, &texts[1], &problem), COL_OK);
    assert_string_equal(texts[0].data, texts[1].data);
    base_text_free(&texts[0]);
    base_text_free(&texts[1]);
    rep_report_free(&again);
    unmake(&m);
}

TEST(an_empty_store_gives_a_report) {
    static const char *const lists[] = {"groups",   "axes",     "evolutions", "boxes",
                                        "failures", "learning", "protocols"};
    made m;
    size_t length;
    make(&m, NULL);
    json_t *data = read_data(&m.report, 5000000, &length);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_int_equal(size_of(data, lists[i]), 0);
    assert_true(json_is_null(json_object_get(json_object_get(data, "provenance"), "first")));
    json_decref(data);
    unmake(&m);
    const rep_report empty = empty_report();
    json_decref(read_data(&empty, 0, &length));
}
