/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Episodes that go on later: with a break after any test, or in the middle of one, the episode does
 * what it would have done without.
 */
#include "collider/episode.h"

#include "base/file.h"
#include "episodes.h"
#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TESTS = 8 };

static col_episode_settings small(const char *engine) {
    col_episode_settings s = small_episode("mesi2", engine);
    s.tests = TESTS;
    s.watches = true;
    return s;
}

/* The record without what depends on the clock or says where it is. */
static char *record_of(const col_episode_settings *s, const col_episode *episode) {
    char path[64];
    base_text read = {0};
    col_problem problem;
    (void)snprintf(path, sizeof path, "%s/record.json", folder);
    assert_int_equal(col_episode_write(s, episode, path, &problem), COL_OK);
    assert_int_equal(base_file_read(path, &read, &problem), COL_OK);
    char *text = read.data;
    for (char *at = text; (at = strstr(at, "\"seconds\": ")) != NULL;)
        for (at += strlen("\"seconds\": "); *at != ',' && *at != '\n'; at++)
            *at = 'x';
    /* Numbers of different lengths: squeeze the x. */
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (*from != 'x')
            *to++ = *from;
    *to = '\0';
    return text;
}

static void assert_goes_on(const char *engine, const char *design, const char *error_in,
                           uint64_t split) {
    col_episode whole, part;
    col_episode_settings s = small(engine);
    s.setting.design.name = design;
    s.setting.design.options = error_in;
    s.keep_going = true;
    run_episode(&s, &whole);
    char *expected = record_of(&s, &whole);
    s.tests = split;
    s.save = folder;
    run_episode(&s, &part);
    col_episode_free(&part);
    s.tests = TESTS;
    s.save = NULL;
    s.resume = folder;
    run_episode(&s, &part);
    char *got = record_of(&s, &part);
    assert_string_equal(expected, got);
    free(expected);
    free(got);
    col_episode_free(&whole);
    col_episode_free(&part);
}

TEST(an_episode_resumes_after_any_test) {
    for (size_t e = 0; col_engines[e] != NULL; e++)
        for (uint64_t split = 1; split < TESTS; split += 3)
            assert_goes_on(col_engines[e], "mesi2", NULL, split);
}

TEST(failures_are_remembered) {
    assert_goes_on("chain-bias", "mesi2", "without=squash", 5);
}

/* Whether they are drawn, or the engine has learned which to choose. */
TEST(configurations_are_those_of_an_episode_without_a_break) {
    for (uint64_t split = 1; split < TESTS; split += 2) {
        assert_goes_on("scout", TEST_DATA "/design/varied.yaml", NULL, split);
        assert_goes_on("chain-bias", TEST_DATA "/design/varied.yaml", NULL, split);
    }
}

/* The same whatever the number of jobs, before the break and after. */
static void assert_resumes(col_episode_settings s, uint64_t split, const char *expected) {
    const uint64_t tests = s.tests;
    col_episode part;
    for (uint32_t jobs = 1; jobs <= 4; jobs += 3) {
        s.tests = split;
        s.save = folder;
        s.resume = NULL;
        s.jobs = jobs;
        run_episode(&s, &part);
        col_episode_free(&part);
        s.tests = tests;
        s.save = NULL;
        s.resume = folder;
        s.jobs = 5 - jobs;
        run_episode(&s, &part);
        char *got = record_of(&s, &part);
        assert_string_equal(expected, got);
        free(got);
        col_episode_free(&part);
    }
}

static void check_window(col_episode_settings s, const uint64_t *splits, size_t count) {
    col_episode whole;
    s.jobs = 1;
    run_episode(&s, &whole);
    char *expected = record_of(&s, &whole);
    for (size_t i = 0; i < count; i++)
        assert_resumes(s, splits[i], expected);
    free(expected);
    col_episode_free(&whole);
}

/* With tests that are learned of long after they count, and others before. */
TEST(an_episode_resumes_in_the_middle_of_a_window) {
    static const uint64_t splits[] = {1, 127, 170, 260};
    col_episode_settings s = small("scout");
    s.setting.design.cores = 2;
    s.has_operations = s.has_locations = true;
    s.operations = (col_range){16, 3000};
    s.locations = (col_range){4, 8};
    s.tests = 300;
    s.watches = false;
    check_window(s, splits, sizeof splits / sizeof splits[0]);
}

TEST(a_generation_of_tests_resumes_in_its_middle) {
    static const uint64_t splits[] = {1, 7, 20, 47};
    col_episode_settings s = small("mtg");
    s.engine_options = "window=16,population=20,memory=1Ki";
    s.tests = 60;
    check_window(s, splits, sizeof splits / sizeof splits[0]);
}

static volatile int stop;

static void *stop_soon(void *context) {
    const struct timespec time = {.tv_nsec = *(const long *)context};
    (void)nanosleep(&time, NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Wherever the clock strikes. */
static void assert_survives_signals(const char *engine) {
    col_episode whole, part;
    col_episode_settings s = small(engine);
    run_episode(&s, &whole);
    char *expected = record_of(&s, &whole);
    for (long wait = 500000; wait < 6000000; wait += 1900000) {
        pthread_t thread;
        stop = 0;
        s.save = folder;
        s.stop = &stop;
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, &wait), 0);
        run_episode(&s, &part);
        assert_int_equal(pthread_join(thread, NULL), 0);
        col_episode_free(&part);
        stop = 0;
        s.save = NULL;
        s.resume = folder;
        run_episode(&s, &part);
        char *got = record_of(&s, &part);
        assert_string_equal(expected, got);
        free(got);
        col_episode_free(&part);
        s.resume = NULL;
    }
    free(expected);
    col_episode_free(&whole);
}

TEST(an_episode_resumes_after_a_signal) {
    for (size_t e = 0; col_engines[e] != NULL; e++)
        assert_survives_signals(col_engines[e]);
}

static void assert_refused(const col_episode_settings *s, const char *part) {
    col_problem problem;
    col_episode episode = {0};
    assert_int_equal(col_episode_run(s, &episode, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, part);
    col_episode_free(&episode);
}

static void damage(const char *name, const char *text) {
    char path[64];
    col_problem problem;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(base_file_write(path, text, strlen(text), &problem), COL_OK);
}

TEST(what_does_not_fit_is_refused) {
    col_episode part;
    col_episode_settings s = small("chain-bias");
    s.tests = 2;
    s.save = folder;
    run_episode(&s, &part);
    col_episode_free(&part);
    s.save = NULL;
    s.resume = folder;
    s.tests = TESTS;
    s.seed = 2;
    assert_refused(&s, "other settings");
    s.seed = 1;
    s.engine = "plain";
    assert_refused(&s, "the state of the engine chain-bias");
    s.engine = "chain-bias";
    s.instances = 3;
    assert_refused(&s, "must be the same");
    s.instances = 2;
    damage("resume.json", "{");
    assert_refused(&s, "expected");
    damage("resume.json", "{\"format\": 8, \"design\": \"mesi2\"}");
    assert_refused(&s, "must be the same");
    damage("resume.json", "{\"format\": 4, \"design\": \"mesi2\"}"); /* of an earlier version */
    assert_refused(&s, "not a saved episode of this version");
    s.resume = "/nowhere";
    assert_refused(&s, "has no saved episode");
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
