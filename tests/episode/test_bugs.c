/* SPDX-License-Identifier: MIT */
/*
 * How many failures a bug has: the cases, and those of their episode that have no folder, by the
 * kinds of its record; whatever the record says.
 */
#include "episode/triage/bugs.h"

#include "base/random.h"
#include "episodes.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_CASES = 12, MOST_BUGS = 3, KINDS = 4, ROUNDS = 300 };

static char episode[64];

static void write_record(const char *text) {
    char path[128];
    (void)snprintf(path, sizeof path, "%s/episode.json", episode);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Cases of the episode; kind KINDS is one that its record does not have. */
typedef struct found {
    epi_triage triage;
    epi_case cases[MOST_CASES];
    epi_bug bugs[MOST_BUGS];
    unsigned kinds[MOST_CASES];
} found;

static void add(found *f, unsigned kind, size_t bug) {
    epi_case *c = &f->cases[f->triage.case_count];
    *c = (epi_case){.bug = bug, .mended_by = EPI_NO_BUG};
    (void)snprintf(c->folder, sizeof c->folder, "%s/failure-%zu-1", episode,
                   f->triage.case_count + 1);
    (void)snprintf(c->was.fingerprint.hash, sizeof c->was.fingerprint.hash, "%x", kind);
    f->kinds[f->triage.case_count++] = kind;
}

static void count(found *f) {
    const char *const folders[] = {episode, episode};
    const epi_triage_settings settings = {.episodes = folders, .episode_count = 2};
    col_problem problem;
    f->triage.cases = f->cases;
    f->triage.bugs = f->bugs;
    f->triage.bug_count = MOST_BUGS;
    assert_int_equal(epi_bugs_count(&settings, &f->triage, &problem), COL_OK);
}

static uint64_t sum(const found *f) {
    uint64_t all = f->triage.unexplained;
    for (size_t b = 0; b < MOST_BUGS; b++)
        all += f->bugs[b].count;
    return all;
}

TEST(failures_without_a_folder_count_for_the_bug_of_their_kind) {
    found f = {.triage.is_complete = true};
    add(&f, 0, 1);
    add(&f, 0, 1);
    add(&f, 0, 0);
    add(&f, 1, EPI_NO_BUG);
    add(&f, KINDS, 2);
    write_record("{\"failures\": 60, \"kinds\": ["
                 "{\"fingerprint\": {\"hash\": \"0\"}, \"count\": 20},"
                 "{\"fingerprint\": {\"hash\": \"1\"}, \"count\": 10}]}");
    count(&f);
    assert_int_equal(f.bugs[0].count, 1);
    assert_int_equal(f.bugs[1].count, 2 + 17);
    assert_int_equal(f.bugs[2].count, 1 + 29); /* the kinds that were not told apart */
    assert_int_equal(f.triage.unexplained, 10);
    assert_int_equal(f.triage.failures, 60);
    assert_int_equal(f.bugs[0].earliest, 2);
    assert_int_equal(f.bugs[1].earliest, 0);
}

TEST(all_failures_are_counted_once) {
    base_rng rng;
    base_rng_seed(&rng, 5, 0);
    for (int round = 0; round < ROUNDS; round++) {
        found f = {.triage.is_complete = true};
        uint64_t counts[KINDS + 1] = {0}, all = 0;
        char record[512];
        int length = 0;
        const uint64_t cases = base_rng_below(&rng, MOST_CASES + 1);
        for (uint64_t i = 0; i < cases; i++) {
            const uint64_t bug = base_rng_below(&rng, MOST_BUGS + 1);
            add(&f, (unsigned)base_rng_below(&rng, KINDS + 1), bug < MOST_BUGS ? bug : EPI_NO_BUG);
            counts[f.kinds[i]]++;
        }
        for (unsigned k = 0; k <= KINDS; k++)
            all += counts[k] += base_rng_below(&rng, 5);
        length = snprintf(record, sizeof record, "{\"failures\": %d, \"kinds\": [", (int)all);
        for (unsigned k = 0; k < KINDS; k++)
            length += snprintf(record + length, sizeof record - (size_t)length,
                               "%s{\"fingerprint\": {\"hash\": \"%x\"}, \"count\": %d}",
                               k == 0 ? "" : ",", k, (int)counts[k]);
        (void)snprintf(record + length, sizeof record - (size_t)length, "]}");
        write_record(record);
        count(&f);
        assert_int_equal(f.triage.failures, all);
        assert_int_equal(sum(&f), all);
    }
}

TEST(a_record_that_says_nothing_leaves_the_cases) {
    static const char *const records[] = {
        "{}",
        "[]",
        "null",
        "not JSON",
        "{\"failures\": -1, \"kinds\": 7}",
        "{\"failures\": 0, \"kinds\": [{\"count\": -5}, 3, {\"fingerprint\": {\"hash\": 1}}]}"};
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        found f = {.triage.is_complete = true};
        add(&f, 0, 0);
        add(&f, 1, EPI_NO_BUG);
        write_record(records[i]);
        count(&f);
        assert_int_equal(f.bugs[0].count, 1);
        assert_int_equal(f.triage.unexplained, 1);
        assert_int_equal(f.triage.failures, 2);
    }
}

/* A bug whose mend was found keeps its failures when there was no time for more. */
TEST(without_time_a_failure_is_of_the_mend_that_ended_it) {
    found f = {.triage.is_complete = false};
    add(&f, 0, EPI_NO_BUG);
    add(&f, 0, EPI_NO_BUG);
    f.cases[0].is_mended = true;
    f.cases[0].mended_by = 1;
    write_record("{}");
    count(&f);
    assert_int_equal(f.bugs[1].count, 1);
    assert_int_equal(f.triage.unexplained, 1);
}

static int make_episode(void **state) {
    if (make_folder(state) != 0)
        return 1;
    (void)snprintf(episode, sizeof episode, "%s/night", folder);
    return mkdir(episode, 0777);
}

int main(void) {
    return run_all_tests(make_episode, remove_folder);
}
