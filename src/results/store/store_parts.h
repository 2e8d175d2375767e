/* SPDX-License-Identifier: MIT */
/* What the files of the store share: the connection, statements that are prepared once, and what
 * SQLite's complaints become. Not for anybody else. */
#pragma once

#include "base/text.h"
#include "results/plan/trial.h"
#include "results/store/store.h"

#include <sqlite3.h>
#include <sys/stat.h>

#define CAM_STORE_STATEMENTS(X)                                                                    \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(FIND_TRIAL, "SELECT id, status = 'done', campaign FROM trials WHERE key = ?1")               \
    X(DROP_TRIAL, "DELETE FROM trials WHERE id = ?1")                                              \
    X(ADD_TRIAL, NULL) /* of store_schema.h; so is ADD_FAILURE */                                  \
    X(ADD_CURVE, "INSERT INTO curves VALUES (?1, ?2)")                                             \
    X(ADD_HITS, "INSERT INTO hits VALUES (?1, ?2, ?3)")                                            \
    X(ADD_LEARNING, "INSERT INTO learning VALUES (?1, ?2)")                                        \
    X(ADD_FAILURE, NULL)                                                                           \
    X(FIND_CLAIM, "SELECT campaign, machine, pid, pid_started, heartbeat, ended FROM claims JOIN"  \
                  " campaigns ON id = campaign WHERE key = ?1")                                    \
    X(PUT_CLAIM, "INSERT OR REPLACE INTO claims VALUES (?1, ?2, ?3)")                              \
    X(SYNC, "PRAGMA synchronous = FULL")                                                           \
    X(SYNC_LESS, "PRAGMA synchronous = NORMAL")                                                    \
    X(DROP_CLAIM, "DELETE FROM claims WHERE key = ?1")                                             \
    X(HAS_DESIGN, "SELECT 1 FROM designs WHERE hash = ?1")

#define CAM_STORE_STATEMENT_PLACE(name, text) CAM_STORE_##name,
typedef enum cam_store_statement {
    CAM_STORE_STATEMENTS(CAM_STORE_STATEMENT_PLACE) CAM_STORE_STATEMENT_COUNT
} cam_store_statement;

struct cam_store {
    sqlite3 *database;
    char *path;
    sqlite3_stmt *statements[CAM_STORE_STATEMENT_COUNT];
    char *file;      /* the path itself, behind links */
    int problem;     /* of SQLite, of a value that could not be bound; SQLITE_OK: none */
    bool is_to_read; /* its budget is for all of it, not for each statement */
    bool is_fixed;   /* read as it was when `about` was noted */
    struct stat about;
    uint64_t steps_left, bytes_left; /* what it may still take: see store_guard.c */
    bool is_open_ended;              /* cam_store_begin's transaction */
    int64_t campaign;                /* whose rows are added; 0: nobody's */
};

/* To write, as whoever made it does later: if it is gone, so are the results, and to make another
 * one would hide that. */
col_status cam_store_open_again(cam_store **store, const char *path, col_problem *problem);

/* Makes a store in the file `place` that will be moved to `path`, which problems name. */
col_status cam_store_create_at(cam_store **store, const char *path, const char *place,
                               col_problem *problem);

/* Before a commit: gives the file the size that it will have, so that a full disk is noticed while
 * all can be taken back. */
col_status cam_store_make_room(cam_store *store, col_problem *problem);
/* Before the end: takes the log into the file. Closing does the same, but says nothing if it
 * cannot. Whoever has the store open besides does it later. */
col_status cam_store_take_log(cam_store *store, col_problem *problem);

/* What went wrong last, as a sentence; also of a statement that could not be prepared. */
col_status cam_store_problem(const cam_store *store, col_problem *problem);
col_status cam_store_explain(int code, const char *path, const char *says, col_problem *problem);

/* A statement, ready to bind; NULL: the next step says why there is none. */
sqlite3_stmt *cam_store_statement_of(cam_store *store, cam_store_statement which);
sqlite3_stmt *cam_store_prepare(cam_store *store, const char *text);
/* With its values, a letter of `types` for each: i an int64_t, t a text (NULL: nothing), b the
 * bytes of a base_text. */
sqlite3_stmt *cam_store_ask(cam_store *store, const char *text, const char *types, ...);

/* Runs it to its end and leaves it reset. */
col_status cam_store_run(cam_store *store, sqlite3_stmt *statement, col_problem *problem);
/* Of those that are prepared once, with values as of cam_store_ask. */
col_status cam_store_do(cam_store *store, cam_store_statement which, col_problem *problem,
                        const char *types, ...);
/* Prepares and runs one. `number` may be NULL: the first column of its first row, if it has one. */
col_status cam_store_tell(cam_store *store, int64_t *number, col_problem *problem, const char *text,
                          const char *types, ...);
/* The next row; false: there is none, or a problem, which is then not COL_OK in *status. */
bool cam_store_next(cam_store *store, sqlite3_stmt *statement, col_status *status,
                    col_problem *problem);

/* One transaction around a call, unless the caller has one; `status` is what came of the call. */
col_status cam_store_enter(cam_store *store, col_problem *problem);
col_status cam_store_leave(cam_store *store, col_status status, col_problem *problem);

/* Texts and bytes must last until the statement has run. A value that cannot be bound is remembered
 * and told by the statement's next step. */
void cam_store_bind_text(cam_store *store, sqlite3_stmt *statement, int place,
                         const char *text); /* NULL: nothing */
void cam_store_bind_integer(cam_store *store, sqlite3_stmt *statement, int place, int64_t number);
void cam_store_bind_real(cam_store *store, sqlite3_stmt *statement, int place, double number);

/* A text that is never NULL, unless the store is damaged: "". */
const char *cam_store_text_at(sqlite3_stmt *statement, int column);
/* After the columns of a row were asked for: a text that is NULL for want of memory is no text that
 * is not there. */
col_status cam_store_row_status(const cam_store *store, col_problem *problem);

/* Trials of the plan that have a row, by the grid that is there: of designs as they were then. */
col_status cam_store_count_results(cam_store *store, const char *plan, uint64_t *count,
                                   col_problem *problem);
/* Rows that no plan has any more: their designs have changed since. */
col_status cam_store_count_outdated(cam_store *store, uint64_t *count, col_problem *problem);
/* Also says which number the plan has. The grid has the chosen trials, and those that it had; NULL:
 * all. */
col_status cam_store_put_plan(cam_store *store, const cam_plan *plan, const cam_keys *keys,
                              const bool *chosen, int64_t *number, col_problem *problem);
/* Of all its keys, in their order. */
void cam_store_hash_grid(const cam_keys *keys, char hash[CAM_HASH]);
col_status cam_store_has_design(cam_store *store, const char *hash, bool *has,
                                col_problem *problem);

/* Of a campaign that is alive: the columns machine, pid, pid_started, heartbeat, ended from
 * `column` on. */
struct cam_process;
bool cam_row_is_alive(sqlite3_stmt *row, int column, const struct cam_process *self);

/* ---- What is done before a store is believed, which may be somebody else's file: store_guard.c.
 */

/* Before it is opened: whether what SQLite would use beside it is harmless, and whether there is a
 * write-ahead log with something in it. */
col_status cam_store_check_beside(cam_store *store, bool to_write, bool *has_log,
                                  col_problem *problem);

/* As soon as it is open: limits, and nothing in its schema is run. */
void cam_store_protect(cam_store *store);
/* What it may take from now on, by its size; reading, that is for all of it. */
void cam_store_budget(cam_store *store);
/* A statement that is prepared once and writes more rows than this gets another budget. */
enum { CAM_STORE_ROWS = 1024 };
/* Takes the row from the budget of bytes; false: there is not enough left. */
bool cam_store_pay(cam_store *store, sqlite3_stmt *row);

/* Tables, indices and views are those that we make, to the letter. */
col_status cam_store_check_schema(cam_store *store, col_problem *problem);
/* Each page has one place, each index has the rows of its table: nothing that is read multiplies.
 */
col_status cam_store_check_pages(cam_store *store, col_problem *problem);

/* ---- Arrays as blobs: numbers of seven bits to a byte, the low ones first, the high bit set on
 * all but the last. A curve is its points one after the other, each as the differences of
 * microseconds, tests, operations, cycles, structural and functional from the point before. */
void cam_store_pack_curve(const col_curve_point *curve, size_t count, base_text *bytes);
void cam_store_pack(base_text *bytes, uint64_t number);

typedef struct cam_store_bytes {
    const unsigned char *at, *end;
} cam_store_bytes;
/* False: there is no further one. */
bool cam_store_unpack_point(cam_store_bytes *bytes, col_curve_point *point, uint64_t *microseconds);
