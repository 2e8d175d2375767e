/* SPDX-License-Identifier: MIT */
/* Cumulative and own coverage against lists of all hits, for random designs and hits; the order of
 * discovery; hits that would overflow; designs that cannot be covered. */
#include "cover/support.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { DESIGNS = 60 };
#else
enum { DESIGNS = 400 };
#endif

enum { TESTS = 4, INSTANCES = 3 };

static void assert_all_zero(const uint64_t *hits, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(hits[i], 0);
}

/* The last points of the order are covered, different, and were not covered before. */
static void assert_order(const col_coverage *coverage, const col_gain *gain,
                         const uint64_t *before[COL_METRIC_COUNT]) {
    for (int i = 0; i < COL_METRIC_COUNT; i++) {
        uint32_t count;
        const uint32_t *order = col_coverage_order(coverage, (col_metric)i, &count);
        assert_true(gain->points[i] <= count);
        for (uint32_t k = 0; k < count; k++) {
            assert_true(col_coverage_has(coverage, COL_CUMULATIVE, (col_metric)i, order[k]));
            assert_int_equal(before[i][order[k]] == 0, k >= count - gain->points[i]);
            for (uint32_t l = 0; l < k; l++)
                assert_true(order[l] != order[k]);
        }
    }
}

static uint64_t *copy_hits(const col_coverage *coverage, col_metric metric) {
    const size_t size = coverage->points.count[metric] * sizeof(uint64_t);
    uint64_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, col_coverage_hits(coverage, metric), size);
    return copy;
}

static void cover_design(base_rng *rng, const design *of) {
    static tuples lists[COL_METRIC_COUNT], own[COL_METRIC_COUNT];
    memset(lists, 0, sizeof lists);
    col_coverage *coverage = new_coverage(of);
    uint64_t *hits = calloc((size_t)col_duv_functional_count(&of->description) + 1, sizeof *hits);
    assert_non_null(hits);
    for (uint32_t i = 0; i < TESTS * INSTANCES; i++) {
        if (i % INSTANCES == 0) {
            col_coverage_begin(coverage);
            memset(own, 0, sizeof own);
        }
        col_gain listed = {{0}};
        random_hits(rng, of, hits, lists, own, &listed);
        uint64_t *before[] = {copy_hits(coverage, COL_STRUCTURAL),
                              copy_hits(coverage, COL_FUNCTIONAL)};
        const col_gain gain = col_coverage_add(coverage, hits);
        assert_int_equal(gain.points[COL_STRUCTURAL], listed.points[COL_STRUCTURAL]);
        assert_int_equal(gain.points[COL_FUNCTIONAL], listed.points[COL_FUNCTIONAL]);
        assert_order(coverage, &gain, (const uint64_t *[]){before[0], before[1]});
        assert_all_zero(hits, coverage->points.count[COL_FUNCTIONAL]);
        assert_covered(coverage, COL_CUMULATIVE, of, lists);
        assert_covered(coverage, COL_OWN, of, own);
        free(before[0]);
        free(before[1]);
    }
    free(hits);
    col_coverage_free(coverage);
}

TEST(coverage_matches_a_simple_list) {
    for (uint64_t i = 0; i < DESIGNS; i++) {
        base_rng rng;
        design made;
        base_rng_seed(&rng, 1, i);
        random_design(&rng, &made);
        cover_design(&rng, &made);
    }
}

/* ---- By hand. */

static const col_duv_machine small_machines[] = {
    {.name = "L1", .controllers = 2, .is_private = true, .first_point = 0, .point_count = 2},
    {.name = "Directory", .controllers = 1, .first_point = 2, .point_count = 2},
    {.name = "DMA", .controllers = 0, .first_point = 4, .point_count = 1}};
static const col_duv_point small_points[] = {{"I", "Load", true},
                                             {"M", "Load", false},
                                             {"I", "Get", true},
                                             {"I", "Put", true},
                                             {"I", "Read", true}};

static design small_design(void) {
    design made = {.description = {.name = "small",
                                   .cores = 2,
                                   .geometry = {.block_bits = 6},
                                   .machine_count = 3,
                                   .point_count = 5,
                                   .reachable_known = true}};
    memcpy(made.machines, small_machines, sizeof small_machines);
    memcpy(made.points, small_points, sizeof small_points);
    return made;
}

static col_coverage *small_coverage(void) {
    design made = small_design();
    made.description.machines = made.machines;
    made.description.points = made.points;
    return new_coverage(&made);
}

/* Two cores take I/Load, one takes M/Load though nobody knew that one can. */
TEST(covering_an_unreachable_point_is_reported) {
    col_coverage *coverage = small_coverage();
    uint64_t hits[] = {3, 1, 5, 0, 0, 0};
    const col_gain gain = col_coverage_add(coverage, hits);
    assert_int_equal(gain.points[COL_STRUCTURAL], 2);
    assert_int_equal(gain.points[COL_FUNCTIONAL], 3);
    const col_covered l1 = col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, 0);
    assert_int_equal(l1.covered, 2);
    assert_int_equal(l1.total, 2);
    assert_int_equal(l1.reached, 1);
    assert_int_equal(l1.reachable, 1);
    assert_int_equal(l1.unexpected, 1);
    assert_true(l1.fraction == 1 && l1.reached_fraction == 1);
    const col_covered all =
        col_coverage_of(coverage, COL_CUMULATIVE, COL_FUNCTIONAL, COL_ALL_MACHINES);
    assert_int_equal(all.covered, 3);
    assert_int_equal(all.total, 6);
    assert_int_equal(all.reached, 2);
    assert_int_equal(all.reachable, 4);
    assert_int_equal(all.unexpected, 1);
    assert_true(all.fraction == 0.5 && all.reached_fraction == 0.5);
    assert_int_equal(col_coverage_hits(coverage, COL_STRUCTURAL)[0], 8);
    col_coverage_free(coverage);
}

TEST(a_machine_without_controllers_has_no_points) {
    col_coverage *coverage = small_coverage();
    const col_covered dma = col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, 2);
    assert_int_equal(dma.total, 0);
    assert_int_equal(dma.reachable, 0);
    assert_true(dma.fraction == 0 && dma.reached_fraction == 0);
    const col_covered all =
        col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES);
    assert_int_equal(all.total, 4);
    assert_int_equal(all.reachable, 3);
    col_coverage_free(coverage);
}

TEST(hits_saturate) {
    col_coverage *coverage = small_coverage();
    uint64_t hits[6] = {0};
    for (int i = 0; i < 3; i++) {
        hits[0] = UINT64_MAX - 1;
        hits[2] = 1;
        (void)col_coverage_add(coverage, hits);
        assert_true(col_coverage_hits(coverage, COL_STRUCTURAL)[0] == UINT64_MAX);
        assert_true(col_coverage_own_hits(coverage)[0] == UINT64_MAX);
        assert_int_equal(col_coverage_hits(coverage, COL_FUNCTIONAL)[2], i + 1);
    }
    assert_true(col_coverage_hits(coverage, COL_FUNCTIONAL)[0] == UINT64_MAX);
    col_coverage_free(coverage);
}

static void assert_refused(design *made, const char *message) {
    made->description.machines = made->machines;
    made->description.points = made->points;
    col_coverage *coverage;
    col_problem problem;
    assert_int_equal(col_coverage_new(&coverage, &made->description, &problem), COL_BAD_INPUT);
    assert_null(coverage);
    if (strstr(problem.message, message) == NULL)
        fail_msg("expected %s, got %s", message, problem.message);
}

TEST(names_that_mean_two_points_are_refused) {
    design twice = small_design();
    twice.points[3] = twice.points[2];
    assert_refused(&twice, "machine Directory has the point I Get twice");
    design two = small_design();
    two.machines[2].name = "L1";
    assert_refused(&two, "two machines with the name L1");
    design gap = small_design();
    gap.machines[1].first_point = 3;
    assert_refused(&gap, "Directory");
}
