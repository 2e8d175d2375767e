/* SPDX-License-Identifier: MIT */
/* Failures in the store: what they are named by, what can be taken out, and stores of the version
 * before there were kinds. */
#include "campaign/failure_kinds.h"
#include "campaign/store.h"

#include "base/file.h"
#include "base/path.h"
#include "campaign/key.h"
#include "campaign/store_dump.h"
#include "episode/failure.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_plan[] =
    "plan: first\ntitle: x\ndefaults: {design: mi, cores: 2, tests: 1}\n"
    "grids:\n  - {engine: plain, error: SQ+no-FIFO, seed: 1..3}\n";
static const char second_plan[] =
    "plan: second\ntitle: x\ndefaults: {design: mi, cores: 2, tests: 1}\n"
    "grids:\n  - {engine: plain, error: SQ+no-FIFO, seed: 2..4}\n";

static void must(col_status status, const col_problem *problem) {
    if (status != COL_OK)
        fail_msg("%s", problem->message);
}

static cam_failure_row failure_of(uint32_t kind, const char *fingerprint, uint32_t size) {
    return (cam_failure_row){.kind = kind,
                             .hash = fingerprint,
                             .fingerprint = fingerprint,
                             .count = kind,
                             .verdict = "violation",
                             .reason = "wrong",
                             .test = 4,
                             .instance = 2,
                             .cycles = 99,
                             .seconds = 0.5,
                             .size = size,
                             .record = "{\"format\": 1}",
                             .program = "collider program 1\nend\n",
                             .story = "a story"};
}

static void add_trial(cam_store *store, const cam_plan *plan, const cam_keys *keys, size_t place,
                      const cam_failure_row *failures, uint32_t count) {
    col_problem problem;
    const cam_trial *trial = &plan->trials[place];
    const cam_row row = {.key = keys->keys[place],
                         .kind = trial->kind,
                         .pairs = trial->pairs,
                         .pair_count = trial->pair_count,
                         .is_done = true,
                         .reason = "wrong",
                         .design = "mi",
                         .verdict = "violation",
                         .failing_tests = 3,
                         .failure_test = 4,
                         .failure_instance = 2,
                         .failure_cycles = 99,
                         .failure_seconds = 0.5,
                         .provenance = {.version = "0.1.0", .host = "here", .design_hash = "abc"}};
    must(cam_store_add(store, &row, failures, count, &problem), &problem);
}

static void add_plan(cam_store *store, const char *text, const size_t *order, size_t count) {
    cam_plan plan = {0};
    cam_keys keys = {0};
    col_problem problem;
    const cam_failure_row failures[] = {failure_of(1, "mi, crash: one", 60),
                                        failure_of(2, "mi, crash: two", 50)};
    must(cam_plan_read(&plan, text, strlen(text), "plan", NULL, &problem), &problem);
    must(cam_keys_make(&keys, &plan, &problem), &problem);
    must(cam_store_add_plan(store, &plan, &problem), &problem);
    for (size_t i = 0; i < count; i++)
        add_trial(store, &plan, &keys, order[i], failures, order[i] == 1 ? 2 : 1);
    cam_keys_free(&keys);
    cam_plan_free(&plan);
}

static col_status list(void *context, const cam_failure_row *f, col_problem *problem) {
    char name[CAM_FAILURE_NAME];
    (void)problem;
    cam_failure_name(f, name);
    assert_true(cam_failure_is_expected(f));
    assert_string_equal(f->design, "mi");
    assert_string_equal(f->engine, "plain");
    assert_string_equal(f->error, "SQ+no-FIFO");
    base_text_print(context, "%s %s; ", name, f->fingerprint == NULL ? "-" : f->fingerprint + 11);
    return COL_OK;
}

static void assert_listed(const char *path, const char *plan, const char *expected) {
    cam_store *store;
    col_problem problem;
    base_text text = {0};
    must(cam_store_open(&store, path, &problem), &problem);
    must(cam_store_failures(store, plan, list, &text, &problem), &problem);
    cam_store_close(store);
    assert_string_equal(text.data == NULL ? "" : text.data, expected);
    base_text_free(&text);
}

static void make_store(const char *path, const size_t *order) {
    cam_store *store;
    col_problem problem;
    must(cam_store_create(&store, path, &problem), &problem);
    add_plan(store, first_plan, order, 3);
    cam_store_close(store);
}

/* ---- Names. */

static void names_follow_from_the_plans_alone(void **state) {
    static const size_t orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}, last[] = {2};
    const char *path = scratch_path("names.db");
    cam_store *store;
    col_problem problem;
    char hash[64];
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        make_store(path, orders[i]);
        assert_listed(path, NULL, "1 one; 2 one; 2.2 two; 3 one; ");
        if (i < 2)
            remove_store(path);
    }
    /* Another plan comes behind; the trials that they share keep their names. */
    must(cam_store_create(&store, path, &problem), &problem);
    add_plan(store, second_plan, last, 1);
    cam_store_close(store);
    assert_listed(path, NULL, "1 one; 2 one; 2.2 two; 3 one; 6 one; ");
    ask_store(path, "SELECT hash FROM plans WHERE name = 'second'", hash, sizeof hash);
    assert_listed(path, hash, "4 one; 4.2 two; 5 one; 6 one; ");
    remove_store(path);
}

/* ---- Taking one out. */

static void assert_text(const char *folder, const char *name, const char *expected) {
    char path[PATH_MAX];
    base_text text = {0};
    col_problem problem;
    must(base_path_in(path, folder, name, &problem), &problem);
    must(base_file_read(path, &text, &problem), &problem);
    assert_string_equal(text.data, expected);
    base_text_free(&text);
    assert_int_equal(unlink(path), 0);
}

static void a_failure_can_be_extracted(void **state) {
    static const size_t order[] = {0, 1, 2};
    const char *path = scratch_path("out.db"), *folder = scratch_path("out");
    cam_store *store;
    col_problem problem;
    (void)state;
    make_store(path, order);
    assert_int_equal(mkdir(folder, 0777), 0);
    must(cam_store_open(&store, path, &problem), &problem);
    must(cam_store_extract(store, "2.2", folder, &problem), &problem);
    assert_text(folder, "failure.json", "{\"format\": 1}");
    assert_text(folder, "program.txt", "collider program 1\nend\n");
    static const char *const others[] = {"0", "4", "2.3", "2.1", "", "x", "02"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(cam_store_extract(store, others[i], folder, &problem), COL_BAD_INPUT);
        assert_non_null(strstr(problem.message, "has no failure"));
    }
    cam_store_close(store);
    change_store(path, "UPDATE failures SET program = NULL");
    must(cam_store_open(&store, path, &problem), &problem);
    assert_int_equal(cam_store_extract(store, "1", folder, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "is not in the store"));
    cam_store_close(store);
    assert_int_equal(rmdir(folder), 0);
    remove_store(path);
}

/* A record of a store may name anything: it is read as a folder's is. */
static void native_code_of_a_record_is_refused(void **state) {
    static const size_t order[] = {0, 1, 2};
    const char *path = scratch_path("code.db"), *folder = scratch_path("code");
    cam_store *store;
    col_problem problem = {0};
    col_failure was, is;
    (void)state;
    make_store(path, order);
    change_store(path, "UPDATE failures SET record = '{\"format\": 1, \"design\": \"/tmp/evil.so\","
                       " \"cores\": 2, \"seed\": \"1\", \"test\": 1, \"instance\": 1,"
                       " \"verdict\": \"crash\", \"reason\": \"x\"}'");
    assert_int_equal(mkdir(folder, 0777), 0);
    must(cam_store_open(&store, path, &problem), &problem);
    must(cam_store_extract(store, "1", folder, &problem), &problem);
    cam_store_close(store);
    assert_int_equal(col_replay(folder, false, &was, &is, NULL, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "native code"));
    assert_int_equal(unlink(scratch_path("code/failure.json")), 0);
    assert_int_equal(unlink(scratch_path("code/program.txt")), 0);
    assert_int_equal(rmdir(folder), 0);
    remove_store(path);
}

/* ---- Versions 1 and 2. */

static void make_version_2(const char *path) {
    static const size_t order[] = {0, 1, 2};
    make_store(path, order);
    change_store(
        path, "DROP VIEW summary; ALTER TABLE trials DROP COLUMN undecided;"
              "CREATE VIEW summary AS SELECT plan, scale, kind, json_remove(pairs, '$.seed') AS"
              " settings, count(*) AS trials, sum(status = 'failed') AS failed, sum(verdict <>"
              " 'pass') AS found, avg(structural) AS structural, avg(functional) AS functional,"
              " avg(cycles) AS cycles, avg(seconds) AS seconds FROM results GROUP BY plan, scale,"
              " kind, settings ORDER BY plan, scale, min(position);"
              "UPDATE meta SET value = '2' WHERE name = 'schema'; PRAGMA user_version = 2;");
}

static void make_old(const char *path) {
    make_version_2(path);
    change_store(path,
                 "DROP TABLE failures;"
                 "CREATE TABLE failures (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE"
                 " CASCADE, story TEXT, picture TEXT, program TEXT, litmus TEXT, threads INTEGER,"
                 " operations INTEGER, locations INTEGER);"
                 "INSERT INTO failures SELECT id, 'old story', '<svg/>', 'thread 0', 'X86', 2, 5, 3"
                 " FROM trials ORDER BY id LIMIT 2;"
                 "UPDATE meta SET value = '1' WHERE name = 'schema'; PRAGMA user_version = 1;");
}

static col_status check_old(void *context, const cam_failure_row *f, col_problem *problem) {
    (void)problem;
    ++*(int *)context;
    assert_int_equal(f->kind, 1);
    assert_null(f->fingerprint);
    assert_null(f->hash);
    assert_null(f->record);
    assert_null(f->program);
    assert_int_equal(f->count, 3);
    assert_string_equal(f->verdict, "violation");
    assert_string_equal(f->reason, "wrong");
    assert_int_equal(f->test, 4);
    assert_int_equal(f->instance, 2);
    assert_int_equal(f->cycles, 99);
    assert_true(f->seconds == 0.5);
    assert_string_equal(f->story, "old story");
    assert_string_equal(f->picture, "<svg/>");
    assert_string_equal(f->shrunk, "thread 0");
    assert_string_equal(f->litmus, "X86");
    assert_true(f->threads == 2 && f->operations == 5 && f->locations == 3);
    return COL_OK;
}

static void assert_old(cam_store *store) {
    col_problem problem;
    int count = 0;
    must(cam_store_failures(store, NULL, check_old, &count, &problem), &problem);
    assert_int_equal(count, 2);
}

/* Read as they are, and left as they are; brought up to date when somebody writes. */
static void stores_of_version_1_are_read_and_brought_up_to_date(void **state) {
    const char *path = scratch_path("old.db");
    cam_store *store;
    col_problem problem;
    char answer[64];
    (void)state;
    make_old(path);
    must(cam_store_open(&store, path, &problem), &problem);
    assert_old(store);
    cam_store_close(store);
    ask_store(path, "PRAGMA user_version", answer, sizeof answer);
    assert_string_equal(answer, "1");
    must(cam_store_create(&store, path, &problem), &problem);
    assert_old(store);
    cam_store_close(store);
    ask_store(path, "PRAGMA user_version", answer, sizeof answer);
    assert_string_equal(answer, "3");
    ask_store(path, "SELECT value FROM meta WHERE name = 'schema'", answer, sizeof answer);
    assert_string_equal(answer, "3");
    must(cam_store_open(&store, path, &problem), &problem); /* its schema is what we make */
    assert_old(store);
    cam_store_close(store);
    static const size_t order[] = {2};
    must(cam_store_create(&store, path, &problem), &problem);
    add_plan(store, second_plan, order, 1);
    cam_store_close(store);
    ask_store(path, "SELECT count(*) FROM failures", answer, sizeof answer);
    assert_string_equal(answer, "3");
    remove_store(path);
}

static col_status count_undecided(void *context, const cam_row *row, col_problem *problem) {
    (void)problem;
    *(uint64_t *)context += row->undecided + 1;
    return COL_OK;
}

static uint64_t undecided_in(const char *path) {
    cam_store *store;
    col_problem problem;
    uint64_t count = 0;
    must(cam_store_open(&store, path, &problem), &problem);
    must(cam_store_each(store, NULL, 0, count_undecided, &count, &problem), &problem);
    cam_store_close(store);
    return count;
}

/* It counted no undecided instances, and took episodes with some for episodes that found errors. */
static void stores_of_version_2_are_read_and_brought_up_to_date(void **state) {
    const char *path = scratch_path("second.db");
    cam_store *store;
    col_problem problem;
    char answer[64], before[64];
    (void)state;
    make_version_2(path);
    ask_store(path, "SELECT count(*) FROM trials", before, sizeof before);
    change_store(path, "UPDATE trials SET verdict = 'undecided'");
    const uint64_t rows = undecided_in(path);
    ask_store(path, "PRAGMA user_version", answer, sizeof answer);
    assert_string_equal(answer, "2");
    must(cam_store_create(&store, path, &problem), &problem);
    cam_store_close(store);
    assert_int_equal(undecided_in(path), rows);
    ask_store(path, "SELECT count(*) FROM trials", answer, sizeof answer);
    assert_string_equal(answer, before);
    ask_store(path, "SELECT sum(found) || ', ' || (sum(undecided) > 0) FROM summary", answer,
              sizeof answer);
    assert_string_equal(answer, "0, 1");
    change_store(path, "UPDATE trials SET undecided = 5");
    assert_int_equal(undecided_in(path), 6 * rows);
    remove_store(path);
}

/* An old version with tables that it never had is as suspect as a new one. */
static void a_store_of_version_1_has_its_own_tables(void **state) {
    const char *path = scratch_path("mixed.db");
    cam_store *store;
    col_problem problem;
    (void)state;
    make_version_2(path);
    change_store(path, "PRAGMA user_version = 1");
    assert_int_equal(cam_store_open(&store, path, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "failures"));
    assert_int_equal(cam_store_create(&store, path, &problem), COL_BAD_INPUT);
    remove_store(path);
}

/* ---- Kinds. */

static void kinds_have_the_best_example(void **state) {
    base_arena arena = {0};
    cam_failure_kinds kinds = {.names.arena = &arena};
    col_problem problem;
    cam_failure_row rows[] = {
        failure_of(1, "mi, crash: one", 60), failure_of(1, "mi, crash: two", 9),
        failure_of(1, "mi, crash: one", 40), failure_of(1, "mi, crash: one", 50),
        failure_of(1, "mi, crash: one", 3),  failure_of(1, "mi, crash: one", 0)};
    static const char *const examples[] = {"1", "1", "3", "3", "3", "6"};
    (void)state;
    rows[4].record = NULL; /* smaller, but it cannot be replayed */
    rows[5].shrunk = "thread 0";
    rows[5].operations = 6;
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t kind;
        rows[i].number = i + 1;
        must(cam_failure_kinds_add(&kinds, &rows[i], 0, &kind, &problem), &problem);
        assert_int_equal(kind, i == 1);
        assert_string_equal(kinds.list[0].name, examples[i]);
    }
    assert_int_equal(kinds.count, 2);
    assert_int_equal(kinds.failures, 6);
    assert_int_equal(kinds.list[0].count, 5);
    assert_true(kinds.list[0].is_shrunk && kinds.list[0].operations == 6);
    rows[1].count = 10;
    must(cam_failure_kinds_add(&kinds, &rows[1], 0, NULL, &problem), &problem);
    cam_failure_kinds_sort(&kinds);
    assert_string_equal(kinds.list[0].fingerprint, "mi, crash: two");
    cam_failure_kinds_free(&kinds);
    base_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_follow_from_the_plans_alone),
        cmocka_unit_test(a_failure_can_be_extracted),
        cmocka_unit_test(native_code_of_a_record_is_refused),
        cmocka_unit_test(stores_of_version_1_are_read_and_brought_up_to_date),
        cmocka_unit_test(stores_of_version_2_are_read_and_brought_up_to_date),
        cmocka_unit_test(a_store_of_version_1_has_its_own_tables),
        cmocka_unit_test(kinds_have_the_best_example),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
