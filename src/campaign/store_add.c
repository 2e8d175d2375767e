/* SPDX-License-Identifier: MIT */
/* Writing what came of a trial: one row of numbers, and its arrays beside it. */
#include "base/invariant.h"
#include "base/json.h"
#include "campaign/claim.h"
#include "campaign/store_parts.h"

#include <stdlib.h>
#include <string.h>

static const char *value_of(const cam_row *row, const char *name) {
    for (uint32_t i = 0; i < row->pair_count; i++)
        if (strcmp(row->pairs[i].name, name) == 0)
            return row->pairs[i].value;
    return NULL;
}

/* An object of texts, in the order of the pairs. */
static char *print_pairs(const cam_row *row) {
    json_t *object = json_object();
    for (uint32_t i = 0; i < row->pair_count; i++)
        base_json_set(&object, row->pairs[i].name, base_json_text(row->pairs[i].value));
    base_text text = {0};
    base_json_print(object, JSON_COMPACT, &text);
    json_decref(object);
    if (!text.failed)
        return text.data;
    base_text_free(&text);
    return NULL;
}

/* ---- Columns. */

/* The place of the next column. */
typedef struct columns {
    cam_store *store;
    sqlite3_stmt *statement;
    int place;
} columns;

static void add_text(columns *c, const char *text) {
    cam_store_bind_text(c->store, c->statement, ++c->place, text);
}

static void add_number(columns *c, uint64_t number) {
    cam_store_bind_number(c->store, c->statement, ++c->place, number);
}

static void add_real(columns *c, double number) {
    cam_store_bind_real(c->store, c->statement, ++c->place, number);
}

static void add_number_text(columns *c, const char *text) {
    if (text == NULL)
        c->place++;
    else
        add_number(c, strtoull(text, NULL, 10));
}

static void add_extent(columns *c, const cam_extent *extent) {
    add_number(c, extent->covered);
    add_number(c, extent->total);
    if (extent->reachable_known) {
        add_number(c, extent->reached);
        add_number(c, extent->reachable);
    } else {
        c->place += 2;
    }
}

static void add_identity(columns *c, const cam_row *row, const char *pairs) {
    add_text(c, row->key);
    add_text(c, cam_kinds[row->kind]);
    add_text(c, row->is_done ? "done" : "failed");
    add_text(c, row->reason);
    add_text(c, row->design != NULL ? row->design : value_of(row, "design"));
    if (row->is_done && row->cores > 0)
        add_number(c, row->cores);
    else
        add_number_text(c, value_of(row, "cores"));
    add_text(c, value_of(row, "engine"));
    add_text(c, value_of(row, "error"));
    add_number_text(c, value_of(row, "mutant"));
    add_number(c, row->seed);
    add_text(c, pairs);
}

/* Columns of episodes, before and after the seconds, which all trials have. */
enum { BEFORE_SECONDS = 7, AFTER_SECONDS = 16 };

static void add_episode(columns *c, const cam_row *row) {
    if (!row->is_done || row->kind != CAM_EPISODE) {
        c->place += BEFORE_SECONDS;
        add_real(c, row->seconds);
        c->place += AFTER_SECONDS;
        return;
    }
    add_text(c, row->model);
    add_text(c, row->verdict);
    add_text(c, row->ended_by);
    add_number(c, row->tests);
    add_number(c, row->instances);
    add_number(c, row->operations);
    add_number(c, row->cycles);
    add_real(c, row->seconds);
    add_extent(c, &row->coverage[COL_STRUCTURAL]);
    add_extent(c, &row->coverage[COL_FUNCTIONAL]);
    add_number(c, row->undecided);
    add_number(c, row->failing_tests);
    add_number(c, row->failing_cycles);
    add_real(c, row->failing_seconds);
    if (row->failure_test == 0) {
        c->place += 4;
        return;
    }
    add_number(c, row->failure_test);
    add_number(c, row->failure_instance);
    add_number(c, row->failure_cycles);
    add_real(c, row->failure_seconds);
}

static void add_provenance(columns *c, const cam_row *row) {
    const cam_provenance *p = &row->provenance;
    add_text(c, row->result);
    add_text(c, p->design_hash);
    add_text(c, p->version == NULL ? "" : p->version);
    add_text(c, p->host == NULL ? "" : p->host);
    add_number(c, (uint64_t)p->started);
    if (c->store->campaign > 0)
        add_number(c, (uint64_t)c->store->campaign);
}

/* ---- Rows. */

static col_status add_trial(cam_store *store, const cam_row *row, int64_t *id,
                            col_problem *problem) {
    columns c = {.store = store,
                 .statement = cam_store_statement_of(store, CAM_STORE_ADD_TRIAL, problem)};
    if (c.statement == NULL)
        return cam_store_problem(store, problem);
    char *pairs = print_pairs(row);
    if (pairs == NULL)
        return base_out_of_memory(problem);
    add_identity(&c, row, pairs);
    add_episode(&c, row);
    add_provenance(&c, row);
    const col_status status = cam_store_run(store, c.statement, problem);
    *id = sqlite3_last_insert_rowid(store->database);
    free(pairs);
    return status;
}

static col_status add_curve(cam_store *store, const cam_row *row, int64_t id,
                            col_problem *problem) {
    base_text bytes = {0};
    sqlite3_stmt *add = cam_store_statement_of(store, CAM_STORE_ADD_CURVE, problem);
    if (add == NULL)
        return cam_store_problem(store, problem);
    cam_store_pack_curve(row->curve, row->curve_count, &bytes);
    cam_store_bind_integer(store, add, 1, id);
    cam_store_bind_bytes(store, add, 2, &bytes);
    col_status status = base_text_status(&bytes, problem);
    if (status == COL_OK)
        status = cam_store_run(store, add, problem);
    base_text_free(&bytes);
    return status;
}

static col_status add_hits(cam_store *store, const cam_row *row, int64_t id, col_problem *problem) {
    base_text hits = {0}, first = {0};
    sqlite3_stmt *add = cam_store_statement_of(store, CAM_STORE_ADD_HITS, problem);
    if (add == NULL)
        return cam_store_problem(store, problem);
    cam_store_pack_hits(row->hits, row->point_count, &hits);
    if (row->first != NULL)
        cam_store_pack_first(row->first, row->point_count, &first);
    cam_store_bind_integer(store, add, 1, id);
    cam_store_bind_bytes(store, add, 2, &hits);
    cam_store_bind_bytes(store, add, 3, &first);
    col_status status = base_text_status(&hits, problem);
    if (status == COL_OK)
        status = base_text_status(&first, problem);
    if (status == COL_OK)
        status = cam_store_run(store, add, problem);
    base_text_free(&hits);
    base_text_free(&first);
    return status;
}

static col_status add_learning(cam_store *store, const cam_row *row, int64_t id,
                               col_problem *problem) {
    sqlite3_stmt *add = cam_store_statement_of(store, CAM_STORE_ADD_LEARNING, problem);
    if (add == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_integer(store, add, 1, id);
    cam_store_bind_text(store, add, 2, row->learning);
    return cam_store_run(store, add, problem);
}

/* The columns of a failure. Numbers that are not known are not there. */
static void add_known(columns *c, bool is_known, uint64_t number) {
    if (is_known)
        add_number(c, number);
    else
        c->place++;
}

static col_status add_failure(cam_store *store, const cam_failure_row *f, int64_t id,
                              col_problem *problem) {
    columns c = {.store = store,
                 .statement = cam_store_statement_of(store, CAM_STORE_ADD_FAILURE, problem)};
    if (c.statement == NULL)
        return cam_store_problem(store, problem);
    add_number(&c, (uint64_t)id);
    add_number(&c, f->kind);
    add_text(&c, f->hash);
    add_text(&c, f->fingerprint);
    add_number(&c, f->count);
    add_text(&c, f->verdict);
    add_text(&c, f->reason);
    add_number(&c, f->test);
    add_number(&c, f->instance);
    add_number(&c, f->cycles);
    add_real(&c, f->seconds);
    add_known(&c, f->size > 0, f->size);
    add_text(&c, f->record);
    add_text(&c, f->program);
    add_text(&c, f->story);
    add_text(&c, f->picture);
    add_text(&c, f->shrunk);
    add_text(&c, f->litmus);
    add_known(&c, f->shrunk != NULL, f->threads);
    add_known(&c, f->shrunk != NULL, f->operations);
    add_known(&c, f->shrunk != NULL, f->locations);
    return cam_store_run(store, c.statement, problem);
}

/* Whoever came first counts, unless it failed. */
static col_status make_room(cam_store *store, const char *key, bool *is_taken,
                            col_problem *problem) {
    int64_t id = 0;
    col_status status = COL_OK;
    sqlite3_stmt *find = cam_store_statement_of(store, CAM_STORE_FIND_TRIAL, problem);
    if (find == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_text(store, find, 1, key);
    *is_taken = false;
    if (cam_store_next(store, find, &status, problem)) {
        id = sqlite3_column_int64(find, 0);
        *is_taken = sqlite3_column_int(find, 1) != 0;
    }
    (void)sqlite3_reset(find);
    if (status != COL_OK || id == 0 || *is_taken)
        return status;
    sqlite3_stmt *drop = cam_store_statement_of(store, CAM_STORE_DROP_TRIAL, problem);
    if (drop == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_integer(store, drop, 1, id);
    return cam_store_run(store, drop, problem);
}

static col_status add_parts(cam_store *store, const cam_row *row, const cam_failure_row *failures,
                            uint32_t failure_count, col_problem *problem) {
    int64_t id = 0;
    col_status status = add_trial(store, row, &id, problem);
    if (status == COL_OK && row->curve_count > 0)
        status = add_curve(store, row, id, problem);
    if (status == COL_OK && row->point_count > 0 && row->hits != NULL)
        status = add_hits(store, row, id, problem);
    if (status == COL_OK && row->learning != NULL)
        status = add_learning(store, row, id, problem);
    for (uint32_t i = 0; i < failure_count && status == COL_OK; i++)
        status = add_failure(store, &failures[i], id, problem);
    return status;
}

col_status cam_store_add(cam_store *store, const cam_row *row, const cam_failure_row *failures,
                         uint32_t failure_count, col_problem *problem) {
    bool is_taken = false;
    col_status status = cam_store_enter(store, problem);
    if (status != COL_OK)
        return status;
    status = make_room(store, row->key, &is_taken, problem);
    if (status == COL_OK && !is_taken)
        status = add_parts(store, row, failures, failure_count, problem);
    base_invariant(status != COL_OK || !sqlite3_get_autocommit(store->database)); /* 4 of claim.c */
    if (status == COL_OK)
        status = cam_claim_drop(store, row->key, problem);
    return cam_store_leave(store, status, problem);
}
