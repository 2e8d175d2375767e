/* SPDX-License-Identifier: MIT */
/*
 * A store as tables, column by column: see include/collider/store.h. Rows come from the same visits
 * that reports are made from, so that what a notebook sees is what a report says, and the guards of
 * store_guard.c apply to both.
 */
#include "base/memory.h"
#include "collider/store.h"
#include "results/store/store_schema.h"

#include <stdlib.h>
#include <string.h>

/* To those who embed the library a store is of another type, and no more. */
col_status col_store_open(col_store **store, const char *path, col_problem *problem) {
    cam_store *opened = NULL;
    const col_status status = cam_store_open(&opened, path, problem);
    *store = (col_store *)opened;
    return status;
}

void col_store_close(col_store *store) {
    cam_store_close((cam_store *)store);
}

/* ---- A table that grows. */

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

static cam_value number(uint64_t value) {
    return (cam_value){.is_there = true, .number = value};
}

static cam_value number_if(bool is_there, uint64_t value) {
    return (cam_value){.is_there = is_there, .number = is_there ? value : 0};
}

static cam_value text(const char *value) {
    return (cam_value){.is_there = value != NULL, .text = value};
}

static col_status put_cell(builder *b, uint32_t c, cam_value value, col_problem *problem) {
    column *to = &b->columns[c];
    const col_column_type type = b->shown[c].type;
    const size_t row = b->table.row_count;
    void *const arrays[] = {
        [COL_NUMBERS] = &to->numbers, [COL_REALS] = &to->reals, [COL_TEXTS] = &to->texts};
    static const size_t sizes[] = {[COL_NUMBERS] = sizeof *to->numbers,
                                   [COL_REALS] = sizeof *to->reals,
                                   [COL_TEXTS] = sizeof *to->texts};
    col_status status =
        base_reserve(&to->is_there, &to->there_capacity, row + 1, sizeof *to->is_there, problem);
    BASE_THEN(status, base_reserve(arrays[type], &to->capacity, row + 1, sizes[type], problem));
    if (status != COL_OK)
        return status;
    to->is_there[row] = value.is_there;
    if (type == COL_NUMBERS) {
        to->numbers[row] = value.number;
    } else if (type == COL_REALS) {
        to->reals[row] = value.real;
    } else {
        char *kept =
            value.text == NULL ? NULL : base_arena_text(&b->arena, value.text, strlen(value.text));
        to->texts[row] = kept;
        if (kept != NULL)
            base_clean_utf8(kept);
        else if (value.text != NULL)
            return base_out_of_memory(problem);
    }
    return COL_OK;
}

static col_status put_row(builder *b, const cam_value *cells, col_problem *problem) {
    for (uint32_t c = 0; c < b->table.column_count; c++) {
        BASE_TRY(put_cell(b, c, cells[c], problem));
    }
    b->table.row_count++;
    return COL_OK;
}

typedef struct column_kind {
    const char *name;
    col_column_type type;
} column_kind;

static const column_kind plan_columns[] = {
    {"hash", COL_TEXTS},     {"name", COL_TEXTS},     {"title", COL_TEXTS},
    {"scale", COL_TEXTS},    {"trials", COL_NUMBERS}, {"done", COL_NUMBERS},
    {"failed", COL_NUMBERS}, {"text", COL_TEXTS},     {NULL, COL_TEXTS}};

static col_status put_plan(void *context, const cam_plan_row *p, col_problem *problem) {
    const cam_value cells[] = {text(p->hash),     text(p->name),     text(p->title),
                               text(p->scale),    number(p->trials), number(p->done),
                               number(p->failed), text(p->text)};
    return put_row(context, cells, problem);
}

/* ---- Trials and failures: the columns of store_schema.h that have a place here. */

static col_status put_trial(void *context, const cam_row *row, col_problem *problem) {
    cam_value cells[MOST_COLUMNS] = {{0}};
    base_text settings = {0};
    cam_settings_print(row, &settings);
    for (size_t i = 0; i < cam_trial_columns.count; i++) {
        const cam_column *c = &cam_trial_columns.list[i];
        if (c->place > 0)
            cells[c->place - 1] = c->kind == CAM_SETTINGS
                                      ? text(settings.data)
                                      : cam_column_value(&cam_trial_columns, c, row);
    }
    col_status status = base_text_status(&settings, problem);
    BASE_THEN(status, put_row(context, cells, problem));
    base_text_free(&settings);
    return status;
}

static col_status put_failure(void *context, const cam_failure_row *row, col_problem *problem) {
    char name[CAM_FAILURE_NAME];
    cam_value cells[MOST_COLUMNS] = {{0}};
    cam_failure_name(row, name);
    for (size_t i = 0; i < cam_failure_columns.count; i++) {
        const cam_column *c = &cam_failure_columns.list[i];
        if (c->place > 0)
            cells[c->place - 1] = c->kind == CAM_COMPUTED
                                      ? text(row->number == 0 ? NULL : name)
                                      : cam_column_value(&cam_failure_columns, c, row);
    }
    return put_row(context, cells, problem);
}

static void show_columns(builder *b, const cam_columns *columns) {
    for (size_t i = 0; i < columns->count; i++) {
        const cam_column *c = &columns->list[i];
        if (c->place == 0)
            continue;
        const bool is_number =
            c->kind == CAM_NUMBER || c->kind == CAM_SMALL || c->kind == CAM_STATUS_WORD;
        b->shown[c->place - 1] = (col_column){.name = c->shown == NULL ? c->name : c->shown,
                                              .type = is_number             ? COL_NUMBERS
                                                      : c->kind == CAM_REAL ? COL_REALS
                                                                            : COL_TEXTS};
        b->table.column_count++;
    }
}

/* ---- Coverage: points, curves, hits. */

static const column_kind point_columns[] = {
    {"design_hash", COL_TEXTS}, {"design", COL_TEXTS},      {"cores", COL_NUMBERS},
    {"point", COL_NUMBERS},     {"machine", COL_TEXTS},     {"state", COL_TEXTS},
    {"event", COL_TEXTS},       {"reachable", COL_NUMBERS}, {NULL, COL_TEXTS}};

static col_status put_points(void *context, const cam_design_row *d, col_problem *problem) {
    col_status status = COL_OK;
    for (size_t i = 0; i < d->point_count && status == COL_OK; i++) {
        const cam_point *p = &d->points[i];
        const cam_value cells[] = {
            text(d->hash),    text(d->name),
            number(d->cores), number(i),
            text(p->machine), text(p->state),
            text(p->event),   number_if(d->reachable_known, p->is_reachable)};
        status = put_row(context, cells, problem);
    }
    return status;
}

static const column_kind curve_columns[] = {
    {"trial", COL_TEXTS},        {"seconds", COL_REALS},  {"tests", COL_NUMBERS},
    {"operations", COL_NUMBERS}, {"cycles", COL_NUMBERS}, {"structural", COL_NUMBERS},
    {"functional", COL_NUMBERS}, {NULL, COL_TEXTS}};

static col_status put_curve(void *context, const cam_row *r, col_problem *problem) {
    col_status status = COL_OK;
    for (size_t i = 0; i < r->curve_count && status == COL_OK; i++) {
        const col_curve_point *p = &r->curve[i];
        const cam_value cells[] = {text(r->key),         {.is_there = true, .real = p->seconds},
                                   number(p->tests),     number(p->operations),
                                   number(p->cycles),    number(p->structural),
                                   number(p->functional)};
        status = put_row(context, cells, problem);
    }
    return status;
}

static const column_kind hit_columns[] = {{"trial", COL_TEXTS},        {"design_hash", COL_TEXTS},
                                          {"point", COL_NUMBERS},      {"hits", COL_NUMBERS},
                                          {"first_test", COL_NUMBERS}, {NULL, COL_TEXTS}};

static col_status put_hits(void *context, const cam_row *r, col_problem *problem) {
    col_status status = COL_OK;
    for (size_t i = 0; i < r->point_count && status == COL_OK; i++) {
        const cam_value cells[] = {text(r->key), text(r->provenance.design_hash), number(i),
                                   number(r->hits[i]), number_if(r->first[i] > 0, r->first[i])};
        status = put_row(context, cells, problem);
    }
    return status;
}

/* ---- All of them: a table is a row here. */

static const struct kind {
    const char *name;
    const column_kind *columns; /* ended by one without a name; NULL: those of the schema */
    const cam_columns *schema;
    cam_visit_plan plan;
    cam_visit_design design;
    cam_visit_failure failure;
    cam_visit trial;
    unsigned parts; /* of rows of trials */
} kinds[] = {{.name = "plans", .columns = plan_columns, .plan = put_plan},
             {.name = "trials", .schema = &cam_trial_columns, .trial = put_trial},
             {.name = "points", .columns = point_columns, .design = put_points},
             {.name = "curves", .columns = curve_columns, .trial = put_curve, .parts = CAM_CURVES},
             {.name = "hits", .columns = hit_columns, .trial = put_hits, .parts = CAM_HITS},
             {.name = "failures", .schema = &cam_failure_columns, .failure = put_failure}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const char *const col_store_tables[] = {"plans", "trials",   "points", "curves",
                                        "hits",  "failures", NULL};

static col_status read_rows(cam_store *store, const struct kind *kind, const char *plan, builder *b,
                            col_problem *problem) {
    if (kind->plan != NULL)
        return cam_store_plans(store, kind->plan, b, problem);
    if (kind->design != NULL)
        return cam_store_designs(store, kind->design, b, problem);
    if (kind->failure != NULL)
        return cam_store_failures(store, plan, kind->failure, b, problem);
    return cam_store_each(store, plan, kind->parts, kind->trial, b, problem);
}

col_status col_store_read(col_store *store, const char *name, const char *plan, col_table **table,
                          col_problem *problem) {
    size_t place = 0;
    *table = NULL;
    while (place < KINDS && strcmp(kinds[place].name, name) != 0)
        place++;
    if (place == KINDS)
        return base_refuse(problem,
                           "a store has no table '%.60s'; there are plans, trials, points, curves, "
                           "hits and failures",
                           name);
    const struct kind *kind = &kinds[place];
    builder *b = NULL;
    BASE_TRY(base_new(&b, 1, sizeof *b, problem));
    b->table.columns = b->shown;
    if (kind->schema != NULL)
        show_columns(b, kind->schema);
    for (const column_kind *c = kind->columns; c != NULL && c->name != NULL; c++)
        b->shown[b->table.column_count++] = (col_column){.name = c->name, .type = c->type};
    col_status status = read_rows((cam_store *)store, kind, plan, b, problem);
    status = cam_store_check_unchanged((cam_store *)store, status, problem);
    if (status != COL_OK) {
        col_table_free(&b->table);
        return status;
    }
    for (uint32_t c = 0; c < b->table.column_count; c++) {
        b->shown[c].numbers = b->columns[c].numbers;
        b->shown[c].reals = b->columns[c].reals;
        b->shown[c].texts = b->columns[c].texts;
        b->shown[c].is_there = b->columns[c].is_there;
    }
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
