/* SPDX-License-Identifier: MIT */
/* Merging: what it does is what adding all hits to one set would have done, whatever the order and
 * the numbering of the points; and sets of other points are refused. */
#include "cover/support.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { DESIGNS = 100 };
#else
enum { DESIGNS = 1000 };
#endif

enum { SETS = 3 };

static void merge(col_coverage *coverage, const col_coverage *other) {
    col_problem problem;
    if (col_coverage_merge(coverage, other, NULL, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* The merge of sets, in this order; free it. */
static col_coverage *merged(const design *of, col_coverage *const *sets, const uint32_t *order,
                            uint32_t count) {
    col_coverage *all = new_coverage(of);
    for (uint32_t i = 0; i < count; i++)
        merge(all, sets[order[i]]);
    return all;
}

static void assert_same(const col_coverage *a, const col_coverage *b) {
    assert_same_text(a, b);
    for (int metric = 0; metric < COL_METRIC_COUNT; metric++)
        for (uint32_t p = 0; p < a->points.count[metric]; p++)
            assert_int_equal(col_coverage_hits(a, (col_metric)metric)[p],
                             col_coverage_hits(b, (col_metric)metric)[p]);
}

typedef struct fixture {
    design of;
    col_coverage *sets[SETS], *all; /* all: what was added to any of them */
    tuples lists[COL_METRIC_COUNT];
} fixture;

static void set_up(fixture *f, uint64_t number) {
    memset(f->lists, 0, sizeof f->lists);
    base_rng rng;
    base_rng_seed(&rng, 2, number);
    random_design(&rng, &f->of);
    const uint32_t count = col_duv_functional_count(&f->of.description);
    uint64_t *hits = calloc((size_t)count + 1, sizeof *hits);
    uint64_t *again = calloc((size_t)count + 1, sizeof *again);
    assert_non_null(hits);
    assert_non_null(again);
    f->all = new_coverage(&f->of);
    for (uint32_t i = 0; i < SETS; i++) {
        col_gain gain = {{0}};
        f->sets[i] = new_coverage(&f->of);
        random_hits(&rng, &f->of, hits, f->lists, NULL, &gain);
        memcpy(again, hits, count * sizeof *hits);
        (void)col_coverage_add(f->sets[i], hits);
        (void)col_coverage_add(f->all, again);
    }
    free(hits);
    free(again);
}

static void tear_down(fixture *f) {
    for (uint32_t i = 0; i < SETS; i++)
        col_coverage_free(f->sets[i]);
    col_coverage_free(f->all);
}

TEST(merging_in_any_order_gives_the_same_set) {
    static const uint32_t orders[][SETS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                            {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static fixture f;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        set_up(&f, i);
        for (uint32_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            col_coverage *whole = merged(&f.of, f.sets, orders[o], SETS);
            assert_same(whole, f.all);
            assert_covered(whole, COL_CUMULATIVE, &f.of, f.lists);
            col_coverage_free(whole);
        }
        tear_down(&f);
    }
}

TEST(grouping_does_not_matter) {
    static fixture f;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        set_up(&f, i);
        col_coverage *pair = merged(&f.of, f.sets, (const uint32_t[]){1, 2}, 2);
        col_coverage *whole = merged(&f.of, f.sets, (const uint32_t[]){0}, 1);
        merge(whole, pair);
        assert_same(whole, f.all);
        col_coverage_free(pair);
        col_coverage_free(whole);
        tear_down(&f);
    }
}

TEST(merging_twice_adds_no_points) {
    static fixture f;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        set_up(&f, i);
        col_coverage *once = merged(&f.of, f.sets, (const uint32_t[]){0, 1}, 2);
        col_coverage *more = merged(&f.of, f.sets, (const uint32_t[]){0, 1}, 2);
        col_problem problem;
        col_gain gain = {{1, 1}};
        assert_int_equal(col_coverage_merge(more, f.sets[0], &gain, &problem), COL_OK);
        assert_int_equal(gain.points[0] + gain.points[1], 0);
        assert_int_equal(col_coverage_merge(more, more, &gain, &problem), COL_OK); /* with itself */
        assert_int_equal(gain.points[0] + gain.points[1], 0);
        /* The same points, whatever their hits. */
        for (int metric = 0; metric < COL_METRIC_COUNT; metric++) {
            for (uint32_t p = 0; p < once->points.count[metric]; p++)
                assert_int_equal(col_coverage_has(once, COL_CUMULATIVE, (col_metric)metric, p),
                                 col_coverage_has(more, COL_CUMULATIVE, (col_metric)metric, p));
            const col_covered left =
                col_coverage_of(once, COL_CUMULATIVE, (col_metric)metric, COL_ALL_MACHINES);
            const col_covered right =
                col_coverage_of(more, COL_CUMULATIVE, (col_metric)metric, COL_ALL_MACHINES);
            assert_int_equal(left.covered, right.covered);
            assert_int_equal(left.reached, right.reached);
        }
        for (uint32_t p = 0; p < once->points.count[COL_FUNCTIONAL]; p++)
            assert_int_equal(col_coverage_hits(more, COL_FUNCTIONAL)[p],
                             2 * (col_coverage_hits(once, COL_FUNCTIONAL)[p] +
                                  col_coverage_hits(f.sets[0], COL_FUNCTIONAL)[p]));
        col_coverage_free(once);
        col_coverage_free(more);
        tear_down(&f);
    }
}

TEST(merging_adds_nothing_to_the_current_test) {
    static fixture f;
    static const tuples nothing[COL_METRIC_COUNT];
    for (uint64_t i = 0; i < DESIGNS / 10; i++) {
        set_up(&f, i);
        col_coverage *whole = merged(&f.of, f.sets, (const uint32_t[]){0, 1, 2}, SETS);
        assert_covered(whole, COL_OWN, &f.of, nothing);
        col_coverage_free(whole);
        tear_down(&f);
    }
}

TEST(numbers_of_points_do_not_matter) {
    static fixture f;
    static design other;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        base_rng rng;
        base_rng_seed(&rng, 3, i);
        set_up(&f, i);
        shuffled_design(&rng, &f.of, &other);
        col_coverage *whole = new_coverage(&other);
        for (uint32_t s = 0; s < SETS; s++)
            merge(whole, f.sets[s]);
        assert_covered(whole, COL_CUMULATIVE, &other, f.lists);
        assert_same_text(whole, f.all);
        col_coverage_free(whole);
        tear_down(&f);
    }
}

/* ---- Other points. */

TEST(sets_of_different_points_are_refused) {
    uint32_t refused = 0;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        base_rng rng;
        static design made, other;
        base_rng_seed(&rng, 4, i);
        random_design(&rng, &made);
        shuffled_design(&rng, &made, &other);
        if (made.description.point_count == 0)
            continue;
        const uint32_t point = random_upto(&rng, made.description.point_count - 1);
        const uint32_t machine = random_upto(&rng, made.description.machine_count - 1);
        switch (i % 4) {
        case 0:
            other.points[point].state = "Elsewhere";
            break;
        case 1:
            other.points[point].event = "Never";
            break;
        case 2:
            other.machines[machine].name = "Nowhere";
            break;
        default:
            other.machines[machine].is_private = false;
            other.machines[machine].controllers++;
        }
        col_coverage *left = new_coverage(&made), *right = new_coverage(&other);
        const col_hash one = col_coverage_points(left), two = col_coverage_points(right);
        assert_true(one.high != two.high && one.low != two.low);
        col_problem problem;
        col_gain gain = {{1, 1}};
        assert_int_equal(col_coverage_merge(left, right, &gain, &problem), COL_BAD_INPUT);
        assert_non_null(strstr(problem.message, "they have different points"));
        assert_int_equal(gain.points[0] + gain.points[1], 0);
        col_coverage_free(left);
        col_coverage_free(right);
        refused++;
    }
    assert_true(refused > DESIGNS / 2);
}
