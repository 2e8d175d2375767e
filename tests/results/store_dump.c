/* SPDX-License-Identifier: MIT */
/* A store as text: see store_dump.h. */
#include "results/store_dump.h"

#include "base/file.h"
#include "base/folder.h"
#include "harness.h"
#include "paths.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static sqlite3 *open_file(const char *path) {
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    (void)sqlite3_busy_timeout(database, 10000);
    return database;
}

/* Numbers of seven bits to a byte, straight from the documentation. */
static size_t next_number(const unsigned char *bytes, size_t at, uint64_t *number) {
    unsigned shift = 0;
    *number = 0;
    do {
        *number += (uint64_t)(bytes[at] % 128) << shift;
        shift += 7;
    } while (bytes[at++] >= 128);
    return at;
}

/* A curve without its seconds. */
static void add_curve(base_text *text, const unsigned char *bytes, size_t size) {
    uint64_t sums[6] = {0};
    for (size_t at = 0; at < size;) {
        for (int i = 0; i < 6; i++) {
            uint64_t difference;
            at = next_number(bytes, at, &difference);
            sums[i] += difference;
        }
        for (int i = 1; i < 6; i++)
            base_text_print(text, " %llu", (unsigned long long)sums[i]);
        base_text_add(text, ";");
    }
}

/* JSON without what depends on the clock. */
static void add_result(base_text *text, const char *result) {
    json_t *object = json_loads(result, 0, NULL);
    assert_non_null(object);
    (void)json_object_del(object, "seconds");
    char *printed = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    base_text_add(text, printed);
    free(printed);
    json_decref(object);
}

static void add_column(base_text *text, sqlite3_stmt *row, int column) {
    const char *name = sqlite3_column_name(row, column);
    const size_t size = (size_t)sqlite3_column_bytes(row, column);
    const unsigned char *bytes = sqlite3_column_blob(row, column);
    base_text_print(text, "\n  %s:", name);
    if (bytes == NULL)
        return;
    if (strcmp(name, "curve") == 0)
        add_curve(text, bytes, size);
    else if (strcmp(name, "result") == 0)
        add_result(text, (const char *)sqlite3_column_text(row, column));
    else if (sqlite3_column_type(row, column) == SQLITE_BLOB)
        for (size_t i = 0; i < size; i++)
            base_text_print(text, "%02x", bytes[i]);
    else
        base_text_add_bytes(text, (const char *)bytes, size);
}

static void add_rows(sqlite3 *database, const char *question, base_text *text) {
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_prepare_v2(database, question, -1, &row, NULL), SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(row); i++)
            add_column(text, row, i);
        base_text_add(text, "\n");
    }
    assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
}

void dump_store(const char *path, base_text *text) {
    static const char *const questions[] = {
        "PRAGMA integrity_check",
        "PRAGMA foreign_key_check",
        "SELECT * FROM claims",
        "SELECT hash, name, title, scale, text, trials, grid_hash FROM plans ORDER BY hash",
        "SELECT hash, position, key FROM grid JOIN plans ON id = plan ORDER BY hash, position",
        "SELECT designs.hash, name, cores, point_sets.hash, count, reachable_known FROM designs"
        " JOIN point_sets ON id = point_set ORDER BY designs.hash",
        "SELECT hash, number, machine, state, event, reachable FROM points JOIN point_sets"
        " ON id = point_set ORDER BY hash, number",
        "SELECT key, kind, status, reason, design, cores, engine, error, mutant, seed, pairs, "
        "model,"
        " verdict, ended_by, tests, instances, operations, cycles, structural_covered,"
        " structural_total, structural_reached, structural_reachable, functional_covered,"
        " functional_total, functional_reached, functional_reachable, failing_tests,"
        " failing_cycles, failure_test, failure_instance, failure_cycles, result, design_hash,"
        " version, curve, hits, first, log FROM trials LEFT JOIN curves ON curves.trial = id"
        " LEFT JOIN hits ON hits.trial = id LEFT JOIN learning ON learning.trial = id ORDER BY key",
        "SELECT key, failures.kind, hash, fingerprint, count, failures.verdict, failures.reason, "
        "test,"
        " instance, failures.cycles, size, program, story, picture, shrunk, litmus, threads,"
        " failures.operations, locations FROM failures JOIN trials ON id = trial ORDER BY key,"
        " failures.kind",
    };
    sqlite3 *database = open_file(path);
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        base_text_print(text, "---- %zu\n", i);
        add_rows(database, questions[i], text);
    }
    (void)sqlite3_close(database);
    assert_int_equal(base_text_status(text, NULL), COL_OK);
}

void ask_store(const char *path, const char *question, char *answer, size_t size) {
    sqlite3 *database = open_file(path);
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_prepare_v2(database, question, -1, &row, NULL), SQLITE_OK);
    answer[0] = '\0';
    if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL)
        (void)snprintf(answer, size, "%s", (const char *)sqlite3_column_text(row, 0));
    assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
    (void)sqlite3_close(database);
}

/* Where TMPDIR says; or in memory, if there is enough that nobody else uses: these tests are about
 * processes that end, not about power. */
static const char *scratch_place(void) {
    enum { ENOUGH = 64 << 20 };
    struct statvfs about;
    const char *said = getenv("TMPDIR"), *memory = "/dev/shm";
    if (said != NULL && said[0] != '\0')
        return said;
    return access(memory, W_OK) == 0 && statvfs(memory, &about) == 0 &&
                   (uint64_t)about.f_bavail * about.f_frsize >= ENOUGH
               ? memory
               : "/tmp";
}

const char *scratch_folder(void) {
    static char folder[256];
    if (folder[0] != '\0')
        return folder;
    (void)snprintf(folder, sizeof folder, "%s/collider-campaign-XXXXXX", scratch_place());
    assert_non_null(mkdtemp(folder));
    return folder;
}

const char *scratch_path(const char *name) {
    static char paths[4][PATH_MAX];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    return path_in(path, scratch_folder(), name);
}

void remove_store(const char *path) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char file[PATH_MAX];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        (void)snprintf(file, sizeof file, "%s%s", path, endings[i]);
        (void)unlink(file);
    }
}

void change_store(const char *path, const char *text) {
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(database);
}

int remove_scratch(void **state) {
    (void)state;
    if (rmdir(scratch_folder()) == 0)
        return 0;
    print_error("something is left in %s\n", scratch_folder());
    base_folder_remove_path(scratch_folder()); /* so that nobody has to */
    return 1;
}
