/* SPDX-License-Identifier: MIT */
/* Stores that somebody made to do harm: none deletes or changes a file, none is read for ever, and
 * each is refused in one sentence. What an honest campaign leaves behind is read all the same. */
#include "base/file.h"
#include "harness.h"
#include "results/store/store_parts.h"
#include "results/store/trial_claim.h"
#include "results/store_dump.h"
#include "results/store_sample.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char victim_text[] = "what the user must not lose\n";

static const char *make_victim(void) {
    const char *path = scratch_path("victim");
    assert_int_equal(base_file_write(path, victim_text, strlen(victim_text), NULL), COL_OK);
    return path;
}

static void assert_victim_lives(const char *path) {
    base_text text = {0};
    assert_int_equal(base_file_read(path, &text, NULL), COL_OK);
    assert_string_equal(text.data, victim_text);
    base_text_free(&text);
}

static void make_store(const char *path) {
    cam_store *store;
    col_problem problem;
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    remove_store(path);
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    for (uint64_t i = 0; i < 5; i++) {
        make_sample(s, i);
        assert_int_equal(cam_store_add(store, &s->row, NULL, 0, &problem), COL_OK);
    }
    cam_store_close(store);
    free(s);
}

static void assert_refused(const char *path, const char *says) {
    cam_store *store;
    col_problem problem = {0};
    assert_int_equal(cam_store_open(&store, path, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, says) == NULL)
        fail_msg("%s: %s", says, problem.message);
    assert_null(store);
}

static void assert_refused_to_write(const char *path, const char *says) {
    cam_store *store;
    col_problem problem = {0};
    assert_int_equal(cam_store_create(&store, path, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, says) == NULL)
        fail_msg("%s: %s", says, problem.message);
    assert_null(store);
}

static col_status count_row(void *context, const cam_row *row, col_problem *problem) {
    (void)row;
    (void)problem;
    ++*(uint32_t *)context;
    return COL_OK;
}

static uint32_t count_rows(const char *path) {
    uint32_t count = 0;
    cam_store *store;
    col_problem problem = {0};
    if (cam_store_open(&store, path, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(cam_store_each(store, NULL, 0, count_row, &count, &problem), COL_OK);
    assert_int_equal(cam_store_check_unchanged(store, COL_OK, &problem), COL_OK);
    cam_store_close(store);
    return count;
}

/* ---- Files beside it. */

static void add_number(base_text *bytes, uint32_t number) {
    const char parts[] = {(char)(number >> 24), (char)(number >> 16), (char)(number >> 8),
                          (char)number};
    base_text_add_bytes(bytes, parts, sizeof parts);
}

/* A rollback journal as a crash leaves it, of a transaction that had a super-journal: SQLite rolls
 * back nothing and deletes the file of that name. */
static void make_hot_journal(const char *path, const char *journal, const char *super) {
    enum { PAGE = 4096, SECTOR = 512, LOCK_PAGE = 0x40000000 / PAGE + 1 };
    static const char mark[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    struct stat about;
    uint32_t sum = 0;
    base_text bytes = {0};
    assert_int_equal(stat(path, &about), 0);
    base_text_add_bytes(&bytes, mark, 8);
    add_number(&bytes, 0);
    add_number(&bytes, 1);
    add_number(&bytes, (uint32_t)(about.st_size / PAGE));
    add_number(&bytes, SECTOR);
    add_number(&bytes, PAGE);
    while (bytes.length < SECTOR)
        base_text_add_bytes(&bytes, "", 1);
    if (super != NULL) {
        add_number(&bytes, LOCK_PAGE);
        base_text_add(&bytes, super);
        for (const char *c = super; *c != '\0'; c++)
            sum += (uint8_t)*c;
        add_number(&bytes, (uint32_t)strlen(super));
        add_number(&bytes, sum);
        base_text_add_bytes(&bytes, mark, 8);
    }
    assert_int_equal(base_file_write(journal, bytes.data, bytes.length, NULL), COL_OK);
    base_text_free(&bytes);
}

TEST(a_hot_journal_deletes_nothing) {
    char victim[300], journal[300];
    const char *path = scratch_path("hot.db");
    cam_store *store;
    (void)snprintf(victim, sizeof victim, "%s", make_victim());
    make_store(path);
    (void)snprintf(journal, sizeof journal, "%s", scratch_path("hot.db-journal"));
    path = scratch_path("hot.db");
    make_hot_journal(path, journal, victim);
    assert_refused(path, "cut short");
    assert_victim_lives(victim);
    assert_refused_to_write(path, "names a further file to delete");
    assert_victim_lives(victim);
    /* One that names no file is what a campaign leaves that is killed when it makes its store. */
    make_hot_journal(path, journal, NULL);
    assert_int_equal(cam_store_create(&store, path, NULL), COL_OK);
    cam_store_close(store);
    assert_int_equal(count_rows(path), 5);
    assert_int_equal(unlink(victim), 0);
    remove_store(path);
}

TEST(links_beside_a_store_are_not_followed) {
    static const char *const endings[] = {"-wal", "-shm", "-journal"};
    char victim[300], link[300];
    (void)snprintf(victim, sizeof victim, "%s", make_victim());
    for (int i = 0; i < 3; i++) {
        char path[300];
        (void)snprintf(path, sizeof path, "%s", scratch_path("linked.db"));
        make_store(path);
        (void)snprintf(link, sizeof link, "%s%s", path, endings[i]);
        assert_int_equal(symlink(victim, link), 0);
        assert_refused(path, "is not an ordinary file");
        assert_refused_to_write(path, "is not an ordinary file");
        assert_victim_lives(victim);
        assert_int_equal(unlink(link), 0);
        remove_store(path);
    }
    assert_int_equal(unlink(victim), 0);
}

/* ---- Schemas. */

TEST(schemas_not_made_by_campaigns_are_refused) {
    static const struct {
        const char *change, *says;
    } cases[] = {
        {"DROP TABLE trials; CREATE VIEW trials AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL"
         " SELECT x + 1 FROM n) SELECT x AS id, x AS key, 'episode' AS kind FROM n",
         "its view 'trials' is not a campaign's"},
        {"DROP TABLE grid; CREATE VIEW grid AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL"
         " SELECT x + 1 FROM n) SELECT 1 AS plan, x AS position, 'k' AS key FROM n",
         "its view 'grid' is not a campaign's"},
        {"CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM plans; END",
         "its trigger 't' is not a campaign's"},
        {"CREATE VIRTUAL TABLE v USING fts5(x)", "its table 'v' is not a campaign's"},
        {"CREATE INDEX i ON trials (abs(seed))", "its index 'i' is not"},
        {"CREATE TABLE more (x)", "its table 'more' is not"},
        {"ALTER TABLE plans ADD COLUMN more AS (length(hex(zeroblob(1000000000))))",
         "its table 'plans' is another one"},
        {"DROP TABLE hits", "its table 'hits' is missing"},
        {"DROP VIEW summary", "its view 'summary' is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[300];
        (void)snprintf(path, sizeof path, "%s", scratch_path("schema.db"));
        make_store(path);
        change_store(path, cases[i].change);
        assert_refused(path, cases[i].says);
        assert_refused_to_write(path, cases[i].says);
        remove_store(path);
    }
}

/* ---- Pages. */

static uint32_t page_of(const char *path, const char *table) {
    char question[200], answer[64];
    (void)snprintf(question, sizeof question,
                   "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    ask_store(path, question, answer, sizeof answer);
    return (uint32_t)strtoul(answer, NULL, 10);
}

/* Every child of the root is the same page: each of its rows is there many times. With more levels,
 * more often than anybody can read. */
TEST(rows_do_not_multiply) {
    enum { PAGE = 4096, HEADER = 12 };
    char path[300];
    base_text bytes = {0};
    (void)snprintf(path, sizeof path, "%s", scratch_path("tree.db"));
    make_store(path);
    change_store(path,
                 "INSERT INTO plans VALUES (1, 'h', 'n', 't', '', 'text', 1, 'g');"
                 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 20000)"
                 " INSERT INTO trials (key, kind, status, seed, pairs, version, host, started)"
                 " SELECT printf('%032x', x), 'episode', 'done', x, '{}', '', '', 0 FROM n");
    assert_int_equal(count_rows(path), 20005);
    assert_int_equal(base_file_read(path, &bytes, NULL), COL_OK);
    unsigned char *root =
        (unsigned char *)bytes.data + (size_t)(page_of(path, "trials") - 1) * PAGE;
    assert_int_equal(root[0], 5); /* an interior page of a table */
    const uint32_t cells = (uint32_t)root[3] << 8 | root[4];
    const unsigned char *first = root + ((size_t)root[HEADER] << 8 | root[HEADER + 1]);
    assert_true(cells > 10);
    for (uint32_t i = 1; i < cells; i++) {
        const size_t at = (size_t)root[HEADER + 2 * i] << 8 | root[HEADER + 2 * i + 1];
        memcpy(root + at, first, 4);
    }
    remove_store(path);
    assert_int_equal(base_file_write(path, bytes.data, bytes.length, NULL), COL_OK);
    assert_refused(path, "is damaged");
    base_text_free(&bytes);
    remove_store(path);
}

/* Texts that are read again and again: more than the size of the store explains. */
TEST(what_is_read_is_bounded) {
    char path[300];
    cam_store *store;
    col_problem problem = {0};
    uint32_t count = 0;
    col_status status = COL_OK;
    (void)snprintf(path, sizeof path, "%s", scratch_path("bounded.db"));
    make_store(path);
    assert_int_equal(cam_store_open(&store, path, &problem), COL_OK);
    store->bytes_left = 100;
    status = cam_store_each(store, NULL, 0, count_row, &count, &problem);
    assert_int_equal(status, COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "holds far more than its size explains"));
    store->steps_left = 0;
    sqlite3_stmt *endless =
        cam_store_prepare(store, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1"
                                 " FROM n) SELECT sum(x) FROM n");
    assert_non_null(endless);
    assert_false(cam_store_next(store, endless, &status, &problem));
    assert_int_equal(status, COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "takes far longer to read"));
    (void)sqlite3_finalize(endless);
    cam_store_close(store);
    remove_store(path);
}

/* ---- What honest campaigns leave. */

static off_t size_of(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? about.st_size : -1;
}

/* Killed with results that are in the log alone: they are read, and the files stay as they are. */
TEST(a_log_is_read_and_left_alone) {
    char path[300], log[310];
    int status;
    base_text before = {0}, after = {0};
    (void)snprintf(path, sizeof path, "%s", scratch_path("log.db"));
    (void)snprintf(log, sizeof log, "%s-wal", path);
    make_store(path);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cam_store *store;
        sample *s = malloc(sizeof *s);
        if (s == NULL || cam_store_create(&store, path, NULL) != COL_OK)
            _exit(1);
        make_sample(s, 99);
        _exit(cam_store_add(store, &s->row, NULL, 0, NULL) == COL_OK ? 0 : 1); /* not closed */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(size_of(log) > 0);
    assert_int_equal(base_file_read(path, &before, NULL), COL_OK);
    const off_t size = size_of(log);
    assert_int_equal(count_rows(path), 6);
    assert_int_equal(base_file_read(path, &after, NULL), COL_OK);
    assert_int_equal(before.length, after.length);
    assert_memory_equal(before.data, after.data, before.length);
    assert_int_equal(size_of(log), size);
    base_text_free(&before);
    base_text_free(&after);
    remove_store(path);
}

/* Without a log nothing is made beside it; that it changed meanwhile is told. */
TEST(a_change_while_reading_is_reported) {
    char path[300], log[310];
    cam_store *reader, *writer;
    col_problem problem = {0};
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    (void)snprintf(path, sizeof path, "%s", scratch_path("changed.db"));
    (void)snprintf(log, sizeof log, "%s-wal", path);
    make_store(path);
    assert_int_equal(cam_store_open(&reader, path, &problem), COL_OK);
    assert_int_equal(size_of(log), -1);
    assert_int_equal(cam_store_check_unchanged(reader, COL_OK, &problem), COL_OK);
    assert_int_equal(cam_store_create(&writer, path, &problem), COL_OK);
    make_sample(s, 99);
    assert_int_equal(cam_store_add(writer, &s->row, NULL, 0, &problem), COL_OK);
    cam_store_close(writer);
    assert_int_equal(cam_store_check_unchanged(reader, COL_OK, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "was changed while it was read"));
    cam_store_close(reader);
    free(s);
    remove_store(path);
}

/* ---- What cannot be written. */

/* A value that SQLite does not take is no value that is left out. */
TEST(a_value_that_cannot_be_bound_is_reported) {
    char path[300];
    cam_store *store;
    col_problem problem = {0};
    sample *s = malloc(sizeof *s);
    char *reason = calloc(1, 2001);
    assert_true(s != NULL && reason != NULL);
    memset(reason, 'x', 2000);
    (void)snprintf(path, sizeof path, "%s", scratch_path("bind.db"));
    make_store(path);
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    (void)sqlite3_limit(store->database, SQLITE_LIMIT_LENGTH, 1000);
    make_sample(s, 99);
    s->row.reason = reason;
    assert_int_not_equal(cam_store_add(store, &s->row, NULL, 0, &problem), COL_OK);
    assert_non_null(strstr(problem.message, "too long"));
    cam_store_close(store);
    assert_int_equal(count_rows(path), 5);
    free(reason);
    free(s);
    remove_store(path);
}

static size_t length_of(const char *text) {
    return text == NULL ? 0 : strlen(text);
}

/* All that was handed out, as a number. */
static col_status sum_row(void *context, const cam_row *row, col_problem *problem) {
    (void)problem;
    *(size_t *)context += 1000 + length_of(row->reason) + length_of(row->verdict) +
                          length_of(row->learning) + length_of(row->design) + row->curve_count +
                          row->point_count + row->pair_count;
    return COL_OK;
}

static col_status read_within(const char *path, int64_t bytes, size_t *sum, col_problem *problem) {
    cam_store *store;
    *sum = 0;
    (void)sqlite3_hard_heap_limit64(sqlite3_memory_used() + bytes);
    col_status status = cam_store_open(&store, path, problem);
    if (status == COL_OK)
        status = cam_store_each(store, NULL, CAM_CURVES | CAM_HITS | CAM_LEARNING, sum_row, sum,
                                problem);
    cam_store_close(store);
    (void)sqlite3_hard_heap_limit64(0);
    return status;
}

static col_status add_within(const char *path, int64_t bytes, const sample *s,
                             col_problem *problem) {
    cam_store *store;
    assert_int_equal(cam_store_create(&store, path, problem), COL_OK);
    (void)sqlite3_hard_heap_limit64(sqlite3_memory_used() + bytes);
    const col_status status = cam_store_add(store, &s->row, NULL, 0, problem);
    (void)sqlite3_hard_heap_limit64(0);
    cam_store_close(store);
    return status;
}

/* Whatever little memory SQLite has: all is read or written, or that there is none is told. */
TEST(without_memory_nothing_is_left_out) {
    enum { STEP = 509, MOST_TRIES = 2000 };
    char path[300];
    col_problem problem = {0};
    size_t whole = 0, sum = 0, told = 0;
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    (void)snprintf(path, sizeof path, "%s", scratch_path("memory.db"));
    make_store(path);
    assert_int_equal(read_within(path, INT32_MAX, &whole, &problem), COL_OK);
    int64_t bytes = 1000; /* 0 would be no limit */
    for (int i = 0; i < MOST_TRIES && sum != whole; i++, bytes += STEP) {
        const col_status status = read_within(path, bytes, &sum, &problem);
        if (status == COL_OK ? sum != whole : !base_is_out_of_memory(&problem))
            fail_msg("%lld bytes: %d, %s", (long long)bytes, status, problem.message);
        told += status != COL_OK;
    }
    assert_int_equal(sum, whole);
    assert_true(told > 20);
    make_sample(s, 99);
    for (bytes = 1; bytes < (int64_t)MOST_TRIES * STEP; bytes += STEP) {
        const col_status status = add_within(path, bytes, s, &problem);
        if (status == COL_OK)
            break;
        assert_true(base_is_out_of_memory(&problem));
        assert_int_equal(count_rows(path), 5);
    }
    assert_int_equal(count_rows(path), 6);
    free(s);
    remove_store(path);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
