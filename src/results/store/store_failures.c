/* SPDX-License-Identifier: MIT */
/*
 * The failures in the store. A failure is named by the place of its trial in the grids of all
 * plans, in the order in which these were registered: that is the same whichever worker came first,
 * and stays so when other plans are added.
 */
#include "results/store/store.h"

#include "base/file.h"
#include "base/folder.h"
#include "results/store/store_parts.h"
#include "results/store/store_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cam_failure_name(const cam_failure_row *failure, char name[CAM_FAILURE_NAME]) {
    const unsigned long long number = failure->number;
    if (failure->folder != NULL)
        (void)snprintf(name, CAM_FAILURE_NAME, "%s", failure->folder);
    else if (failure->kind <= 1)
        (void)snprintf(name, CAM_FAILURE_NAME, "%llu", number);
    else
        (void)snprintf(name, CAM_FAILURE_NAME, "%llu.%u", number, failure->kind);
}

bool cam_failure_is_expected(const cam_failure_row *failure) {
    const cam_pair pairs[] = {{.name = "design", .value = failure->design},
                              {.name = "error", .value = failure->error},
                              {.name = "mutant", .value = failure->mutant > 0 ? "yes" : NULL},
                              {.name = "options", .value = failure->options}};
    return cam_trial_hunts(
        &(cam_trial){.pairs = pairs, .pair_count = sizeof pairs / sizeof pairs[0]});
}

/* ---- Reading. */

/* Trials with failures, each once, by number. */
typedef struct numbered {
    uint64_t number;
    int64_t trial;
} numbered;
typedef struct numbers {
    numbered *list;
    size_t count, capacity;
} numbers;

static col_status number_trials(cam_store *store, const char *plan, numbers *n,
                                col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_ask(
        store,
        "SELECT coalesce(min(before + position + 1), 0) AS number, trials.id FROM trials"
        " LEFT JOIN (SELECT key, hash, position, (SELECT coalesce(sum(q.trials), 0) FROM plans q"
        " WHERE q.id < r.id) AS before FROM plans r JOIN grid ON grid.plan = r.id) AS place"
        " ON place.key = trials.key WHERE trials.id IN (SELECT trial FROM failures)"
        " AND (?1 IS NULL OR hash = ?1) GROUP BY trials.id ORDER BY number, trials.key",
        "t", plan);
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        const numbered found = {(uint64_t)sqlite3_column_int64(list, 0),
                                sqlite3_column_int64(list, 1)};
        status = base_reserve(&n->list, &n->capacity, n->count + 1, sizeof *n->list, problem);
        if (status == COL_OK)
            n->list[n->count++] = found;
    }
    (void)sqlite3_finalize(list);
    return status;
}

col_status cam_store_failures(cam_store *store, const char *plan, cam_visit_failure visit,
                              void *context, col_problem *problem) {
    numbers n = {0};
    base_text question = {0};
    sqlite3_stmt *ask = NULL;
    col_status status = number_trials(store, plan, &n, problem);
    base_text_add(&question, "SELECT ");
    cam_columns_select(&cam_failure_columns, "failures", false, &question);
    base_text_add(&question, " FROM trials JOIN failures ON trial = id WHERE id = ?1"
                             " ORDER BY failures.kind");
    BASE_THEN(status, base_text_status(&question, problem));
    if (status == COL_OK)
        ask = cam_store_prepare(store, question.data);
    for (size_t i = 0; i < n.count && status == COL_OK; i++) {
        cam_store_bind_integer(store, ask, 1, n.list[i].trial);
        while (status == COL_OK && cam_store_next(store, ask, &status, problem)) {
            cam_failure_row row = {.number = n.list[i].number};
            int column = 0;
            (void)cam_columns_read(&cam_failure_columns, ask, &column, &row, NULL);
            row.key = row.key == NULL ? "" : row.key;
            status = cam_store_row_status(store, problem);
            BASE_THEN(status, visit(context, &row, problem));
        }
        (void)sqlite3_reset(ask);
    }
    (void)sqlite3_finalize(ask);
    base_text_free(&question);
    free(n.list);
    return status;
}

/* ---- Taking one out. */

typedef struct search {
    const char *name, *folder, *store;
    bool is_found;
} search;

static col_status take(void *context, const cam_failure_row *row, col_problem *problem) {
    search *s = context;
    char name[CAM_FAILURE_NAME];
    cam_failure_name(row, name);
    if (row->number == 0 || strcmp(name, s->name) != 0)
        return COL_OK;
    s->is_found = true;
    if (row->record == NULL || row->program == NULL)
        return base_refuse(problem,
                           "the program of failure %.30s is not in the store %.200s: only those of "
                           "the first trials of a group are; collider run with the settings of the "
                           "trial shows it",
                           s->name, s->store);
    const char *const files[][2] = {{"failure.json", row->record}, {"program.txt", row->program}};
    col_status status = COL_OK;
    for (int i = 0; i < 2 && status == COL_OK; i++) {
        char path[PATH_MAX];
        status = base_path_in(path, s->folder, files[i][0], problem);
        BASE_THEN(status, base_file_write(path, files[i][1], strlen(files[i][1]), problem));
    }
    return status;
}

col_status cam_store_extract(cam_store *store, const char *name, const char *folder,
                             col_problem *problem) {
    search s = {.name = name, .folder = folder, .store = store->path};
    const col_status status = cam_store_failures(store, NULL, take, &s, problem);
    if (status != COL_OK || s.is_found)
        return status;
    return base_refuse(problem,
                       "the store %.300s has no failure %.40s; without --failure they are listed",
                       store->path, name);
}

/* Failures by their fingerprints. */

/* Kept ones can be replayed, shrunk ones are short; else the fewest operations. */
static bool is_better(const cam_failure_kind *a, const cam_failure_kind *b) {
    if (a->is_kept != b->is_kept)
        return a->is_kept;
    if (a->is_shrunk != b->is_shrunk)
        return a->is_shrunk;
    return a->operations > 0 && (b->operations == 0 || a->operations < b->operations);
}

col_status cam_failure_kinds_add(cam_failure_kinds *k, const cam_failure_row *f, uint32_t store,
                                 uint32_t *kind, col_problem *problem) {
    char text[512];
    bool is_new = false;
    uint32_t number = 0;
    if (f->fingerprint != NULL)
        (void)snprintf(text, sizeof text, "%s", f->fingerprint);
    else
        (void)snprintf(text, sizeof text, "%.100s, %.40s: no fingerprint was kept",
                       f->design == NULL ? "?" : f->design, f->verdict == NULL ? "?" : f->verdict);
    col_status status = base_names_add(&k->names, text, &number, &is_new, problem);
    BASE_THEN(status, base_reserve(&k->list, &k->capacity, k->count + 1, sizeof *k->list, problem));
    if (status != COL_OK)
        return status;
    cam_failure_kind example = {.store = store,
                                .is_shrunk = f->shrunk != NULL,
                                .is_kept = f->record != NULL && f->program != NULL,
                                .operations = f->shrunk != NULL ? f->operations : f->size};
    cam_failure_name(f, example.name);
    if (is_new) {
        const char *hash = f->hash == NULL ? "" : f->hash;
        k->list[k->count] = example;
        k->list[k->count].number = number;
        k->list[k->count].fingerprint = k->names.texts[number];
        k->list[k->count].hash = base_arena_text(k->names.arena, hash, strlen(hash));
        if (k->list[k->count].hash == NULL)
            return base_out_of_memory(problem);
        k->count++;
    }
    cam_failure_kind *mine = &k->list[number];
    mine->count += f->count;
    mine->trials += f->count > 0;
    k->failures += f->count;
    if (is_better(&example, mine)) {
        mine->store = example.store;
        mine->is_shrunk = example.is_shrunk;
        mine->is_kept = example.is_kept;
        mine->operations = example.operations;
        memcpy(mine->name, example.name, sizeof mine->name);
    }
    if (kind != NULL)
        *kind = number;
    return COL_OK;
}

static int by_count(const void *a, const void *b) {
    const cam_failure_kind *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->fingerprint, y->fingerprint);
}

void cam_failure_kinds_sort(cam_failure_kinds *k) {
    if (k->count > 0)
        qsort(k->list, k->count, sizeof *k->list, by_count);
}

void cam_failure_kinds_free(cam_failure_kinds *k) {
    base_names_free(&k->names);
    free(k->list);
}

/* The texts of a failure. */

col_status cam_text_read(base_arena *arena, const char *folder, const char *name, const char **copy,
                         col_problem *problem) {
    base_text text = {0};
    *copy = NULL;
    if (!base_folder_has(folder, name))
        return COL_OK;
    col_status status = base_file_read_in(folder, name, &text, problem);
    if (status == COL_OK && text.data != NULL) {
        *copy = base_arena_text(arena, text.data, strlen(text.data));
        status = *copy == NULL ? base_out_of_memory(problem) : COL_OK;
    }
    base_text_free(&text);
    return status;
}

col_status cam_failure_texts(cam_failure_row *f, base_arena *arena, const char *folder,
                             bool is_shrunk, col_problem *problem) {
    const struct {
        const char **text, *name;
        bool of_whole, of_shrunk;
    } files[] = {{&f->record, "failure.json", true, false},
                 {&f->program, "program.txt", true, false},
                 {&f->story, "failure.txt", true, true},
                 {&f->picture, "failure.svg", true, true},
                 {&f->shrunk, "program.txt", false, true},
                 {&f->litmus, "test.riscv.litmus", false, true},
                 {&f->litmus, "test.aarch64.litmus", false, true},
                 {&f->litmus, "test.x86-64.litmus", false, true}};
    col_status status = COL_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == COL_OK; i++) {
        const char *text = NULL;
        if (!(is_shrunk ? files[i].of_shrunk : files[i].of_whole))
            continue;
        status = cam_text_read(arena, folder, files[i].name, &text, problem);
        if (text != NULL)
            *files[i].text = text;
    }
    return status;
}
