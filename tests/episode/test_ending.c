/* SPDX-License-Identifier: MIT */
/*
 * What an episode says when it ends: that it passed only if it did what it was asked for. And what
 * ends it: budgets, not that the engine has no further tests, nor that everything is covered.
 */
#include "collider/episode.h"

#include "base/clock.h"
#include "base/json.h"
#include "episodes.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static col_episode_settings small(const char *design, const char *engine) {
    col_episode_settings s = small_episode(design, engine);
    s.setting.design.cores = 2;
    s.operations = (col_range){16, 32};
    s.locations = (col_range){2, 4};
    s.tests = 20;
    return s;
}

static const char *toy_path(void) {
    static char path[4096];
    const char *slash = strrchr(COLLIDER_COMMAND, '/');
    (void)snprintf(path, sizeof path, "%.*s/toy.so", (int)(slash - COLLIDER_COMMAND),
                   COLLIDER_COMMAND);
    return path;
}

/* ---- What ends it. */

TEST(full_coverage_ends_only_what_asks_for_it) {
    col_episode e;
    col_episode_settings s = small(toy_path(), "plain");
    s.operations = (col_range){64, 64};
    run_episode(&s, &e);
    const col_covered all =
        col_coverage_of(e.coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES);
    assert_int_equal(all.covered, all.total);
    assert_int_equal(e.tests, 20);
    assert_int_equal(e.ending, COL_ENDED_BY_TESTS);
    assert_int_equal(e.outcome, COL_PASS);
    col_episode_free(&e);
    s.until_coverage = 1;
    run_episode(&s, &e);
    assert_true(e.tests < 20);
    assert_int_equal(e.ending, COL_ENDED_BY_COVERAGE);
    assert_int_equal(e.outcome, COL_PASS);
    col_episode_free(&e);
}

/* Those that end by themselves, also by covering everything. */
TEST(engines_restart) {
    static const char *const engines[] = {"ctg1", "ctg2", "ctg3", "htg", "tour"};
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        for (int is_toy = 0; is_toy < 2; is_toy++) {
            col_episode e;
            col_episode_settings s = small(is_toy ? toy_path() : "mesi2", engines[i]);
            s.repeat = false;
            s.tests = 10000;
            run_episode(&s, &e);
            const uint64_t once = e.tests;
            assert_int_equal(e.ending, COL_ENDED_BY_ENGINE);
            assert_int_equal(e.outcome, COL_PASS);
            assert_true(once > 0 && once < 10000);
            col_episode_free(&e);
            s.repeat = true;
            s.tests = 2 * once + 1;
            run_episode(&s, &e);
            assert_int_equal(e.ending, COL_ENDED_BY_TESTS);
            assert_int_equal(e.tests, 2 * once + 1);
            col_episode_free(&e);
        }
}

/* ---- What it says. */

static void assert_verdict(const col_episode_settings *s, const col_episode *e,
                           const char *verdict) {
    char path[64];
    col_problem problem;
    json_t *record;
    (void)snprintf(path, sizeof path, "%s/episode.json", folder);
    assert_int_equal(col_episode_write(s, e, path, &problem), COL_OK);
    record = json_load_file(path, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(record, "verdict")), verdict);
    assert_int_equal(json_is_null(json_object_get(record, "failure")), e->failures == 0);
    json_decref(record);
}

typedef struct stopper {
    volatile int stop;
    uint64_t after;
} stopper;

static void stop_after(void *context, const col_progress *progress) {
    stopper *s = context;
    s->stop = progress->tests == s->after;
}

TEST(a_signal_makes_the_episode_incomplete) {
    for (uint64_t tests = 0; tests < 3; tests++) {
        col_episode e;
        stopper stopping = {.stop = tests == 0, .after = tests};
        col_episode_settings s = small("mesi2", "plain");
        s.stop = &stopping.stop;
        s.progress = stop_after;
        s.context = &stopping;
        run_episode(&s, &e);
        assert_int_equal(e.ending, COL_ENDED_BY_SIGNAL);
        assert_int_equal(e.tests, tests);
        assert_int_equal(e.outcome, COL_INCOMPLETE);
        assert_verdict(&s, &e, "incomplete");
        col_episode_free(&e);
    }
}

/* An error that was found stays one. */
TEST(failures_outlast_a_signal) {
    col_episode e;
    stopper stopping = {.after = 15};
    col_episode_settings s = small("mesi2", "plain");
    s.setting.design.options = "without=fifo";
    s.operations = (col_range){64, 64};
    s.keep_going = true;
    s.stop = &stopping.stop;
    s.progress = stop_after;
    s.context = &stopping;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_SIGNAL);
    assert_true(e.failures > 0);
    assert_int_equal(e.outcome, COL_VIOLATION);
    assert_verdict(&s, &e, "violation");
    col_episode_free(&e);
}

TEST(an_episode_without_tests_does_not_pass) {
    col_episode e;
    col_problem problem;
    col_episode_settings s = small("mesi2", "tour");
    s.repeat = false;
    s.engine_options = "from=1000000";
    run_episode(&s, &e);
    assert_int_equal(e.tests, 0);
    assert_int_equal(e.ending, COL_ENDED_BY_ENGINE);
    assert_int_equal(e.outcome, COL_INCOMPLETE);
    assert_verdict(&s, &e, "incomplete");
    col_episode_free(&e);
    /* Nor is one that could not even begin. */
    s.engine_options = NULL;
    s.setting.design.name = "no-such-design";
    assert_int_equal(col_episode_run(&s, &e, &problem), COL_BAD_INPUT);
    assert_int_equal(e.outcome, COL_INCOMPLETE);
    col_episode_free(&e);
}

/* ---- When it begins. */

static void note_first(void *context, const col_progress *progress) {
    double *first = context;
    if (progress->tests == 1)
        *first = progress->seconds;
}

/* A design that takes its time to be opened: its protocol is compiled, which takes a second or so.
 * Nobody's clock runs meanwhile. */
TEST(opening_the_design_is_not_timed) {
    char cache[64];
    double first = -1;
    col_episode e;
    col_episode_settings s = small(TEST_DATA "/../../protocols/msi/msi.slicc", "plain");
    (void)snprintf(cache, sizeof cache, "%s/cache", folder);
    assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
    s.tests = 0;
    s.seconds = 0.001;
    s.progress = note_first;
    s.context = &first;
    const double start = base_seconds();
    run_episode(&s, &e);
    const double all = base_seconds() - start;
    assert_true(e.tests > 0);
    assert_int_equal(e.ending, COL_ENDED_BY_TIME);
    assert_int_equal(e.outcome, COL_PASS);
    assert_true(first >= 0 && first < all / 2);
    assert_true(e.seconds < all / 2); /* nearly all of it was the compiler's */
    col_episode_free(&e);
}

/* This one would take minutes; it does not count. */
TEST(time_ends_a_test_that_is_under_way) {
    col_episode e;
    col_episode_settings s = small("mesi2", "plain");
    s.operations = (col_range){1 << 20, 1 << 20};
    s.instances = 1000;
    s.tests = 0;
    s.seconds = 0.1;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_TIME);
    assert_int_equal(e.tests, 0);
    assert_int_equal(e.outcome, COL_INCOMPLETE);
    col_episode_free(&e);
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
