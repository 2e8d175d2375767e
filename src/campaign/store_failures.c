/* SPDX-License-Identifier: MIT */
/*
 * The failures in the store. A failure is named by the place of its trial in the grids of all
 * plans, in the order in which these were registered: that is the same whichever worker came first,
 * and stays so when other plans are added.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "campaign/store_parts.h"

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
    sqlite3_stmt *list = cam_store_prepare(
        store,
        "SELECT coalesce(min(before + position + 1), 0) AS number, trials.id FROM trials"
        " LEFT JOIN (SELECT key, hash, position, (SELECT coalesce(sum(q.trials), 0) FROM plans q"
        " WHERE q.id < r.id) AS before FROM plans r JOIN grid ON grid.plan = r.id) AS place"
        " ON place.key = trials.key WHERE trials.id IN (SELECT trial FROM failures)"
        " AND (?1 IS NULL OR hash = ?1) GROUP BY trials.id ORDER BY number, trials.key",
        problem);
    if (list == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_text(store, list, 1, plan);
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

/* The same columns of all versions. */
#define OF_TRIAL                                                                                   \
    "SELECT design, engine, error, mutant, key,"                                                   \
    " iif(json_valid(pairs), json_extract(pairs, '$.options'), NULL), "
#define OF_FAILURE " FROM trials JOIN failures ON trial = id WHERE id = ?1"
#define OF_KIND                                                                                    \
    OF_TRIAL "failures.kind, hash, fingerprint, count, failures.verdict, failures.reason, test,"   \
             " instance, failures.cycles, failures.seconds, size, record, program, story,"         \
             " picture, shrunk, litmus, threads, failures.operations, locations" OF_FAILURE        \
             " ORDER BY failures.kind"
static const char *const questions[] = {
    NULL,
    OF_TRIAL "1, NULL, NULL, coalesce(failing_tests, 1), verdict, reason, failure_test,"
             " failure_instance, failure_cycles, failure_seconds, NULL, NULL, NULL, story, picture,"
             " program, litmus, threads, failures.operations, locations" OF_FAILURE,
    OF_KIND, OF_KIND};

static const char *text_at(sqlite3_stmt *row, int column) {
    return (const char *)sqlite3_column_text(row, column);
}

static uint64_t number_at(sqlite3_stmt *row, int column) {
    return (uint64_t)sqlite3_column_int64(row, column);
}

static uint32_t small_at(sqlite3_stmt *row, int column) {
    return (uint32_t)sqlite3_column_int64(row, column);
}

static cam_failure_row read_row(sqlite3_stmt *row) {
    const char *key = text_at(row, 4);
    return (cam_failure_row){.design = text_at(row, 0),
                             .engine = text_at(row, 1),
                             .error = text_at(row, 2),
                             .mutant = small_at(row, 3),
                             .options = text_at(row, 5),
                             .key = key == NULL ? "" : key,
                             .kind = small_at(row, 6),
                             .hash = text_at(row, 7),
                             .fingerprint = text_at(row, 8),
                             .count = number_at(row, 9),
                             .verdict = text_at(row, 10),
                             .reason = text_at(row, 11),
                             .test = number_at(row, 12),
                             .instance = small_at(row, 13),
                             .cycles = number_at(row, 14),
                             .seconds = sqlite3_column_double(row, 15),
                             .size = small_at(row, 16),
                             .record = text_at(row, 17),
                             .program = text_at(row, 18),
                             .story = text_at(row, 19),
                             .picture = text_at(row, 20),
                             .shrunk = text_at(row, 21),
                             .litmus = text_at(row, 22),
                             .threads = small_at(row, 23),
                             .operations = small_at(row, 24),
                             .locations = small_at(row, 25)};
}

static col_status visit_trial(cam_store *store, sqlite3_stmt *ask, const numbered *trial,
                              cam_visit_failure visit, void *context, col_problem *problem) {
    col_status status = COL_OK;
    cam_store_bind_integer(store, ask, 1, trial->trial);
    while (status == COL_OK && cam_store_next(store, ask, &status, problem)) {
        cam_failure_row row = read_row(ask);
        row.number = trial->number;
        status = cam_store_row_status(store, problem);
        if (status == COL_OK)
            status = visit(context, &row, problem);
    }
    (void)sqlite3_reset(ask);
    return status;
}

col_status cam_store_failures(cam_store *store, const char *plan, cam_visit_failure visit,
                              void *context, col_problem *problem) {
    numbers n = {0};
    col_status status = number_trials(store, plan, &n, problem);
    sqlite3_stmt *ask = NULL;
    if (status == COL_OK) {
        ask = cam_store_prepare(store, questions[store->version], problem);
        status = ask == NULL ? cam_store_problem(store, problem) : COL_OK;
    }
    for (size_t i = 0; i < n.count && status == COL_OK; i++)
        status = visit_trial(store, ask, &n.list[i], visit, context, problem);
    (void)sqlite3_finalize(ask);
    free(n.list);
    return status;
}

/* ---- Taking one out. */

typedef struct search {
    const char *name, *folder, *store;
    bool is_found;
} search;

static col_status put(const char *folder, const char *name, const char *text,
                      col_problem *problem) {
    char path[PATH_MAX];
    const col_status status = base_path_in(path, folder, name, problem);
    return status == COL_OK ? base_file_write(path, text, strlen(text), problem) : status;
}

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
    const col_status status = put(s->folder, "failure.json", row->record, problem);
    return status == COL_OK ? put(s->folder, "program.txt", row->program, problem) : status;
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
