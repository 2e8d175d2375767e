/* SPDX-License-Identifier: MIT */
/*
 * Exclusions, holes and what is shown of them: of the toy design, whose seven points are few enough
 * to be written out. Each of these texts is what a user sees.
 */
#include "base/file.h"
#include "cover/coverage_show.h"
#include "cover/support.h"
#include "cover/toy_design.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* L1Cache: I Store, I Load, S Invalidate, M Load (not reachable); Directory: busy, I Get#M, I -. */
static col_coverage *toy_with(const uint32_t *needs) {
    static const col_duv_source sources[] = {
        {"l1.sm", 10}, {"l1.sm", 10}, {"l1.sm", 12}, {"l1.sm", 9}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    static col_duv_description described;
    described = toy_design;
    described.geometry.level_count = 1;
    described.geometry.levels[0] = (col_cache_level){.name = "L1", .index_low = 6, .ways = 2};
    described.needs = needs;
    described.sources = sources;
    col_coverage *coverage;
    col_problem problem;
    assert_int_equal(col_coverage_new(&coverage, &described, &problem), COL_OK);
    /* Functional: the four of L1Cache 0, of L1Cache 1, then Directory. */
    uint64_t hits[11] = {0, 5, 0, 0, 0, 2, 0, 0, 3, 0, 0};
    (void)col_coverage_add(coverage, hits);
    col_coverage_bring(coverage, COL_NEEDS_LOADS | COL_NEEDS_STORES);
    return coverage;
}

static col_coverage *hit_toy(void) {
    static const uint32_t needs[] = {
        COL_NEEDS_STORES, COL_NEEDS_LOADS, COL_NEEDS_FLUSHES, 0, 0, COL_NEEDS_REPLACEMENT, 0};
    return toy_with(needs);
}

/* The same, of which runs have taken I Store, S Invalidate and busy in the same caches before. */
static col_coverage *new_known_toy(void) {
    static const uint32_t needs[] = {COL_NEEDS_STORES | COL_TAKEN_HERE,
                                     COL_NEEDS_LOADS,
                                     COL_NEEDS_FLUSHES | COL_TAKEN_HERE,
                                     0,
                                     COL_TAKEN_HERE,
                                     COL_NEEDS_REPLACEMENT,
                                     0};
    return toy_with(needs);
}

static col_status exclude(cov_exclusions *exclusions, const col_coverage *coverage,
                          const char *content, col_problem *problem) {
    char path[64];
    write_temporary(content, path);
    *exclusions = (cov_exclusions){0};
    const col_status status = cov_exclusions_read(exclusions, coverage, path, problem);
    assert_int_equal(remove(path), 0);
    return status;
}

TEST(wrong_exclusions_are_refused_at_their_place) {
    static const mistake rows[] = {
        {"L1Cache I\n", 1, 1, "expected a line 'MACHINE STATE EVENT reason'"},
        {"# so\n\nL1Cache I Load\n", 3, 15, "an exclusion needs a reason behind its point"},
        {"L1Cache I Load  # why\n", 1, 15, "an exclusion needs a reason behind its point"},
        {"L2Cache I Load why\n", 1, 1, "toy has no machine 'L2Cache'"},
        {"L1Cache I Fetch why\n", 1, 9, "L1Cache has no point 'I Fetch'"},
        {"L1Cache I Load why\nL1Cache I Load because\n", 2, 1, "this point has a line further up"},
    };
    col_coverage *coverage = hit_toy();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cov_exclusions exclusions;
        col_problem problem = {0};
        assert_int_equal(exclude(&exclusions, coverage, rows[i].text, &problem), COL_BAD_INPUT);
        assert_mistake(&rows[i], &problem);
        assert_string_equal(problem.message, rows[i].message);
        cov_exclusions_free(&exclusions);
    }
    col_coverage_free(coverage);
}

TEST(excluded_points_leave_the_denominators) {
    col_coverage *coverage = hit_toy();
    cov_exclusions exclusions;
    assert_int_equal(exclude(&exclusions, coverage,
                             "L1Cache I Load it is a  toy # 1 \r\nDirectory I Get%23M never\n",
                             NULL),
                     COL_OK);
    assert_int_equal(exclusions.count, 2);
    assert_string_equal(cov_excluded(&exclusions, 1), "it is a  toy # 1");
    assert_null(cov_excluded(&exclusions, 0));
    assert_null(cov_excluded(NULL, 1));
    const cov_extent with = cov_extent_of(coverage, NULL, COL_ALL_MACHINES);
    const cov_extent without = cov_extent_of(coverage, &exclusions, COL_ALL_MACHINES);
    assert_true(with.defined == 7 && with.covered == 2 && with.excluded == 0);
    assert_true(with.reachable == 6 && with.reached == 2 && with.here == 4 &&
                with.here_covered == 2);
    assert_true(without.defined == 5 && without.covered == 1 && without.excluded == 2);
    assert_true(without.reachable == 4 && without.here == 3 && without.here_covered == 1);
    const cov_extent directory = cov_extent_of(coverage, &exclusions, 1);
    assert_true(directory.defined == 2 && directory.covered == 1 && directory.excluded == 1);
    cov_exclusions_free(&exclusions);
    col_coverage_free(coverage);
}

static void assert_shown(void (*show)(const cov_view *, base_text *), const char *list,
                         const char *expected) {
    col_coverage *coverage = hit_toy();
    cov_exclusions exclusions;
    base_text text = {0};
    assert_int_equal(exclude(&exclusions, coverage, list, NULL), COL_OK);
    show(&(cov_view){.coverage = coverage, .exclusions = &exclusions, .sources = "src"}, &text);
    assert_false(text.failed);
    assert_string_equal(text.data, expected);
    base_text_free(&text);
    cov_exclusions_free(&exclusions);
    col_coverage_free(coverage);
}

TEST(holes_are_named_by_machine_with_what_they_need) {
    assert_shown(cov_show_text, "L1Cache I Load only a toy\nDirectory I %2D later\n",
                 "toy, 2 cores; points taken, of those that are\n"
                 "                            defined            reachable   not ruled out here\n"
                 "  L1Cache         0 of    3   0.0 %    0 of    2   0.0 %    0 of    1   0.0 %\n"
                 "  Directory       1 of    2  50.0 %    1 of    2  50.0 %    1 of    1 100.0 %\n"
                 "  all             1 of    5  20.0 %    1 of    4  25.0 %    1 of    2  50.0 %\n"
                 "never taken:\n"
                 "  L1Cache         3: I/Store, S/Invalidate, M/Load\n"
                 "                  1 needs flushes, which no test brought"
                 " (--mix full)\n"
                 "                  1 is not known to be reachable in the protocol\n"
                 "  Directory       1: I/Get%23M\n"
                 "                  1 needs replacements in L1, which no test brought"
                 " (more --locations in fewer --sets)\n"
                 "excluded:\n"
                 "  L1Cache      I/Load: only a toy (but taken 7 times)\n"
                 "  Directory    I/%2D: later\n");
}

/* Known here: what was taken now or before, unless it needs what no test brought. */
TEST(what_other_caches_may_take_is_not_known_here) {
    col_coverage *coverage = new_known_toy(), *other = hit_toy(), *read;
    base_text text = {0};
    base_text file = {0};
    col_problem problem;
    cov_show_text(&(cov_view){.coverage = coverage}, &text);
    assert_string_equal(
        text.data,
        "toy, 2 cores; points taken, of those that are\n"
        "                            defined            reachable known reachable here\n"
        "  L1Cache         1 of    4  25.0 %    1 of    3  33.3 %    1 of    2  50.0 %\n"
        "  Directory       1 of    3  33.3 %    1 of    3  33.3 %    1 of    1 100.0 %\n"
        "  all             2 of    7  28.6 %    2 of    6  33.3 %    2 of    3  66.7 %\n"
        "never taken:\n"
        "  L1Cache         3: I/Store, S/Invalidate, M/Load\n"
        "                  1 needs flushes, which no test brought (--mix full)\n"
        "                  1 is not known to be reachable in the protocol\n"
        "  Directory       2: I/Get%23M, I/%2D\n"
        "                  1 needs replacements in L1, which no test brought (more --locations in "
        "fewer --sets)\n"
        "                  1 is not known to be reachable with these caches (vary them, as "
        "mesi3-vary does)\n");
    base_text_free(&text);
    cov_show_json(&(cov_view){.coverage = coverage}, &text);
    assert_non_null(strstr(text.data, "\"known_here\": {\n      \"covered\": 2,\n"
                                      "      \"total\": 3,\n"));
    assert_non_null(strstr(text.data, "\"known_here\": false"));
    base_text_free(&text);
    /* A file keeps it, and a merge with what was taken in other caches does not. */
    cov_write_points(coverage, false, &file);
    cov_write(coverage, &file);
    assert_int_equal(cov_read_whole(&read, file.data, file.length, "file", &problem), COL_OK);
    const col_here kept = col_coverage_known_here(read, COL_STRUCTURAL, COL_ALL_MACHINES);
    assert_true(kept.known && kept.covered == 2 && kept.total == 3);
    assert_int_equal(col_coverage_merge(read, coverage, NULL, &problem), COL_OK);
    assert_true(col_coverage_known_here(read, COL_STRUCTURAL, COL_ALL_MACHINES).known);
    assert_int_equal(col_coverage_merge(read, other, NULL, &problem), COL_OK);
    assert_false(col_coverage_known_here(read, COL_STRUCTURAL, COL_ALL_MACHINES).known);
    base_text_free(&file);
    col_coverage_free(read);
    col_coverage_free(other);
    col_coverage_free(coverage);
}

TEST(markdown_says_the_same) {
    assert_shown(cov_show_markdown, "L1Cache I Load only a toy\n",
                 "# Coverage of toy, 2 cores\n\n"
                 "| machine | of defined | % | of reachable | % | of not ruled out here | % |\n"
                 "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
                 "| L1Cache | 0 of 3 | 0.0 | 0 of 2 | 0.0 | 0 of 1 | 0.0 |\n"
                 "| Directory | 1 of 3 | 33.3 | 1 of 3 | 33.3 | 1 of 2 | 50.0 |\n"
                 "| all | 1 of 6 | 16.7 | 1 of 5 | 20.0 | 1 of 3 | 33.3 |\n"
                 "\n## Never taken: L1Cache\n\n"
                 "- `I/Store`\n"
                 "- `S/Invalidate`: needs flushes\n"
                 "- `M/Load`: not known to be reachable in the protocol\n"
                 "\n## Never taken: Directory\n\n"
                 "- `I/Get%23M`: needs replacements in L1\n"
                 "- `I/%2D`\n"
                 "\n## Excluded\n\n"
                 "- L1Cache `I/Load`: only a toy (but taken 7 times)\n");
}

/* Lines in their order, a branch for each transition of a line; a machine without sources is a file
 * of its own. */
TEST(lcov_has_transitions_as_branches) {
    assert_shown(cov_show_lcov, "Directory I %2D later\n",
                 "TN:toy\nSF:src/l1.sm\n"
                 "BRDA:9,0,0,-\n"
                 "BRDA:10,0,0,0\nBRDA:10,0,1,7\n"
                 "BRDA:12,0,0,-\n"
                 "BRF:4\nBRH:1\n"
                 "DA:9,0\nDA:10,7\nDA:12,0\n"
                 "LF:3\nLH:1\nend_of_record\n"
                 "TN:toy\nSF:toy/Directory\n"
                 "BRDA:1,0,0,3\nBRDA:2,0,0,-\n"
                 "BRF:2\nBRH:1\n"
                 "DA:1,3\nDA:2,0\n"
                 "LF:2\nLH:1\nend_of_record\n");
}

/* What is not known is not called reachable. */
TEST(what_is_not_known_is_said_so) {
    static col_duv_description described;
    col_coverage *coverage;
    base_text text = {0};
    described = toy_design;
    described.reachable_known = false;
    assert_int_equal(col_coverage_new(&coverage, &described, NULL), COL_OK);
    cov_show_text(&(cov_view){.coverage = coverage}, &text);
    assert_non_null(strstr(text.data, "  all             0 of    7   0.0 %            not known"
                                      "            not known\n"));
    text.length = 0;
    cov_show_json(&(cov_view){.coverage = coverage}, &text);
    assert_non_null(strstr(text.data, "\"reachable\": null"));
    assert_non_null(strstr(text.data, "\"here\": null"));
    base_text_free(&text);
    col_coverage_free(coverage);
}

TEST(differences_are_listed_both_ways) {
    col_coverage *a = hit_toy(), *b = hit_toy();
    uint64_t hits[11] = {1};
    base_text text = {0};
    (void)col_coverage_add(b, hits);
    const cov_pair pair = {.sets = {a, b}, .names = {"left", "right"}};
    cov_diff_text(&pair, &text);
    assert_string_equal(text.data, "2 transitions in both\n"
                                   "0 only in left\n"
                                   "1 only in right:\n"
                                   "  L1Cache      I/Store, 1 time\n");
    base_text_free(&text);
    col_coverage_free(a);
    col_coverage_free(b);
}
