/* SPDX-License-Identifier: MIT */
/* Merging stores, row by row over two connections: see store.h. What is merged may be
 * somebody else's file, and is only read. */
#include "results/store/store.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "results/store/store_parts.h"
#include "results/store/store_schema.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What a store is about. */

typedef struct plan_fact {
    char *name; /* with its scale */
    char hash[CAM_HASH], grid[CAM_HASH];
} plan_fact;

typedef struct facts {
    const char *path;
    plan_fact *plans; /* by hash */
    size_t count, capacity;
    char *versions; /* of the tool: "0.9" or "0.9, 1.0" */
} facts;

static void free_facts(facts *f) {
    for (size_t i = 0; i < f->count; i++)
        free(f->plans[i].name);
    free(f->plans);
    free(f->versions);
    *f = (facts){0};
}

static col_status read_plans(cam_store *store, facts *f, col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(
        store,
        "SELECT name || iif(scale = '', '', ' (' || scale || ')'), hash, grid_hash FROM plans"
        " ORDER BY hash");
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        status = base_reserve(&f->plans, &f->capacity, f->count + 1, sizeof *f->plans, problem);
        if (status != COL_OK)
            break;
        plan_fact *plan = &f->plans[f->count++];
        *plan = (plan_fact){.name = strdup(cam_store_text_at(list, 0))};
        (void)snprintf(plan->hash, CAM_HASH, "%s", cam_store_text_at(list, 1));
        (void)snprintf(plan->grid, CAM_HASH, "%s", cam_store_text_at(list, 2));
        if (plan->name == NULL)
            status = base_out_of_memory(problem);
    }
    (void)sqlite3_finalize(list);
    return status;
}

static col_status read_versions(cam_store *store, facts *f, col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *ask = cam_store_prepare(
        store, "SELECT group_concat(version, ', ') FROM (SELECT version FROM campaigns"
               " UNION SELECT version FROM trials ORDER BY 1)");
    if (cam_store_next(store, ask, &status, problem)) {
        f->versions = strdup(cam_store_text_at(ask, 0));
        if (f->versions == NULL)
            status = base_out_of_memory(problem);
    }
    (void)sqlite3_finalize(ask);
    return status;
}

static col_status read_facts(facts *f, const char *path, col_problem *problem) {
    cam_store *store;
    *f = (facts){.path = path};
    col_status status = cam_store_open(&store, path, problem);
    BASE_THEN(status, read_plans(store, f, problem));
    BASE_THEN(status, read_versions(store, f, problem));
    return cam_store_end(store, status, problem);
}

/* ---- May they be merged? */

/* The first plan of `a` that `b` does not have; NULL: it has all. */
static const plan_fact *find_missing(const facts *a, const facts *b) {
    for (size_t i = 0; i < a->count; i++) {
        bool is_there = false;
        for (size_t j = 0; j < b->count && !is_there; j++)
            is_there = strcmp(a->plans[i].hash, b->plans[j].hash) == 0;
        if (!is_there)
            return &a->plans[i];
    }
    return NULL;
}

static col_status compare_facts(const facts *a, const facts *b, col_problem *problem) {
    const plan_fact *missing = find_missing(a, b);
    const facts *has = missing != NULL ? a : b, *lacks = missing != NULL ? b : a;
    if (missing == NULL)
        missing = find_missing(b, a);
    if (missing != NULL)
        return base_refuse(problem,
                           "%.150s has results of the plan %.60s (%.8s), %.150s has not: only "
                           "stores of the same plans are merged",
                           has->path, missing->name, missing->hash, lacks->path);
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (strcmp(a->plans[i].grid, b->plans[i].grid) != 0)
            return base_refuse(
                problem,
                "a design of the plan %.60s changed between %.150s and %.150s: their "
                "trials are not the same",
                a->plans[i].name, a->path, b->path);
    const char *x = a->versions, *y = b->versions;
    assert(x != NULL && y != NULL);
    if (x[0] == '\0' || y[0] == '\0' || strcmp(x, y) == 0)
        return COL_OK;
    return base_refuse(problem,
                       "%.150s was made by collider %.40s, %.150s by collider %.40s: results of "
                       "different versions are not merged",
                       a->path, x, b->path, y);
}

/* All against the first, which is the store that is there already, if it is. */
static col_status check_all(const char *out, char *const *in, size_t count, col_problem *problem) {
    facts first;
    const bool has_out = access(out, F_OK) == 0;
    if (!has_out && count == 0)
        return base_refuse(problem, "there is nothing to merge into %.300s", out);
    col_status status = read_facts(&first, has_out ? out : in[0], problem);
    for (size_t i = has_out ? 0 : 1; i < count && status == COL_OK; i++) {
        facts other = {0};
        status = base_path_same(out, in[i])
                     ? base_refuse(problem, "%.300s cannot be merged into itself", out)
                     : read_facts(&other, in[i], problem);
        BASE_THEN(status, compare_facts(&first, &other, problem));
        free_facts(&other);
    }
    free_facts(&first);
    return status;
}

col_status cam_merge_fits(const char *out, const char *plan, const char *grid,
                          col_problem *problem) {
    facts f;
    col_status status = read_facts(&f, out, problem);
    const bool is_same = status == COL_OK && f.count == 1 && strcmp(f.plans[0].hash, plan) == 0 &&
                         strcmp(f.plans[0].grid, grid) == 0 &&
                         (f.versions[0] == '\0' || strcmp(f.versions, col_version()) == 0);
    if (status == COL_OK && !is_same)
        status = base_refuse(problem,
                             "%.300s has results of other plans, designs or versions, with which "
                             "those of a cluster are not merged; --out names another store",
                             out);
    free_facts(&f);
    return status;
}

/* ---- Copying. */

/* Numbers of rows there, and here. */
typedef struct numbers {
    int64_t (*pairs)[2];
    size_t count, capacity;
} numbers;

typedef struct merger {
    cam_store *from, *to;
    numbers plans, campaigns;
    uint64_t rows; /* of grids */
    cam_merge_summary *summary;
    col_status status; /* not COL_OK: what went wrong first is in `problem` */
    col_problem *problem;
} merger;

static void add_pair(merger *m, numbers *n, int64_t from, int64_t to) {
    BASE_THEN(m->status,
              base_reserve(&n->pairs, &n->capacity, n->count + 1, sizeof *n->pairs, m->problem));
    if (m->status != COL_OK)
        return;
    n->pairs[n->count][0] = from;
    n->pairs[n->count++][1] = to;
}

static int compare_pairs(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* 0: there is none. They were added in the order of their numbers. */
static int64_t number_of(const numbers *n, int64_t from) {
    const int64_t *pair =
        n->count == 0 ? NULL : bsearch(&from, n->pairs, n->count, sizeof *n->pairs, compare_pairs);
    return pair == NULL ? 0 : pair[1];
}

/* Binds the columns of a row from `column` on to the places from `place` on. */
static void bind_row(merger *m, sqlite3_stmt *to, int place, sqlite3_stmt *row, int column) {
    const int places = sqlite3_bind_parameter_count(to);
    for (; m->status == COL_OK && column < sqlite3_column_count(row) && place <= places;
         column++, place++) {
        const int code = sqlite3_bind_value(to, place, sqlite3_column_value(row, column));
        if (code != SQLITE_OK)
            m->status = cam_store_explain(code, m->to->path, sqlite3_errstr(code), m->problem);
    }
}

/* Visits the rows of a question to the store that is read. */
typedef void visit_row(merger *m, sqlite3_stmt *row, void *context);
static void each_row(merger *m, const char *question, visit_row *visit, void *context) {
    if (m->status != COL_OK)
        return;
    sqlite3_stmt *list = cam_store_prepare(m->from, question);
    while (m->status == COL_OK && cam_store_next(m->from, list, &m->status, m->problem))
        visit(m, list, context);
    (void)sqlite3_finalize(list);
}

static void run(merger *m, sqlite3_stmt *statement) {
    BASE_THEN(m->status, cam_store_run(m->to, statement, m->problem));
}

/* A row without its number: the number that an equal row has, or a new one. `find` and `add` take
 * the same values. */
static int64_t find_or_add(merger *m, const char *find, const char *add, sqlite3_stmt *row,
                           int64_t replaced) {
    const char *const steps[] = {find, add};
    int64_t number = 0;
    for (int i = 0; i < 2 && number == 0 && m->status == COL_OK; i++) {
        sqlite3_stmt *step = cam_store_prepare(m->to, steps[i]);
        bind_row(m, step, 1, row, 1);
        if (replaced != 0)
            cam_store_bind_integer(m->to, step, 1, replaced);
        if (m->status == COL_OK && cam_store_next(m->to, step, &m->status, m->problem)) {
            number = sqlite3_column_int64(step, 0);
            run(m, step);
        }
        (void)sqlite3_finalize(step);
    }
    return number;
}

static void copy_plan(merger *m, sqlite3_stmt *row, void *context) {
    (void)context;
    add_pair(m, &m->plans, sqlite3_column_int64(row, 0),
             find_or_add(m, "SELECT id FROM plans WHERE hash = ?1",
                         "INSERT INTO plans (hash, name, title, scale, text, trials, grid_hash)"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
                         row, 0));
}

static void copy_place(merger *m, sqlite3_stmt *row, void *context) {
    sqlite3_stmt *put = context;
    if (m->rows++ % CAM_STORE_ROWS == 0)
        cam_store_budget(m->to);
    cam_store_bind_integer(m->to, put, 1, number_of(&m->plans, sqlite3_column_int64(row, 0)));
    bind_row(m, put, 2, row, 1);
    run(m, put);
}

static col_status copy_design(void *context, const cam_design_row *design, col_problem *problem) {
    const merger *m = context;
    return cam_store_add_design(m->to, design, problem);
}

#define CAMPAIGN_COLUMNS                                                                           \
    "plan, version, host, machine, pid, pid_started, jobs, started, heartbeat, ended"

/* What a campaign is, of a row's columns or of values: there may be as many as there are trials,
 * and they have no index. */
#define CAMPAIGN_IDENTITY(plan, version, host, machine, pid, since, jobs, started, beat, ended)    \
    "json_array(" plan "," version "," host "," machine "," pid "," since "," jobs "," started     \
    "," beat "," ended ")"
static const char list_campaigns[] =
    "CREATE TEMP TABLE known (identity TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;"
    "INSERT OR IGNORE INTO temp.known SELECT " CAMPAIGN_IDENTITY(
        "plan", "version", "host", "machine", "pid", "pid_started", "jobs", "started", "heartbeat",
        "ended") ", id FROM campaigns;";
#define GIVEN_IDENTITY                                                                             \
    CAMPAIGN_IDENTITY("?1", "?2", "?3", "?4", "?5", "?6", "?7", "?8", "?9", "?10")

/* One campaign has one row, however often it is merged. */
static void copy_campaign(merger *m, sqlite3_stmt *row, void *context) {
    const int64_t plan = number_of(&m->plans, sqlite3_column_int64(row, 1));
    (void)context;
    const int64_t number =
        find_or_add(m, "SELECT id FROM temp.known WHERE identity = " GIVEN_IDENTITY,
                    "INSERT INTO campaigns (" CAMPAIGN_COLUMNS ")"
                    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id",
                    row, plan);
    (void)find_or_add(m, "SELECT id FROM temp.known WHERE identity = " GIVEN_IDENTITY,
                      "INSERT INTO temp.known SELECT " GIVEN_IDENTITY
                      ", max(id) FROM campaigns RETURNING id",
                      row, plan);
    add_pair(m, &m->campaigns, sqlite3_column_int64(row, 0), number);
}

/* ---- Trials, with all that hangs on them. */

static const struct {
    const char *question;
    cam_store_statement add;
} parts[] = {{"SELECT * FROM curves WHERE trial = ?1", CAM_STORE_ADD_CURVE},
             {"SELECT * FROM hits WHERE trial = ?1", CAM_STORE_ADD_HITS},
             {"SELECT * FROM learning WHERE trial = ?1", CAM_STORE_ADD_LEARNING},
             {"SELECT * FROM failures WHERE trial = ?1 ORDER BY kind", CAM_STORE_ADD_FAILURE}};
enum { PART_COUNT = sizeof parts / sizeof parts[0] };

static void copy_part(merger *m, sqlite3_stmt *question, cam_store_statement which, int64_t from,
                      int64_t to) {
    cam_store_bind_integer(m->from, question, 1, from);
    while (m->status == COL_OK && cam_store_next(m->from, question, &m->status, m->problem)) {
        sqlite3_stmt *add = cam_store_statement_of(m->to, which);
        bind_row(m, add, 2, question, 1);
        cam_store_bind_integer(m->to, add, 1, to);
        run(m, add);
    }
    (void)sqlite3_reset(question);
}

static void add_trial(merger *m, sqlite3_stmt *row, sqlite3_stmt *const *questions) {
    const int owner = cam_columns_owner(&cam_trial_columns);
    const int64_t from = sqlite3_column_int64(row, 0);
    const int64_t campaign = number_of(&m->campaigns, sqlite3_column_int64(row, owner));
    sqlite3_stmt *add = cam_store_statement_of(m->to, CAM_STORE_ADD_TRIAL);
    bind_row(m, add, 1, row, 1);
    if (campaign != 0)
        cam_store_bind_integer(m->to, add, owner, campaign);
    else
        (void)sqlite3_bind_null(add, owner);
    run(m, add);
    const int64_t to = sqlite3_last_insert_rowid(m->to->database);
    for (int i = 0; i < PART_COUNT && m->status == COL_OK; i++)
        copy_part(m, questions[i], parts[i].add, from, to);
}

static void copy_trial(merger *m, sqlite3_stmt *row, void *context) {
    enum { KEY = 1, STATUS = 3 };
    const bool is_done = strcmp(cam_store_text_at(row, STATUS), "done") == 0;
    int64_t there = 0;
    bool is_there_done = false;
    sqlite3_stmt *find = cam_store_statement_of(m->to, CAM_STORE_FIND_TRIAL);
    cam_store_bind_text(m->to, find, 1, cam_store_text_at(row, KEY));
    if (cam_store_next(m->to, find, &m->status, m->problem)) {
        there = sqlite3_column_int64(find, 0);
        is_there_done = sqlite3_column_int(find, 1) != 0;
    }
    (void)sqlite3_reset(find);
    if (m->status != COL_OK)
        return;
    if (there != 0 && (is_there_done || !is_done)) {
        m->summary->present++;
        return;
    }
    if (there != 0)
        m->status = cam_store_do(m->to, CAM_STORE_DROP_TRIAL, m->problem, "i", there);
    if (m->status == COL_OK)
        add_trial(m, row, context);
    m->summary->added++;
}

static void copy_trials(merger *m) {
    sqlite3_stmt *questions[PART_COUNT] = {NULL}; /* to the store that is read */
    base_text question = {0};
    base_text_add(&question, "SELECT id, ");
    cam_columns_select(&cam_trial_columns, "trials", true, &question);
    base_text_add(&question, " FROM trials ORDER BY id");
    m->status = base_text_status(&question, m->problem);
    for (int i = 0; i < PART_COUNT && m->status == COL_OK; i++) {
        questions[i] = cam_store_prepare(m->from, parts[i].question);
        m->status = questions[i] == NULL ? cam_store_problem(m->from, m->problem) : COL_OK;
    }
    each_row(m, question.data, copy_trial, questions);
    for (int i = 0; i < PART_COUNT; i++)
        (void)sqlite3_finalize(questions[i]);
    base_text_free(&question);
}

/* ---- All together. */

static void copy_tables(merger *m) {
    each_row(m, "SELECT id, hash, name, title, scale, text, trials, grid_hash FROM plans",
             copy_plan, NULL);
    sqlite3_stmt *put = cam_store_prepare(m->to, "INSERT OR IGNORE INTO grid VALUES (?1, ?2, ?3)");
    each_row(m, "SELECT plan, position, key FROM grid", copy_place, put);
    (void)sqlite3_finalize(put);
    BASE_THEN(m->status, cam_store_designs(m->from, copy_design, m, m->problem));
    each_row(m, "SELECT id, " CAMPAIGN_COLUMNS " FROM campaigns ORDER BY id", copy_campaign, NULL);
    if (m->status == COL_OK)
        copy_trials(m);
}

static col_status copy_store(cam_store *to, const char *path, cam_merge_summary *summary,
                             col_problem *problem) {
    merger m = {.to = to, .summary = summary, .problem = problem};
    m.status = cam_store_open(&m.from, path, problem);
    BASE_THEN(m.status, cam_store_begin(to, problem));
    if (m.status == COL_OK) {
        copy_tables(&m);
        m.status = cam_store_check_unchanged(m.from, m.status, problem);
        BASE_THEN(m.status, cam_store_make_room(to, problem));
        m.status = m.status == COL_OK ? cam_store_commit(to, problem)
                                      : cam_store_leave(to, m.status, problem);
    }
    cam_store_close(m.from);
    free(m.plans.pairs);
    free(m.campaigns.pairs);
    return m.status;
}

static col_status add_up(void *context, const cam_plan_row *plan, col_problem *problem) {
    cam_merge_summary *summary = context;
    (void)problem;
    summary->trials += plan->trials;
    summary->done += plan->done;
    summary->failed += plan->failed;
    return COL_OK;
}

/* Into the file `place`, which is `out` or becomes it. */
static col_status merge_into(const char *out, const char *place, char *const *in, size_t count,
                             cam_merge_summary *summary, col_problem *problem) {
    cam_store *to = NULL;
    col_status status = cam_store_create_at(&to, out, place, problem);
    if (status == COL_OK)
        cam_store_budget(to);
    if (status == COL_OK &&
        sqlite3_exec(to->database, list_campaigns, NULL, NULL, NULL) != SQLITE_OK)
        status = cam_store_problem(to, problem);
    for (size_t i = 0; i < count && status == COL_OK; i++)
        status = copy_store(to, in[i], summary, problem);
    BASE_THEN(status, cam_store_plans(to, add_up, summary, problem));
    BASE_THEN(status, cam_store_take_log(to, problem));
    cam_store_close(to);
    return status;
}

/* A new store is there whole or not at all; SQLite's own files beside it, too. */
static col_status merge_anew(const char *out, char *const *in, size_t count,
                             cam_merge_summary *summary, col_problem *problem) {
    static const char *const endings[] = {"-journal", "-wal", "-shm"};
    enum { BESIDE = sizeof endings / sizeof endings[0] };
    char beside[BESIDE][PATH_MAX + 16];
    int listed[BESIDE];
    base_file file;
    BASE_TRY(base_file_begin(&file, out, problem));
    const char *place = file.temporary[0] == '\0' ? out : file.temporary; /* behind a link */
    for (int i = 0; i < BESIDE; i++) {
        (void)snprintf(beside[i], sizeof beside[i], "%s%s", place, endings[i]);
        listed[i] = base_temporary_add(beside[i]);
    }
    col_status status = merge_into(out, place, in, count, summary, problem);
    for (int i = 0; i < BESIDE; i++) {
        (void)unlink(beside[i]); /* what could not be written, if anything */
        base_temporary_forget(listed[i]);
    }
    const col_status ended =
        base_file_end(&file, status == COL_OK, status == COL_OK ? problem : NULL);
    return status == COL_OK ? ended : status;
}

col_status cam_merge(const char *out, char *const *in, size_t count, cam_merge_summary *summary,
                     col_problem *problem) {
    *summary = (cam_merge_summary){0};
    BASE_TRY(check_all(out, in, count, problem));
    return access(out, F_OK) == 0 ? merge_into(out, out, in, count, summary, problem)
                                  : merge_anew(out, in, count, summary, problem);
}
