/* SPDX-License-Identifier: MIT */
/* Writing to the store: plans with their grids, designs, and what came of trials. */
#include "base/hash.h"
#include "results/plan/trial.h"
#include "results/store/store_parts.h"
#include "results/store/store_schema.h"
#include "results/store/trial_claim.h"

#include <string.h>

/* ---- Plans. */

static col_status put_plan(cam_store *store, const cam_plan *plan, const char *grid_hash,
                           int64_t *number, col_problem *problem) {
    return cam_store_tell(
        store, number, problem,
        "INSERT INTO plans (hash, name, title, scale, text, trials, grid_hash) VALUES (?1, ?2, ?3,"
        " ?4, ?5, ?6, ?7) ON CONFLICT (hash) DO UPDATE SET title = excluded.title,"
        " text = excluded.text, grid_hash = excluded.grid_hash RETURNING id",
        "tttttit", plan->hash, plan->name, plan->title == NULL ? "" : plan->title,
        plan->scale == NULL ? "" : plan->scale, plan->text, (int64_t)plan->trial_count, grid_hash);
}

static col_status put_grid(cam_store *store, int64_t plan, const cam_keys *keys, const bool *chosen,
                           col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *put = cam_store_prepare(store, "INSERT OR IGNORE INTO grid VALUES (?1, ?2, ?3)");
    for (size_t i = 0; i < keys->count && status == COL_OK; i++) {
        if (i % CAM_STORE_ROWS == 0)
            cam_store_budget(store);
        if (chosen != NULL && !chosen[i])
            continue;
        cam_store_bind_integer(store, put, 1, plan);
        cam_store_bind_integer(store, put, 2, (int64_t)i);
        cam_store_bind_text(store, put, 3, keys->keys[i]);
        status = cam_store_run(store, put, problem);
    }
    (void)sqlite3_finalize(put);
    return status;
}

void cam_store_hash_grid(const cam_keys *keys, char hash[CAM_HASH]) {
    cam_hash_print(XXH3_128bits(keys->keys, keys->count * CAM_HASH), hash);
}

/* Keys change when a design does: then the plan's grid is of new trials. */
col_status cam_store_put_plan(cam_store *store, const cam_plan *plan, const cam_keys *keys,
                              const bool *chosen, int64_t *number, col_problem *problem) {
    char grid_hash[CAM_HASH];
    int64_t count = -1; /* trials of the grid that is there; none, or one of other trials */
    cam_store_hash_grid(keys, grid_hash);
    col_status status = cam_store_enter(store, problem);
    BASE_THEN(status, cam_store_tell(store, &count, problem,
                                     "SELECT (SELECT count(*) FROM grid WHERE plan = id)"
                                     " FROM plans WHERE hash = ?1 AND grid_hash = ?2",
                                     "tt", plan->hash, grid_hash));
    BASE_THEN(status, put_plan(store, plan, grid_hash, number, problem));
    if (status == COL_OK && count < 0)
        status =
            cam_store_tell(store, NULL, problem, "DELETE FROM grid WHERE plan = ?1", "i", *number);
    if (status == COL_OK && count < (int64_t)keys->count)
        status = put_grid(store, *number, keys, chosen, problem);
    return cam_store_leave(store, status, problem);
}

col_status cam_store_add_plan(cam_store *store, const cam_plan *plan, col_problem *problem) {
    cam_keys keys;
    int64_t number = 0;
    col_status status = cam_keys_make(&keys, plan, problem);
    BASE_THEN(status, cam_store_put_plan(store, plan, &keys, NULL, &number, problem));
    cam_keys_free(&keys);
    return status;
}

/* ---- Designs. */

static void hash_points(const cam_design_row *design, char hash[CAM_HASH]) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    for (size_t i = 0; i < design->point_count; i++) {
        const cam_point *p = &design->points[i];
        const char reachable = p->is_reachable ? 1 : 0;
        (void)XXH3_128bits_update(&state, p->machine, strlen(p->machine) + 1);
        (void)XXH3_128bits_update(&state, p->state, strlen(p->state) + 1);
        (void)XXH3_128bits_update(&state, p->event, strlen(p->event) + 1);
        (void)XXH3_128bits_update(&state, &reachable, 1);
    }
    cam_hash_print(XXH3_128bits_digest(&state), hash);
}

static col_status put_points(cam_store *store, const cam_design_row *design, int64_t set,
                             col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *put =
        cam_store_prepare(store, "INSERT INTO points VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    for (size_t i = 0; i < design->point_count && status == COL_OK; i++) {
        const cam_point *p = &design->points[i];
        cam_store_bind_integer(store, put, 1, set);
        cam_store_bind_integer(store, put, 2, (int64_t)i);
        cam_store_bind_text(store, put, 3, p->machine);
        cam_store_bind_text(store, put, 4, p->state);
        cam_store_bind_text(store, put, 5, p->event);
        cam_store_bind_integer(store, put, 6, p->is_reachable);
        status = cam_store_run(store, put, problem);
    }
    (void)sqlite3_finalize(put);
    return status;
}

/* Designs that differ in an error alone have the same points: each set is there once. */
col_status cam_store_add_design(cam_store *store, const cam_design_row *design,
                                col_problem *problem) {
    char hash[CAM_HASH];
    int64_t set = 0;
    col_status status = cam_store_enter(store, problem);
    hash_points(design, hash);
    BASE_THEN(status, cam_store_tell(store, &set, problem,
                                     "SELECT id FROM point_sets WHERE hash = ?1", "t", hash));
    if (status == COL_OK && set == 0) {
        status = cam_store_tell(store, &set, problem,
                                "INSERT INTO point_sets (hash, count, reachable_known)"
                                " VALUES (?1, ?2, ?3) RETURNING id",
                                "tii", hash, (int64_t)design->point_count,
                                (int64_t)design->reachable_known);
        BASE_THEN(status, put_points(store, design, set, problem));
    }
    BASE_THEN(status,
              cam_store_tell(store, NULL, problem,
                             "INSERT OR IGNORE INTO designs VALUES (?1, ?2, ?3, ?4)", "ttii",
                             design->hash, design->name, (int64_t)design->cores, set));
    return cam_store_leave(store, status, problem);
}

col_status cam_store_has_design(cam_store *store, const char *hash, bool *has,
                                col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *ask = cam_store_statement_of(store, CAM_STORE_HAS_DESIGN);
    cam_store_bind_text(store, ask, 1, hash);
    *has = cam_store_next(store, ask, &status, problem);
    (void)sqlite3_reset(ask);
    return status;
}

/* ---- What came of a trial: its row, and its arrays and failures beside it. */

static col_status add_trial(cam_store *store, const cam_row *row, int64_t *id,
                            col_problem *problem) {
    base_text settings = {0};
    sqlite3_stmt *add = cam_store_statement_of(store, CAM_STORE_ADD_TRIAL);
    cam_settings_print(row, &settings);
    col_status status = base_text_status(&settings, problem);
    if (status == COL_OK) {
        cam_columns_bind(&cam_trial_columns, store, add, row, store->campaign, settings.data);
        status = cam_store_run(store, add, problem);
        *id = sqlite3_last_insert_rowid(store->database);
    }
    base_text_free(&settings);
    return status;
}

static col_status add_curve(cam_store *store, const cam_row *row, int64_t id,
                            col_problem *problem) {
    base_text bytes = {0};
    cam_store_pack_curve(row->curve, row->curve_count, &bytes);
    const col_status status = cam_store_do(store, CAM_STORE_ADD_CURVE, problem, "ib", id, &bytes);
    base_text_free(&bytes);
    return status;
}

static col_status add_hits(cam_store *store, const cam_row *row, int64_t id, col_problem *problem) {
    base_text hits = {0}, first = {0};
    for (size_t i = 0; i < row->point_count; i++) {
        cam_store_pack(&hits, row->hits[i]);
        if (row->first != NULL)
            cam_store_pack(&first, row->first[i]);
    }
    const col_status status =
        cam_store_do(store, CAM_STORE_ADD_HITS, problem, "ibb", id, &hits, &first);
    base_text_free(&hits);
    base_text_free(&first);
    return status;
}

/* Whoever came first counts, unless it failed. */
static col_status make_room(cam_store *store, const char *key, bool *is_taken,
                            col_problem *problem) {
    int64_t id = 0;
    col_status status = COL_OK;
    sqlite3_stmt *find = cam_store_statement_of(store, CAM_STORE_FIND_TRIAL);
    cam_store_bind_text(store, find, 1, key);
    *is_taken = false;
    if (cam_store_next(store, find, &status, problem)) {
        id = sqlite3_column_int64(find, 0);
        *is_taken = sqlite3_column_int(find, 1) != 0;
    }
    (void)sqlite3_reset(find);
    return status != COL_OK || id == 0 || *is_taken
               ? status
               : cam_store_do(store, CAM_STORE_DROP_TRIAL, problem, "i", id);
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
        status = cam_store_do(store, CAM_STORE_ADD_LEARNING, problem, "it", id, row->learning);
    for (uint32_t i = 0; i < failure_count && status == COL_OK; i++) {
        sqlite3_stmt *add = cam_store_statement_of(store, CAM_STORE_ADD_FAILURE);
        cam_columns_bind(&cam_failure_columns, store, add, &failures[i], id, NULL);
        status = cam_store_run(store, add, problem);
    }
    return status;
}

col_status cam_store_add(cam_store *store, const cam_row *row, const cam_failure_row *failures,
                         uint32_t failure_count, col_problem *problem) {
    bool is_taken = false;
    col_status status = cam_store_enter(store, problem);
    BASE_THEN(status, make_room(store, row->key, &is_taken, problem));
    if (status == COL_OK && !is_taken)
        status = add_parts(store, row, failures, failure_count, problem);
    base_invariant(status != COL_OK ||
                   !sqlite3_get_autocommit(store->database)); /* 4 of trial_claim.c */
    BASE_THEN(status, cam_claim_drop(store, row->key, problem));
    return cam_store_leave(store, status, problem);
}
