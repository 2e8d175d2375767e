/* SPDX-License-Identifier: MIT */
/* Statements and transactions of the store, and what SQLite's complaints become. */
#include "campaign/store_guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

sqlite3_stmt *cam_store_prepare(cam_store *store, const char *text, col_problem *problem) {
    sqlite3_stmt *statement = NULL;
    begin_statement(store);
    if (sqlite3_prepare_v3(store->database, text, -1, 0, &statement, NULL) != SQLITE_OK)
        (void)cam_store_problem(store, problem);
    return statement;
}

sqlite3_stmt *cam_store_statement_of(cam_store *store, cam_store_statement which,
                                     col_problem *problem) {
#define CAM_STORE_STATEMENT_TEXT(name, text) [CAM_STORE_##name] = (text),
    static const char *const texts[] = {CAM_STORE_STATEMENTS(CAM_STORE_STATEMENT_TEXT)};
    sqlite3_stmt **statement = &store->statements[which];
    if (*statement == NULL) {
        *statement = cam_store_prepare(store, texts[which], problem);
    } else {
        begin_statement(store);
        (void)sqlite3_clear_bindings(*statement);
    }
    return *statement;
}

/* Of the row that it has come to. */
static bool is_within_budget(cam_store *store, sqlite3_stmt *statement, col_status *status,
                             col_problem *problem) {
    if (!store->is_to_read || cam_store_pay(store, statement))
        return true;
    *status =
        base_refuse(problem, "the store %.300s holds far more than its size explains", store->path);
    return false;
}

bool cam_store_next(cam_store *store, sqlite3_stmt *statement, col_status *status,
                    col_problem *problem) {
    const int code = store->problem != SQLITE_OK ? store->problem : sqlite3_step(statement);
    *status = COL_OK;
    if (code == SQLITE_ROW && is_within_budget(store, statement, status, problem))
        return true;
    if (store->problem != SQLITE_OK)
        *status = cam_store_explain(code, store->path, sqlite3_errstr(code), problem);
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
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

col_status cam_store_do(cam_store *store, cam_store_statement which, col_problem *problem) {
    sqlite3_stmt *statement = cam_store_statement_of(store, which, problem);
    return statement == NULL ? cam_store_problem(store, problem)
                             : cam_store_run(store, statement, problem);
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

void cam_store_bind_long_text(cam_store *store, sqlite3_stmt *statement, int place,
                              const char *text, size_t length) {
    note(store, sqlite3_bind_text64(statement, place, text, length, SQLITE_STATIC, SQLITE_UTF8));
}

void cam_store_bind_number(cam_store *store, sqlite3_stmt *statement, int place, uint64_t number) {
    cam_store_bind_integer(store, statement, place, (int64_t)number);
}

void cam_store_bind_integer(cam_store *store, sqlite3_stmt *statement, int place, int64_t number) {
    note(store, sqlite3_bind_int64(statement, place, number));
}

void cam_store_bind_real(cam_store *store, sqlite3_stmt *statement, int place, double number) {
    note(store, sqlite3_bind_double(statement, place, number));
}

void cam_store_bind_bytes(cam_store *store, sqlite3_stmt *statement, int place,
                          const base_text *bytes) {
    note(store, sqlite3_bind_blob64(statement, place, bytes->data == NULL ? "" : bytes->data,
                                    bytes->length, SQLITE_STATIC));
}

/* ---- Transactions. */

col_status cam_store_enter(cam_store *store, col_problem *problem) {
    return store->is_open_ended ? COL_OK : cam_store_do(store, CAM_STORE_BEGIN, problem);
}

/* A transaction that cannot be committed is taken back: none of it was. Many at once are taken back
 * all together when one fails. */
col_status cam_store_leave(cam_store *store, col_status status, col_problem *problem) {
    if (status == COL_OK && store->is_open_ended)
        return COL_OK;
    if (status == COL_OK)
        status = cam_store_do(store, CAM_STORE_COMMIT, problem);
    if (status != COL_OK && sqlite3_get_autocommit(store->database) == 0)
        (void)cam_store_do(store, CAM_STORE_ROLLBACK, NULL);
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

const char *cam_metric_name(col_metric metric) {
    return col_metrics[metric];
}
