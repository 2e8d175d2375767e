/* SPDX-License-Identifier: MIT */
/*
 * Opening and closing the store, and transactions. Commits are synced (synchronous = FULL): a row
 * that was committed outlives kill -9 and a power cut. What is forked while a store is open, such
 * as a design's own process, must not touch it.
 */
#include "campaign/store_parts.h"
#include "campaign/store_schema.h"

#include "version.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE = 60000 }; /* milliseconds that another writer is waited for */

/* ---- What SQLite says. */

static col_status explain(int code, const char *path, const char *says, col_error *error) {
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return col_out_of_memory(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return col_fail(error, "the store %.300s is held by another program; try again later",
                        path);
    case SQLITE_FULL:
        return col_fail(
            error, "the store %.300s cannot grow: the disk is full; what it has is safe", path);
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return col_fail(error, "the store %.300s cannot be read or written: %.100s", path, says);
    case SQLITE_NOTADB:
        return col_refuse(error, "%.300s is no store of campaigns", path);
    case SQLITE_CORRUPT:
        return col_refuse(error, "the store %.300s is damaged: %.100s", path, says);
    default:
        return col_fail(error, "the store %.300s: %.100s", path, says);
    }
}

col_status store_problem(const cam_store *store, col_error *error) {
    return explain(sqlite3_errcode(store->database), store->path, sqlite3_errmsg(store->database),
                   error);
}

/* ---- Statements. */

sqlite3_stmt *store_prepare(cam_store *store, const char *text, col_error *error) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(store->database, text, -1, 0, &statement, NULL) != SQLITE_OK)
        (void)store_problem(store, error);
    return statement;
}

sqlite3_stmt *store_statement_of(cam_store *store, store_statement which, col_error *error) {
#define STORE_STATEMENT_TEXT(name, text) [STORE_##name] = (text),
    static const char *const texts[] = {STORE_STATEMENTS(STORE_STATEMENT_TEXT)};
    sqlite3_stmt **statement = &store->statements[which];
    if (*statement == NULL)
        *statement = store_prepare(store, texts[which], error);
    else
        (void)sqlite3_clear_bindings(*statement);
    return *statement;
}

bool store_next(cam_store *store, sqlite3_stmt *statement, col_status *status, col_error *error) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return true;
    *status = code == SQLITE_DONE ? COL_OK : store_problem(store, error);
    (void)sqlite3_reset(statement);
    return false;
}

col_status store_run(cam_store *store, sqlite3_stmt *statement, col_error *error) {
    col_status status = COL_OK;
    while (store_next(store, statement, &status, error))
        continue;
    return status;
}

col_status store_do(cam_store *store, store_statement which, col_error *error) {
    sqlite3_stmt *statement = store_statement_of(store, which, error);
    return statement == NULL ? COL_FAILURE : store_run(store, statement, error);
}

static bool is_ascii(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at > 0 && *at < 0x80)
        at++;
    return *at == 0;
}

/* A design's own words may be anything; in the store they are UTF-8. */
void store_bind_text(sqlite3_stmt *statement, int place, const char *text) {
    char *clean = text == NULL || is_ascii(text) ? NULL : strdup(text);
    if (clean != NULL)
        col_clean_utf8(clean);
    if (text == NULL)
        (void)sqlite3_bind_null(statement, place);
    else if (clean != NULL)
        (void)sqlite3_bind_text(statement, place, clean, -1, free);
    else
        (void)sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

void store_bind_number(sqlite3_stmt *statement, int place, uint64_t number) {
    (void)sqlite3_bind_int64(statement, place, (sqlite3_int64)number);
}

/* ---- Transactions. */

col_status store_enter(cam_store *store, col_error *error) {
    return store->is_open_ended ? COL_OK : store_do(store, STORE_BEGIN, error);
}

/* A transaction that cannot be committed is taken back: none of it was. Many at once are taken back
 * all together when one fails. */
col_status store_leave(cam_store *store, col_status status, col_error *error) {
    if (status == COL_OK && store->is_open_ended)
        return COL_OK;
    if (status == COL_OK)
        status = store_do(store, STORE_COMMIT, error);
    if (status != COL_OK && sqlite3_get_autocommit(store->database) == 0)
        (void)store_do(store, STORE_ROLLBACK, NULL);
    if (status != COL_OK)
        store->is_open_ended = false;
    return status;
}

col_status cam_store_begin(cam_store *store, col_error *error) {
    const col_status status = store_enter(store, error);
    store->is_open_ended = status == COL_OK;
    return status;
}

col_status cam_store_commit(cam_store *store, col_error *error) {
    if (!store->is_open_ended)
        return col_fail(error, "the store's transaction was taken back: one of its writes failed");
    store->is_open_ended = false;
    return store_leave(store, COL_OK, error);
}

/* ---- Opening. */

static col_status execute(cam_store *store, const char *text, col_error *error) {
    return sqlite3_exec(store->database, text, NULL, NULL, NULL) == SQLITE_OK
               ? COL_OK
               : store_problem(store, error);
}

static col_status ask_number(cam_store *store, const char *text, int64_t *number,
                             col_error *error) {
    col_status status = COL_OK;
    sqlite3_stmt *statement = store_prepare(store, text, error);
    if (statement == NULL)
        return sqlite3_errcode(store->database) == SQLITE_NOTADB ? COL_BAD_INPUT : COL_FAILURE;
    if (store_next(store, statement, &status, error))
        *number = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return status;
}

typedef struct kind_of_file {
    int64_t application, version, tables;
} kind_of_file;

static col_status look(cam_store *store, kind_of_file *kind, col_error *error) {
    *kind = (kind_of_file){0};
    col_status status =
        ask_number(store, "SELECT count(*) FROM sqlite_schema", &kind->tables, error);
    if (status == COL_OK)
        status = ask_number(store, "PRAGMA application_id", &kind->application, error);
    if (status == COL_OK)
        status = ask_number(store, "PRAGMA user_version", &kind->version, error);
    return status;
}

static col_status judge(const cam_store *store, const kind_of_file *kind, col_error *error) {
    if (kind->application != STORE_APPLICATION)
        return col_refuse(error, "%.300s is no store of campaigns", store->path);
    if (kind->version != STORE_VERSION)
        return col_refuse(error,
                          "the store %.300s has schema %lld, this version of collider writes and "
                          "reads schema %d",
                          store->path, (long long)kind->version, STORE_VERSION);
    return COL_OK;
}

static bool is_empty(const kind_of_file *kind) {
    return kind->tables == 0 && kind->application == 0 && kind->version == 0;
}

static col_status make_tables(cam_store *store, col_error *error) {
    col_text text = {0};
    col_text_add(&text, store_schema);
    col_text_print(&text,
                   "INSERT INTO meta VALUES ('schema', '%d'), ('made by', 'collider %s');"
                   "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                   STORE_VERSION, COL_VERSION, STORE_APPLICATION, STORE_VERSION);
    col_status status = col_text_status(&text, error);
    if (status == COL_OK)
        status = execute(store, text.data, error);
    col_text_free(&text);
    return status;
}

/* Somebody else may be making them at this moment: looks again when nobody can. */
static col_status make_schema(cam_store *store, col_error *error) {
    kind_of_file kind;
    col_status status = execute(store, "PRAGMA journal_mode = WAL", error);
    if (status == COL_OK)
        status = store_enter(store, error);
    if (status != COL_OK)
        return status;
    status = look(store, &kind, error);
    if (status == COL_OK)
        status = is_empty(&kind) ? make_tables(store, error) : judge(store, &kind, error);
    return store_leave(store, status, error);
}

/* Names that mean something to SQLite, such as :memory: or file:x?mode=memory, are names of files
 * here. */
static col_status connect(cam_store *store, int flags, col_error *error) {
    col_text name = {0};
    col_text_print(&name, "%s%s", store->path[0] == '/' ? "" : "./", store->path);
    col_status status = col_text_status(&name, error);
    if (status == COL_OK) {
        const int code = sqlite3_open_v2(name.data, &store->database, flags, NULL);
        if (code != SQLITE_OK)
            status = explain(code, store->path, sqlite3_errstr(code), error);
    }
    col_text_free(&name);
    if (status != COL_OK)
        return status;
    (void)sqlite3_busy_timeout(store->database, PATIENCE);
    return execute(store, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;", error);
}

static cam_store *new_store(const char *path) {
    cam_store *store = calloc(1, sizeof *store);
    if (store != NULL)
        store->path = strdup(path);
    if (store != NULL && store->path != NULL)
        return store;
    free(store);
    return NULL;
}

static col_status end_open(cam_store **store, col_status status) {
    if (status != COL_OK) {
        cam_store_close(*store);
        *store = NULL;
    }
    return status;
}

static col_status open_to_write(cam_store **store, const char *path, bool makes, col_error *error) {
    kind_of_file kind;
    struct stat about;
    const int flags = SQLITE_OPEN_READWRITE | (makes ? SQLITE_OPEN_CREATE : 0);
    *store = NULL;
    if (path[0] == '\0')
        return col_refuse(error, "the name of a store cannot be empty");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return col_refuse(error, "%.300s is no file", path);
    *store = new_store(path);
    if (*store == NULL)
        return col_out_of_memory(error);
    col_status status = connect(*store, flags, error);
    if (status == COL_OK)
        status = look(*store, &kind, error);
    if (status == COL_OK)
        status =
            makes && is_empty(&kind) ? make_schema(*store, error) : judge(*store, &kind, error);
    return end_open(store, status);
}

col_status cam_store_create(cam_store **store, const char *path, col_error *error) {
    return open_to_write(store, path, true, error);
}

col_status store_open_again(cam_store **store, const char *path, col_error *error) {
    return open_to_write(store, path, false, error);
}

/* ---- To read. */

/* Whether there are results that are in the log alone. */
static bool has_log(const cam_store *store) {
    struct stat about;
    col_text log = {0};
    col_text_print(&log, "%s-wal", store->path);
    const bool has = log.data != NULL && stat(log.data, &about) == 0 && about.st_size > 0;
    col_text_free(&log);
    return has;
}

/* Without the right to write beside it, a store that nobody writes can still be read as it is. The
 * path goes into a URI. */
static col_status connect_fixed(cam_store *store, col_error *error) {
    col_text uri = {0};
    if (has_log(store))
        return col_fail(error,
                        "the store %.300s has a log beside it, %.100s-wal, which is read where one "
                        "may write: copy both to such a folder",
                        store->path, store->path);
    col_text_add(&uri, store->path[0] == '/' ? "file://" : "file:");
    for (const char *c = store->path; *c != '\0'; c++)
        if (strchr("%?#", *c) != NULL)
            col_text_print(&uri, "%%%02x", (unsigned)(unsigned char)*c);
        else
            col_text_add_bytes(&uri, c, 1);
    col_text_add(&uri, "?immutable=1");
    col_status status = col_text_status(&uri, error);
    if (status == COL_OK) {
        const int code = sqlite3_open_v2(uri.data, &store->database,
                                         SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
        if (code != SQLITE_OK)
            status = explain(code, store->path, sqlite3_errstr(code), error);
    }
    col_text_free(&uri);
    return status;
}

/* Who may write it opens it so: then the log of a campaign that was killed becomes part of it. */
static col_status connect_to_read(cam_store *store, col_error *error) {
    int64_t tables = 0;
    const bool may_write = access(store->path, W_OK) == 0;
    col_status status =
        connect(store, may_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, error);
    if (status == COL_OK)
        status = ask_number(store, "SELECT count(*) FROM sqlite_schema", &tables, error);
    const int code = store->database == NULL ? SQLITE_OK : sqlite3_errcode(store->database) & 0xff;
    if (status != COL_FAILURE || (code != SQLITE_CANTOPEN && code != SQLITE_READONLY))
        return status;
    (void)sqlite3_close(store->database);
    store->database = NULL;
    return connect_fixed(store, error);
}

col_status cam_store_open(cam_store **store, const char *path, col_error *error) {
    kind_of_file kind;
    struct stat about;
    *store = NULL;
    if (stat(path, &about) != 0)
        return col_refuse(error, "there is no store %.300s", path);
    if (!S_ISREG(about.st_mode) || about.st_size == 0)
        return col_refuse(error, "%.300s is no store of campaigns", path);
    *store = new_store(path);
    if (*store == NULL)
        return col_out_of_memory(error);
    col_status status = connect_to_read(*store, error);
    if (status == COL_OK)
        status = look(*store, &kind, error);
    if (status == COL_OK)
        status = judge(*store, &kind, error);
    if (status == COL_OK)
        status = execute(*store, "PRAGMA query_only = ON; PRAGMA mmap_size = 1073741824;", error);
    return end_open(store, status);
}

void cam_store_close(cam_store *store) {
    if (store == NULL)
        return;
    for (int i = 0; i < STORE_STATEMENT_COUNT; i++)
        (void)sqlite3_finalize(store->statements[i]);
    (void)sqlite3_close(store->database);
    free(store->path);
    free(store);
}
