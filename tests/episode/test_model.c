/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Episodes that are judged by a model in cat: verdicts are those of the checkers, whatever the
 * number of jobs; failures show again without the file; large tests are refused.
 */
#include "base/file.h"
#include "base/text.h"
#include "collider/shrink.h"
#include "episode/episode_judge.h"
#include "episodes.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>

/* TSO with a test that TSO implies: no built-in model has these formulas. */
static const char more_than_tso[] = "include \"tso.cat\"\nacyclic po-loc | rf as implied\n";
static const char order[] = "\"one test\"\nacyclic po | rf | co | fr as order\n";

static const char *put(const char *name, const char *text) {
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static col_episode_settings small(void) {
    col_episode_settings s = small_episode("mesi2", "plain");
    s.operations = (col_range){64, 64};
    s.locations = (col_range){4, 4};
    s.instances = 3;
    s.tests = 30;
    return s;
}

/* Reasons differ, what is wrong does not. */
TEST(verdicts_match_the_checker) {
    static const char *const options[] = {"without=fifo", "without=squash", "without=forward",
                                          NULL};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        col_episode_settings s = small();
        col_episode by_checker, by_cat;
        s.setting.design.options = options[i];
        s.keep_going = true;
        s.setting.model = COL_TSO;
        run_episode(&s, &by_checker);
        s.setting.model = -1;
        s.setting.model_file = put("more.cat", more_than_tso);
        run_episode(&s, &by_cat);
        assert_true(options[i] == NULL ? by_checker.failures == 0 : by_checker.failures > 1);
        assert_int_equal(by_cat.failures, by_checker.failures);
        assert_int_equal(by_cat.outcome, by_checker.outcome);
        assert_int_equal(by_cat.failure.test, by_checker.failure.test);
        assert_int_equal(by_cat.failure.instance, by_checker.failure.instance);
        assert_int_equal(by_cat.model, COL_MODEL_COUNT);
        assert_string_equal(by_cat.model_name, "more.cat");
        col_episode_free(&by_checker);
        col_episode_free(&by_cat);
    }
}

TEST(a_file_equal_to_a_built_in_model_is_that_model) {
    col_episode_settings s = small();
    col_episode e;
    s.operations = (col_range){5000, 5000}; /* too many for others */
    s.tests = 1;
    s.setting.model_file = put("mine.cat", "\"by another name\"\ninclude \"tso.cat\"\n");
    run_episode(&s, &e);
    assert_int_equal(e.outcome, COL_PASS);
    assert_int_equal(e.model, COL_TSO);
    assert_string_equal(e.model_name, "tso");
    col_episode_free(&e);
}

TEST(the_number_of_jobs_does_not_matter) {
    col_episode_settings s = small();
    col_episode first, e;
    s.setting.model_file = put("order.cat", order);
    s.setting.design.cores = 2;
    s.operations = (col_range){12, 12};
    run_episode(&s, &first);
    assert_int_equal(first.outcome, COL_VIOLATION);
    for (s.jobs = 2; s.jobs <= 3; s.jobs++) {
        run_episode(&s, &e);
        assert_int_equal(e.failure.test, first.failure.test);
        assert_int_equal(e.failure.instance, first.failure.instance);
        assert_string_equal(e.failure.reason, first.failure.reason);
        assert_int_equal(e.cycles, first.cycles);
        col_episode_free(&e);
    }
    col_episode_free(&first);
}

/* Store buffering is all that a sequential order of TSO's cores can fail by. */
TEST(a_failure_replays_and_shrinks_without_the_file) {
    col_episode_settings s = small();
    col_shrink_settings shrinking;
    col_shrunk shrunk;
    col_episode e;
    col_failure was, is;
    col_violation violation = {0};
    col_problem problem;
    s.setting.model_file = put("order.cat", order);
    s.folder = folder;
    run_episode(&s, &e);
    assert_int_equal(e.failure.test, 1);
    assert_true(e.failure.shown_again);
    assert_int_equal(remove(s.setting.model_file), 0);
    if (col_replay(e.failure.folder, false, &was, &is, &violation, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_string_equal(is.reason, e.failure.reason);
    assert_string_equal(violation.reason, e.failure.reason);
    assert_non_null(strstr(is.reason, "one test violation"));
    assert_non_null(strstr(is.reason, "in 'order' ("));
    col_violation_free(&violation);
    col_shrink_default(&shrinking);
    shrinking.folder = e.failure.folder;
    shrinking.seeds = 100;
    if (col_shrink(&shrinking, &shrunk, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(shrunk.to.operations, 4);
    assert_int_equal(shrunk.to.threads, 2);
    assert_int_equal(shrunk.to.locations, 2);
    assert_int_equal(shrunk.evidence, COL_SHOWN_BY_READS);
    assert_int_equal(col_replay(shrunk.folder, false, &was, &is, NULL, &problem), COL_OK);
    assert_string_equal(is.reason, shrunk.reason);
    /* A text that is not the one that was hashed is another model. */
    char path[1100];
    base_text text = {0};
    (void)snprintf(path, sizeof path, "%s/failure.json", e.failure.folder);
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    memcpy(strstr(text.data, "as order"), "as other", 8);
    assert_int_equal(base_file_write(path, text.data, text.length, &problem), COL_OK);
    assert_int_equal(col_replay(e.failure.folder, false, &was, &is, NULL, &problem), COL_BAD_INPUT);
    base_text_free(&text);
    col_episode_free(&e);
}

TEST(tests_that_are_too_large_are_refused_before_they_run) {
    col_episode_settings s = small();
    col_episode e = {0};
    col_problem problem;
    s.setting.model_file = put("order.cat", order);
    s.operations = (col_range){64, 4097};
    assert_int_equal(col_episode_run(&s, &e, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "--ops 4Ki"));
    assert_int_equal(e.tests, 0);
    col_episode_free(&e);
}

/* The text is read once: an episode ends with the model that it began with. */
TEST(an_edited_file_does_not_change_the_episode) {
    col_setting setting = {.model = -1, .model_file = put("order.cat", order)};
    base_text text = {0};
    char before[EPI_MODEL_HASH], after[EPI_MODEL_HASH];
    col_problem problem;
    assert_int_equal(epi_model_hash_file(&setting, before, &problem), COL_OK);
    assert_int_equal(epi_model_read(&setting, &text, &problem), COL_OK);
    (void)put("order.cat", "acyclic po\n");
    assert_string_equal(setting.model_text, order);
    epi_model_hash(setting.model_text, after);
    assert_string_equal(after, before);
    assert_int_equal(epi_model_hash_file(&setting, after, &problem), COL_OK);
    assert_string_not_equal(after, before);
    base_text_free(&text);
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
