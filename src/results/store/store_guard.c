/* SPDX-License-Identifier: MIT */
/*
 * A store may be somebody else's file: what is done before it is believed. Nothing beside it is
 * touched that SQLite would touch for it; it must have the tables that we make, to the letter, and
 * nothing else; and no question takes much longer, or hands out much more, than its size explains.
 */
#include "results/store/store_parts.h"
#include "results/store/store_schema.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files beside it. */

static col_status refuse_beside(const cam_store *store, const char *ending, const char *what,
                                col_problem *problem) {
    return base_refuse(problem, "%.200s%s beside the store %s", store->file, ending, what);
}

/* A journal ends with the name of a file that SQLite deletes after a rollback: this mark, behind
 * its name. Only a transaction over several databases leaves one, and a campaign never makes such.
 */
static bool names_a_file(const char *journal) {
    static const unsigned char mark[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char last[sizeof mark] = {0};
    const int descriptor = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return true; /* nobody can tell */
    const bool is_read = lseek(descriptor, -(off_t)sizeof mark, SEEK_END) >= 0 &&
                         read(descriptor, last, sizeof last) == (ssize_t)sizeof last;
    (void)close(descriptor);
    return is_read && memcmp(last, mark, sizeof mark) == 0;
}

static col_status look_beside(cam_store *store, const char *ending, off_t *size, base_text *name,
                              col_problem *problem) {
    struct stat about;
    base_text_print(name, "%s%s", store->file, ending);
    *size = 0;
    if (name->failed)
        return base_out_of_memory(problem);
    if (lstat(name->data, &about) != 0)
        return COL_OK;
    if (!S_ISREG(about.st_mode))
        return refuse_beside(store, ending, "is not an ordinary file; remove it", problem);
    *size = about.st_size;
    return COL_OK;
}

col_status cam_store_check_beside(cam_store *store, bool to_write, bool *has_log,
                                  col_problem *problem) {
    static const char *const endings[] = {"-journal", "-wal", "-shm"};
    enum { JOURNAL, LOG };
    col_status status = COL_OK;
    *has_log = false;
    for (int i = 0; i < 3 && status == COL_OK; i++) {
        base_text name = {0};
        off_t size;
        status = look_beside(store, endings[i], &size, &name, problem);
        const bool has_bytes = status == COL_OK && size > 0;
        *has_log |= i == LOG && has_bytes;
        if (i == JOURNAL && has_bytes && !to_write)
            status = refuse_beside(store, endings[i],
                                   "says that writing it was cut short; reading does not repair it",
                                   problem);
        else if (i == JOURNAL && has_bytes && names_a_file(name.data))
            status = refuse_beside(
                store, endings[i],
                "names a further file to delete, which no campaign writes; remove it", problem);
        base_text_free(&name);
    }
    return status;
}

/* ---- How much it may ask of us. */

enum {
    STEPS = 1000,             /* of SQLite's machine between two looks */
    LEAST_STEPS = 20000,      /* thousands of them that a store may take, however small */
    STEPS_PER_BYTE = 8,       /* and for each byte of it */
    LEAST_BYTES = 64 << 20,   /* of texts and blobs, likewise */
    BYTES_PER_BYTE = 256,     /* a trial is read once for each plan that has it */
    ROW_BYTES = 64,           /* that a row stands for besides */
    LONGEST_VALUE = 256 << 20 /* bytes of a text or blob */
};

static int count_steps(void *context) {
    cam_store *store = context;
    if (store->steps_left == 0)
        return 1;
    store->steps_left--;
    return 0;
}

void cam_store_budget(cam_store *store) {
    struct stat about;
    const uint64_t size =
        stat(store->file, &about) == 0 && about.st_size > 0 ? (uint64_t)about.st_size : 0;
    store->steps_left = LEAST_STEPS + size / STEPS * STEPS_PER_BYTE;
    store->bytes_left = LEAST_BYTES + size * BYTES_PER_BYTE;
}

bool cam_store_pay(cam_store *store, sqlite3_stmt *row) {
    uint64_t bytes = ROW_BYTES;
    for (int i = 0; i < sqlite3_data_count(row); i++) {
        const int type = sqlite3_column_type(row, i);
        if (type == SQLITE_TEXT || type == SQLITE_BLOB)
            bytes += (uint64_t)sqlite3_column_bytes(row, i);
    }
    if (bytes > store->bytes_left)
        return false;
    store->bytes_left -= bytes;
    return true;
}

void cam_store_protect(cam_store *store) {
    static const struct {
        int name, value;
    } limits[] = {{SQLITE_LIMIT_LENGTH, LONGEST_VALUE}, {SQLITE_LIMIT_SQL_LENGTH, 100000},
                  {SQLITE_LIMIT_COLUMN, 100},           {SQLITE_LIMIT_EXPR_DEPTH, 100},
                  {SQLITE_LIMIT_COMPOUND_SELECT, 10},   {SQLITE_LIMIT_VDBE_OP, 100000},
                  {SQLITE_LIMIT_FUNCTION_ARG, 20},      {SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_VARIABLE_NUMBER, 100},  {SQLITE_LIMIT_TRIGGER_DEPTH, 10},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        (void)sqlite3_limit(store->database, limits[i].name, limits[i].value);
    (void)sqlite3_db_config(store->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    cam_store_budget(store);
    sqlite3_progress_handler(store->database, STEPS, count_steps, store);
}

/* ---- Its tables. */

static const char list_schema[] =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type DESC, name, tbl_name";
enum { SCHEMA_COLUMNS = 4 };

static const char *text_at(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text == NULL ? "" : text;
}

/* Which is listed first: views, then tables, by name; 0: these columns are the same. */
static int order(sqlite3_stmt *a, sqlite3_stmt *b, int columns) {
    int result = 0;
    for (int i = 0; i < columns && result == 0; i++)
        result =
            i == 0 ? strcmp(text_at(b, i), text_at(a, i)) : strcmp(text_at(a, i), text_at(b, i));
    return result;
}

static col_status refuse_schema(const cam_store *store, sqlite3_stmt *row, const char *what,
                                col_problem *problem) {
    return base_refuse(problem,
                       "the store %.200s is not as campaigns make it: its %.20s '%.60s' is %s",
                       store->path, text_at(row, 0), text_at(row, 1), what);
}

/* Row by row: `made` is of a store that we have just made. */
static col_status compare(cam_store *store, sqlite3_stmt *made, sqlite3_stmt *found,
                          col_problem *problem) {
    enum { NAME_COLUMNS = 2 };
    col_status status = COL_OK;
    while (true) {
        const int code = sqlite3_step(made);
        const bool has_row = cam_store_next(store, found, &status, problem);
        if (status != COL_OK)
            return status;
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return code == SQLITE_NOMEM ? base_out_of_memory(problem)
                                        : base_fail(problem, "SQLite cannot list a schema");
        if (code == SQLITE_DONE && !has_row)
            return COL_OK;
        const int which = code == SQLITE_DONE ? 1
                          : !has_row          ? -1
                                              : order(made, found, NAME_COLUMNS);
        if (which != 0)
            return which < 0 ? refuse_schema(store, made, "missing", problem)
                             : refuse_schema(store, found, "not a campaign's", problem);
        if (order(made, found, SCHEMA_COLUMNS) != 0)
            return refuse_schema(store, found, "another one", problem);
    }
}

col_status cam_store_check_schema(cam_store *store, col_problem *problem) {
    sqlite3 *model = NULL;
    sqlite3_stmt *made = NULL, *found = NULL;
    base_text schema = {0};
    cam_store_schema(&schema);
    if (!schema.failed &&
        sqlite3_open_v2(":memory:", &model, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL) ==
            SQLITE_OK &&
        sqlite3_exec(model, schema.data, NULL, NULL, NULL) == SQLITE_OK)
        (void)sqlite3_prepare_v3(model, list_schema, -1, 0, &made, NULL);
    if (made != NULL)
        found = cam_store_prepare(store, list_schema);
    const col_status status = made == NULL    ? base_out_of_memory(problem)
                              : found == NULL ? cam_store_problem(store, problem)
                                              : compare(store, made, found, problem);
    (void)sqlite3_finalize(found);
    (void)sqlite3_finalize(made);
    (void)sqlite3_close(model);
    base_text_free(&schema);
    return status;
}

col_status cam_store_check_pages(cam_store *store, col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *check = cam_store_prepare(store, "PRAGMA integrity_check(1)");
    if (cam_store_next(store, check, &status, problem)) {
        const char *says = (const char *)sqlite3_column_text(check, 0);
        if (says == NULL)
            status = base_out_of_memory(problem);
        else if (strstr(says, "error code=") != NULL || strstr(says, "failed to get page") != NULL)
            /* of reading, not of what was read */
            status = base_fail(problem, "cannot read the store %.200s: %.200s", store->path, says);
        else if (strcmp(says, "ok") != 0)
            status = base_refuse(problem, "the store %.200s is damaged: %.200s", store->path, says);
    }
    (void)sqlite3_finalize(check);
    return status;
}
