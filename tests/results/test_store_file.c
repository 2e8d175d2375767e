/* SPDX-License-Identifier: MIT */
/* The store as a file: what is documented of it; what is no store is refused and left as it is; a
 * damaged one does no damage. */
#include "results/store/store.h"

#include "base/file.h"
#include "base/random.h"
#include "harness.h"
#include "results/store_dump.h"
#include "results/store_sample.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- What is no store. */

static void make_file(const char *path, const char *content) {
    assert_int_equal(base_file_write(path, content, strlen(content), NULL), COL_OK);
}

static void check_refused(const char *path, const char *says, bool also_to_write) {
    cam_store *store;
    col_problem problem;
    base_text before = {0}, after = {0};
    const bool is_file = base_file_read(path, &before, NULL) == COL_OK;
    assert_int_equal(cam_store_open(&store, path, &problem), COL_BAD_INPUT);
    assert_null(store);
    assert_non_null(strstr(problem.message, says));
    if (also_to_write) {
        assert_int_equal(cam_store_create(&store, path, &problem), COL_BAD_INPUT);
        assert_null(store);
    }
    if (is_file) {
        assert_int_equal(base_file_read(path, &after, NULL), COL_OK);
        assert_int_equal(before.length, after.length);
        if (before.length > 0)
            assert_memory_equal(before.data, after.data, before.length);
    }
    base_text_free(&before);
    base_text_free(&after);
}

TEST(files_that_are_not_stores_are_refused) {
    const char *path = scratch_path("refused.db");
    cam_store *store;
    col_problem problem;
    check_refused(path, "there is no store", false);
    check_refused(scratch_folder(), "is not a results store", true);
    make_file(path, "");
    check_refused(path, "is not a results store", false);
    make_file(path, "plan: this is a plan, not a store, and longer than the header of a database "
                    "which has a hundred bytes\n");
    check_refused(path, "is not a results store", true);
    (void)unlink(path);
    change_store(path, "CREATE TABLE t (x)");
    check_refused(path, "is not a results store", true);
    remove_store(path);
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    cam_store_close(store);
    change_store(path, "PRAGMA user_version = 99");
    check_refused(path, "has schema 99", true);
    change_store(path, "PRAGMA user_version = 2");
    check_refused(path, "was written by a version of collider before 1.0 and cannot be read", true);
    remove_store(path);
    assert_int_equal(cam_store_create(&store, scratch_path("no/such/folder/x.db"), &problem),
                     COL_FAILURE);
    assert_null(store);
}

/* What means something to SQLite is the name of a file here. */
TEST(names_that_sqlite_interprets_are_plain_files) {
    static const char *const names[] = {":memory:", "file:x.db?mode=memory", " ", "-", "%41#?ü.db"};
    char here[PATH_MAX];
    cam_store *store;
    col_problem problem;
    assert_int_equal(cam_store_create(&store, "", &problem), COL_BAD_INPUT);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(scratch_folder()), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(cam_store_create(&store, names[i], &problem), COL_OK);
        cam_store_close(store);
        assert_int_equal(access(names[i], F_OK), 0);
        assert_int_equal(cam_store_open(&store, names[i], &problem), COL_OK);
        cam_store_close(store);
        remove_store(names[i]);
    }
    assert_int_equal(chdir(here), 0);
}

/* ---- What one may not write. */

typedef enum reading { IS_READ, HAS_LOG, IS_WRONG, CANNOT_TRY } reading;

static reading read_here(const char *path) {
    cam_store *store = NULL;
    col_problem problem = {0};
    if (cam_store_open(&store, path, &problem) != COL_OK)
        return strstr(problem.message, "copy both") != NULL ? HAS_LOG : IS_WRONG;
    cam_store_close(store);
    return IS_READ;
}

/* By somebody who may not write, in a process of his own. */
static reading read_as_other(const char *path) {
    enum { NOBODY = 65534 };
    int status;
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        const bool is_other = geteuid() != 0 || setuid(NOBODY) == 0;
        _exit((int)(is_other && access(path, R_OK) == 0 ? read_here(path) : CANNOT_TRY));
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status));
    return (reading)WEXITSTATUS(status);
}

/* A store is read as it is where one may not write; not if there is more of it in a log. */
TEST(a_read_only_store_is_read_unless_it_has_a_log) {
    const char *path = scratch_path("fixed.db");
    cam_store *store;
    col_problem problem;
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    cam_store_close(store);
    for (int has_log = 0; has_log < 2; has_log++) {
        if (has_log == 1)
            make_file(scratch_path("fixed.db-wal"), "what was committed last");
        assert_int_equal(chmod(scratch_folder(), 0555), 0);
        const reading is = read_as_other(path);
        assert_int_equal(chmod(scratch_folder(), 0700), 0);
        if (is != CANNOT_TRY)
            assert_int_equal(is, has_log == 0 ? IS_READ : HAS_LOG);
    }
    remove_store(path);
}

/* ---- What is damaged. */

static size_t touched; /* so that nothing that is read is left out */

static void touch(const char *text) {
    touched += text == NULL ? 0 : strlen(text);
}

static col_status touch_row(void *context, const cam_row *row, col_problem *problem) {
    (void)context;
    (void)problem;
    touch(row->reason);
    touch(row->verdict);
    touch(row->learning);
    touched += strlen(row->key) + strlen(row->provenance.version) + strlen(row->provenance.host);
    for (uint32_t i = 0; i < row->pair_count; i++) {
        touch(row->pairs[i].name);
        touch(row->pairs[i].value);
    }
    for (size_t i = 0; i < row->curve_count; i++)
        touched += (size_t)row->curve[i].tests;
    for (size_t i = 0; i < row->point_count; i++)
        touched += (size_t)row->hits[i] + row->first[i];
    return COL_OK;
}

static col_status touch_failure(void *context, const cam_failure_row *row, col_problem *problem) {
    (void)context;
    (void)problem;
    touch(row->story);
    touch(row->program);
    touched += strlen(row->key);
    return COL_OK;
}

static col_status touch_plan(void *context, const cam_plan_row *row, col_problem *problem) {
    (void)context;
    (void)problem;
    touched += strlen(row->hash) + strlen(row->name) + strlen(row->text);
    return COL_OK;
}

static col_status touch_design(void *context, const cam_design_row *row, col_problem *problem) {
    (void)context;
    (void)problem;
    for (size_t i = 0; i < row->point_count; i++)
        touched += strlen(row->points[i].machine) + strlen(row->points[i].event);
    return COL_OK;
}

/* Reads all that can be read; false: it was told that something is wrong. */
static bool read_all(const char *path) {
    cam_store *store;
    col_problem problem;
    if (cam_store_open(&store, path, &problem) != COL_OK)
        return false;
    const bool is_good = cam_store_each(store, NULL, CAM_CURVES | CAM_HITS | CAM_LEARNING,
                                        touch_row, NULL, &problem) == COL_OK &&
                         cam_store_failures(store, NULL, touch_failure, NULL, &problem) == COL_OK &&
                         cam_store_plans(store, touch_plan, NULL, &problem) == COL_OK &&
                         cam_store_designs(store, touch_design, NULL, &problem) == COL_OK;
    cam_store_close(store);
    return is_good;
}

static void make_damageable(const char *path) {
    cam_store *store;
    col_problem problem;
    sample *s = malloc(sizeof *s);
    const cam_point points[] = {{"L1", "I", "Load", true}, {"L1", "M", "Store", false}};
    const cam_design_row design = {
        .hash = "d", .name = "toy", .cores = 2, .points = points, .point_count = 2};
    assert_non_null(s);
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    for (uint64_t i = 0; i < 20; i++) {
        make_sample(s, i);
        assert_int_equal(cam_store_add(store, &s->row, &s->failure, s->has_failure, &problem),
                         COL_OK);
    }
    assert_int_equal(cam_store_add_design(store, &design, &problem), COL_OK);
    cam_store_close(store);
    change_store(path, "INSERT INTO plans VALUES (1, 'h', 'n', 't', '', 'text', 1, 'g');"
                       "INSERT INTO grid VALUES (1, 0, 'k')");
    free(s);
}

/* Some bytes are otherwise: it is told, or what is read is wrong, but that is all. */
TEST(a_damaged_store_does_no_harm) {
    const char *path = scratch_path("damaged.db");
    base_text bytes = {0};
    uint32_t told = 0;
    make_damageable(path);
    assert_true(read_all(path));
    assert_int_equal(base_file_read(path, &bytes, NULL), COL_OK);
    for (uint64_t round = 0; round < 300; round++) {
        base_rng rng;
        base_rng_seed(&rng, 99, round);
        base_text damaged = {0};
        base_text_add_bytes(&damaged, bytes.data, bytes.length);
        const uint64_t count = 1 + base_rng_below(&rng, 40);
        for (uint64_t i = 0; i < count; i++)
            damaged.data[base_rng_below(&rng, damaged.length)] = (char)base_rng_below(&rng, 256);
        if (round % 10 == 0)
            damaged.length = (size_t)base_rng_below(&rng, damaged.length);
        remove_store(path);
        assert_int_equal(base_file_write(path, damaged.data, damaged.length, NULL), COL_OK);
        told += !read_all(path);
        base_text_free(&damaged);
    }
    assert_true(told > 30 && told < 300);
    base_text_free(&bytes);
    remove_store(path);
}

/* What is documented of the file itself. */
TEST(the_file_matches_its_documentation) {
    const char *path = scratch_path("file.db");
    cam_store *store;
    col_problem problem;
    char answer[64];
    make_file(path, ""); /* an empty file may become one */
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    cam_store_close(store);
    ask_store(path, "PRAGMA application_id", answer, sizeof answer);
    assert_string_equal(answer, "1131375724");
    ask_store(path, "PRAGMA user_version", answer, sizeof answer);
    assert_string_equal(answer, "3");
    ask_store(path, "PRAGMA journal_mode", answer, sizeof answer);
    assert_string_equal(answer, "wal");
    ask_store(path, "SELECT value FROM meta WHERE name = 'schema'", answer, sizeof answer);
    assert_string_equal(answer, "3");
    /* Opening it again makes nothing new. */
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    cam_store_close(store);
    ask_store(path, "SELECT count(*) FROM meta", answer, sizeof answer);
    assert_string_equal(answer, "2");
    assert_int_not_equal(access(scratch_path("file.db-wal"), F_OK), 0);
    remove_store(path);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
