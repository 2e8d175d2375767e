/* SPDX-License-Identifier: MIT */
/* How many tests hit each point, against a list; forecasts against the distribution they come from,
 * written down another way, and against tests of made-up points. */
#include "cover/discovery.h"
#include "cover/support.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DESIGNS = 50, TESTS = 12, INSTANCES = 3, CASES = 3000 };

TEST(tests_that_hit_a_point_are_counted_once_each) {
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (int i = 0; i < DESIGNS; i++) {
        static design of;
        random_design(&rng, &of);
        col_coverage *coverage = new_coverage(&of);
        const uint32_t points = of.description.point_count;
        uint64_t *hits = calloc((size_t)col_duv_functional_count(&of.description) + 1, 8);
        uint64_t *tests = calloc((size_t)points + 1, sizeof *tests);
        uint64_t *before = calloc((size_t)points + 1, sizeof *before);
        assert_true(hits != NULL && tests != NULL && before != NULL);
        for (uint32_t t = 0; t < TESTS; t++) {
            memcpy(before, col_coverage_hits(coverage, COL_STRUCTURAL), points * sizeof *before);
            col_coverage_begin(coverage);
            for (int k = 0; k < INSTANCES; k++) {
                random_hits(&rng, &of, hits, NULL, NULL, NULL);
                (void)col_coverage_add(coverage, hits);
            }
            for (uint32_t p = 0; p < points; p++)
                tests[p] += col_coverage_hits(coverage, COL_STRUCTURAL)[p] > before[p];
        }
        cov_incidence n = cov_incidence_of(coverage, TESTS), wanted = {.tests = TESTS};
        for (uint32_t p = 0; p < points; p++) {
            assert_int_equal(cov_tests(coverage)[p], tests[p]);
            if (tests[p] > 0 && (wanted.least == 0 || tests[p] < wanted.least))
                wanted.least = tests[p];
            if (tests[p] > 0 && tests[p] <= COV_FEW)
                wanted.hit_by[tests[p] - 1]++;
        }
        assert_int_equal(n.tests, TESTS);
        assert_int_equal(n.least, wanted.least);
        assert_memory_equal(n.hit_by, wanted.hit_by, sizeof n.hit_by);
        col_coverage_free(coverage);
        free(hits);
        free(tests);
        free(before);
    }
}

/* By its logarithm, where the code goes from one number to the next. */
static double chance_of(uint32_t count, double mean) {
    const double shape = 8;
    return exp(lgamma(count + shape) - lgamma(shape) - lgamma(count + 1.0) +
               shape * log(shape / (shape + mean)) + count * log(mean / (shape + mean)));
}

static cov_incidence random_incidence(base_rng *rng) {
    cov_incidence n = {.tests = 1000, .left = 1 + random_upto(rng, 300)};
    for (uint32_t k = COV_FEW; k > 0; k--) {
        n.hit_by[k - 1] = random_upto(rng, 1) * random_upto(rng, 20);
        n.least = n.hit_by[k - 1] > 0 ? k : n.least;
    }
    n.least = n.least == 0 ? COV_FEW + 1 + random_upto(rng, 200) : n.least;
    return n;
}

TEST(the_interval_is_the_shortest_with_its_probability) {
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (int i = 0; i < CASES; i++) {
        const cov_incidence n = random_incidence(&rng);
        const double ahead = (1 + random_upto(&rng, 150)) / 10.0;
        const cov_forecast f = cov_forecast_of(&n, ahead);
        const double mean = f.expected;
        double whole = 0, inside = 0;
        assert_true(mean > 0 && mean <= n.left && f.low <= f.high && f.high <= n.left);
        for (uint32_t count = 0; count <= n.left; count++) {
            const double chance = chance_of(count, mean);
            whole += chance;
            inside += count >= f.low && count <= f.high ? chance : 0;
        }
        assert_true(inside >= 0.9 * whole - 0.005);
        const double least = fmin(chance_of(f.low, mean), chance_of(f.high, mean));
        if (f.low < f.high)
            assert_true(inside - least < 0.9 * whole + 0.005);
        if (f.low > 0)
            assert_true(chance_of(f.low - 1, mean) <= least * 1.01);
        if (f.high < n.left)
            assert_true(chance_of(f.high + 1, mean) <= least * 1.01);
        assert_true(fabs(f.chance - (1 - chance_of(0, mean) / whole)) < 0.002);
    }
}

/* The formula of docs/discovery.md. */
static double expected_of(const cov_incidence *n, double ahead) {
    double few = 0, unseen = 0.18 * sqrt(n->left);
    for (uint32_t k = 0; k < 5; k++)
        few += n->hit_by[k];
    if (few == 0)
        unseen /= 1 + unseen / 2 * log((double)n->least / 5);
    const double x = (unseen + 0.12 * few) * 4 * (1 - pow(1 + ahead, -0.25));
    return n->left * (1 - exp(-x / n->left));
}

TEST(forecasts_are_as_documented) {
    base_rng rng;
    base_rng_seed(&rng, 4, 0);
    for (int i = 0; i < CASES; i++) {
        const cov_incidence n = random_incidence(&rng);
        const double ahead = (1 + random_upto(&rng, 150)) / 10.0;
        assert_true(fabs(cov_forecast_of(&n, ahead).expected - expected_of(&n, ahead)) < 0.00051);
    }
}

TEST(a_forecast_by_hand) {
    /* 0.18 √47 + 0.12 · 4 = 1.714; · 4 (1 - 2^-1/4) = 1.0908; 47 (1 - e^(-1.0908/47)) = 1.078. */
    const cov_incidence n = {.tests = 512, .hit_by = {2, 1, 0, 1, 0}, .least = 1, .left = 47};
    const cov_forecast f = cov_forecast_of(&n, 1);
    assert_true(fabs(f.expected - 1.078) < 0.0005);
    assert_int_equal(f.low, 0);
    assert_int_equal(f.high, 3);
}

TEST(forecasts_grow_with_rare_points_and_with_the_way_ahead) {
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    for (int i = 0; i < CASES; i++) {
        const cov_incidence n = random_incidence(&rng);
        cov_incidence more = n, none = n;
        const cov_forecast f = cov_forecast_of(&n, 1);
        assert_true(cov_forecast_of(&n, 2).expected >= f.expected);
        more.hit_by[0]++;
        more.least = 1;
        assert_true(cov_forecast_of(&more, 1).expected >= f.expected);
        none.left = 0;
        assert_true(cov_forecast_of(&none, 1).expected == 0);
        assert_true(cov_forecast_of(&none, 1).high == 0);
        none = n;
        memset(none.hit_by, 0, sizeof none.hit_by);
        none.least = n.least + COV_FEW;
        more = none;
        more.least *= 10;
        assert_true(cov_forecast_of(&more, 1).expected < cov_forecast_of(&none, 1).expected);
    }
}

int main(void) {
    return run_all_tests(NULL, NULL);
}
