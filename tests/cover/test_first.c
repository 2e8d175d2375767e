/* SPDX-License-Identifier: MIT */
/* Which test and which instance hit a point first: by a list of who did; through files, through
 * resuming, and through merging, which keeps the earliest. */
#include "cover/support.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 11, TRANSITIONS = 7 }; /* of the toy */

static void add(col_coverage *coverage, uint32_t point) {
    uint64_t hits[POINTS] = {0};
    hits[point] = 3;
    (void)col_coverage_add(coverage, hits);
}

static void assert_first(const col_coverage *coverage, uint32_t functional, uint64_t test,
                         uint32_t instance) {
    assert_int_equal(coverage->first[functional].test, test);
    assert_int_equal(coverage->first[functional].instance, instance);
}

TEST(the_first_instance_that_hits_a_point_is_remembered) {
    base_rng rng;
    for (uint64_t trial = 0; trial < 200; trial++) {
        cov_first expected[POINTS] = {{0}};
        col_coverage *coverage = new_toy();
        base_rng_seed(&rng, 5, trial);
        for (uint64_t test = 1; test <= 4; test++) {
            col_coverage_begin(coverage);
            for (uint32_t instance = 1; instance <= 3; instance++) {
                const uint32_t point = (uint32_t)base_rng_below(&rng, POINTS);
                add(coverage, point);
                if (expected[point].test == 0)
                    expected[point] = (cov_first){test, instance};
            }
        }
        for (uint32_t p = 0; p < POINTS; p++)
            assert_first(coverage, p, expected[p].test, expected[p].instance);
        for (uint32_t t = 0; t < TRANSITIONS; t++) {
            cov_first least = {UINT64_MAX, 0};
            for (uint32_t p = 0; p < POINTS; p++)
                if (coverage->points.transition_of[p] == t && expected[p].test > 0 &&
                    (expected[p].test < least.test ||
                     (expected[p].test == least.test && expected[p].instance < least.instance)))
                    least = expected[p];
            const cov_first first = cov_first_of(coverage, t);
            assert_int_equal(first.test, least.test == UINT64_MAX ? 0 : least.test);
            assert_int_equal(first.instance, least.instance);
        }
        col_coverage_free(coverage);
    }
}

TEST(a_file_keeps_who_was_first_and_tests_are_counted_on) {
    col_coverage *coverage = new_toy(), *again = new_toy();
    base_text text = {0};
    col_coverage_begin(coverage);
    col_coverage_begin(coverage);
    add(coverage, 4);
    add(coverage, 5);
    cov_write(coverage, &text);
    assert_non_null(strstr(text.data, " 3 2 1\n"));
    assert_int_equal(col_coverage_read(again, text.data, text.length, "again", NULL), COL_OK);
    assert_first(again, 4, 2, 1);
    assert_first(again, 5, 2, 2);
    cov_count_from(again, 2);
    col_coverage_begin(again);
    add(again, 4);
    add(again, 6);
    assert_first(again, 4, 2, 1);
    assert_first(again, 6, 3, 2);
    base_text_free(&text);
    col_coverage_free(coverage);
    col_coverage_free(again);
}

TEST(of_merged_sets_the_earliest_is_kept_and_one_that_is_not_known_comes_last) {
    col_coverage *early = new_toy(), *late = new_toy(), *unknown = new_toy();
    add(unknown, 1);
    add(unknown, 2);
    col_coverage_begin(early);
    add(early, 0);
    add(early, 1);
    col_coverage_begin(late);
    col_coverage_begin(late);
    add(late, 1);
    add(late, 3);
    assert_int_equal(col_coverage_merge(late, unknown, NULL, NULL), COL_OK);
    assert_int_equal(col_coverage_merge(late, early, NULL, NULL), COL_OK);
    assert_first(late, 0, 1, 1);
    assert_first(late, 1, 1, 2);
    assert_first(late, 2, 0, 0);
    assert_first(late, 3, 2, 2);
    assert_int_equal(col_coverage_merge(late, late, NULL, NULL), COL_OK);
    assert_first(late, 3, 2, 2);
    col_coverage_free(early);
    col_coverage_free(late);
    col_coverage_free(unknown);
}
