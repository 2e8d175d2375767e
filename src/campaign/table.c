/* SPDX-License-Identifier: MIT */
/*
 * A store as tables, column by column: see include/collider/store.h. Rows come from the same visits
 * that reports are made from, so that what a notebook sees is what a report says, and the guards of
 * store_guard.c apply to both.
 */
#include "base/arena.h"
#include "base/json.h"
#include "base/memory.h"
#include "campaign/store.h"
#include "collider/store.h"

#include <stdlib.h>
#include <string.h>

struct col_store {
    cam_store *store;
};

col_status col_store_open(col_store **store, const char *path, col_problem *problem) {
    *store = calloc(1, sizeof **store);
    if (*store == NULL)
        return base_out_of_memory(problem);
    const col_status status = cam_store_open(&(*store)->store, path, problem);
    if (status != COL_OK) {
        free(*store);
        *store = NULL;
    }
    return status;
}

void col_store_close(col_store *store) {
    if (store == NULL)
        return;
    cam_store_close(store->store);
    free(store);
}

/* ---- A table that grows. */

/* A value; `is_there` is false for what is missing. */
typedef struct cell {
    bool is_there;
    uint64_t number;
    double real;
    const char *text;
} cell;

typedef struct column {
    uint64_t *numbers;
    double *reals;
    const char **texts;
    bool *is_there;
    size_t capacity, there_capacity;
} column;

enum { MOST_COLUMNS = 48 };

typedef struct builder {
    col_table table; /* what the caller sees; first, so that it is the builder */
    col_column shown[MOST_COLUMNS];
    column columns[MOST_COLUMNS];
    base_arena arena; /* of the texts */
} builder;

static cell number(uint64_t value) {
    return (cell){.is_there = true, .number = value};
}

static cell number_if(bool is_there, uint64_t value) {
    return (cell){.is_there = is_there, .number = is_there ? value : 0};
}

static cell real(double value) {
    return (cell){.is_there = true, .real = value};
}

static cell real_if(bool is_there, double value) {
    return (cell){.is_there = is_there, .real = is_there ? value : 0};
}

static cell text(const char *value) {
    return (cell){.is_there = value != NULL, .text = value};
}

static col_status put_cell(builder *b, uint32_t c, cell value, col_problem *problem) {
    column *to = &b->columns[c];
    const size_t row = b->table.row_count;
    col_status status =
        base_reserve(&to->is_there, &to->there_capacity, row + 1, sizeof *to->is_there, problem);
    if (status != COL_OK)
        return status;
    to->is_there[row] = value.is_there;
    switch (b->shown[c].type) {
    case COL_NUMBERS:
        status = base_reserve(&to->numbers, &to->capacity, row + 1, sizeof *to->numbers, problem);
        if (status == COL_OK)
            to->numbers[row] = value.number;
        return status;
    case COL_REALS:
        status = base_reserve(&to->reals, &to->capacity, row + 1, sizeof *to->reals, problem);
        if (status == COL_OK)
            to->reals[row] = value.real;
        return status;
    case COL_TEXTS:
        break;
    }
    status = base_reserve(&to->texts, &to->capacity, row + 1, sizeof *to->texts, problem);
    if (status != COL_OK)
        return status;
    to->texts[row] = NULL;
    if (value.text == NULL)
        return COL_OK;
    char *kept = base_arena_text(&b->arena, value.text, strlen(value.text));
    if (kept == NULL)
        return base_out_of_memory(problem);
    base_clean_utf8(kept);
    to->texts[row] = kept;
    return COL_OK;
}

static col_status put_row(builder *b, const cell *cells, col_problem *problem) {
    for (uint32_t c = 0; c < b->table.column_count; c++) {
        const col_status status = put_cell(b, c, cells[c], problem);
        if (status != COL_OK)
            return status;
    }
    b->table.row_count++;
    return COL_OK;
}

/* ---- Plans. */

#define PLAN_COLUMNS(X)                                                                            \
    X("hash", COL_TEXTS)                                                                           \
    X("name", COL_TEXTS)                                                                           \
    X("title", COL_TEXTS)                                                                          \
    X("scale", COL_TEXTS)                                                                          \
    X("trials", COL_NUMBERS)                                                                       \
    X("done", COL_NUMBERS)                                                                         \
    X("failed", COL_NUMBERS)                                                                       \
    X("text", COL_TEXTS)

static col_status put_plan(void *context, const cam_plan_row *p, col_problem *problem) {
    const cell cells[] = {text(p->hash),     text(p->name),   text(p->title),    text(p->scale),
                          number(p->trials), number(p->done), number(p->failed), text(p->text)};
    return put_row(context, cells, problem);
}

static col_status read_plans(cam_store *store, const char *plan, builder *b, col_problem *problem) {
    (void)plan;
    return cam_store_plans(store, put_plan, b, problem);
}

/* ---- Trials. */

#define TRIAL_COLUMNS(X)                                                                           \
    X("trial", COL_TEXTS)                                                                          \
    X("kind", COL_TEXTS)                                                                           \
    X("done", COL_NUMBERS)                                                                         \
    X("design", COL_TEXTS)                                                                         \
    X("cores", COL_NUMBERS)                                                                        \
    X("model", COL_TEXTS)                                                                          \
    X("seed", COL_NUMBERS)                                                                         \
    X("settings", COL_TEXTS)                                                                       \
    X("verdict", COL_TEXTS)                                                                        \
    X("ended_by", COL_TEXTS)                                                                       \
    X("tests", COL_NUMBERS)                                                                        \
    X("instances", COL_NUMBERS)                                                                    \
    X("operations", COL_NUMBERS)                                                                   \
    X("cycles", COL_NUMBERS)                                                                       \
    X("seconds", COL_REALS)                                                                        \
    X("structural_covered", COL_NUMBERS)                                                           \
    X("structural_total", COL_NUMBERS)                                                             \
    X("structural_reached", COL_NUMBERS)                                                           \
    X("structural_reachable", COL_NUMBERS)                                                         \
    X("functional_covered", COL_NUMBERS)                                                           \
    X("functional_total", COL_NUMBERS)                                                             \
    X("functional_reached", COL_NUMBERS)                                                           \
    X("functional_reachable", COL_NUMBERS)                                                         \
    X("failing_tests", COL_NUMBERS)                                                                \
    X("failing_cycles", COL_NUMBERS)                                                               \
    X("failing_seconds", COL_REALS)                                                                \
    X("failure_test", COL_NUMBERS)                                                                 \
    X("failure_instance", COL_NUMBERS)                                                             \
    X("failure_cycles", COL_NUMBERS)                                                               \
    X("failure_seconds", COL_REALS)                                                                \
    X("reason", COL_TEXTS)                                                                         \
    X("result", COL_TEXTS)                                                                         \
    X("design_hash", COL_TEXTS)                                                                    \
    X("version", COL_TEXTS)                                                                        \
    X("host", COL_TEXTS)                                                                           \
    X("started", COL_NUMBERS)

static void print_settings(const cam_row *row, base_text *settings) {
    json_t *object = json_object();
    for (uint32_t i = 0; i < row->pair_count; i++)
        base_json_set(&object, row->pairs[i].name, base_json_text(row->pairs[i].value));
    base_json_print(object, JSON_COMPACT, settings);
    json_decref(object);
}

static col_status put_trial(void *context, const cam_row *r, col_problem *problem) {
    base_text settings = {0};
    const bool is_done = r->is_done, failed = is_done && r->failure_test > 0;
    const bool runs = is_done && r->kind == CAM_EPISODE;
    const cam_extent *structural = &r->coverage[COL_STRUCTURAL],
                     *functional = &r->coverage[COL_FUNCTIONAL];
    print_settings(r, &settings);
    col_status status = base_text_status(&settings, problem);
    const cell cells[] = {text(r->key),
                          text(cam_kinds[r->kind]),
                          number(is_done),
                          text(r->design),
                          number_if(runs, r->cores),
                          text(r->model),
                          number(r->seed),
                          text(settings.data),
                          text(r->verdict),
                          text(r->ended_by),
                          number_if(runs, r->tests),
                          number_if(runs, r->instances),
                          number_if(runs, r->operations),
                          number_if(runs, r->cycles),
                          real_if(is_done, r->seconds),
                          number_if(runs, structural->covered),
                          number_if(runs, structural->total),
                          number_if(runs && structural->reachable_known, structural->reached),
                          number_if(runs && structural->reachable_known, structural->reachable),
                          number_if(runs, functional->covered),
                          number_if(runs, functional->total),
                          number_if(runs && functional->reachable_known, functional->reached),
                          number_if(runs && functional->reachable_known, functional->reachable),
                          number_if(runs, r->failing_tests),
                          number_if(runs, r->failing_cycles),
                          real_if(runs, r->failing_seconds),
                          number_if(failed, r->failure_test),
                          number_if(failed, r->failure_instance),
                          number_if(failed, r->failure_cycles),
                          real_if(failed, r->failure_seconds),
                          text(r->reason),
                          text(r->result),
                          text(r->provenance.design_hash),
                          text(r->provenance.version),
                          text(r->provenance.host),
                          number((uint64_t)r->provenance.started)};
    if (status == COL_OK)
        status = put_row(context, cells, problem);
    base_text_free(&settings);
    return status;
}

static col_status read_trials(cam_store *store, const char *plan, builder *b,
                              col_problem *problem) {
    return cam_store_each(store, plan, 0, put_trial, b, problem);
}

/* ---- Coverage: points, curves, hits. */

#define POINT_COLUMNS(X)                                                                           \
    X("design_hash", COL_TEXTS)                                                                    \
    X("design", COL_TEXTS)                                                                         \
    X("cores", COL_NUMBERS)                                                                        \
    X("point", COL_NUMBERS)                                                                        \
    X("machine", COL_TEXTS)                                                                        \
    X("state", COL_TEXTS)                                                                          \
    X("event", COL_TEXTS)                                                                          \
    X("reachable", COL_NUMBERS)

static col_status put_points(void *context, const cam_design_row *d, col_problem *problem) {
    col_status status = COL_OK;
    for (size_t i = 0; i < d->point_count && status == COL_OK; i++) {
        const cam_point *p = &d->points[i];
        const cell cells[] = {text(d->hash),    text(d->name),
                              number(d->cores), number(i),
                              text(p->machine), text(p->state),
                              text(p->event),   number_if(d->reachable_known, p->is_reachable)};
        status = put_row(context, cells, problem);
    }
    return status;
}

static col_status read_points(cam_store *store, const char *plan, builder *b,
                              col_problem *problem) {
    (void)plan;
    return cam_store_designs(store, put_points, b, problem);
}

#define CURVE_COLUMNS(X)                                                                           \
    X("trial", COL_TEXTS)                                                                          \
    X("seconds", COL_REALS)                                                                        \
    X("tests", COL_NUMBERS)                                                                        \
    X("operations", COL_NUMBERS)                                                                   \
    X("cycles", COL_NUMBERS)                                                                       \
    X("structural", COL_NUMBERS)                                                                   \
    X("functional", COL_NUMBERS)

static col_status put_curve(void *context, const cam_row *r, col_problem *problem) {
    col_status status = COL_OK;
    for (size_t i = 0; i < r->curve_count && status == COL_OK; i++) {
        const col_curve_point *p = &r->curve[i];
        const cell cells[] = {text(r->key),          real(p->seconds),  number(p->tests),
                              number(p->operations), number(p->cycles), number(p->structural),
                              number(p->functional)};
        status = put_row(context, cells, problem);
    }
    return status;
}

static col_status read_curves(cam_store *store, const char *plan, builder *b,
                              col_problem *problem) {
    return cam_store_each(store, plan, CAM_CURVES, put_curve, b, problem);
}

#define HIT_COLUMNS(X)                                                                             \
    X("trial", COL_TEXTS)                                                                          \
    X("design_hash", COL_TEXTS)                                                                    \
    X("point", COL_NUMBERS)                                                                        \
    X("hits", COL_NUMBERS)                                                                         \
    X("first_test", COL_NUMBERS)

static col_status put_hits(void *context, const cam_row *r, col_problem *problem) {
    col_status status = COL_OK;
    for (size_t i = 0; i < r->point_count && status == COL_OK; i++) {
        const cell cells[] = {text(r->key), text(r->provenance.design_hash), number(i),
                              number(r->hits[i]), number_if(r->first[i] > 0, r->first[i])};
        status = put_row(context, cells, problem);
    }
    return status;
}

static col_status read_hits(cam_store *store, const char *plan, builder *b, col_problem *problem) {
    return cam_store_each(store, plan, CAM_HITS, put_hits, b, problem);
}

/* ---- Failures. */

#define FAILURE_COLUMNS(X)                                                                         \
    X("failure", COL_TEXTS)                                                                        \
    X("trial", COL_TEXTS)                                                                          \
    X("design", COL_TEXTS)                                                                         \
    X("engine", COL_TEXTS)                                                                         \
    X("error", COL_TEXTS)                                                                          \
    X("mutant", COL_NUMBERS)                                                                       \
    X("verdict", COL_TEXTS)                                                                        \
    X("reason", COL_TEXTS)                                                                         \
    X("fingerprint", COL_TEXTS)                                                                    \
    X("count", COL_NUMBERS)                                                                        \
    X("test", COL_NUMBERS)                                                                         \
    X("instance", COL_NUMBERS)                                                                     \
    X("cycles", COL_NUMBERS)                                                                       \
    X("seconds", COL_REALS)                                                                        \
    X("size", COL_NUMBERS)                                                                         \
    X("shrunk_threads", COL_NUMBERS)                                                               \
    X("shrunk_operations", COL_NUMBERS)                                                            \
    X("shrunk_locations", COL_NUMBERS)                                                             \
    X("program", COL_TEXTS)                                                                        \
    X("shrunk", COL_TEXTS)                                                                         \
    X("story", COL_TEXTS)                                                                          \
    X("litmus", COL_TEXTS)

static col_status put_failure(void *context, const cam_failure_row *f, col_problem *problem) {
    char name[CAM_FAILURE_NAME];
    const bool shrunk = f->shrunk != NULL;
    cam_failure_name(f, name);
    const cell cells[] = {text(f->number == 0 ? NULL : name),
                          text(f->key),
                          text(f->design),
                          text(f->engine),
                          text(f->error),
                          number_if(f->mutant > 0, f->mutant),
                          text(f->verdict),
                          text(f->reason),
                          text(f->fingerprint),
                          number(f->count),
                          number(f->test),
                          number(f->instance),
                          number(f->cycles),
                          real(f->seconds),
                          number_if(f->size > 0, f->size),
                          number_if(shrunk, f->threads),
                          number_if(shrunk, f->operations),
                          number_if(shrunk, f->locations),
                          text(f->program),
                          text(f->shrunk),
                          text(f->story),
                          text(f->litmus)};
    return put_row(context, cells, problem);
}

static col_status read_failures(cam_store *store, const char *plan, builder *b,
                                col_problem *problem) {
    return cam_store_failures(store, plan, put_failure, b, problem);
}

/* ---- All of them: a table is a row here. */

typedef struct column_kind {
    const char *name;
    col_column_type type;
} column_kind;

#define COLUMN(name, type) {name, type},
#define TABLES(X)                                                                                  \
    X("plans", PLAN_COLUMNS, read_plans)                                                           \
    X("trials", TRIAL_COLUMNS, read_trials)                                                        \
    X("points", POINT_COLUMNS, read_points)                                                        \
    X("curves", CURVE_COLUMNS, read_curves)                                                        \
    X("hits", HIT_COLUMNS, read_hits)                                                              \
    X("failures", FAILURE_COLUMNS, read_failures)

static const struct kind {
    const char *name;
    column_kind columns[MOST_COLUMNS]; /* ended by one without a name */
    col_status (*read)(cam_store *store, const char *plan, builder *b, col_problem *problem);
} kinds[] = {
#define KIND(name, columns, read) {name, {columns(COLUMN){NULL, COL_NUMBERS}}, read},
    TABLES(KIND)
#undef KIND
};

const char *const col_store_tables[] = {
#define NAME(name, columns, read) name,
    TABLES(NAME)
#undef NAME
        NULL};

static const struct kind *find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static void show(builder *b) {
    for (uint32_t c = 0; c < b->table.column_count; c++) {
        b->shown[c].numbers = b->columns[c].numbers;
        b->shown[c].reals = b->columns[c].reals;
        b->shown[c].texts = b->columns[c].texts;
        b->shown[c].is_there = b->columns[c].is_there;
    }
}

col_status col_store_read(col_store *store, const char *name, const char *plan, col_table **table,
                          col_problem *problem) {
    const struct kind *kind = find(name);
    *table = NULL;
    if (kind == NULL)
        return base_refuse(problem,
                           "a store has no table '%.60s'; there are plans, trials, points, curves, "
                           "hits and failures",
                           name);
    builder *b = calloc(1, sizeof *b);
    if (b == NULL)
        return base_out_of_memory(problem);
    for (; kind->columns[b->table.column_count].name != NULL; b->table.column_count++)
        b->shown[b->table.column_count] =
            (col_column){.name = kind->columns[b->table.column_count].name,
                         .type = kind->columns[b->table.column_count].type};
    b->table.columns = b->shown;
    col_status status = kind->read(store->store, plan, b, problem);
    status = cam_store_settle(store->store, status, problem);
    if (status != COL_OK) {
        col_table_free(&b->table);
        return status;
    }
    show(b);
    *table = &b->table;
    return COL_OK;
}

void col_table_free(col_table *table) {
    builder *b = (builder *)table;
    if (b == NULL)
        return;
    for (uint32_t c = 0; c < b->table.column_count; c++) {
        free(b->columns[c].numbers);
        free(b->columns[c].reals);
        free(b->columns[c].texts);
        free(b->columns[c].is_there);
    }
    base_arena_free(&b->arena);
    free(b);
}
