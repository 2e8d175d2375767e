/* SPDX-License-Identifier: MIT */
/* Stores with made-up results: see made_store.h. */
#include "harness.h"

#include "results/report/made_store.h"

#include "results/plan/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(col_status status, const col_problem *problem) {
    if (status != COL_OK)
        fail_msg("%s", problem->message);
}

void made_folder_begin(made_folder *folder) {
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/collider-report-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
}

void made_folder_end(const made_folder *folder) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder->path);
    assert_int_equal(system(command), 0);
}

const char *made_value(const cam_trial *trial, const char *name) {
    const char *value = cam_trial_value(trial, name);
    return value == NULL ? "none" : value;
}

static void add_design(cam_store *store, const char *hash) {
    static const char *const states[] = {"I", "S", "M"}, *const events[] = {"Load", "Store"};
    static const char *const machines[] = {"L1Cache", "Directory"};
    cam_point points[MADE_POINTS];
    col_problem problem;
    for (uint32_t i = 0; i < MADE_POINTS; i++)
        points[i] =
            (cam_point){machines[i / 6], states[i / 2 % 3], events[i % 2], i < MADE_REACHABLE};
    const cam_design_row design = {.hash = hash,
                                   .name = "made",
                                   .cores = 4,
                                   .reachable_known = true,
                                   .points = points,
                                   .point_count = MADE_POINTS};
    must(cam_store_add_design(store, &design, &problem), &problem);
}

static cam_row make_row(const cam_plan *plan, const cam_keys *keys, size_t place) {
    const cam_trial *trial = &plan->trials[place];
    cam_row row = {.key = keys->keys[place],
                   .kind = trial->kind,
                   .pairs = trial->pairs,
                   .pair_count = trial->pair_count,
                   .seed = strtoull(made_value(trial, "seed"), NULL, 10),
                   .is_done = true,
                   .provenance = {.version = "0.1.0",
                                  .host = "made-up",
                                  .design_hash = keys->designs[place],
                                  .started = 1700000000},
                   .seconds = 2};
    if (trial->kind != CAM_EPISODE)
        return row;
    row.design = "made";
    row.model = "tso";
    row.verdict = "pass";
    row.ended_by = "cycles";
    row.cores = 4;
    row.tests = 10;
    row.cycles = 1000;
    row.coverage[COL_STRUCTURAL] =
        (cam_extent){.total = MADE_POINTS, .reachable_known = true, .reachable = MADE_REACHABLE};
    row.coverage[COL_FUNCTIONAL] = (cam_extent){.total = MADE_FUNCTIONAL};
    return row;
}

static void add_rows(cam_store *store, const cam_plan *plan, const cam_keys *keys, made_fill fill) {
    col_problem problem;
    must(cam_store_begin(store, &problem), &problem);
    for (size_t i = 0; i < plan->trial_count; i++) {
        cam_row row = make_row(plan, keys, i);
        if (!fill(&plan->trials[i], i, &row))
            continue;
        if (plan->trials[i].kind == CAM_EPISODE)
            add_design(store, keys->designs[i]);
        must(cam_store_add(store, &row, NULL, 0, &problem), &problem);
    }
    must(cam_store_commit(store, &problem), &problem);
}

void made_store(const char *path, const char *text, const char *scale, made_fill fill) {
    cam_store *store = NULL;
    cam_plan plan = {0};
    cam_keys keys = {0};
    col_problem problem = {0};
    must(cam_plan_read(&plan, text, strlen(text), "plan", scale, &problem), &problem);
    must(cam_keys_make(&keys, &plan, &problem), &problem);
    must(cam_store_create(&store, path, &problem), &problem);
    must(cam_store_add_plan(store, &plan, &problem), &problem);
    if (fill != NULL)
        add_rows(store, &plan, &keys, fill);
    cam_store_close(store);
    cam_keys_free(&keys);
    cam_plan_free(&plan);
}

void made_failure(const char *path, const char *text, size_t place) {
    cam_store *store = NULL;
    cam_plan plan = {0};
    cam_keys keys = {0};
    col_problem problem = {0};
    must(cam_plan_read(&plan, text, strlen(text), "plan", NULL, &problem), &problem);
    must(cam_keys_make(&keys, &plan, &problem), &problem);
    must(cam_store_create(&store, path, &problem), &problem);
    must(cam_store_add_plan(store, &plan, &problem), &problem);
    cam_row row = make_row(&plan, &keys, place);
    row.verdict = "violation";
    row.ended_by = "error";
    row.reason = "a load of <a0> returned what nobody wrote";
    row.failure_test = 7;
    row.failure_instance = 2;
    row.failure_cycles = 700;
    row.failure_seconds = 0.5;
    const cam_failure_row failure = {.key = row.key,
                                     .story = "once upon a time </script>",
                                     .picture = "<svg/>",
                                     .kind = 1,
                                     .hash = "0123456789abcdef",
                                     .fingerprint = "mesi2, violation: A: load x",
                                     .count = 1,
                                     .verdict = row.verdict,
                                     .reason = row.reason,
                                     .test = 7,
                                     .instance = 2,
                                     .cycles = 700,
                                     .seconds = 0.5,
                                     .size = 50,
                                     .record = "{}",
                                     .program = "collider program 1",
                                     .shrunk = "thread 0",
                                     .threads = 2,
                                     .operations = 5,
                                     .locations = 2};
    add_design(store, keys.designs[place]);
    must(cam_store_add(store, &row, &failure, 1, &problem), &problem);
    cam_store_close(store);
    cam_keys_free(&keys);
    cam_plan_free(&plan);
}

void made_report_of(rep_report *report, const char *path, double price, uint64_t until) {
    col_problem problem = {0};
    const rep_settings settings = {
        .stores = &path, .store_count = 1, .price = price, .until = until};
    *report = (rep_report){0};
    must(rep_report_make(report, &settings, &problem), &problem);
}

void made_report(rep_report *report, const char *path) {
    made_report_of(report, path, 0, 0);
}

const rep_table *made_table(const rep_report *report, const char *id) {
    for (uint32_t i = 0; i < report->table_count; i++)
        if (strcmp(report->tables[i].id, id) == 0)
            return &report->tables[i];
    return NULL;
}

enum { KEPT_CELLS = 64 };

const rep_cell *made_cell_of(const rep_table *table, size_t row, uint32_t column) {
    static rep_cell kept[KEPT_CELLS]; /* tests look at several at once */
    static uint32_t next;
    assert_in_range(column, 0, table->column_count - 1);
    rep_cell *cell = &kept[next++ % KEPT_CELLS];
    *cell = rep_row_cells(table, &table->rows[row])[column];
    return cell;
}

static bool reads(const rep_table *table, size_t row, const char *const *words) {
    for (uint32_t i = 0; words[i] != NULL; i++)
        if (strcmp(made_cell_of(table, row, i)->text, words[i]) != 0)
            return false;
    return true;
}

const rep_cell *made_cell(const rep_table *table, const char *column, const char *const *words) {
    assert_non_null(table);
    for (uint32_t i = 0; i < table->column_count; i++)
        for (size_t k = 0; strcmp(table->columns[i].name, column) == 0 && k < table->row_count; k++)
            if (reads(table, k, words))
                return made_cell_of(table, k, i);
    fail_msg("%s has no column %s in a row of %s", table->id, column, words[0]);
    return NULL;
}

void made_step(cam_row *row, uint64_t cycles, uint32_t covered) {
    static col_curve_point curve[1];
    curve[0] = (col_curve_point){.seconds = (double)cycles * 2e-3,
                                 .tests = 1,
                                 .cycles = cycles,
                                 .structural = covered,
                                 .functional = covered};
    row->curve = curve;
    row->curve_count = 1;
    for (uint32_t i = 0; i < COL_METRIC_COUNT; i++) {
        row->coverage[i].covered = covered;
        row->coverage[i].reached = row->coverage[i].reachable_known ? covered : 0;
    }
}
