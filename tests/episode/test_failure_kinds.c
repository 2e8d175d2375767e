/* SPDX-License-Identifier: MIT */
/*
 * Kinds of failures count all of them; folders are kept of the earliest and the smallest of each
 * kind, against an oracle that looks at all failures again each time.
 */
#include "episode/failure/failure_kinds.h"

#include "base/folder.h"
#include "base/random.h"
#include "episode/failure/failure.h"
#include "episodes.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FAILURES = 300, ROUNDS = 40 };

static col_failure failure_of(unsigned kind, uint64_t test, uint32_t operations) {
    col_failure f = {.test = test, .instance = 1, .operations = operations};
    (void)snprintf(f.fingerprint.hash, sizeof f.fingerprint.hash, "%x", kind);
    return f;
}

TEST(each_kind_counts_its_failures_and_knows_its_smallest) {
    col_episode e = {0};
    col_problem problem;
    const col_failure failures[] = {failure_of(10, 1, 64), failure_of(11, 2, 10),
                                    failure_of(10, 3, 32), failure_of(10, 4, 32),
                                    failure_of(11, 5, 11)};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(epi_kind_add(&e, &failures[i], &problem), COL_OK);
    assert_int_equal(e.kind_count, 2);
    assert_int_equal(e.kinds[0].count, 3);
    assert_int_equal(e.kinds[0].smallest.test, 3);
    assert_int_equal(e.kinds[1].count, 2);
    assert_int_equal(e.kinds[1].smallest.test, 2);
    for (unsigned i = 0; i < 2 * COL_MOST_KINDS; i++) {
        const col_failure f = failure_of(100 + i, i, 5);
        assert_int_equal(epi_kind_add(&e, &f, &problem), COL_OK);
    }
    assert_int_equal(e.kind_count, COL_MOST_KINDS);
    assert_int_equal(e.kinds[COL_MOST_KINDS - 1].count, 1);
    free(e.kinds);
}

/* ---- An episode in which nothing but failures happens. */

typedef struct night {
    col_episode e;
    epi_keeping keeping;
    col_failure failures[FAILURES];
    uint32_t kinds[FAILURES]; /* as the episode numbers them */
    size_t count;
} night;

static void path_of(const col_failure *f, char path[256]) {
    (void)snprintf(path, 256, "%s/" EPI_FAILURE_NAME, folder, f->test, f->instance);
}

static bool has_folder(const col_failure *f) {
    char path[256];
    struct stat about;
    path_of(f, path);
    return stat(path, &about) == 0;
}

static void happen(night *n, col_failure f) {
    col_problem problem;
    char path[256];
    if (epi_keeping_wants(&n->keeping, &n->e, &f)) {
        path_of(&f, path);
        assert_int_equal(mkdir(path, 0777), 0);
        assert_int_equal(epi_keeping_add(&n->keeping, &n->e, &f, folder, &problem), COL_OK);
    }
    if (n->e.failures++ == 0)
        n->e.failure = f;
    assert_int_equal(epi_kind_add(&n->e, &f, &problem), COL_OK);
    uint32_t kind = 0;
    while (kind < n->e.kind_count &&
           strcmp(n->e.kinds[kind].smallest.fingerprint.hash, f.fingerprint.hash) != 0)
        kind++;
    n->kinds[n->count] = kind;
    n->failures[n->count++] = f;
}

static void end(night *n) {
    for (size_t i = 0; i < n->count; i++) {
        char path[256];
        path_of(&n->failures[i], path);
        base_folder_remove_path(path);
    }
    epi_keeping_free(&n->keeping);
    free(n->e.kinds);
}

/* How many of its kind are smaller, or as small and earlier; without the first of the kind, which
 * may have a place of its own. */
static uint32_t rank_of(const night *n, size_t failure, bool without_first) {
    uint32_t rank = 0;
    bool is_first = true;
    for (size_t i = 0; i < n->count; i++) {
        if (n->kinds[i] != n->kinds[failure])
            continue;
        if (!is_first || !without_first)
            rank += n->failures[i].operations < n->failures[failure].operations ||
                    (n->failures[i].operations == n->failures[failure].operations && i < failure);
        is_first = false;
    }
    return rank;
}

static bool is_first_of_kind(const night *n, size_t failure) {
    for (size_t i = 0; i < failure; i++)
        if (n->kinds[i] == n->kinds[failure])
            return false;
    return true;
}

static bool should_have_folder(const night *n, size_t i) {
    const uint32_t most = n->keeping.most;
    if (i == 0 || most == 0 || (most > 1 && is_first_of_kind(n, i)))
        return true;
    return most == 1 ? rank_of(n, i, false) == 0 : rank_of(n, i, true) < most - 1;
}

TEST(the_earliest_and_the_smallest_of_a_kind_have_folders) {
    base_rng rng;
    base_rng_seed(&rng, 7, 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        night n = {.keeping.most = round % 5};
        const uint32_t kinds = 1 + round % EPI_KINDS_WITH_MORE;
        for (uint64_t test = 1; test <= 60; test++)
            happen(&n, failure_of((unsigned)base_rng_below(&rng, kinds), test,
                                  1 + (uint32_t)base_rng_below(&rng, 1 + round)));
        for (size_t i = 0; i < n.count; i++)
            assert_int_equal(has_folder(&n.failures[i]), should_have_folder(&n, i));
        end(&n);
    }
}

/* What a report and a campaign take: the smallest of each kind that is told apart, and the first of
 * all. */
TEST(folders_stay_few_however_many_kinds_there_are) {
    base_rng rng;
    base_rng_seed(&rng, 8, 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        night n = {.keeping.most = 1 + round % 4};
        size_t folders = 0;
        for (uint64_t test = 1; test <= FAILURES; test++)
            happen(&n, failure_of((unsigned)base_rng_below(&rng, 10 + round * 5), test,
                                  1 + (uint32_t)base_rng_below(&rng, 50)));
        for (size_t i = 0; i < n.count; i++)
            folders += has_folder(&n.failures[i]);
        assert_int_equal(folders, n.keeping.count);
        assert_true(folders <= (size_t)EPI_KINDS_WITH_MORE * n.keeping.most +
                                   (COL_MOST_KINDS - EPI_KINDS_WITH_MORE) + 2);
        assert_true(has_folder(&n.failures[0]));
        for (size_t k = 0; k < n.e.kind_count; k++)
            assert_true(has_folder(&n.e.kinds[k].smallest));
        end(&n);
    }
}

/* It goes on as if there had been no break. */
TEST(what_is_kept_is_saved) {
    night n = {.keeping.most = 2}, later = {.keeping.most = 2};
    bool is_good = true;
    for (uint64_t test = 1; test <= 20; test++)
        happen(&n, failure_of((unsigned)test % 3, test, 40 - (uint32_t)test));
    json_t *saved = epi_keeping_save(&n.keeping);
    assert_int_equal(epi_keeping_restore(&later.keeping, saved, &is_good, NULL), COL_OK);
    assert_true(is_good);
    assert_int_equal(later.keeping.count, n.keeping.count);
    assert_memory_equal(later.keeping.list, n.keeping.list,
                        n.keeping.count * sizeof *n.keeping.list);
    epi_keeping_free(&later.keeping);
    json_array_append_new(saved, json_string("x"));
    assert_int_equal(epi_keeping_restore(&later.keeping, saved, &is_good, NULL), COL_OK);
    assert_false(is_good);
    json_decref(saved);
    end(&n);
    epi_keeping_free(&later.keeping);
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
