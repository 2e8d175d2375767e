/* SPDX-License-Identifier: MIT */
/*
 * Saved episodes, damaged: whatever a byte of resume.json becomes, the episode is refused with a
 * sentence or goes on. Saved between two tests, and in the middle of one.
 */
#include "collider/episode.h"

#include "base/file.h"
#include "base/json.h"
#include "episodes.h"
#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TESTS = 3 };
/* So many that a test takes longer than a request to stop takes to be noticed (base/clock.c). */
enum { INSTANCES = 1024 };

/* This many places of the file are damaged. */
#ifndef PLACES
#ifdef REDUCED
#define PLACES 30
#else
#define PLACES 90
#endif
#endif

static volatile int stop;

/* In the middle of the test after this one, if the threads are in luck. */
static void *stop_soon(void *context) {
    const struct timespec time = {.tv_nsec = 300000};
    (void)context;
    (void)nanosleep(&time, NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    return NULL;
}

static pthread_t thread;
static bool has_thread;

static void notice_progress(void *context, const col_progress *progress) {
    (void)context;
    if (progress->tests == TESTS && !has_thread)
        has_thread = pthread_create(&thread, NULL, stop_soon, NULL) == 0;
}

static col_episode_settings small(const char *engine) {
    col_episode_settings s = small_episode("mesi2", engine);
    s.operations = (col_range){16, 64};
    s.locations = (col_range){4, 8};
    s.tests = TESTS;
    s.engine_options = strcmp(engine, "mtg") == 0 ? "memory=1Ki,population=4" : NULL;
    return s;
}

static const char *in_folder(char path[64], const char *name) {
    (void)snprintf(path, 64, "%s/%s", folder, name);
    return path;
}

static base_text read_all(const char *name) {
    char path[64];
    base_text text = {0};
    assert_int_equal(base_file_read(in_folder(path, name), &text, NULL), COL_OK);
    return text;
}

static void write_all(const char *name, const char *bytes, size_t length) {
    char path[64];
    FILE *file = fopen(in_folder(path, name), "wb"); /* without waiting for the disk */
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void save_episode(col_episode_settings s) {
    col_episode episode = {0};
    s.save = folder;
    assert_int_equal(col_episode_run(&s, &episode, NULL), COL_OK);
    col_episode_free(&episode);
}

/* With a test that was begun and does not count. */
static void save_in_a_test(col_episode_settings s) {
    s.tests = 0;
    s.instances = INSTANCES;
    s.progress = notice_progress;
    s.stop = &stop;
    for (bool is_under_way = false; !is_under_way;) {
        stop = 0;
        has_thread = false;
        save_episode(s);
        assert_true(has_thread);
        assert_int_equal(pthread_join(thread, NULL), 0);
        json_t *root = NULL;
        assert_int_equal(base_json_read_in(folder, "resume.json", &root, NULL), COL_OK);
        /* The engine was told of all tests that count: it was asked for the next one. */
        is_under_way =
            json_integer_value(json_object_get(json_object_get(root, "engine"), "told")) ==
            json_integer_value(json_object_get(root, "tests"));
        json_decref(root);
    }
    stop = 0;
}

/* One test more, and saved again or not. */
static void expect_no_harm(col_episode_settings s, bool saves, const char *what) {
    col_episode episode = {0};
    col_problem problem = {0};
    s.resume = folder;
    s.save = saves ? folder : NULL;
    s.tests = TESTS + 1;
    const col_status status = col_episode_run(&s, &episode, &problem);
    if (status != COL_OK && (status != COL_BAD_INPUT || problem.message[0] == '\0'))
        fail_msg("%s: status %d, '%s'", what, (int)status, problem.message);
    col_episode_free(&episode);
}

#define NAME "resume.json"

static void damage_all(const col_episode_settings *s) {
    static const char others[] = {'0', '9', '-', '"', ']', 'x', ' '};
    char path[64];
    base_text good = read_all(NAME);
    for (size_t i = 0; i < PLACES; i++) {
        const size_t place = i * good.length / PLACES;
        const char byte = good.data[place];
        good.data[place] = others[i % sizeof others];
        write_all(NAME, good.data, good.length);
        good.data[place] = byte;
        expect_no_harm(*s, i % 8 == 0, NAME);
    }
    write_all(NAME, good.data, good.length / 2);
    expect_no_harm(*s, false, "half of " NAME);
    assert_int_equal(remove(in_folder(path, NAME)), 0);
    expect_no_harm(*s, false, "no " NAME);
    base_text_free(&good);
}

static const char *const engines[] = {"chain-bias", "ctg1", "htg", "mtg"};
enum { ENGINES = 4 };

TEST(damage_between_tests_does_no_harm) {
    for (size_t e = 0; e < ENGINES; e++) {
        const col_episode_settings s = small(engines[e]);
        save_episode(s);
        damage_all(&s);
    }
}

TEST(damage_within_a_test_does_no_harm) {
    for (size_t e = 0; e < ENGINES; e++) {
        col_episode_settings s = small(engines[e]);
        save_in_a_test(s);
        s.instances = INSTANCES;
        damage_all(&s);
    }
}

/* ---- Parts that are whole, and do not belong together. */

static void expect_refusal(col_episode_settings s, const char *part) {
    col_episode episode = {0};
    col_problem problem = {0};
    s.resume = folder;
    s.tests = TESTS + 1;
    assert_int_equal(col_episode_run(&s, &episode, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, part);
    /* It has done nothing: there is nothing to record over what is there. */
    assert_int_equal(episode.ending, COL_ENDED_BY_FAILURE);
    assert_int_equal(episode.tests, 0);
    assert_null(episode.coverage);
    col_episode_free(&episode);
}

static json_t *read_saved(void) {
    base_text text = read_all(NAME);
    json_t *root = json_loadb(text.data, text.length, 0, NULL);
    assert_non_null(root);
    base_text_free(&text);
    return root;
}

static void expect_two_moments(const char *older, const char *part) {
    char path[64];
    col_episode_settings s = small("htg");
    save_episode(s);
    json_t *before = read_saved();
    s.tests = TESTS + 2;
    save_episode(s);
    json_t *after = read_saved();
    assert_int_equal(json_object_set(after, older, json_object_get(before, older)), 0);
    assert_int_equal(base_json_write_exact(in_folder(path, NAME), after, NULL), COL_OK);
    json_decref(before);
    expect_refusal(s, part);
}

TEST(parts_saved_at_different_times_are_refused) {
    expect_two_moments("engine", "after 3 tests and the episode after 5");
    expect_two_moments("coverage", "not the coverage that the engine was saved with");
}

/* Without a part, or with another thing in its place. */
TEST(missing_parts_are_refused) {
    static const char *const parts[] = {"engine",   "coverage", "failure", "watched",
                                        "settings", "design",   "tests"};
    char path[64];
    save_episode(small("htg"));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        json_t *root = read_saved();
        json_t *copy = json_deep_copy(root);
        assert_int_equal(json_object_set_new(copy, parts[i], json_pack("{s:i}", "x", 1)), 0);
        assert_int_equal(base_json_write_exact(in_folder(path, NAME), copy, NULL), COL_OK);
        expect_refusal(small("htg"), "");
        copy = json_deep_copy(root);
        assert_int_equal(json_object_del(copy, parts[i]), 0);
        assert_int_equal(base_json_write_exact(in_folder(path, NAME), copy, NULL), COL_OK);
        expect_refusal(small("htg"), "");
        assert_int_equal(base_json_write_exact(in_folder(path, NAME), root, NULL), COL_OK);
    }
}

TEST(other_settings_are_refused) {
    col_episode_settings s = small("htg");
    save_episode(s);
    s.metric = COL_FUNCTIONAL;
    expect_refusal(s, "--metric");
    s = small("htg");
    s.setting.model = COL_SC;
    expect_refusal(s, "--model");
    s = small("htg");
    s.setting.design.options = "without=squash";
    expect_refusal(s, "--options");
    s = small("htg");
    s.mix = "c1";
    expect_refusal(s, "--mix");
    s = small("htg");
    s.engine_options = "selection=0.5";
    expect_refusal(s, "--engine-options");
}

/* Nothing was left to do: what is saved then goes on as well as what was there. */
TEST(resuming_with_a_spent_budget_changes_nothing) {
    for (size_t e = 0; e < ENGINES; e++) {
        col_episode_settings s = small(engines[e]);
        save_episode(s);
        json_t *first = read_saved();
        s.resume = folder;
        save_episode(s);
        json_t *second = read_saved();
        assert_true(
            json_equal(json_object_get(first, "engine"), json_object_get(second, "engine")));
        assert_non_null(json_object_get(first, "engine"));
        json_decref(first);
        json_decref(second);
    }
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
