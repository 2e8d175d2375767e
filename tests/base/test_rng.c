/* SPDX-License-Identifier: MIT */
/* Chance is seeded, repeatable and even. */
#include "base/random.h"
#include "harness.h"

#include <math.h>

/* The published test vector of xoshiro256++ for the state {1, 2, 3, 4}. */
TEST(the_generator_follows_the_published_sequence) {
    const uint64_t expected[] = {41943041u, 58720359u, 3588806011781223u, 3591011842654386u};
    base_rng rng = {{1, 2, 3, 4}};
    for (int i = 0; i < 4; i++)
        assert_int_equal(base_rng_next(&rng), expected[i]);
}

TEST(streams_of_a_seed_differ) {
    uint64_t first[64];
    for (uint64_t i = 0; i < 64; i++) {
        base_rng rng;
        base_rng_seed(&rng, i / 8, i % 8);
        first[i] = base_rng_next(&rng);
        for (uint64_t j = 0; j < i; j++)
            assert_int_not_equal(first[i], first[j]);
    }
}

/* Chi-square of `observed` against equal shares of `draws`. */
static double unevenness(const uint32_t *observed, uint32_t bins, uint32_t draws) {
    const double expected = (double)draws / bins;
    double sum = 0;
    for (uint32_t i = 0; i < bins; i++)
        sum += (observed[i] - expected) * (observed[i] - expected) / expected;
    return sum;
}

TEST(numbers_below_a_bound_are_uniform) {
    enum { DRAWS = 200000 };
    base_rng rng;
    base_rng_seed(&rng, 5, 0);
    for (uint32_t bound = 1; bound <= 17; bound++) {
        uint32_t observed[17] = {0};
        for (int i = 0; i < DRAWS; i++) {
            const uint64_t drawn = base_rng_below(&rng, bound);
            assert_true(drawn < bound);
            observed[drawn]++;
        }
        /* Mean bound - 1, deviation sqrt(2 (bound - 1)): five deviations. */
        assert_true(unevenness(observed, bound, DRAWS) < bound - 1 + 5 * sqrt(2.0 * bound));
    }
}

TEST(shuffles_are_even) {
    enum { DRAWS = 240000 };
    uint32_t observed[24] = {0};
    base_rng rng;
    base_rng_seed(&rng, 6, 0);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t items[4] = {0, 1, 2, 3}, rank = 0;
        base_rng_shuffle(&rng, items, 4);
        for (uint32_t a = 0; a < 4; a++) {
            uint32_t smaller = 0;
            for (uint32_t b = a + 1; b < 4; b++)
                smaller += items[b] < items[a];
            rank = rank * (4 - a) + smaller;
        }
        observed[rank]++;
    }
    assert_true(unevenness(observed, 24, DRAWS) < 23 + 5 * sqrt(46.0));
}

/* Random weights, zeros among them: observed shares lie within five deviations of the asked ones.
 */
TEST(choosers_follow_their_weights) {
    enum { DRAWS = 100000 };
    base_rng rng;
    base_rng_seed(&rng, 7, 0);
    for (int round = 0; round < 200; round++) {
        const uint32_t count = 1 + (uint32_t)base_rng_below(&rng, BASE_CHOOSER_MOST);
        double weights[BASE_CHOOSER_MOST], sum = 0;
        uint32_t observed[BASE_CHOOSER_MOST] = {0};
        for (uint32_t i = 0; i < count; i++) {
            weights[i] = base_rng_below(&rng, 3) == 0 ? 0 : base_rng_unit(&rng);
            sum += weights[i];
        }
        if (sum <= 0)
            sum = weights[0] = 1;
        base_chooser chooser;
        base_chooser_build(&chooser, weights, count);
        for (int i = 0; i < DRAWS; i++)
            observed[base_chooser_pick(&chooser, base_rng_next(&rng))]++;
        for (uint32_t i = 0; i < count; i++) {
            const double share = weights[i] / sum;
            const double deviation = sqrt(DRAWS * share * (1 - share));
            assert_true(fabs(observed[i] - DRAWS * share) <= 5 * deviation + 1e-6);
        }
    }
}

/* Each member as often as the others, and nobody else. */
TEST(members_of_a_set_are_drawn_evenly) {
    enum { DRAWS = 30000 };
    const uint64_t set = UINT64_C(1) << 63 | 1 << 17 | 1;
    uint32_t drawn[64] = {0};
    base_rng rng;
    base_rng_seed(&rng, 5, 0);
    for (int i = 0; i < DRAWS; i++)
        drawn[base_rng_pick(&rng, set)]++;
    assert_int_equal(drawn[0] + drawn[17] + drawn[63], DRAWS);
    for (uint32_t i = 0; i < 64; i++)
        if ((set >> i & 1) != 0)
            assert_in_range(drawn[i], DRAWS / 3 - 400, DRAWS / 3 + 400); /* five deviations */
}
