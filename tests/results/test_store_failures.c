/* SPDX-License-Identifier: MIT */
/* Failures in the store: what they are named by, what can be taken out, and stores of the version
 * before there were kinds. */
#include "results/store/store.h"

#include "base/file.h"
#include "base/path.h"
#include "episode/failure/failure.h"
#include "harness.h"
#include "results/plan/trial.h"
#include "results/store_dump.h"

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

TEST(names_follow_from_the_plans_alone) {
    static const size_t orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}, last[] = {2};
    const char *path = scratch_path("names.db");
    cam_store *store;
    col_problem problem;
    char hash[64];
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

TEST(a_failure_can_be_extracted) {
    static const size_t order[] = {0, 1, 2};
    const char *path = scratch_path("out.db"), *folder = scratch_path("out");
    cam_store *store;
    col_problem problem;
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
TEST(native_code_of_a_record_is_refused) {
    static const size_t order[] = {0, 1, 2};
    const char *path = scratch_path("code.db"), *folder = scratch_path("code");
    cam_store *store;
    col_problem problem = {0};
    col_failure was, is;
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

/* ---- Kinds. */

TEST(kinds_have_the_best_example) {
    base_arena arena = {0};
    cam_failure_kinds kinds = {.names.arena = &arena};
    col_problem problem;
    cam_failure_row rows[] = {
        failure_of(1, "mi, crash: one", 60), failure_of(1, "mi, crash: two", 9),
        failure_of(1, "mi, crash: one", 40), failure_of(1, "mi, crash: one", 50),
        failure_of(1, "mi, crash: one", 3),  failure_of(1, "mi, crash: one", 0)};
    static const char *const examples[] = {"1", "1", "3", "3", "3", "6"};
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
    return run_all_tests(NULL, remove_scratch);
}
