/* SPDX-License-Identifier: MIT */
/* Statements and transactions of the store, and what SQLite's complaints become. */
#include "results/store/store.h"

#include "results/store/store_parts.h"
#include "results/store/store_schema.h"
#include "version.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What SQLite says. */

col_status cam_store_explain(int code, const char *path, const char *says, col_problem *problem) {
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return base_out_of_memory(problem);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return base_fail(problem, "the store %.300s is held by another program; try again later",
                         path);
    case SQLITE_FULL:
        return base_fail(
            problem, "the store %.300s cannot grow: the disk is full; what it has is safe", path);
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return base_fail(problem, "the store %.300s cannot be read or written: %.100s", path, says);
    case SQLITE_NOTADB:
        return base_refuse(problem, "%.300s is not a results store", path);
    case SQLITE_CORRUPT:
        return base_refuse(problem, "the store %.300s is damaged: %.100s", path, says);
    case SQLITE_INTERRUPT:
        return base_refuse(
            problem, "the store %.300s takes far longer to read than its size explains", path);
    case SQLITE_TOOBIG:
        return base_refuse(problem, "a text of the store %.300s is too long", path);
    default:
        return base_fail(problem, "the store %.300s: %.100s", path, says);
    }
}

/* SQLite calls a page that the disk did not give it malformed. */
static bool could_be_read(const cam_store *store) {
    int reason = 0;
    return sqlite3_file_control(store->database, "main", SQLITE_FCNTL_LAST_ERRNO, &reason) !=
               SQLITE_OK ||
           (reason != EIO && reason != ENXIO && reason != ERANGE);
}

col_status cam_store_problem(const cam_store *store, col_problem *problem) {
    const int code = sqlite3_errcode(store->database);
    const bool is_told = (code & 0xff) != SQLITE_CORRUPT || could_be_read(store);
    return cam_store_explain(is_told ? code : SQLITE_IOERR, store->path,
                             is_told ? sqlite3_errmsg(store->database) : strerror(EIO), problem);
}

/* ---- Statements. */

static void begin_statement(cam_store *store) {
    store->problem = SQLITE_OK;
    if (!store->is_to_read)
        cam_store_budget(store);
}

sqlite3_stmt *cam_store_prepare(cam_store *store, const char *text) {
    sqlite3_stmt *statement = NULL;
    begin_statement(store);
    (void)sqlite3_prepare_v3(store->database, text, -1, 0, &statement, NULL);
    return statement;
}

/* Of the statements whose columns are a table of store_schema.h. */
static sqlite3_stmt *prepare_insert(cam_store *store, cam_store_statement which) {
    base_text text = {0};
    sqlite3_stmt *statement = NULL;
    if (which == CAM_STORE_ADD_TRIAL)
        cam_columns_insert(&cam_trial_columns, "trials", &text);
    else
        cam_columns_insert(&cam_failure_columns, "failures", &text);
    if (!text.failed)
        statement = cam_store_prepare(store, text.data);
    base_text_free(&text);
    return statement;
}

sqlite3_stmt *cam_store_statement_of(cam_store *store, cam_store_statement which) {
#define CAM_STORE_STATEMENT_TEXT(name, text) [CAM_STORE_##name] = (text),
    static const char *const texts[] = {CAM_STORE_STATEMENTS(CAM_STORE_STATEMENT_TEXT)};
    sqlite3_stmt **statement = &store->statements[which];
    if (*statement == NULL) {
        *statement = texts[which] == NULL ? prepare_insert(store, which)
                                          : cam_store_prepare(store, texts[which]);
    } else {
        begin_statement(store);
        (void)sqlite3_clear_bindings(*statement);
    }
    return *statement;
}

bool cam_store_next(cam_store *store, sqlite3_stmt *statement, col_status *status,
                    col_problem *problem) {
    if (statement == NULL) {
        const int why = sqlite3_errcode(store->database);
        const bool was_asked = why != SQLITE_OK && why != SQLITE_ROW && why != SQLITE_DONE;
        store->problem = SQLITE_OK;
        *status = was_asked ? cam_store_problem(store, problem) : base_out_of_memory(problem);
        return false;
    }
    const int code = store->problem != SQLITE_OK ? store->problem : sqlite3_step(statement);
    *status = COL_OK;
    if (code == SQLITE_ROW) {
        if (!store->is_to_read || cam_store_pay(store, statement))
            return true;
        *status = base_refuse(problem, "the store %.300s holds far more than its size explains",
                              store->path);
    } else if (store->problem != SQLITE_OK)
        *status = cam_store_explain(code, store->path, sqlite3_errstr(code), problem);
    else if (code != SQLITE_DONE)
        *status = cam_store_problem(store, problem);
    store->problem = SQLITE_OK;
    (void)sqlite3_reset(statement);
    return false;
}

col_status cam_store_row_status(const cam_store *store, col_problem *problem) {
    return sqlite3_errcode(store->database) == SQLITE_NOMEM ? base_out_of_memory(problem) : COL_OK;
}

col_status cam_store_run(cam_store *store, sqlite3_stmt *statement, col_problem *problem) {
    col_status status = COL_OK;
    while (cam_store_next(store, statement, &status, problem))
        continue;
    return status;
}

static bool is_ascii(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at > 0 && *at < 0x80)
        at++;
    return *at == 0;
}

static void note(cam_store *store, int code) {
    if (store->problem == SQLITE_OK)
        store->problem = code;
}

/* A design's own words may be anything; in the store they are UTF-8. */
void cam_store_bind_text(cam_store *store, sqlite3_stmt *statement, int place, const char *text) {
    if (text == NULL) {
        note(store, sqlite3_bind_null(statement, place));
    } else if (is_ascii(text)) {
        note(store, sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC));
    } else {
        char *clean = strdup(text);
        if (clean != NULL)
            base_clean_utf8(clean);
        note(store,
             clean == NULL ? SQLITE_NOMEM : sqlite3_bind_text(statement, place, clean, -1, free));
    }
}

void cam_store_bind_integer(cam_store *store, sqlite3_stmt *statement, int place, int64_t number) {
    note(store, sqlite3_bind_int64(statement, place, number));
}

void cam_store_bind_real(cam_store *store, sqlite3_stmt *statement, int place, double number) {
    note(store, sqlite3_bind_double(statement, place, number));
}

static void bind_all(cam_store *store, sqlite3_stmt *statement, const char *types, va_list values) {
    for (int place = 1; types[place - 1] != '\0'; place++)
        if (types[place - 1] == 't') {
            cam_store_bind_text(store, statement, place, va_arg(values, const char *));
        } else if (types[place - 1] == 'i') {
            cam_store_bind_integer(store, statement, place, va_arg(values, int64_t));
        } else {
            const base_text *bytes = va_arg(values, const base_text *);
            note(store, bytes->failed ? SQLITE_NOMEM
                                      : sqlite3_bind_blob64(statement, place,
                                                            bytes->data == NULL ? "" : bytes->data,
                                                            bytes->length, SQLITE_STATIC));
        }
}

sqlite3_stmt *cam_store_ask(cam_store *store, const char *text, const char *types, ...) {
    va_list values;
    sqlite3_stmt *statement = cam_store_prepare(store, text);
    va_start(values, types);
    bind_all(store, statement, types, values);
    va_end(values);
    return statement;
}

col_status cam_store_do(cam_store *store, cam_store_statement which, col_problem *problem,
                        const char *types, ...) {
    va_list values;
    sqlite3_stmt *statement = cam_store_statement_of(store, which);
    va_start(values, types);
    bind_all(store, statement, types, values);
    va_end(values);
    return cam_store_run(store, statement, problem);
}

col_status cam_store_tell(cam_store *store, int64_t *number, col_problem *problem, const char *text,
                          const char *types, ...) {
    va_list values;
    col_status status = COL_OK;
    sqlite3_stmt *statement = cam_store_prepare(store, text);
    va_start(values, types);
    bind_all(store, statement, types, values);
    va_end(values);
    if (cam_store_next(store, statement, &status, problem)) {
        if (number != NULL)
            *number = sqlite3_column_int64(statement, 0);
        status = cam_store_run(store, statement, problem);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

/* ---- Transactions. */

col_status cam_store_enter(cam_store *store, col_problem *problem) {
    return store->is_open_ended ? COL_OK : cam_store_do(store, CAM_STORE_BEGIN, problem, "");
}

/* A transaction that cannot be committed is taken back: none of it was. Many at once are taken back
 * all together when one fails. */
col_status cam_store_leave(cam_store *store, col_status status, col_problem *problem) {
    if (status == COL_OK && store->is_open_ended)
        return COL_OK;
    BASE_THEN(status, cam_store_do(store, CAM_STORE_COMMIT, problem, ""));
    if (status != COL_OK && sqlite3_get_autocommit(store->database) == 0)
        (void)cam_store_do(store, CAM_STORE_ROLLBACK, NULL, "");
    if (status != COL_OK)
        store->is_open_ended = false;
    return status;
}

col_status cam_store_begin(cam_store *store, col_problem *problem) {
    const col_status status = cam_store_enter(store, problem);
    store->is_open_ended = status == COL_OK;
    return status;
}

col_status cam_store_commit(cam_store *store, col_problem *problem) {
    if (!store->is_open_ended)
        return base_fail(problem,
                         "the store's transaction was taken back: one of its writes failed");
    store->is_open_ended = false;
    return cam_store_leave(store, COL_OK, problem);
}

/*
 * Opening and closing the store. Commits are synced (synchronous = FULL): a row that was committed
 * outlives kill -9 and a power cut. What is forked while a store is open, such as a design's own
 * process, must not touch it.
 *
 * To read, it is never opened for writing. A store without a log is read as a file that nobody
 * changes, which needs no lock and makes nothing beside it; that it did not change is checked at
 * the end. One with a log, of a campaign that runs or was killed, is read through SQLite's locks.
 */

enum { LOCK_TIMEOUT = 60000 }; /* milliseconds that another writer is waited for */

static col_status execute(cam_store *store, const char *text, col_problem *problem) {
    return sqlite3_exec(store->database, text, NULL, NULL, NULL) == SQLITE_OK
               ? COL_OK
               : cam_store_problem(store, problem);
}

/* ---- What kind of file it is. */

typedef struct kind_of_file {
    int64_t application, version, tables;
} kind_of_file;

static col_status find_kind(cam_store *store, kind_of_file *kind, col_problem *problem) {
    *kind = (kind_of_file){0};
    col_status status =
        cam_store_tell(store, &kind->tables, problem, "SELECT count(*) FROM sqlite_schema", "");
    BASE_THEN(status,
              cam_store_tell(store, &kind->application, problem, "PRAGMA application_id", ""));
    BASE_THEN(status, cam_store_tell(store, &kind->version, problem, "PRAGMA user_version", ""));
    return status;
}

static col_status check_kind(cam_store *store, const kind_of_file *kind, col_problem *problem) {
    if (kind->application != CAM_STORE_APPLICATION)
        return base_refuse(problem, "%.300s is not a results store", store->path);
    if (kind->version == 1 || kind->version == 2)
        return base_refuse(problem,
                           "the store %.300s was written by a version of collider before 1.0 and "
                           "cannot be read",
                           store->path);
    if (kind->version != CAM_STORE_VERSION)
        return base_refuse(problem,
                           "the store %.300s has schema %lld, this version of collider reads "
                           "schema %d",
                           store->path, (long long)kind->version, CAM_STORE_VERSION);
    return cam_store_check_schema(store, problem);
}

static bool is_empty(const kind_of_file *kind) {
    return kind->tables == 0 && kind->application == 0 && kind->version == 0;
}

/* Makes the tables. Somebody else may be making them at this moment: looks again when nobody can.
 */
static col_status make_schema(cam_store *store, col_problem *problem) {
    kind_of_file kind;
    base_text text = {0};
    col_status status = execute(store, "PRAGMA journal_mode = WAL", problem);
    BASE_THEN(status, cam_store_enter(store, problem));
    BASE_THEN(status, find_kind(store, &kind, problem));
    if (status == COL_OK && is_empty(&kind)) {
        cam_store_schema(&text);
        base_text_print(&text,
                        "INSERT INTO meta VALUES ('schema', '%d'), ('made by', 'collider %s');"
                        "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                        CAM_STORE_VERSION, BASE_VERSION, CAM_STORE_APPLICATION, CAM_STORE_VERSION);
        status = base_text_status(&text, problem);
        BASE_THEN(status, execute(store, text.data, problem));
        base_text_free(&text);
    } else if (status == COL_OK) {
        status = check_kind(store, &kind, problem);
    }
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
    (void)sqlite3_busy_timeout(store->database, LOCK_TIMEOUT);
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
    BASE_THEN(status, connect_as(*store, (*store)->file, flags, problem));
    BASE_THEN(status, find_kind(*store, &kind, problem));
    BASE_THEN(status, makes && is_empty(&kind) ? make_schema(*store, problem)
                                               : check_kind(*store, &kind, problem));
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
    BASE_THEN(status, connect_as(store, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, problem));
    base_text_free(&uri);
    return status;
}

/* SQLite reads a log through an index beside it, which somebody must be able to make. */
static col_status connect_with_log(cam_store *store, col_problem *problem) {
    int64_t tables = 0;
    col_status status = connect_as(store, store->file, SQLITE_OPEN_READONLY, problem);
    BASE_THEN(status,
              cam_store_tell(store, &tables, problem, "SELECT count(*) FROM sqlite_schema", ""));
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
    BASE_TRY(cam_store_check_beside(store, false, &has_log, problem));
    BASE_TRY(has_log ? connect_with_log(store, problem) : connect_fixed(store, problem));
    BASE_TRY(execute(store, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; BEGIN", problem));
    BASE_TRY(find_kind(store, &kind, problem));
    BASE_TRY(check_kind(store, &kind, problem));
    return cam_store_check_pages(store, problem);
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
    return status == COL_OK ? COL_OK
                            : end_open(store, cam_store_check_unchanged(*store, status, problem));
}

/* ---- The end. */

col_status cam_store_check_unchanged(const cam_store *store, col_status status,
                                     col_problem *problem) {
    struct stat now;
    const struct stat *then = &store->about;
    if (!store->is_fixed ||
        (stat(store->file, &now) == 0 && now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
         now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == then->st_mtim.tv_nsec))
        return status;
    return base_fail(problem, "the store %.300s was changed while it was read; try again",
                     store->path);
}

col_status cam_store_make_room(cam_store *store, col_problem *problem) {
    int64_t page = 0, pages = 0;
    col_status status = cam_store_tell(store, &page, problem, "PRAGMA page_size", "");
    BASE_THEN(status, cam_store_tell(store, &pages, problem, "PRAGMA page_count", ""));
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
    (void)sqlite3_busy_timeout(store->database, LOCK_TIMEOUT);
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

col_status cam_store_end(cam_store *store, col_status status, col_problem *problem) {
    if (store != NULL)
        status = cam_store_check_unchanged(store, status, problem);
    cam_store_close(store);
    return status;
}
