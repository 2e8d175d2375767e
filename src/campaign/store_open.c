/* SPDX-License-Identifier: MIT */
/*
 * Opening and closing the store. Commits are synced (synchronous = FULL): a row that was committed
 * outlives kill -9 and a power cut. What is forked while a store is open, such as a design's own
 * process, must not touch it.
 *
 * To read, it is never opened for writing. A store without a log is read as a file that nobody
 * changes, which needs no lock and makes nothing beside it; that it did not change is checked at
 * the end. One with a log, of a campaign that runs or was killed, is read through SQLite's locks.
 */
#include "campaign/store_guard.h"
#include "campaign/store_schema.h"

#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE = 60000 }; /* milliseconds that another writer is waited for */

static col_status execute(cam_store *store, const char *text, col_problem *problem) {
    return sqlite3_exec(store->database, text, NULL, NULL, NULL) == SQLITE_OK
               ? COL_OK
               : cam_store_problem(store, problem);
}

/* ---- What kind of file it is. */

static col_status ask_number(cam_store *store, const char *text, int64_t *number,
                             col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *statement = cam_store_prepare(store, text, problem);
    if (statement == NULL)
        return cam_store_problem(store, problem);
    if (cam_store_next(store, statement, &status, problem))
        *number = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return status;
}

typedef struct kind_of_file {
    int64_t application, version, tables;
} kind_of_file;

static col_status look(cam_store *store, kind_of_file *kind, col_problem *problem) {
    *kind = (kind_of_file){0};
    col_status status =
        ask_number(store, "SELECT count(*) FROM sqlite_schema", &kind->tables, problem);
    if (status == COL_OK)
        status = ask_number(store, "PRAGMA application_id", &kind->application, problem);
    if (status == COL_OK)
        status = ask_number(store, "PRAGMA user_version", &kind->version, problem);
    return status;
}

static col_status judge(cam_store *store, const kind_of_file *kind, col_problem *problem) {
    if (kind->application != CAM_STORE_APPLICATION)
        return base_refuse(problem, "%.300s is not a results store", store->path);
    if (kind->version < 1 || kind->version > CAM_STORE_VERSION)
        return base_refuse(problem,
                           "the store %.300s has schema %lld, this version of collider reads "
                           "schemas up to %d",
                           store->path, (long long)kind->version, CAM_STORE_VERSION);
    store->version = (int)kind->version;
    return cam_store_check_schema(store, problem);
}

static bool is_empty(const kind_of_file *kind) {
    return kind->tables == 0 && kind->application == 0 && kind->version == 0;
}

/* ---- A new one. */

static col_status make_tables(cam_store *store, col_problem *problem) {
    base_text text = {0};
    base_text_add(&text, cam_store_schema);
    base_text_add(&text, cam_store_schemas[CAM_STORE_VERSION]);
    base_text_print(&text,
                    "INSERT INTO meta VALUES ('schema', '%d'), ('made by', 'collider %s');"
                    "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                    CAM_STORE_VERSION, BASE_VERSION, CAM_STORE_APPLICATION, CAM_STORE_VERSION);
    col_status status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = execute(store, text.data, problem);
    base_text_free(&text);
    store->version = CAM_STORE_VERSION;
    return status;
}

/* Somebody else may be making them at this moment: looks again when nobody can. */
static col_status make_schema(cam_store *store, col_problem *problem) {
    kind_of_file kind;
    col_status status = execute(store, "PRAGMA journal_mode = WAL", problem);
    if (status == COL_OK)
        status = cam_store_enter(store, problem);
    if (status != COL_OK)
        return status;
    status = look(store, &kind, problem);
    if (status == COL_OK)
        status = is_empty(&kind) ? make_tables(store, problem) : judge(store, &kind, problem);
    return cam_store_leave(store, status, problem);
}

/* ---- An old one. */

static col_status note_version(cam_store *store, col_problem *problem) {
    char text[128];
    (void)snprintf(text, sizeof text,
                   "UPDATE meta SET value = '%d' WHERE name = 'schema'; PRAGMA user_version = %d;",
                   store->version, store->version);
    return execute(store, text, problem);
}

/* Somebody else may have done it meanwhile: looks again when nobody can. */
static col_status bring_up_to_date(cam_store *store, col_problem *problem) {
    kind_of_file kind;
    col_status status = cam_store_enter(store, problem);
    if (status != COL_OK)
        return status;
    status = look(store, &kind, problem);
    if (status == COL_OK)
        status = judge(store, &kind, problem);
    while (status == COL_OK && store->version < CAM_STORE_VERSION) {
        cam_store_budget(store);
        status = execute(store, cam_store_migrations[store->version++], problem);
    }
    if (status == COL_OK)
        status = note_version(store, problem);
    return cam_store_leave(store, status, problem);
}

/* ---- Both ways. */

/* SQLite keeps its files beside the file itself, not beside a link to it. */
static char *find_file(const char *path) {
    char *file = realpath(path, NULL);
    if (file != NULL)
        return file;
    base_text name = {0}; /* it is not there yet, or a link to what is not */
    base_text_print(&name, "%s%s", path[0] == '/' ? "" : "./", path);
    return name.data;
}

static cam_store *new_store(const char *path, const char *place) {
    cam_store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return NULL;
    store->path = strdup(path);
    store->file = find_file(place);
    if (store->path != NULL && store->file != NULL)
        return store;
    cam_store_close(store);
    return NULL;
}

static col_status end_open(cam_store **store, col_status status) {
    if (status != COL_OK) {
        cam_store_close(*store);
        *store = NULL;
    }
    return status;
}

/* By a name that SQLite takes as a file's, whatever is in it: it begins with "/" or "./". */
static col_status connect_as(cam_store *store, const char *name, int flags, col_problem *problem) {
    const int code = sqlite3_open_v2(name, &store->database, flags, NULL);
    if (code != SQLITE_OK)
        return cam_store_explain(code, store->path, sqlite3_errstr(code), problem);
    cam_store_protect(store);
    (void)sqlite3_busy_timeout(store->database, PATIENCE);
    return execute(store, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;", problem);
}

/* ---- To write. */

static col_status open_to_write(cam_store **store, const char *path, const char *place, bool makes,
                                col_problem *problem) {
    kind_of_file kind;
    struct stat about;
    bool has_log;
    const int flags = SQLITE_OPEN_READWRITE | (makes ? SQLITE_OPEN_CREATE : 0);
    *store = NULL;
    if (path[0] == '\0')
        return base_refuse(problem, "the name of a store cannot be empty");
    if (stat(place, &about) == 0 && !S_ISREG(about.st_mode))
        return base_refuse(problem, "%.300s is not a file", path);
    *store = new_store(path, place);
    if (*store == NULL)
        return base_out_of_memory(problem);
    col_status status = cam_store_check_beside(*store, true, &has_log, problem);
    if (status == COL_OK)
        status = connect_as(*store, (*store)->file, flags, problem);
    if (status == COL_OK)
        status = look(*store, &kind, problem);
    if (status == COL_OK)
        status =
            makes && is_empty(&kind) ? make_schema(*store, problem) : judge(*store, &kind, problem);
    if (status == COL_OK && (*store)->version < CAM_STORE_VERSION)
        status = bring_up_to_date(*store, problem);
    return end_open(store, status);
}

col_status cam_store_create(cam_store **store, const char *path, col_problem *problem) {
    return open_to_write(store, path, path, true, problem);
}

col_status cam_store_create_at(cam_store **store, const char *path, const char *place,
                               col_problem *problem) {
    return open_to_write(store, path, place, true, problem);
}

col_status cam_store_open_again(cam_store **store, const char *path, col_problem *problem) {
    return open_to_write(store, path, path, false, problem);
}

/* ---- To read. */

/* The path goes into a URI. */
static col_status connect_fixed(cam_store *store, col_problem *problem) {
    base_text uri = {0};
    if (stat(store->file, &store->about) != 0)
        return base_refuse(problem, "there is no store %.300s", store->path);
    store->is_fixed = true;
    base_text_add(&uri, "file://");
    for (const char *c = store->file; *c != '\0'; c++)
        if (strchr("%?#", *c) != NULL)
            base_text_print(&uri, "%%%02x", (unsigned)(unsigned char)*c);
        else
            base_text_add_bytes(&uri, c, 1);
    base_text_add(&uri, "?immutable=1");
    col_status status = base_text_status(&uri, problem);
    if (status == COL_OK)
        status = connect_as(store, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, problem);
    base_text_free(&uri);
    return status;
}

/* SQLite reads a log through an index beside it, which somebody must be able to make. */
static col_status connect_with_log(cam_store *store, col_problem *problem) {
    int64_t tables = 0;
    col_status status = connect_as(store, store->file, SQLITE_OPEN_READONLY, problem);
    if (status == COL_OK)
        status = ask_number(store, "SELECT count(*) FROM sqlite_schema", &tables, problem);
    const int code = store->database == NULL ? SQLITE_OK : sqlite3_errcode(store->database) & 0xff;
    if (status != COL_FAILURE || (code != SQLITE_CANTOPEN && code != SQLITE_READONLY))
        return status;
    return base_fail(problem,
                     "the store %.300s has a log beside it, %.100s-wal, which is read where one "
                     "may write: copy both to such a folder",
                     store->path, store->path);
}

/* All that is read is of one moment. */
static col_status begin_reading(cam_store *store, col_problem *problem) {
    kind_of_file kind;
    bool has_log;
    store->is_to_read = true;
    col_status status = cam_store_check_beside(store, false, &has_log, problem);
    if (status == COL_OK)
        status = has_log ? connect_with_log(store, problem) : connect_fixed(store, problem);
    if (status == COL_OK)
        status =
            execute(store, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; BEGIN", problem);
    if (status == COL_OK)
        status = look(store, &kind, problem);
    if (status == COL_OK)
        status = judge(store, &kind, problem);
    return status == COL_OK ? cam_store_check_pages(store, problem) : status;
}

col_status cam_store_open(cam_store **store, const char *path, col_problem *problem) {
    struct stat about;
    *store = NULL;
    if (stat(path, &about) != 0)
        return base_refuse(problem, "there is no store %.300s", path);
    if (!S_ISREG(about.st_mode) || about.st_size == 0)
        return base_refuse(problem, "%.300s is not a results store", path);
    *store = new_store(path, path);
    if (*store == NULL)
        return base_out_of_memory(problem);
    col_status status = begin_reading(*store, problem);
    return status == COL_OK ? COL_OK : end_open(store, cam_store_settle(*store, status, problem));
}

/* ---- The end. */

static bool is_unchanged(const cam_store *store) {
    struct stat now;
    const struct stat *then = &store->about;
    return !store->is_fixed || (stat(store->file, &now) == 0 && now.st_dev == then->st_dev &&
                                now.st_ino == then->st_ino && now.st_size == then->st_size &&
                                now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
                                now.st_mtim.tv_nsec == then->st_mtim.tv_nsec);
}

col_status cam_store_settle(const cam_store *store, col_status status, col_problem *problem) {
    if (is_unchanged(store))
        return status;
    return base_fail(problem, "the store %.300s was changed while it was read; try again",
                     store->path);
}

col_status cam_store_make_room(cam_store *store, col_problem *problem) {
    int64_t page = 0, pages = 0;
    col_status status = ask_number(store, "PRAGMA page_size", &page, problem);
    if (status == COL_OK)
        status = ask_number(store, "PRAGMA page_count", &pages, problem);
    if (status != COL_OK)
        return status;
    int step = (int)page; /* without one, SQLite makes no room */
    sqlite3_int64 size = page * pages;
    int code = sqlite3_file_control(store->database, "main", SQLITE_FCNTL_CHUNK_SIZE, &step);
    if (code == SQLITE_OK)
        code = sqlite3_file_control(store->database, "main", SQLITE_FCNTL_SIZE_HINT, &size);
    return code == SQLITE_OK
               ? COL_OK
               : cam_store_explain(SQLITE_FULL, store->path, sqlite3_errstr(code), problem);
}

col_status cam_store_take_log(cam_store *store, col_problem *problem) {
    enum { MOMENT = 5000 }; /* milliseconds that others may take to read on */
    (void)sqlite3_busy_timeout(store->database, MOMENT);
    const int code =
        sqlite3_wal_checkpoint_v2(store->database, "main", SQLITE_CHECKPOINT_FULL, NULL, NULL);
    (void)sqlite3_busy_timeout(store->database, PATIENCE);
    if (code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return COL_OK;
    if (code == SQLITE_NOMEM)
        return base_out_of_memory(problem);
    return base_fail(problem,
                     "the store %.200s is complete only together with its log, %.100s-wal, which "
                     "cannot be taken into it: %.60s; make room, and run the command again",
                     store->path, store->path, sqlite3_errstr(code));
}

void cam_store_close(cam_store *store) {
    if (store == NULL)
        return;
    for (int i = 0; i < CAM_STORE_STATEMENT_COUNT; i++)
        (void)sqlite3_finalize(store->statements[i]);
    (void)sqlite3_close(store->database);
    free(store->file);
    free(store->path);
    free(store);
}
