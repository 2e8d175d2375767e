/* SPDX-License-Identifier: MIT */
/* The tables of a store: see store_schema.h. */
#include "results/store/store_schema.h"

#include "base/json.h"
#include "results/plan/trial.h"
#include "results/store/store_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- The columns. A further one comes last. */

#define OF(m) .member = offsetof(cam_row, m)
#define COLUMN(n, k) .name = (n), .kind = (k)
#define TEXT(n, m) COLUMN(n, CAM_TEXT), OF(m)
#define NUMBER(n, m) COLUMN(n, CAM_NUMBER), OF(m)
#define SMALL(n, m) COLUMN(n, CAM_SMALL), OF(m)
#define REAL(n, m) COLUMN(n, CAM_REAL), OF(m)
#define SETTING(n, k) COLUMN(n, k), .when = CAM_NEVER, .otherwise = CAM_ELSE_SETTING
#define NEEDED .is_needed = true
#define EPISODE .when = CAM_IF_EPISODE
#define FAILING .when = CAM_IF_FAILING

static const cam_column trial_columns[] = {
    {TEXT("key", key), NEEDED, .constraint = "UNIQUE", .place = 1, .shown = "trial",
     .about = "128 bits in hexadecimal, of what was asked for"},
    {COLUMN("kind", CAM_KIND_WORD), NEEDED, OF(kind), .place = 2,
     .about = "`episode`, `tour` or `locations`"},
    {COLUMN("status", CAM_STATUS_WORD), NEEDED, OF(is_done),
     .constraint = "CHECK (status IN ('done', 'failed'))", .place = 3, .shown = "done",
     .about = "`done` or `failed`"},
    {TEXT("reason", reason), .place = 31,
     .about = "why it failed, or the reason of the first failure found"},
    {TEXT("design", design), .when = CAM_IF_DONE, .otherwise = CAM_ELSE_SETTING, .place = 4,
     .about = "the setting, for queries"},
    {SMALL("cores", cores), EPISODE, .otherwise = CAM_ELSE_SETTING, .place = 5,
     .about = "the same"},
    {SETTING("engine", CAM_TEXT), .about = "the same"},
    {SETTING("error", CAM_TEXT), .about = "the same"},
    {SETTING("mutant", CAM_NUMBER), .about = "the same"},
    {NUMBER("seed", seed), NEEDED, .place = 7, .about = "the same"},
    {COLUMN("pairs", CAM_SETTINGS), NEEDED, .place = 8, .shown = "settings",
     .about = "all settings, a JSON object of texts in the order of the settings"},
    {TEXT("model", model), EPISODE, .place = 6, .about = "as in the record of an episode"},
    {TEXT("verdict", verdict), EPISODE, .place = 9, .about = "the same"},
    {TEXT("ended_by", ended_by), EPISODE, .place = 10, .about = "the same"},
    {NUMBER("tests", tests), EPISODE, .place = 11, .about = "the same"},
    {NUMBER("instances", instances), EPISODE, .place = 12, .about = "the same"},
    {NUMBER("operations", operations), EPISODE, .place = 13, .about = "the same"},
    {NUMBER("cycles", cycles), EPISODE, .place = 14, .about = "the same"},
    {REAL("seconds", seconds), .when = CAM_IF_DONE, .otherwise = CAM_ELSE_VALUE, .place = 15,
     .about = "the same; of other kinds, the time that the trial took"},
    {SMALL("structural_covered", coverage[COL_STRUCTURAL].covered), EPISODE, .place = 16,
     .about = "structural points covered"},
    {SMALL("structural_total", coverage[COL_STRUCTURAL].total), EPISODE, .place = 17,
     .about = "all that are defined"},
    {SMALL("structural_reached", coverage[COL_STRUCTURAL].reached), .when = CAM_IF_STRUCTURAL_KNOWN,
     .place = 18, .about = "reachable ones covered, if the reachable points are known"},
    {SMALL("structural_reachable", coverage[COL_STRUCTURAL].reachable),
     .when = CAM_IF_STRUCTURAL_KNOWN, .place = 19, .about = "all that are reachable"},
    {SMALL("functional_covered", coverage[COL_FUNCTIONAL].covered), EPISODE, .place = 20,
     .about = "the same of functional points"},
    {SMALL("functional_total", coverage[COL_FUNCTIONAL].total), EPISODE, .place = 21,
     .about = "the same"},
    {SMALL("functional_reached", coverage[COL_FUNCTIONAL].reached), .when = CAM_IF_FUNCTIONAL_KNOWN,
     .place = 22, .about = "the same"},
    {SMALL("functional_reachable", coverage[COL_FUNCTIONAL].reachable),
     .when = CAM_IF_FUNCTIONAL_KNOWN, .place = 23, .about = "the same"},
    {NUMBER("failing_tests", failing_tests), EPISODE, .place = 24,
     .about = "tests that failed; more than one with `keep-going`"},
    {NUMBER("failing_cycles", failing_cycles), EPISODE, .place = 25, .about = "their cycles"},
    {REAL("failing_seconds", failing_seconds), EPISODE, .place = 26, .about = "their time"},
    {NUMBER("failure_test", failure_test), FAILING, .place = 27,
     .about = "the test that found the first failure, from 1"},
    {SMALL("failure_instance", failure_instance), FAILING, .place = 28, .about = "its instance"},
    {NUMBER("failure_cycles", failure_cycles), FAILING, .place = 29,
     .about = "cycles until the first failure was found"},
    {REAL("failure_seconds", failure_seconds), FAILING, .place = 30, .about = "seconds until then"},
    {TEXT("result", result), .when = CAM_IF_DONE, .place = 32,
     .about = "what only one kind has, see below"},
    {TEXT("design_hash", provenance.design_hash), .place = 33, .about = "of its coverage points"},
    {TEXT("version", provenance.version), NEEDED, .otherwise = CAM_ELSE_EMPTY, .place = 34,
     .about = "of collider"},
    {TEXT("host", provenance.host), NEEDED, .otherwise = CAM_ELSE_EMPTY, .place = 35,
     .about = "where it ran"},
    {NUMBER("started", provenance.started), NEEDED, .place = 36, .about = "when"},
    {COLUMN("campaign", CAM_OWNER), .constraint = "REFERENCES campaigns",
     .about = "by which campaign"},
    {NUMBER("undecided", undecided), EPISODE,
     .about = "instances that were not judged in time (designs that show only reads); any of them, "
              "and no error, make the verdict `undecided`: neither a pass nor an error found"},
};

#undef OF
#define OF(m) .member = offsetof(cam_failure_row, m)
#define SHRUNK .when = CAM_IF_SHRUNK

static const cam_column failure_columns[] = {
    {COLUMN("failure", CAM_COMPUTED), .place = 1},
    {TEXT("key", key), .from = "key", .place = 2, .shown = "trial"},
    {TEXT("design", design), .from = "design", .place = 3},
    {TEXT("engine", engine), .from = "engine", .place = 4},
    {TEXT("error", error), .from = "error", .place = 5},
    {SMALL("mutant", mutant), .from = "mutant", .when = CAM_IF_POSITIVE, .place = 6},
    {TEXT("options", options),
     .from = "iif(json_valid(pairs), json_extract(pairs, '$.options'), NULL)"},
    {COLUMN("trial", CAM_OWNER), NEEDED, .constraint = "REFERENCES trials ON DELETE CASCADE"},
    {SMALL("kind", kind), NEEDED},
    {TEXT("hash", hash)},
    {TEXT("fingerprint", fingerprint), .place = 9},
    {NUMBER("count", count), NEEDED, .place = 10},
    {TEXT("verdict", verdict), .place = 7},
    {TEXT("reason", reason), .place = 8},
    {NUMBER("test", test), .place = 11},
    {SMALL("instance", instance), .place = 12},
    {NUMBER("cycles", cycles), .place = 13},
    {REAL("seconds", seconds), .place = 14},
    {SMALL("size", size), .when = CAM_IF_POSITIVE, .place = 15},
    {TEXT("record", record)},
    {TEXT("program", program), .place = 19},
    {TEXT("story", story), .place = 21},
    {TEXT("picture", picture)},
    {TEXT("shrunk", shrunk), .place = 20},
    {TEXT("litmus", litmus), .place = 22},
    {SMALL("threads", threads), SHRUNK, .place = 16, .shown = "shrunk_threads"},
    {SMALL("operations", operations), SHRUNK, .place = 17, .shown = "shrunk_operations"},
    {SMALL("locations", locations), SHRUNK, .place = 18, .shown = "shrunk_locations"},
};

const cam_columns cam_trial_columns = {trial_columns,
                                       sizeof trial_columns / sizeof trial_columns[0]};
const cam_columns cam_failure_columns = {failure_columns,
                                         sizeof failure_columns / sizeof failure_columns[0]};

static bool is_stored(const cam_column *c) {
    return c->from == NULL && c->kind != CAM_COMPUTED;
}

static bool is_read(const cam_column *c) {
    return c->when != CAM_NEVER && c->kind != CAM_OWNER && c->kind != CAM_COMPUTED;
}

/* ---- As SQL. */

static void define(const cam_columns *columns, base_text *text) {
    static const char *const types[] = {
        [CAM_TEXT] = "TEXT",     [CAM_NUMBER] = "INTEGER", [CAM_SMALL] = "INTEGER",
        [CAM_REAL] = "REAL",     [CAM_KIND_WORD] = "TEXT", [CAM_STATUS_WORD] = "TEXT",
        [CAM_SETTINGS] = "TEXT", [CAM_OWNER] = "INTEGER"};
    const char *between = "";
    for (size_t i = 0; i < columns->count; i++) {
        const cam_column *c = &columns->list[i];
        if (!is_stored(c))
            continue;
        base_text_print(text, "%s%s %s%s%s%s", between, c->name, types[c->kind],
                        c->is_needed ? " NOT NULL" : "", c->constraint == NULL ? "" : " ",
                        c->constraint == NULL ? "" : c->constraint);
        between = ", ";
    }
}

void cam_columns_select(const cam_columns *columns, const char *table, bool stored,
                        base_text *text) {
    const char *between = "";
    for (size_t i = 0; i < columns->count; i++) {
        const cam_column *c = &columns->list[i];
        if (!(stored ? is_stored(c) : is_read(c)))
            continue;
        if (c->from != NULL)
            base_text_print(text, "%s%s", between, c->from);
        else
            base_text_print(text, "%s%s.%s", between, table, c->name);
        between = ", ";
    }
}

void cam_columns_insert(const cam_columns *columns, const char *table, base_text *text) {
    uint32_t count = 0;
    base_text_print(text, "INSERT INTO %s (", table);
    for (size_t i = 0; i < columns->count; i++)
        if (is_stored(&columns->list[i]))
            base_text_print(text, "%s%s", count++ == 0 ? "" : ", ", columns->list[i].name);
    base_text_add(text, ") VALUES (");
    for (uint32_t i = 1; i <= count; i++)
        base_text_print(text, "%s?%u", i == 1 ? "" : ", ", i);
    base_text_add(text, ")");
}

int cam_columns_owner(const cam_columns *columns) {
    int place = 0;
    for (size_t i = 0; i < columns->count; i++) {
        place += is_stored(&columns->list[i]);
        if (columns->list[i].kind == CAM_OWNER)
            break;
    }
    return place;
}

void cam_store_schema(base_text *text) {
    base_text_add(
        text,
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"

        "CREATE TABLE plans (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
        " title TEXT NOT NULL, scale TEXT NOT NULL, text TEXT NOT NULL, trials INTEGER NOT NULL,"
        " grid_hash TEXT NOT NULL);"

        "CREATE TABLE grid (plan INTEGER NOT NULL REFERENCES plans ON DELETE CASCADE,"
        " position INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (plan, position)) WITHOUT "
        "ROWID;"

        "CREATE TABLE point_sets (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE,"
        " count INTEGER NOT NULL, reachable_known INTEGER NOT NULL);"
        "CREATE TABLE points (point_set INTEGER NOT NULL REFERENCES point_sets ON DELETE CASCADE,"
        " number INTEGER NOT NULL, machine TEXT NOT NULL, state TEXT NOT NULL, event TEXT NOT NULL,"
        " reachable INTEGER NOT NULL, PRIMARY KEY (point_set, number)) WITHOUT ROWID;"
        "CREATE TABLE designs (hash TEXT PRIMARY KEY, name TEXT NOT NULL, cores INTEGER NOT NULL,"
        " point_set INTEGER NOT NULL REFERENCES point_sets) WITHOUT ROWID;"

        "CREATE TABLE campaigns (id INTEGER PRIMARY KEY, plan INTEGER NOT NULL REFERENCES plans,"
        " version TEXT NOT NULL, host TEXT NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL,"
        " pid_started INTEGER NOT NULL, jobs INTEGER NOT NULL, started INTEGER NOT NULL,"
        " heartbeat INTEGER NOT NULL, ended INTEGER);"
        "CREATE TABLE claims (key TEXT PRIMARY KEY,"
        " campaign INTEGER NOT NULL REFERENCES campaigns ON DELETE CASCADE, since INTEGER NOT NULL)"
        " WITHOUT ROWID;"

        "CREATE TABLE curves (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,"
        " curve BLOB NOT NULL);"
        "CREATE TABLE hits (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,"
        " hits BLOB NOT NULL, first BLOB NOT NULL);"
        "CREATE TABLE learning (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,"
        " log TEXT NOT NULL);"
        "CREATE TABLE trials (id INTEGER PRIMARY KEY, ");
    define(&cam_trial_columns, text);
    base_text_add(text, ");CREATE TABLE failures (");
    define(&cam_failure_columns, text);
    base_text_add(
        text,
        ", PRIMARY KEY (trial, kind));"

        /* For people with a shell. */
        "CREATE VIEW results AS SELECT plans.name AS plan, plans.scale, plans.hash AS plan_hash,"
        " grid.position, trials.*,"
        " 1.0 * structural_covered / structural_total AS structural,"
        " 1.0 * functional_covered / functional_total AS functional"
        " FROM plans JOIN grid ON grid.plan = plans.id JOIN trials ON trials.key = grid.key;"

        "CREATE VIEW progress AS SELECT plans.name AS plan, plans.scale, plans.trials,"
        " count(iif(status = 'done', 1, NULL)) AS done,"
        " count(iif(status = 'failed', 1, NULL)) AS failed, plans.trials - count(trials.id) AS open"
        " FROM plans JOIN grid ON grid.plan = plans.id LEFT JOIN trials ON trials.key = grid.key"
        " GROUP BY plans.id ORDER BY plans.name, plans.scale;"

        "CREATE VIEW summary AS SELECT plan, scale, kind, json_remove(pairs, '$.seed') AS settings,"
        " count(*) AS trials, sum(status = 'failed') AS failed,"
        " sum(verdict NOT IN ('pass', 'undecided')) AS found,"
        " sum(verdict = 'undecided') AS undecided,"
        " avg(structural) AS structural, avg(functional) AS functional, avg(cycles) AS cycles,"
        " avg(seconds) AS seconds FROM results GROUP BY plan, scale, kind, settings"
        " ORDER BY plan, scale, min(position);");
}

/* ---- Values. */

static uint64_t number_in(const cam_column *c, const void *member) {
    return c->kind == CAM_SMALL ? *(const uint32_t *)member : *(const uint64_t *)member;
}

static bool holds(const cam_columns *columns, const cam_column *c, const void *any) {
    if (columns == &cam_failure_columns)
        return c->when == CAM_IF_SHRUNK     ? ((const cam_failure_row *)any)->shrunk != NULL
               : c->when == CAM_IF_POSITIVE ? number_in(c, (const char *)any + c->member) > 0
                                            : c->when == CAM_ALWAYS;
    const cam_row *row = any;
    const bool runs = row->is_done && row->kind == CAM_EPISODE;
    switch (c->when) {
    case CAM_ALWAYS:
        return true;
    case CAM_IF_DONE:
        return row->is_done;
    case CAM_IF_EPISODE:
        return runs;
    case CAM_IF_FAILING:
        return runs && row->failure_test > 0;
    case CAM_IF_STRUCTURAL_KNOWN:
        return runs && row->coverage[COL_STRUCTURAL].reachable_known;
    case CAM_IF_FUNCTIONAL_KNOWN:
        return runs && row->coverage[COL_FUNCTIONAL].reachable_known;
    default:
        return false;
    }
}

static cam_value value_in(const cam_column *c, const void *row) {
    const void *member = (const char *)row + c->member;
    cam_value value = {.is_there = true};
    switch (c->kind) {
    case CAM_TEXT:
        value.text = *(const char *const *)member;
        value.is_there = value.text != NULL;
        break;
    case CAM_REAL:
        value.real = *(const double *)member;
        break;
    case CAM_KIND_WORD:
        value.text = cam_kinds[*(const cam_kind *)member];
        break;
    case CAM_STATUS_WORD:
        value.number = *(const bool *)member;
        value.text = value.number != 0 ? "done" : "failed";
        break;
    case CAM_NUMBER:
    case CAM_SMALL:
        value.number = number_in(c, member);
        break;
    default:
        value.is_there = false;
    }
    return value;
}

cam_value cam_column_value(const cam_columns *columns, const cam_column *column, const void *row) {
    return holds(columns, column, row) ? value_in(column, row) : (cam_value){0};
}

/* ---- To and from the database. */

/* A number that is not known, and a text that is not, may stand in the settings. */
static cam_value stored_value(const cam_columns *columns, const cam_column *c, const void *row) {
    cam_value value =
        c->otherwise == CAM_ELSE_VALUE ? value_in(c, row) : cam_column_value(columns, c, row);
    const bool is_known = value.is_there && (c->kind == CAM_TEXT || value.number > 0);
    if (c->otherwise == CAM_ELSE_SETTING && !is_known) {
        const cam_row *trial = row;
        const char *said = cam_pair_value(trial->pairs, trial->pair_count, c->name);
        value = (cam_value){.is_there = said != NULL, .text = said};
        if (said != NULL && c->kind != CAM_TEXT)
            value.number = strtoull(said, NULL, 10);
    }
    if (c->otherwise == CAM_ELSE_EMPTY && value.text == NULL)
        value = (cam_value){.is_there = true, .text = ""};
    return value;
}

void cam_columns_bind(const cam_columns *columns, cam_store *store, sqlite3_stmt *statement,
                      const void *row, int64_t owner, const char *settings) {
    int place = 0;
    for (size_t i = 0; i < columns->count; i++) {
        const cam_column *c = &columns->list[i];
        if (!is_stored(c))
            continue;
        const cam_value value = stored_value(columns, c, row);
        place++;
        if (c->kind == CAM_OWNER && owner > 0)
            cam_store_bind_integer(store, statement, place, owner);
        else if (c->kind == CAM_SETTINGS)
            cam_store_bind_text(store, statement, place, settings);
        else if (!value.is_there)
            continue;
        else if (c->kind == CAM_REAL)
            cam_store_bind_real(store, statement, place, value.real);
        else if (c->kind == CAM_NUMBER || c->kind == CAM_SMALL)
            cam_store_bind_integer(store, statement, place, (int64_t)value.number);
        else
            cam_store_bind_text(store, statement, place, value.text);
    }
}

static void read_value(const cam_column *c, sqlite3_stmt *statement, int column, void *row,
                       const char **settings) {
    void *member = (char *)row + c->member;
    const char *text;
    cam_kind kind = CAM_EPISODE;
    switch (c->kind) {
    case CAM_TEXT:
        *(const char **)member = (const char *)sqlite3_column_text(statement, column);
        break;
    case CAM_NUMBER:
        *(uint64_t *)member = (uint64_t)sqlite3_column_int64(statement, column);
        break;
    case CAM_SMALL:
        *(uint32_t *)member = (uint32_t)sqlite3_column_int64(statement, column);
        break;
    case CAM_REAL:
        *(double *)member = sqlite3_column_double(statement, column);
        break;
    case CAM_KIND_WORD: /* the last one, if it is none of them */
        text = cam_store_text_at(statement, column);
        while (kind + 1 < CAM_KIND_COUNT && strcmp(cam_kinds[kind], text) != 0)
            kind++;
        *(cam_kind *)member = kind;
        break;
    case CAM_STATUS_WORD:
        *(bool *)member = strcmp(cam_store_text_at(statement, column), "done") == 0;
        break;
    case CAM_SETTINGS:
        *settings = (const char *)sqlite3_column_text(statement, column);
        break;
    default:
        break;
    }
}

bool cam_columns_read(const cam_columns *columns, sqlite3_stmt *statement, int *column, void *row,
                      const char **settings) {
    bool is_whole = true;
    const bool is_trial = columns == &cam_trial_columns;
    cam_row *trial = row;
    for (size_t i = 0; i < columns->count; i++) {
        const cam_column *c = &columns->list[i];
        if (!is_read(c))
            continue;
        const int place = (*column)++;
        const bool is_there = sqlite3_column_type(statement, place) != SQLITE_NULL;
        is_whole = is_whole && (is_there || !c->is_needed);
        if (is_trial && c->when != CAM_ALWAYS && !trial->is_done)
            continue;
        if (is_trial && c->when == CAM_IF_STRUCTURAL_KNOWN)
            trial->coverage[COL_STRUCTURAL].reachable_known = is_there;
        else if (is_trial && c->when == CAM_IF_FUNCTIONAL_KNOWN)
            trial->coverage[COL_FUNCTIONAL].reachable_known = is_there;
        read_value(c, statement, place, row, settings);
    }
    return is_whole;
}

const char *cam_metric_name(col_metric metric) {
    return col_metrics[metric];
}

void cam_settings_print(const cam_row *row, base_text *text) {
    json_t *object = json_object();
    for (uint32_t i = 0; i < row->pair_count; i++)
        base_json_set(&object, row->pairs[i].name, base_json_text(row->pairs[i].value));
    base_json_print(object, JSON_COMPACT, text);
    json_decref(object);
}
