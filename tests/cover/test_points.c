/* SPDX-License-Identifier: MIT */
/*
 * Files that list their points: they are read back without the design, in any numbering, and say
 * where they are wrong. What is reachable here, by an oracle that goes through the points one by
 * one.
 */
#include "cover/coverage_show.h"
#include "cover/support.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { DESIGNS = 100 };
#else
enum { DESIGNS = 1000 };
#endif

enum { POINTS = MOST_MACHINES * MOST_POINTS };

/* A random design that also knows needs and sources, or does not. */
typedef struct told {
    design of;
    uint32_t needs[POINTS];
    col_duv_source sources[POINTS];
} told;

static void random_told(base_rng *rng, told *t) {
    static const char *const files[] = {"a.sm", "b c#%.sm", NULL};
    col_duv_description *d = &t->of.description;
    random_design(rng, &t->of);
    d->geometry.level_count = random_upto(rng, 3);
    for (uint32_t l = 0; l < d->geometry.level_count; l++) {
        d->geometry.levels[l] = (col_cache_level){.index_low = 6, .ways = 1};
        (void)snprintf(d->geometry.levels[l].name, sizeof d->geometry.levels[l].name, "L %u", l);
    }
    for (uint32_t p = 0; p < d->point_count; p++) {
        t->needs[p] = random_upto(rng, 1) == 0 ? 0 : (uint32_t)base_rng_next(rng) & 0x7003f;
        t->sources[p] = (col_duv_source){files[random_upto(rng, 2)], 1 + random_upto(rng, 99)};
    }
    d->needs = random_upto(rng, 3) > 0 ? t->needs : NULL;
    d->sources = random_upto(rng, 3) > 0 ? t->sources : NULL;
}

static col_coverage *random_brought(base_rng *rng, const told *t) {
    col_coverage *set = random_set(rng, &t->of);
    col_coverage_bring(set, (uint32_t)base_rng_next(rng) & 0x7003f);
    return set;
}

static char *whole_text(const col_coverage *set) {
    base_text text = {0};
    cov_write_points(set, false, &text);
    cov_write(set, &text);
    assert_false(text.failed);
    return text.data;
}

static col_coverage *read_whole(const char *text) {
    col_coverage *set;
    col_problem problem;
    if (cov_read_whole(&set, text, strlen(text), "text", &problem) != COL_OK)
        fail_msg("%u:%u: %s\n%s", problem.line, problem.column, problem.message, text);
    return set;
}

TEST(files_are_read_without_their_design) {
    static told t;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        base_rng rng;
        base_rng_seed(&rng, 21, i);
        random_told(&rng, &t);
        col_coverage *set = random_brought(&rng, &t), *again, *known = new_coverage(&t.of);
        char *text = whole_text(set);
        again = read_whole(text);
        char *second = whole_text(again);
        assert_string_equal(text, second);
        const col_hash a = col_coverage_points(set), b = col_coverage_points(again);
        assert_true(a.high == b.high && a.low == b.low);
        /* One who knows the design reads the same file. */
        assert_int_equal(col_coverage_read(known, text, strlen(text), "text", NULL), COL_OK);
        assert_same_text(set, known);
        free(text);
        free(second);
        col_coverage_free(set);
        col_coverage_free(again);
        col_coverage_free(known);
    }
}

/* ---- Here. */

static void assert_here(const told *t, const col_coverage *set, col_metric metric,
                        uint32_t machine) {
    const col_duv_description *d = &t->of.description;
    const col_here here = col_coverage_here(set, metric, machine);
    uint32_t total = 0, covered = 0;
    for (uint32_t m = 0; m < d->machine_count; m++)
        for (uint32_t c = 0; c < d->machines[m].controllers; c++)
            for (uint32_t i = 0; i < d->machines[m].point_count; i++) {
                const uint32_t p = d->machines[m].first_point + i;
                const bool is_met =
                    d->needs == NULL || (t->needs[p] & ~col_coverage_brought(set)) == 0;
                if ((machine != COL_ALL_MACHINES && machine != m) || !is_met ||
                    (d->reachable_known && !t->of.points[p].reachable) ||
                    (metric == COL_STRUCTURAL && c > 0))
                    continue;
                const uint32_t number =
                    metric == COL_STRUCTURAL ? p : col_duv_functional(d, m, c, p);
                total++;
                covered += col_coverage_has(set, COL_CUMULATIVE, metric, number);
            }
    assert_int_equal(here.known, d->needs != NULL);
    assert_int_equal(here.total, total);
    assert_int_equal(here.covered, covered);
    assert_true(here.fraction == (total == 0 ? 0.0 : (double)covered / total));
}

TEST(reachable_here_matches_an_oracle) {
    static told t;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        base_rng rng;
        base_rng_seed(&rng, 22, i);
        random_told(&rng, &t);
        col_coverage *set = random_brought(&rng, &t);
        for (int metric = 0; metric < COL_METRIC_COUNT; metric++) {
            assert_here(&t, set, (col_metric)metric, COL_ALL_MACHINES);
            for (uint32_t m = 0; m < t.of.description.machine_count; m++)
                assert_here(&t, set, (col_metric)metric, m);
        }
        col_coverage_free(set);
    }
}

/* ---- Other shapes of the same. */

TEST(flat_sets_keep_structural_hits) {
    static told t;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        base_rng rng;
        base_rng_seed(&rng, 23, i);
        random_told(&rng, &t);
        col_coverage *set = random_brought(&rng, &t), *flat;
        assert_int_equal(cov_flatten(&flat, set, NULL), COL_OK);
        for (uint32_t p = 0; p < t.of.description.point_count; p++)
            assert_int_equal(col_coverage_hits(set, COL_STRUCTURAL)[p],
                             col_coverage_hits(flat, COL_STRUCTURAL)[p]);
        assert_int_equal(col_coverage_brought(set), col_coverage_brought(flat));
        for (uint32_t m = 0; m < flat->points.machine_count; m++)
            assert_true(flat->points.machines[m].controllers <= 1);
        col_coverage_free(set);
        col_coverage_free(flat);
    }
}

TEST(renumbered_sets_have_the_other_numbers) {
    static design first, second;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        base_rng rng;
        base_rng_seed(&rng, 24, i);
        random_design(&rng, &first);
        shuffled_design(&rng, &first, &second);
        col_coverage *set = random_set(&rng, &first), *as = new_coverage(&second), *copy;
        assert_int_equal(cov_renumber(&copy, set, as, NULL), COL_OK);
        col_point_facts a, b;
        for (uint32_t p = 0; col_coverage_point(as, p, &a); p++) {
            assert_true(col_coverage_point(copy, p, &b));
            assert_string_equal(a.state, b.state);
            assert_string_equal(a.event, b.event);
        }
        assert_same_text(set, copy);
        col_coverage_free(set);
        col_coverage_free(as);
        col_coverage_free(copy);
    }
}

/* What either set was brought, the merged one was. */
TEST(merging_unites_what_tests_brought) {
    static told t;
    base_rng rng;
    base_rng_seed(&rng, 25, 1);
    random_told(&rng, &t);
    col_coverage *a = random_brought(&rng, &t), *b = random_brought(&rng, &t);
    const uint32_t both = col_coverage_brought(a) | col_coverage_brought(b);
    assert_int_equal(col_coverage_merge(a, b, NULL, NULL), COL_OK);
    assert_int_equal(col_coverage_brought(a), both);
    col_coverage_free(a);
    col_coverage_free(b);
}

/* ---- Texts that are wrong. */

#define HEAD "collider points 1\ndesign toy 2\nbrought 3\nlevel L1\nmachine L1 1\n"

TEST(wrong_points_are_refused_at_their_place) {
    static const mistake rows[] = {
        {"", 1, 1, "this file does not list its design's points"},
        {"collider coverage 1\n", 1, 1, "this file does not list its design's points"},
        {"collider points 2\n", 1, 17, "this version of Collider reads points of version 1"},
        {"collider points 1\nmachine L1 1\n", 2, 1, "expected a line 'design NAME CORES'"},
        {"collider points 1\ndesign toy two\n", 2, 12, "expected a number of cores, got 'two'"},
        {"collider points 1\ndesign toy 2\nI Load yes 0 -\n", 3, 1,
         "expected a line 'machine NAME CONTROLLERS'"},
        {HEAD "I Load maybe 0 -\n", 6, 8, "expected yes, no or -"},
        {HEAD "I Load yes none -\n", 6, 12, "expected a set of needs, got 'none'"},
        {HEAD "I Load yes 4294967296 -\n", 6, 12, "a set of needs is at most 4294967295"},
        {HEAD "I Load yes 0 file\n", 6, 14, "expected FILE:LINE or -"},
        {HEAD "I Load yes 0 file:x\n", 6, 14, "expected FILE:LINE or -"},
        {HEAD "I Lo%2 yes 0 -\n", 6, 5, "expected two hexadecimal digits behind %"},
        {HEAD "I Load yes\n", 6, 1, "expected a line 'STATE EVENT REACHABLE NEEDS SOURCE'"},
        {HEAD "I Load yes 0 - more\n", 6, 16, "too many words on this line"},
        {HEAD "I Load yes 0 -\n", 7, 1, "the file is cut: its points have no 'end'"},
        {HEAD "I Load yes 0 -\nI Load yes 0 -\nend\n", 1, 1,
         "the design's machine L1 has the point I Load twice"},
        {HEAD "I Load yes 0 -\nend\n", 8, 1, "a file of coverage starts with"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        col_coverage *set;
        col_problem problem = {0};
        assert_int_equal(cov_read_whole(&set, rows[i].text, strlen(rows[i].text), "text", &problem),
                         COL_BAD_INPUT);
        assert_null(set);
        assert_mistake(&rows[i], &problem);
    }
}
