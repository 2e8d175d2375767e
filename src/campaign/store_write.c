/* SPDX-License-Identifier: MIT */
/* Writing to the store: plans with their grids, designs, and what came of trials. */
#include "base/hash.h"
#include "base/json.h"
#include "campaign/key.h"
#include "campaign/store_guard.h"

#include <stdlib.h>
#include <string.h>

/* ---- Plans. */

static void hash_bytes(const void *bytes, size_t length, char hash[CAM_HASH]) {
    const XXH128_hash_t digest = XXH3_128bits(bytes, length);
    (void)sqlite3_snprintf(CAM_HASH, hash, "%016llx%016llx", digest.high64, digest.low64);
}

/* The plan's number, and whether its grid is the one that is there. */
static col_status put_plan(cam_store *store, const cam_plan *plan, const char *grid_hash,
                           int64_t *number, col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *put = cam_store_prepare(
        store,
        "INSERT INTO plans (hash, name, title, scale, text, trials, grid_hash) VALUES (?1, ?2, ?3,"
        " ?4, ?5, ?6, ?7) ON CONFLICT (hash) DO UPDATE SET title = excluded.title,"
        " text = excluded.text, grid_hash = excluded.grid_hash RETURNING id",
        problem);
    if (put == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_text(store, put, 1, plan->hash);
    cam_store_bind_text(store, put, 2, plan->name);
    cam_store_bind_text(store, put, 3, plan->title == NULL ? "" : plan->title);
    cam_store_bind_text(store, put, 4, plan->scale == NULL ? "" : plan->scale);
    cam_store_bind_long_text(store, put, 5, plan->text, plan->text_length);
    cam_store_bind_number(store, put, 6, plan->trial_count);
    cam_store_bind_text(store, put, 7, grid_hash);
    if (cam_store_next(store, put, &status, problem)) {
        *number = sqlite3_column_int64(put, 0);
        status = cam_store_run(store, put, problem);
    }
    (void)sqlite3_finalize(put);
    return status;
}

static col_status drop_grid(cam_store *store, int64_t plan, col_problem *problem) {
    sqlite3_stmt *drop = cam_store_prepare(store, "DELETE FROM grid WHERE plan = ?1", problem);
    if (drop == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_integer(store, drop, 1, plan);
    const col_status status = cam_store_run(store, drop, problem);
    (void)sqlite3_finalize(drop);
    return status;
}

static col_status put_grid(cam_store *store, int64_t plan, const cam_keys *keys, const bool *chosen,
                           col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *put =
        cam_store_prepare(store, "INSERT OR IGNORE INTO grid VALUES (?1, ?2, ?3)", problem);
    if (put == NULL)
        return cam_store_problem(store, problem);
    for (size_t i = 0; i < keys->count && status == COL_OK; i++) {
        if (i % CAM_STORE_ROWS == 0)
            cam_store_budget(store);
        if (chosen != NULL && !chosen[i])
            continue;
        cam_store_bind_integer(store, put, 1, plan);
        cam_store_bind_number(store, put, 2, i);
        cam_store_bind_text(store, put, 3, keys->keys[i]);
        status = cam_store_run(store, put, problem);
    }
    (void)sqlite3_finalize(put);
    return status;
}

/* Trials of the grid that is there; false: there is none, or one of other trials. */
static bool has_grid(cam_store *store, const char *plan, const char *grid_hash, uint64_t *count,
                     col_status *status, col_problem *problem) {
    sqlite3_stmt *ask = cam_store_prepare(store,
                                          "SELECT (SELECT count(*) FROM grid WHERE plan = id)"
                                          " FROM plans WHERE hash = ?1 AND grid_hash = ?2",
                                          problem);
    *count = 0;
    if (ask == NULL) {
        *status = cam_store_problem(store, problem);
        return false;
    }
    cam_store_bind_text(store, ask, 1, plan);
    cam_store_bind_text(store, ask, 2, grid_hash);
    const bool has = cam_store_next(store, ask, status, problem);
    if (has)
        *count = (uint64_t)sqlite3_column_int64(ask, 0);
    (void)sqlite3_finalize(ask);
    return has;
}

void cam_store_hash_grid(const cam_keys *keys, char hash[CAM_HASH]) {
    hash_bytes(keys->keys, keys->count * CAM_HASH, hash);
}

/* Keys change when a design does: then the plan's grid is of new trials. */
col_status cam_store_put_plan(cam_store *store, const cam_plan *plan, const cam_keys *keys,
                              const bool *chosen, int64_t *number, col_problem *problem) {
    char grid_hash[CAM_HASH];
    uint64_t count;
    cam_store_hash_grid(keys, grid_hash);
    col_status status = cam_store_enter(store, problem);
    if (status != COL_OK)
        return status;
    const bool has = has_grid(store, plan->hash, grid_hash, &count, &status, problem);
    if (status == COL_OK)
        status = put_plan(store, plan, grid_hash, number, problem);
    if (status == COL_OK && !has)
        status = drop_grid(store, *number, problem);
    if (status == COL_OK && count < keys->count)
        status = put_grid(store, *number, keys, chosen, problem);
    return cam_store_leave(store, status, problem);
}

col_status cam_store_add_plan(cam_store *store, const cam_plan *plan, col_problem *problem) {
    cam_keys keys;
    int64_t number = 0;
    col_status status = cam_keys_make(&keys, plan, problem);
    if (status == COL_OK)
        status = cam_store_put_plan(store, plan, &keys, NULL, &number, problem);
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
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    (void)sqlite3_snprintf(CAM_HASH, hash, "%016llx%016llx", digest.high64, digest.low64);
}

/* Designs that differ in an error alone have the same points: each set is there once. */
static col_status find_points(cam_store *store, const char *hash, int64_t *set,
                              col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *find =
        cam_store_prepare(store, "SELECT id FROM point_sets WHERE hash = ?1", problem);
    if (find == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_text(store, find, 1, hash);
    if (cam_store_next(store, find, &status, problem))
        *set = sqlite3_column_int64(find, 0);
    (void)sqlite3_finalize(find);
    return status;
}

static col_status put_set(cam_store *store, const cam_design_row *design, const char *hash,
                          int64_t *set, col_problem *problem) {
    sqlite3_stmt *put = cam_store_prepare(
        store, "INSERT INTO point_sets (hash, count, reachable_known) VALUES (?1, ?2, ?3)",
        problem);
    if (put == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_text(store, put, 1, hash);
    cam_store_bind_number(store, put, 2, design->point_count);
    cam_store_bind_number(store, put, 3, design->reachable_known);
    const col_status status = cam_store_run(store, put, problem);
    *set = sqlite3_last_insert_rowid(store->database);
    (void)sqlite3_finalize(put);
    return status;
}

static col_status put_points(cam_store *store, const cam_design_row *design, int64_t set,
                             col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *put =
        cam_store_prepare(store, "INSERT INTO points VALUES (?1, ?2, ?3, ?4, ?5, ?6)", problem);
    if (put == NULL)
        return cam_store_problem(store, problem);
    for (size_t i = 0; i < design->point_count && status == COL_OK; i++) {
        const cam_point *p = &design->points[i];
        cam_store_bind_integer(store, put, 1, set);
        cam_store_bind_number(store, put, 2, i);
        cam_store_bind_text(store, put, 3, p->machine);
        cam_store_bind_text(store, put, 4, p->state);
        cam_store_bind_text(store, put, 5, p->event);
        cam_store_bind_number(store, put, 6, p->is_reachable);
        status = cam_store_run(store, put, problem);
    }
    (void)sqlite3_finalize(put);
    return status;
}

static col_status put_design(cam_store *store, const cam_design_row *design, int64_t set,
                             col_problem *problem) {
    sqlite3_stmt *put =
        cam_store_prepare(store, "INSERT OR IGNORE INTO designs VALUES (?1, ?2, ?3, ?4)", problem);
    if (put == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_text(store, put, 1, design->hash);
    cam_store_bind_text(store, put, 2, design->name);
    cam_store_bind_number(store, put, 3, design->cores);
    cam_store_bind_integer(store, put, 4, set);
    const col_status status = cam_store_run(store, put, problem);
    (void)sqlite3_finalize(put);
    return status;
}

col_status cam_store_add_design(cam_store *store, const cam_design_row *design,
                                col_problem *problem) {
    char hash[CAM_HASH];
    int64_t set = 0;
    col_status status = cam_store_enter(store, problem);
    if (status != COL_OK)
        return status;
    hash_points(design, hash);
    status = find_points(store, hash, &set, problem);
    if (status == COL_OK && set == 0) {
        status = put_set(store, design, hash, &set, problem);
        if (status == COL_OK)
            status = put_points(store, design, set, problem);
    }
    if (status == COL_OK)
        status = put_design(store, design, set, problem);
    return cam_store_leave(store, status, problem);
}

/* ---- What is there. */

col_status cam_store_has_design(cam_store *store, const char *hash, bool *has,
                                col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *ask = cam_store_statement_of(store, CAM_STORE_HAS_DESIGN, problem);
    if (ask == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_text(store, ask, 1, hash);
    *has = cam_store_next(store, ask, &status, problem);
    (void)sqlite3_reset(ask);
    return status;
}
