/* SPDX-License-Identifier: MIT */
/* Reading the shorter tables of the store: plans, designs with their points, and how far a plan has
 * got. */
#include "base/arena.h"
#include "base/memory.h"
#include "campaign/store_parts.h"

#include <stdlib.h>
#include <string.h>

static const char *text_at(sqlite3_stmt *statement, int column) {
    return (const char *)sqlite3_column_text(statement, column);
}

/* Of a column that is never empty, unless the store is damaged. */
static const char *sure_text_at(sqlite3_stmt *statement, int column) {
    const char *text = text_at(statement, column);
    return text == NULL ? "" : text;
}

/* ---- Plans. */

col_status cam_store_plans(cam_store *store, cam_visit_plan visit, void *context,
                           col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(
        store,
        "SELECT hash, name, title, plans.scale, text, max(plans.trials, 0), done, failed FROM plans"
        " JOIN (SELECT grid.plan AS id, sum(status = 'done') AS done,"
        " sum(status = 'failed') AS failed FROM grid LEFT JOIN trials USING (key) GROUP BY 1)"
        " USING (id) ORDER BY name, plans.scale, hash",
        problem);
    if (list == NULL)
        return cam_store_problem(store, problem);
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        const cam_plan_row row = {.hash = sure_text_at(list, 0),
                                  .name = sure_text_at(list, 1),
                                  .title = sure_text_at(list, 2),
                                  .scale = sure_text_at(list, 3),
                                  .text = sure_text_at(list, 4),
                                  .trials = (uint64_t)sqlite3_column_int64(list, 5),
                                  .done = (uint64_t)sqlite3_column_int64(list, 6),
                                  .failed = (uint64_t)sqlite3_column_int64(list, 7)};
        status = cam_store_row_status(store, problem);
        if (status == COL_OK)
            status = visit(context, &row, problem);
    }
    (void)sqlite3_finalize(list);
    return status;
}

/* ---- Designs. */

typedef struct points {
    int64_t set; /* that they are of; 0: none was read yet */
    cam_point *list;
    size_t count, capacity;
    base_arena arena; /* of their names */
} points;

static const char *keep(points *p, sqlite3_stmt *statement, int column) {
    const char *text = sure_text_at(statement, column);
    return base_arena_text(&p->arena, text, strlen(text));
}

static col_status add_point(points *p, sqlite3_stmt *list, col_problem *problem) {
    const col_status status =
        base_reserve(&p->list, &p->capacity, p->count + 1, sizeof *p->list, problem);
    if (status != COL_OK)
        return status;
    cam_point *point = &p->list[p->count++];
    *point = (cam_point){.machine = keep(p, list, 0),
                         .state = keep(p, list, 1),
                         .event = keep(p, list, 2),
                         .is_reachable = sqlite3_column_int(list, 3) != 0};
    return point->machine == NULL || point->state == NULL || point->event == NULL
               ? base_out_of_memory(problem)
               : COL_OK;
}

static col_status read_points(cam_store *store, points *p, int64_t set, col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(store,
                                           "SELECT machine, state, event, reachable FROM points"
                                           " WHERE point_set = ?1 ORDER BY number",
                                           problem);
    if (list == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_integer(store, list, 1, set);
    base_arena_free(&p->arena);
    p->count = 0;
    p->set = set;
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        status = add_point(p, list, problem);
        if (status == COL_OK)
            status = cam_store_row_status(store, problem);
    }
    (void)sqlite3_finalize(list);
    return status;
}

col_status cam_store_designs(cam_store *store, cam_visit_design visit, void *context,
                             col_problem *problem) {
    points p = {0};
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(store,
                                           "SELECT designs.hash, name, cores, point_set,"
                                           " reachable_known FROM designs JOIN point_sets"
                                           " ON point_sets.id = point_set"
                                           " ORDER BY name, cores, point_sets.hash, designs.hash",
                                           problem);
    if (list == NULL)
        return cam_store_problem(store, problem);
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        const int64_t set = sqlite3_column_int64(list, 3);
        if (p.set != set)
            status = read_points(store, &p, set, problem);
        const cam_design_row row = {.hash = sure_text_at(list, 0),
                                    .name = sure_text_at(list, 1),
                                    .cores = (uint32_t)sqlite3_column_int64(list, 2),
                                    .reachable_known = sqlite3_column_int(list, 4) != 0,
                                    .points = p.list,
                                    .point_count = p.count};
        if (status == COL_OK)
            status = cam_store_row_status(store, problem);
        if (status == COL_OK)
            status = cam_store_row_status(store, problem);
        if (status == COL_OK)
            status = visit(context, &row, problem);
    }
    (void)sqlite3_finalize(list);
    base_arena_free(&p.arena);
    free(p.list);
    return status;
}

/* ---- How far a plan has got. */

col_status cam_store_status(cam_store *store, const char *plan, uint8_t *statuses, size_t count,
                            col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(
        store,
        "SELECT position, status = 'done' FROM plans JOIN grid ON grid.plan = plans.id"
        " JOIN trials USING (key) WHERE hash = ?1",
        problem);
    if (list == NULL)
        return cam_store_problem(store, problem);
    cam_store_bind_text(store, list, 1, plan);
    memset(statuses, CAM_OPEN, count);
    while (cam_store_next(store, list, &status, problem)) {
        const uint64_t position = (uint64_t)sqlite3_column_int64(list, 0);
        if (position < count)
            statuses[position] = sqlite3_column_int(list, 1) != 0 ? CAM_DONE : CAM_FAILED;
    }
    (void)sqlite3_finalize(list);
    return status;
}

static col_status count_rows(cam_store *store, const char *question, const char *plan,
                             uint64_t *count, col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *ask = cam_store_prepare(store, question, problem);
    if (ask == NULL)
        return cam_store_problem(store, problem);
    if (plan != NULL)
        cam_store_bind_text(store, ask, 1, plan);
    *count = 0;
    if (cam_store_next(store, ask, &status, problem))
        *count = (uint64_t)sqlite3_column_int64(ask, 0);
    (void)sqlite3_finalize(ask);
    return status;
}

col_status cam_store_count_results(cam_store *store, const char *plan, uint64_t *count,
                                   col_problem *problem) {
    return count_rows(store,
                      "SELECT count(*) FROM plans JOIN grid ON grid.plan = plans.id"
                      " JOIN trials USING (key) WHERE hash = ?1",
                      plan, count, problem);
}

col_status cam_store_count_outdated(cam_store *store, uint64_t *count, col_problem *problem) {
    return count_rows(store, "SELECT count(*) FROM trials WHERE key NOT IN (SELECT key FROM grid)",
                      NULL, count, problem);
}
