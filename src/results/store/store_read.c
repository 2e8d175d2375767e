/* SPDX-License-Identifier: MIT */
/* Reading the results of trials from the store. A visit has its own memory, so that visits may be
 * made within visits. */
#include "base/json.h"
#include "base/memory.h"
#include "results/store/store_parts.h"
#include "results/store/store_schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays as blobs: see store_parts.h. Differences are of 64 bits and wrap, so that any curve comes
 * back as it was, to the microsecond; those that rise, as all do, are short. */

void cam_store_pack(base_text *bytes, uint64_t number) {
    char part[10];
    size_t length = 0;
    do {
        const unsigned more = number > 0x7f ? 0x80 : 0;
        part[length++] = (char)((number & 0x7f) | more);
        number >>= 7;
    } while (number > 0);
    base_text_add_bytes(bytes, part, length);
}

static bool unpack(cam_store_bytes *bytes, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; bytes->at < bytes->end && shift < 64; shift += 7) {
        const unsigned char byte = *bytes->at++;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

void cam_store_pack_curve(const col_curve_point *curve, size_t count, base_text *bytes) {
    col_curve_point last = {0};
    uint64_t last_time = 0;
    for (size_t i = 0; i < count; i++) {
        const double seconds = curve[i].seconds;
        const uint64_t now = seconds > 0 && seconds < 1e12 ? (uint64_t)llround(seconds * 1e6) : 0;
        cam_store_pack(bytes, now - last_time);
        cam_store_pack(bytes, curve[i].tests - last.tests);
        cam_store_pack(bytes, curve[i].operations - last.operations);
        cam_store_pack(bytes, curve[i].cycles - last.cycles);
        cam_store_pack(bytes, (uint64_t)curve[i].structural - last.structural);
        cam_store_pack(bytes, (uint64_t)curve[i].functional - last.functional);
        last = curve[i];
        last_time = now;
    }
}

bool cam_store_unpack_point(cam_store_bytes *bytes, col_curve_point *point,
                            uint64_t *microseconds) {
    uint64_t part[6];
    for (int i = 0; i < 6; i++)
        if (!unpack(bytes, &part[i]))
            return false;
    *microseconds += part[0];
    point->seconds = (double)*microseconds * 1e-6;
    point->tests += part[1];
    point->operations += part[2];
    point->cycles += part[3];
    point->structural += (uint32_t)part[4];
    point->functional += (uint32_t)part[5];
    return true;
}

typedef struct trial_visit {
    const char *path; /* of the store */
    sqlite3_stmt *statement;
    unsigned parts;
    cam_row row;
    json_t *object; /* whose texts the pairs are */
    cam_pair *pairs;
    size_t pair_capacity;
    col_curve_point *curve;
    size_t curve_capacity;
    uint64_t *hits;
    size_t hit_capacity;
    uint32_t *first;
    size_t first_capacity;
} trial_visit;

static col_status read_pairs(trial_visit *v, const char *text, col_problem *problem) {
    const char *name;
    json_t *value;
    json_decref(v->object);
    v->object = NULL;
    col_status status = text == NULL ? COL_OK : base_json_parse_stored(text, &v->object, problem);
    if (status != COL_OK)
        return status;
    if (!json_is_object(v->object))
        return base_refuse(problem, "the store %.300s is damaged: the settings of trial %.40s",
                           v->path, v->row.key);
    status = base_reserve(&v->pairs, &v->pair_capacity, json_object_size(v->object),
                          sizeof *v->pairs, problem);
    if (status != COL_OK)
        return status;
    json_object_foreach(v->object, name, value) {
        const char *said = json_string_value(value);
        v->pairs[v->row.pair_count++] = (cam_pair){.name = name, .value = said == NULL ? "" : said};
    }
    v->row.pairs = v->pairs;
    return COL_OK;
}

/* ---- Arrays. */

static cam_store_bytes bytes_at(const trial_visit *v, int column) {
    const unsigned char *bytes = sqlite3_column_blob(v->statement, column);
    if (bytes == NULL)
        return (cam_store_bytes){NULL, NULL};
    return (cam_store_bytes){bytes, bytes + sqlite3_column_bytes(v->statement, column)};
}

static col_status read_curve(trial_visit *v, int column, col_problem *problem) {
    cam_store_bytes bytes = bytes_at(v, column);
    col_curve_point point = {0};
    uint64_t microseconds = 0;
    while (cam_store_unpack_point(&bytes, &point, &microseconds)) {
        BASE_TRY(base_reserve(&v->curve, &v->curve_capacity, v->row.curve_count + 1,
                              sizeof *v->curve, problem));
        v->curve[v->row.curve_count++] = point;
    }
    v->row.curve = v->curve;
    return COL_OK;
}

/* As it is, but that its points are counted. */
static void read_packed(trial_visit *v, int column) {
    cam_store_bytes bytes = bytes_at(v, column);
    col_curve_point point = {0};
    uint64_t microseconds = 0;
    v->row.packed = bytes.at;
    v->row.packed_size = (size_t)(bytes.end - bytes.at);
    while (cam_store_unpack_point(&bytes, &point, &microseconds))
        v->row.curve_count++;
}

static col_status read_hits(trial_visit *v, int column, col_problem *problem) {
    cam_store_bytes hits = bytes_at(v, column), first = bytes_at(v, column + 1);
    uint64_t number, test;
    while (unpack(&hits, &number)) {
        const size_t count = v->row.point_count + 1;
        col_status status =
            base_reserve(&v->hits, &v->hit_capacity, count, sizeof *v->hits, problem);
        BASE_THEN(status,
                  base_reserve(&v->first, &v->first_capacity, count, sizeof *v->first, problem));
        if (status != COL_OK)
            return status;
        (void)unpack(&first, &test);
        v->hits[v->row.point_count] = number;
        v->first[v->row.point_count++] = (uint32_t)test;
    }
    v->row.hits = v->hits;
    v->row.first = v->first;
    return COL_OK;
}

static col_status read_row(trial_visit *v, col_problem *problem) {
    int column = 0;
    const char *settings = NULL;
    v->row = (cam_row){0};
    if (!cam_columns_read(&cam_trial_columns, v->statement, &column, &v->row, &settings))
        return base_refuse(problem,
                           "the store %.300s is damaged: a trial without its key, kind or status",
                           v->path);
    col_status status = read_pairs(v, settings, problem);
    if (status != COL_OK || !v->row.is_done)
        return status;
    if ((v->parts & CAM_PACKED) != 0)
        read_packed(v, column++);
    else if ((v->parts & CAM_CURVES) != 0)
        status = read_curve(v, column++, problem);
    if (status == COL_OK && (v->parts & CAM_HITS) != 0) {
        status = read_hits(v, column, problem);
        column += 2;
    }
    if (status == COL_OK && (v->parts & CAM_LEARNING) != 0)
        v->row.learning = (const char *)sqlite3_column_text(v->statement, column);
    return status;
}

/* ---- The visit. */

static void write_question(const char *plan, unsigned parts, base_text *text) {
    const bool has_curves = (parts & (CAM_CURVES | CAM_PACKED)) != 0;
    base_text_add(text, "SELECT ");
    cam_columns_select(&cam_trial_columns, "trials", false, text);
    if (has_curves)
        base_text_add(text, ", curve");
    if ((parts & CAM_HITS) != 0)
        base_text_add(text, ", hits, first");
    if ((parts & CAM_LEARNING) != 0)
        base_text_add(text, ", log");
    /* CROSS: the order of the grid is the order of the answer, whatever the planner thinks. */
    base_text_add(text, plan == NULL ? " FROM trials"
                                     : " FROM plans CROSS JOIN grid ON grid.plan = plans.id"
                                       " CROSS JOIN trials ON trials.key = grid.key");
    if (has_curves)
        base_text_add(text, " LEFT JOIN curves ON curves.trial = trials.id");
    if ((parts & CAM_HITS) != 0)
        base_text_add(text, " LEFT JOIN hits ON hits.trial = trials.id");
    if ((parts & CAM_LEARNING) != 0)
        base_text_add(text, " LEFT JOIN learning ON learning.trial = trials.id");
    base_text_add(text, plan == NULL ? " ORDER BY trials.key"
                                     : " WHERE plans.hash = ?1 ORDER BY grid.position");
}

col_status cam_store_each(cam_store *store, const char *plan, unsigned parts, cam_visit take,
                          void *context, col_problem *problem) {
    base_text question = {0};
    trial_visit v = {.path = store->path, .parts = parts};
    write_question(plan, parts, &question);
    col_status status = base_text_status(&question, problem);
    if (status == COL_OK)
        v.statement = cam_store_ask(store, question.data, plan == NULL ? "" : "t", plan);
    while (status == COL_OK && cam_store_next(store, v.statement, &status, problem)) {
        status = read_row(&v, problem);
        BASE_THEN(status, cam_store_row_status(store, problem));
        BASE_THEN(status, take(context, &v.row, problem));
    }
    (void)sqlite3_finalize(v.statement);
    base_text_free(&question);
    json_decref(v.object);
    free(v.pairs);
    free(v.curve);
    free(v.hits);
    free(v.first);
    return status;
}

/* Reading the shorter tables of the store: plans, designs with their points, and how far a plan has
 * got. */

/* Of a column that is never empty, unless the store is damaged. */
const char *cam_store_text_at(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text == NULL ? "" : text;
}

col_status cam_store_plans(cam_store *store, cam_visit_plan visit, void *context,
                           col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(
        store,
        "SELECT hash, name, title, plans.scale, text, max(plans.trials, 0), done, failed FROM plans"
        " JOIN (SELECT grid.plan AS id, sum(status = 'done') AS done,"
        " sum(status = 'failed') AS failed FROM grid LEFT JOIN trials USING (key) GROUP BY 1)"
        " USING (id) ORDER BY name, plans.scale, hash");
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        const cam_plan_row row = {.hash = cam_store_text_at(list, 0),
                                  .name = cam_store_text_at(list, 1),
                                  .title = cam_store_text_at(list, 2),
                                  .scale = cam_store_text_at(list, 3),
                                  .text = cam_store_text_at(list, 4),
                                  .trials = (uint64_t)sqlite3_column_int64(list, 5),
                                  .done = (uint64_t)sqlite3_column_int64(list, 6),
                                  .failed = (uint64_t)sqlite3_column_int64(list, 7)};
        status = cam_store_row_status(store, problem);
        BASE_THEN(status, visit(context, &row, problem));
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
    const char *text = cam_store_text_at(statement, column);
    return base_arena_text(&p->arena, text, strlen(text));
}

static col_status add_point(points *p, sqlite3_stmt *list, col_problem *problem) {
    BASE_TRY(base_reserve(&p->list, &p->capacity, p->count + 1, sizeof *p->list, problem));
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
    sqlite3_stmt *list = cam_store_ask(store,
                                       "SELECT machine, state, event, reachable FROM points"
                                       " WHERE point_set = ?1 ORDER BY number",
                                       "i", set);
    base_arena_free(&p->arena);
    p->count = 0;
    p->set = set;
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        status = add_point(p, list, problem);
        BASE_THEN(status, cam_store_row_status(store, problem));
    }
    (void)sqlite3_finalize(list);
    return status;
}

col_status cam_store_designs(cam_store *store, cam_visit_design visit, void *context,
                             col_problem *problem) {
    points p = {0};
    col_status status = COL_OK;
    sqlite3_stmt *list =
        cam_store_prepare(store, "SELECT designs.hash, name, cores, point_set,"
                                 " reachable_known FROM designs JOIN point_sets"
                                 " ON point_sets.id = point_set"
                                 " ORDER BY name, cores, point_sets.hash, designs.hash");
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        const int64_t set = sqlite3_column_int64(list, 3);
        if (p.set != set)
            status = read_points(store, &p, set, problem);
        const cam_design_row row = {.hash = cam_store_text_at(list, 0),
                                    .name = cam_store_text_at(list, 1),
                                    .cores = (uint32_t)sqlite3_column_int64(list, 2),
                                    .reachable_known = sqlite3_column_int(list, 4) != 0,
                                    .points = p.list,
                                    .point_count = p.count};
        BASE_THEN(status, cam_store_row_status(store, problem));
        BASE_THEN(status, visit(context, &row, problem));
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
    sqlite3_stmt *list = cam_store_ask(
        store,
        "SELECT position, status = 'done' FROM plans JOIN grid ON grid.plan = plans.id"
        " JOIN trials USING (key) WHERE hash = ?1",
        "t", plan);
    memset(statuses, CAM_OPEN, count);
    while (cam_store_next(store, list, &status, problem)) {
        const uint64_t position = (uint64_t)sqlite3_column_int64(list, 0);
        if (position < count)
            statuses[position] = sqlite3_column_int(list, 1) != 0 ? CAM_DONE : CAM_FAILED;
    }
    (void)sqlite3_finalize(list);
    return status;
}

col_status cam_store_count_results(cam_store *store, const char *plan, uint64_t *count,
                                   col_problem *problem) {
    int64_t number = 0;
    const col_status status = cam_store_tell(store, &number, problem,
                                             "SELECT count(*) FROM plans JOIN grid"
                                             " ON grid.plan = plans.id JOIN trials USING (key)"
                                             " WHERE hash = ?1",
                                             "t", plan);
    *count = (uint64_t)number;
    return status;
}

col_status cam_store_count_outdated(cam_store *store, uint64_t *count, col_problem *problem) {
    int64_t number = 0;
    const col_status status =
        cam_store_tell(store, &number, problem,
                       "SELECT count(*) FROM trials WHERE key NOT IN (SELECT key FROM grid)", "");
    *count = (uint64_t)number;
    return status;
}
