/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/* Which failures of an episode known bugs waive, and what is found behind them. */
#include "episode/failure/waiver.h"

#include "episode/episode_record.h"
#include "episode/episode_run.h"
#include "episodes.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static epi_known read_known(const char *text) {
    epi_known known = {.count = 0};
    col_problem problem;
    if (epi_known_parse(&known, text, strlen(text), "known.yaml", "2026-11-19", &problem) != COL_OK)
        fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
    return known;
}

#define DIRTY "{bug: dirty, mend: {at: L0Cache/E/Store, plus: [mark_dirty]}, reason: x}"
#define DATA                                                                                       \
    "{bug: data, mend: {at: L1Cache/IS_I/DataS_fromL1, plus: [writeDataFromL2Response]}, reason: " \
    "x}"

static col_episode_settings failing_episode(const char *errors) {
    col_episode_settings s = small_episode("mesi3", "chain-bias");
    s.setting.design.error = errors;
    s.operations = (col_range){128, 256};
    s.locations = (col_range){8, 8};
    s.tests = 16;
    return s;
}

/* It must not end with a problem. */
static void run_with(const col_episode_settings *s, epi_known *known, col_episode *episode) {
    col_problem problem;
    *episode = (col_episode){0};
    if (epi_run(s, known, NULL, episode, &problem) != COL_OK)
        fail_msg("%s: %s", problem.file, problem.message);
}

/* Of a design whose only bug is known, every failure is waived, and no other is invented. */
TEST(all_failures_of_the_only_bug_are_waived) {
    col_episode_settings s = failing_episode("D4");
    col_episode plain, waived;
    epi_known known = read_known("known: [" DIRTY "]");
    s.keep_going = true;
    run_episode(&s, &plain);
    s.keep_going = false;
    run_with(&s, &known, &waived);
    assert_true(plain.failures > 8);
    assert_int_equal(waived.failures, 0);
    assert_int_equal(waived.outcome, COL_PASS);
    assert_int_equal(waived.tests, s.tests);
    assert_int_equal(known.bugs[0].count, plain.failures);
    assert_int_equal(known.bugs[0].first_test, plain.failure.test);
    assert_int_equal(waived.cycles, plain.cycles); /* and it was the same episode */
    for (int m = 0; m < COL_METRIC_COUNT; m++)
        assert_int_equal(
            col_coverage_of(waived.coverage, COL_CUMULATIVE, (col_metric)m, COL_ALL_MACHINES)
                .covered,
            col_coverage_of(plain.coverage, COL_CUMULATIVE, (col_metric)m, COL_ALL_MACHINES)
                .covered);
    epi_known_free(&known);
    col_episode_free(&plain);
    col_episode_free(&waived);
}

/* Nor is a failure of which nobody knows whether it is mended, for want of time to judge it. */
TEST(what_could_not_be_judged_is_not_waived) {
    col_episode_settings s = failing_episode("D4;SQ+no-FIFO");
    col_episode episode;
    epi_known known = read_known("known: [" DIRTY "]");
    s.tests = 60;
    s.operations = (col_range){256, 256};
    s.keep_going = true;
    s.setting.design.reads_only = true;
    s.setting.judging = 1e-6;
    run_with(&s, &known, &episode);
    assert_true(episode.failures > 0);
    assert_false(known.is_behind); /* it is recorded as it was */
    epi_known_free(&known);
    col_episode_free(&episode);
}

/* The mend of another bug waives nothing: the failures are those of an episode without it. */
TEST(another_bug_is_not_waived) {
    col_episode_settings s = failing_episode("D4");
    col_episode plain, other;
    epi_known known = read_known("known: [" DATA "]");
    s.keep_going = true;
    run_episode(&s, &plain);
    run_with(&s, &known, &other);
    assert_int_equal(epi_known_waived(&known) + other.failures, plain.failures);
    assert_true(other.failures * 10 >= plain.failures * 9); /* a seed may pass by chance */
    epi_known_free(&known);
    col_episode_free(&plain);
    col_episode_free(&other);
}

/* Of two bugs one is waived: what is found is the other, which the program shows without the first,
 * too. */
static void assert_finds_other(const char *known_text, const char *mend, const char *other) {
    col_episode_settings s = failing_episode("D4;D9");
    col_episode episode;
    epi_known known = read_known(known_text);
    col_failure was = {0}, is = {0};
    col_problem problem;
    char program[1100], path[1100];
    json_t *recorded = NULL;
    s.folder = folder;
    s.tests = 64;
    run_with(&s, &known, &episode);
    assert_int_equal(episode.outcome, COL_VIOLATION);
    assert_int_equal(episode.ending, COL_ENDED_BY_ERROR);
    assert_int_equal(episode.failures, 1);
    assert_true(known.is_behind);
    assert_null(strstr(episode.failure.fingerprint.text, mend)); /* its kind is what it is anyway */
    (void)snprintf(path, sizeof path, "%s/failure.json", episode.failure.folder);
    assert_int_equal(base_json_read(path, &recorded, &problem), COL_OK);
    assert_non_null(strstr(json_string_value(json_object_get(recorded, "error")), mend));
    json_decref(recorded);
    assert_int_equal(col_replay(episode.failure.folder, false, &was, &is, NULL, &problem), COL_OK);
    assert_int_equal(is.outcome, COL_VIOLATION);
    assert_string_equal(is.reason, was.reason);
    (void)snprintf(program, sizeof program, "%s/program.txt", episode.failure.folder);
    col_episode_free(&episode);
    const char *const programs[] = {program};
    s.setting.design.error = other;
    s.programs = programs;
    s.program_count = 1;
    s.tests = 0;
    s.instances = 64;
    s.folder = NULL;
    run_episode(&s, &episode);
    assert_int_equal(episode.outcome, COL_VIOLATION);
    epi_known_free(&known);
    col_episode_free(&episode);
}

TEST(the_other_of_two_bugs_is_found) {
    assert_finds_other("known: [" DIRTY "]", "mark_dirty", "D9");
    assert_finds_other("known: [" DATA "]", "writeDataFromL2Response", "D4");
}

TEST(two_bugs_are_waived_by_two_mends) {
    col_episode_settings s = failing_episode("D4;D9");
    col_episode episode;
    epi_known known = read_known("known: [" DIRTY "," DATA "]");
    run_with(&s, &known, &episode);
    assert_int_equal(episode.outcome, COL_PASS);
    assert_true(known.bugs[0].count > 0);
    assert_true(known.bugs[1].count > 0);
    epi_known_free(&known);
    col_episode_free(&episode);
}

/* ---- The same, however it is run. */

static char *record_of(const col_episode_settings *s, const col_episode *episode,
                       const epi_known *known) {
    char path[64];
    base_text text = {0};
    col_problem problem;
    json_t *record = NULL;
    (void)snprintf(path, sizeof path, "%s/record.json", folder);
    const epi_folder recorded = {.known = known};
    assert_int_equal(epi_folder_write(&recorded, s, episode, path, &problem), COL_OK);
    assert_int_equal(base_json_read(path, &record, &problem), COL_OK);
    assert_int_equal(json_object_del(record, "seconds"), 0);
    assert_int_equal(json_object_del(record, "curve"), 0);
    (void)json_object_del(record, "failing");
    (void)json_object_del(record, "kinds");
    if (json_is_object(json_object_get(record, "failure")))
        (void)json_object_del(json_object_get(record, "failure"), "seconds");
    base_json_print(record, JSON_INDENT(1), &text);
    json_decref(record);
    assert_false(text.failed);
    return text.data;
}

static char *run_and_record(const col_episode_settings *s) {
    epi_known known = read_known("known: [" DIRTY "]");
    col_episode episode;
    run_with(s, &known, &episode);
    char *record = record_of(s, &episode, &known);
    epi_known_free(&known);
    col_episode_free(&episode);
    return record;
}

TEST(the_number_of_jobs_decides_nothing_about_waivers) {
    static const char *const engines[] = {"chain-bias", "htg", "mtg", "scout"};
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        col_episode_settings s = failing_episode("D4;D9");
        s.engine = engines[i];
        s.keep_going = true;
        s.watches = true;
        char *one = run_and_record(&s);
        s.jobs = 3;
        char *three = run_and_record(&s);
        assert_string_equal(one, three);
        free(one);
        free(three);
    }
}

TEST(an_episode_that_is_resumed_goes_on_waiving) {
    col_episode_settings s = failing_episode("D4;D9");
    col_episode episode;
    s.keep_going = true;
    char *whole = run_and_record(&s);
    s.tests = 7;
    s.save = folder;
    epi_known known = read_known("known: [" DIRTY "]");
    run_with(&s, &known, &episode);
    assert_true(known.bugs[0].count > 0);
    epi_known_free(&known);
    col_episode_free(&episode);
    s.tests = 16;
    s.save = NULL;
    s.resume = folder;
    char *resumed = run_and_record(&s);
    assert_string_equal(whole, resumed);
    free(whole);
    free(resumed);
}

/* Its bugs of the first part are counted beside those of the file that it goes on with. */
TEST(an_episode_is_resumed_with_other_known_bugs) {
    col_episode_settings s = failing_episode("D4");
    col_episode episode;
    epi_known known = read_known("known: [" DIRTY "]");
    s.tests = 7;
    s.save = folder;
    run_with(&s, &known, &episode);
    const uint64_t before = known.bugs[0].count;
    epi_known_free(&known);
    col_episode_free(&episode);
    known = read_known("known: [{bug: new, mend: {at: L0Cache/E/Store, plus: [mark_dirty]}, "
                       "reason: x}]");
    s.tests = 16;
    s.save = NULL;
    s.resume = folder;
    run_with(&s, &known, &episode);
    assert_int_equal(episode.failures, 0);
    assert_int_equal(known.count, 2);
    assert_true(known.bugs[0].count > 0);
    assert_true(known.bugs[0].first_test > 7);
    assert_string_equal(known.bugs[1].bug, "dirty");
    assert_int_equal(known.bugs[1].count, before);
    epi_known_free(&known);
    col_episode_free(&episode);
}

/* What does not fit the design is refused before anything is run, where the file says it. */
static void assert_refused(const char *text, uint32_t column, const char *part) {
    col_episode_settings s = failing_episode("D4");
    col_episode episode = {0};
    col_problem problem;
    epi_known known = read_known(text);
    assert_int_equal(epi_run(&s, &known, NULL, &episode, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.file, "known.yaml");
    assert_int_equal(problem.line, 1);
    assert_int_equal(problem.column, column);
    if (strstr(problem.message, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, problem.message);
    epi_known_free(&known);
    col_episode_free(&episode);
}

TEST(what_does_not_fit_the_design_is_refused) {
    assert_refused("known: [{bug: a, mend: {at: L3Cache/S/Inv, next: I}, reason: x}]", 24,
                   "the mend cannot be made in mesi3: there is no machine 'L3Cache'");
    assert_refused("known: [{bug: a, mend: {at: L0Cache/E/Store, plus: [fix]}, reason: x}]", 24,
                   "there is no action 'fix'");
    assert_refused("known: [" DIRTY ", {bug: b, mend: {at: L0Cache/E/Store, new: true, next: I, "
                   "actions: []}, reason: x}]",
                   98, "has a transition from E by Store already");
    assert_refused("known: [{bug: a, cells: L0Cache/E/Stor, reason: x}]", 25,
                   "mesi3 has no cell L0Cache/E/Stor: there is no 'Stor'");
}

/* An entry for another design may say what it likes of its cells. */
TEST(entries_of_other_designs_are_passed_over) {
    col_episode_settings s = failing_episode(NULL);
    col_episode episode;
    epi_known known = read_known("known: [{bug: a, design: mesi2, cells: L9Cache/E/Stor, mend: "
                                 "{at: L9Cache/S/Inv, next: I}, reason: x}]");
    s.tests = 1;
    run_with(&s, &known, &episode);
    assert_int_equal(episode.outcome, COL_PASS);
    epi_known_free(&known);
    col_episode_free(&episode);
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
