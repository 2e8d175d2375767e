/* SPDX-License-Identifier: MIT */
/* Reading the results of trials from the store. A visit has its own memory, so that visits may be
 * made within visits. */
#include "base/json.h"
#include "base/memory.h"
#include "campaign/store_parts.h"

#include <stdlib.h>
#include <string.h>

/* The columns of a row, in the order in which they are asked for. */
#define TRIAL_COLUMNS                                                                              \
    "trials.key, kind, status, reason, pairs, seed, trials.version, host, trials.design_hash,"     \
    " started, seconds, design, model, verdict, ended_by, cores, tests, instances, operations,"    \
    " cycles, structural_covered, structural_total, structural_reached, structural_reachable,"     \
    " functional_covered, functional_total, functional_reached, functional_reachable,"             \
    " failing_tests, failing_cycles, failing_seconds, failure_test, failure_instance,"             \
    " failure_cycles, failure_seconds, result, "
enum { ARRAY_COLUMNS = 37 };

typedef struct visit {
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
} visit;

/* ---- Columns. */

static const char *text_at(const visit *v, int column) {
    return (const char *)sqlite3_column_text(v->statement, column);
}

static uint64_t number_at(const visit *v, int column) {
    return (uint64_t)sqlite3_column_int64(v->statement, column);
}

static uint32_t small_at(const visit *v, int column) {
    return (uint32_t)sqlite3_column_int64(v->statement, column);
}

static double real_at(const visit *v, int column) {
    return sqlite3_column_double(v->statement, column);
}

static cam_extent extent_at(const visit *v, int column) {
    return (cam_extent){.covered = small_at(v, column),
                        .total = small_at(v, column + 1),
                        .reachable_known =
                            sqlite3_column_type(v->statement, column + 3) != SQLITE_NULL,
                        .reached = small_at(v, column + 2),
                        .reachable = small_at(v, column + 3)};
}

static col_status read_pairs(visit *v, const char *text, col_problem *problem) {
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
    v->row.pair_count = 0;
    json_object_foreach(v->object, name, value) {
        const char *said = json_string_value(value);
        v->pairs[v->row.pair_count++] = (cam_pair){.name = name, .value = said == NULL ? "" : said};
    }
    v->row.pairs = v->pairs;
    return COL_OK;
}

static cam_kind kind_of(const char *word) {
    cam_kind kind = CAM_EPISODE;
    while (kind + 1 < CAM_KIND_COUNT && strcmp(cam_kinds[kind], word) != 0)
        kind++;
    return kind;
}

static col_status read_identity(visit *v, col_problem *problem) {
    const char *kind = text_at(v, 1), *state = text_at(v, 2);
    v->row = (cam_row){.key = text_at(v, 0),
                       .kind = kind == NULL ? CAM_EPISODE : kind_of(kind),
                       .is_done = state != NULL && strcmp(state, "done") == 0,
                       .reason = text_at(v, 3),
                       .seed = number_at(v, 5),
                       .provenance = {.version = text_at(v, 6),
                                      .host = text_at(v, 7),
                                      .design_hash = text_at(v, 8),
                                      .started = sqlite3_column_int64(v->statement, 9)}};
    const cam_provenance *p = &v->row.provenance;
    if (v->row.key == NULL || kind == NULL || state == NULL || p->version == NULL ||
        p->host == NULL)
        return base_refuse(problem,
                           "the store %.300s is damaged: a trial without its key, kind or status",
                           v->path);
    return read_pairs(v, text_at(v, 4), problem);
}

static void read_numbers(visit *v) {
    cam_row *row = &v->row;
    row->seconds = real_at(v, 10);
    row->design = text_at(v, 11);
    row->model = text_at(v, 12);
    row->verdict = text_at(v, 13);
    row->ended_by = text_at(v, 14);
    row->cores = small_at(v, 15);
    row->tests = number_at(v, 16);
    row->instances = number_at(v, 17);
    row->operations = number_at(v, 18);
    row->cycles = number_at(v, 19);
    row->coverage[COL_STRUCTURAL] = extent_at(v, 20);
    row->coverage[COL_FUNCTIONAL] = extent_at(v, 24);
    row->failing_tests = number_at(v, 28);
    row->failing_cycles = number_at(v, 29);
    row->failing_seconds = real_at(v, 30);
    row->failure_test = number_at(v, 31);
    row->failure_instance = small_at(v, 32);
    row->failure_cycles = number_at(v, 33);
    row->failure_seconds = real_at(v, 34);
    row->result = text_at(v, 35);
    row->undecided = number_at(v, 36);
}

/* ---- Arrays. */

static cam_store_bytes bytes_at(const visit *v, int column) {
    const unsigned char *bytes = sqlite3_column_blob(v->statement, column);
    if (bytes == NULL)
        return (cam_store_bytes){NULL, NULL};
    return (cam_store_bytes){bytes, bytes + sqlite3_column_bytes(v->statement, column)};
}

static col_status read_curve(visit *v, int column, col_problem *problem) {
    cam_store_bytes bytes = bytes_at(v, column);
    col_curve_point point = {0};
    uint64_t microseconds = 0;
    while (cam_store_unpack_point(&bytes, &point, &microseconds)) {
        const col_status status = base_reserve(&v->curve, &v->curve_capacity,
                                               v->row.curve_count + 1, sizeof *v->curve, problem);
        if (status != COL_OK)
            return status;
        v->curve[v->row.curve_count++] = point;
    }
    v->row.curve = v->curve;
    return COL_OK;
}

/* As it is, but that its points are counted. */
static void read_packed(visit *v, int column) {
    cam_store_bytes bytes = bytes_at(v, column);
    col_curve_point point = {0};
    uint64_t microseconds = 0;
    v->row.packed = bytes.at;
    v->row.packed_size = (size_t)(bytes.end - bytes.at);
    while (cam_store_unpack_point(&bytes, &point, &microseconds))
        v->row.curve_count++;
}

static col_status read_hits(visit *v, int column, col_problem *problem) {
    cam_store_bytes hits = bytes_at(v, column), first = bytes_at(v, column + 1);
    uint64_t number, test;
    while (cam_store_unpack(&hits, &number)) {
        const size_t count = v->row.point_count + 1;
        col_status status =
            base_reserve(&v->hits, &v->hit_capacity, count, sizeof *v->hits, problem);
        if (status == COL_OK)
            status = base_reserve(&v->first, &v->first_capacity, count, sizeof *v->first, problem);
        if (status != COL_OK)
            return status;
        (void)cam_store_unpack(&first, &test);
        v->hits[v->row.point_count] = number;
        v->first[v->row.point_count++] = (uint32_t)test;
    }
    v->row.hits = v->hits;
    v->row.first = v->first;
    return COL_OK;
}

static col_status read_row(visit *v, col_problem *problem) {
    int column = ARRAY_COLUMNS;
    col_status status = read_identity(v, problem);
    if (status != COL_OK || !v->row.is_done)
        return status;
    read_numbers(v);
    if ((v->parts & CAM_PACKED) != 0)
        read_packed(v, column++);
    else if ((v->parts & CAM_CURVES) != 0)
        status = read_curve(v, column++, problem);
    if (status == COL_OK && (v->parts & CAM_HITS) != 0) {
        status = read_hits(v, column, problem);
        column += 2;
    }
    if (status == COL_OK && (v->parts & CAM_LEARNING) != 0)
        v->row.learning = text_at(v, column);
    return status;
}

/* ---- The visit. */

static void write_question(const cam_store *store, const char *plan, unsigned parts,
                           base_text *text) {
    const bool has_curves = (parts & (CAM_CURVES | CAM_PACKED)) != 0;
    base_text_add(text, "SELECT " TRIAL_COLUMNS);
    base_text_add(text, store->version < 3 ? "NULL" : "undecided");
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

static sqlite3_stmt *ask(cam_store *store, const char *plan, unsigned parts, col_status *status,
                         col_problem *problem) {
    base_text text = {0};
    sqlite3_stmt *statement = NULL;
    write_question(store, plan, parts, &text);
    *status = base_text_status(&text, problem);
    if (*status == COL_OK)
        statement = cam_store_prepare(store, text.data, problem);
    if (*status == COL_OK && statement == NULL)
        *status = cam_store_problem(store, problem);
    if (statement != NULL && plan != NULL)
        cam_store_bind_text(store, statement, 1, plan);
    base_text_free(&text);
    return statement;
}

col_status cam_store_each(cam_store *store, const char *plan, unsigned parts, cam_visit take,
                          void *context, col_problem *problem) {
    visit v = {.path = store->path, .parts = parts};
    col_status status = COL_OK;
    v.statement = ask(store, plan, parts, &status, problem);
    if (v.statement == NULL)
        return status;
    while (status == COL_OK && cam_store_next(store, v.statement, &status, problem)) {
        status = read_row(&v, problem);
        if (status == COL_OK)
            status = cam_store_row_status(store, problem);
        if (status == COL_OK)
            status = take(context, &v.row, problem);
    }
    (void)sqlite3_finalize(v.statement);
    json_decref(v.object);
    free(v.pairs);
    free(v.curve);
    free(v.hits);
    free(v.first);
    return status;
}
