/* SPDX-License-Identifier: MIT */
/* Episodes of given programs: what is run, how often, what is counted, and what is refused. */
#include "base/file.h"
#include "collider/episode.h"
#include "episode/user_programs.h"
#include "episodes.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Store buffering: four outcomes, and the last words are always the same. */
static const char store_buffering[] =
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\nthread 0\n  store a0 1\n  load a1\n"
    "thread 1\n  store a1 2\n  load a0\nend\n";
/* One outcome only: swaps and adds read what was there. */
static const char atomics[] =
    "collider program 1\nlocation a0 0x40\nthread 0\n  store a0 1\n  swap a0 2\n  add a0 3\nend\n";
static const char many_threads[] = "collider program 1\nlocation a0 0x40\nthread 0\n  load a0\n"
                                   "thread 1\n  load a0\nthread 2\n  load a0\nend\n";

static char paths[6][128];

static const char *write_program(int place, const char *name, const char *text) {
    col_problem problem;
    (void)snprintf(paths[place], sizeof paths[place], "%s/%s", folder, name);
    assert_int_equal(base_file_write(paths[place], text, strlen(text), &problem), COL_OK);
    return paths[place];
}

static const char *make_inside(int place, const char *name) {
    (void)snprintf(paths[place], sizeof paths[place], "%s/%s", folder, name);
    (void)mkdir(paths[place], 0777);
    return paths[place];
}

static col_episode_settings small(const char *const *programs, uint32_t count) {
    col_episode_settings s = small_episode("mesi2", "given");
    s.setting.design.cores = 2;
    s.programs = programs;
    s.program_count = count;
    s.instances = 100;
    s.tests = 0;
    return s;
}

static uint64_t sum_of(const col_given *given) {
    uint64_t sum = given->others;
    for (size_t i = 0; i < given->outcome_count; i++)
        sum += given->outcomes[i].count;
    return sum;
}

/* ---- What is counted. */

TEST(outcomes_are_counted) {
    const char *const programs[] = {write_program(0, "sb.txt", store_buffering),
                                    write_program(1, "atomics.txt", atomics)};
    const col_episode_settings s = small(programs, 2);
    col_episode e;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_PROGRAMS);
    assert_int_equal(e.outcome, COL_PASS);
    assert_int_equal(e.tests, 2);
    assert_int_equal(e.given_count, 2);
    assert_string_equal(e.given[0].path, programs[0]);
    assert_int_equal(e.given[0].outcome_count, 4);
    assert_int_equal(e.given[0].passed, 100);
    assert_int_equal(sum_of(&e.given[0]), 100);
    for (size_t i = 0; i < 4; i++) {
        const col_seen_outcome *o = &e.given[0].outcomes[i];
        assert_int_equal(o->seen_count, 4); /* two reads, two locations */
        assert_true(o->seen[0].thread == 0 && o->seen[0].operation == 1);
        assert_true(o->seen[0].location == 1 && o->seen[1].location == 0);
        assert_true(o->seen[1].thread == 1 && o->seen[1].operation == 1);
        assert_int_equal(o->seen[2].operation, COL_FINAL);
        assert_true(o->seen[2].word == 1 && o->seen[3].word == 2);
    }
    assert_int_equal(e.given[1].outcome_count, 1);
    const col_seen *seen = e.given[1].outcomes[0].seen;
    assert_int_equal(e.given[1].outcomes[0].seen_count, 3);
    assert_int_equal(seen[0].word, 1);                     /* the swap */
    assert_int_equal(seen[1].word, 2);                     /* the add */
    assert_int_equal(seen[2].word, 2 | UINT64_C(3) << 32); /* at the end */
    col_episode_free(&e);
}

TEST(the_most_frequent_come_first) {
    const char *const programs[] = {write_program(0, "sb.txt", store_buffering)};
    const col_episode_settings s = small(programs, 1);
    col_episode e;
    run_episode(&s, &e);
    const col_seen_outcome **sorted = epi_given_by_count(&e.given[0]);
    assert_non_null(sorted);
    for (size_t i = 1; i < e.given[0].outcome_count; i++)
        assert_true(sorted[i - 1]->count >= sorted[i]->count);
    free(sorted);
    col_episode_free(&e);
}

/* Instances that fail have no outcome; what is counted does not depend on the jobs. */
TEST(failures_are_not_outcomes) {
    const char *const programs[] = {write_program(0, "sb.txt", store_buffering)};
    col_episode_settings s = small(programs, 1);
    s.setting.model = COL_SC;
    for (uint32_t jobs = 1; jobs <= 3; jobs += 2) {
        col_episode e;
        s.jobs = jobs;
        s.keep_going = false;
        run_episode(&s, &e);
        assert_int_equal(e.outcome, COL_VIOLATION);
        assert_int_equal(e.given[0].instances, e.failure.instance);
        assert_int_equal(e.given[0].passed, e.failure.instance - 1);
        assert_int_equal(e.given[0].failing, 1);
        col_episode_free(&e);
        s.keep_going = true;
        run_episode(&s, &e);
        assert_int_equal(e.given[0].outcome_count, 3);
        assert_int_equal(e.given[0].instances, 100);
        assert_true(e.given[0].passed < 100 && e.given[0].passed == sum_of(&e.given[0]));
        assert_int_equal(e.kind_count, 1);
        assert_int_equal(e.kinds[0].smallest.operations, 4);
        col_episode_free(&e);
    }
}

/* ---- What is run. */

TEST(with_a_budget_programs_run_repeatedly) {
    const char *const programs[] = {write_program(0, "sb.txt", store_buffering),
                                    write_program(1, "atomics.txt", atomics)};
    col_episode_settings s = small(programs, 2);
    col_episode e;
    s.instances = 3;
    s.tests = 7;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_TESTS);
    assert_int_equal(e.given[0].tests, 4);
    assert_int_equal(e.given[1].tests, 3);
    assert_int_equal(e.given[0].instances, 12);
    col_episode_free(&e);
    s.tests = 1; /* fewer than there are */
    run_episode(&s, &e);
    assert_int_equal(e.given[0].tests, 1);
    assert_int_equal(e.given[1].tests, 0);
    col_episode_free(&e);
}

TEST(programs_of_a_folder_run_in_order) {
    const char *const programs[] = {make_inside(4, "generated"), make_inside(5, "failure")};
    col_episode_settings s = small(programs, 2);
    col_episode e;
    (void)write_program(0, "generated/test-0001.txt", store_buffering);
    (void)write_program(1, "generated/test-0000.txt", atomics);
    (void)write_program(2, "generated/notes.txt", "no program");
    (void)write_program(3, "failure/program.txt", store_buffering);
    s.instances = 1;
    run_episode(&s, &e);
    assert_int_equal(e.given_count, 3);
    assert_string_equal(e.given[0].path, paths[1]);
    assert_string_equal(e.given[1].path, paths[0]);
    assert_string_equal(e.given[2].path, paths[3]);
    col_episode_free(&e);
}

/* ---- What is refused. */

static void assert_refused(const col_episode_settings *s, const char *file, const char *part) {
    col_problem problem = {0};
    col_episode e = {0};
    char text[1024];
    assert_int_equal(col_episode_run(s, &e, &problem), COL_BAD_INPUT);
    (void)col_problem_text(&problem, text, sizeof text);
    assert_non_null(strstr(text, file));
    if (strstr(text, part) == NULL)
        fail_msg("'%s' does not say '%s'", text, part);
    assert_null(e.given);
    col_episode_free(&e);
}

TEST(programs_that_cannot_run_are_refused_with_their_file) {
    const char *good = write_program(0, "sb.txt", store_buffering);
    const char *wide = write_program(1, "wide.txt", many_threads);
    const char *cut = write_program(2, "cut.txt", "collider program 1\n");
    const char *bare = write_program(3, "bare.txt", "collider program 1\nend\n");
    const char *empty = make_inside(4, "empty");
    const char *programs[] = {good, wide};
    col_episode_settings s = small(programs, 2);
    assert_refused(&s, wide, "has 3 threads");
    programs[1] = cut;
    assert_refused(&s, cut, "without 'end'");
    programs[1] = bare;
    assert_refused(&s, bare, "no operations");
    programs[1] = empty;
    assert_refused(&s, empty, "has no programs");
    programs[1] = "/nowhere/at/all.txt";
    assert_refused(&s, "/nowhere/at/all.txt", "No such file");
    programs[1] = good;
    s.save = folder;
    assert_refused(&s, "", "cannot be saved or resumed");
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
