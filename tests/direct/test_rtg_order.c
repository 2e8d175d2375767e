/* SPDX-License-Identifier: MIT */
/*
 * The orders of the thesis's Figures 9 and 12, and both algorithms against word-for-word
 * transcriptions of them. The figures' labels are lost in our copy: the orders here were worked out
 * by hand from the algorithms for the figures' spaces.
 */
#include "base/rng.h"
#include "direct/rtg_order.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

enum { MOST_PAIRS = 64, MOST_POINTS = 512 };

/* S x K for locations that double: all sets that divide them. */
static uint32_t make_plane(uint32_t least, uint32_t most, dir_pair *pairs) {
    uint32_t count = 0;
    for (uint32_t s = least; s <= most; s *= 2)
        for (uint32_t k = 1; k <= s; k++)
            if (s % k == 0)
                pairs[count++] = (dir_pair){s, k};
    return count;
}

static void check_plane(uint32_t variant, const dir_pair *expected, uint32_t expected_count) {
    dir_pair pairs[MOST_PAIRS];
    bool left[MOST_PAIRS];
    uint32_t order[MOST_PAIRS];
    dir_turn turn = DIR_REPLACEMENTS;
    const uint32_t count = make_plane(4, 32, pairs);
    memset(left, true, sizeof left);
    assert_int_equal(dir_order_plane(pairs, count, variant, left, &turn, order), expected_count);
    for (uint32_t i = 0; i < expected_count; i++)
        if (pairs[order[i]].locations != expected[i].locations ||
            pairs[order[i]].sets != expected[i].sets)
            fail_msg("variant %u, place %u: (%u, %u), not (%u, %u)", variant, i + 1,
                     pairs[order[i]].locations, pairs[order[i]].sets, expected[i].locations,
                     expected[i].sets);
    assert_int_equal(turn, DIR_REPLACEMENTS); /* all three planes end on a turn of collisions */
}

/* Figure 9b to d: S = {4, 8, 16, 32}. */
static void planes_are_ordered_as_in_figure_9(void **state) {
    static const dir_pair all[] = {{32, 1}, {4, 4},  {16, 1}, {4, 2},   {8, 1},  {8, 8},
                                   {4, 1},  {8, 4},  {32, 2}, {8, 2},   {16, 2}, {16, 16},
                                   {32, 4}, {16, 8}, {16, 4}, {32, 32}, {32, 8}, {32, 16}};
    static const dir_pair extremes[] = {{32, 1}, {4, 4},   {16, 1}, {8, 8},
                                        {8, 1},  {16, 16}, {4, 1},  {32, 32}};
    static const dir_pair single[] = {{32, 1}, {16, 1}, {8, 1}, {4, 1}};
    (void)state;
    check_plane(1, all, 18);
    check_plane(2, extremes, 8);
    check_plane(3, single, 4);
}

/* ---- Algorithm 1 in the thesis's own steps. */

typedef struct set {
    dir_pair pairs[MOST_PAIRS];
    uint32_t count;
} set;

static void take_out(set *p, uint32_t s, uint32_t k) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->pairs[i].locations == s && p->pairs[i].sets == k) {
            p->pairs[i] = p->pairs[--p->count];
            return;
        }
    fail_msg("(%u, %u) is not in the set", s, k);
}

static uint32_t least_sets(const set *p) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < p->count; i++)
        least = p->pairs[i].sets < least ? p->pairs[i].sets : least;
    return least;
}

static uint32_t most_locations_at(const set *p, uint32_t k) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->pairs[i].sets == k && p->pairs[i].locations > most)
            most = p->pairs[i].locations;
    return most;
}

/* UINT32_MAX: there are none. */
static uint32_t least_locations(const set *p, uint32_t but_sets) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->pairs[i].sets != but_sets && p->pairs[i].locations < least)
            least = p->pairs[i].locations;
    return least;
}

static uint32_t most_sets_at(const set *p, uint32_t s) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->pairs[i].locations == s && p->pairs[i].sets > most)
            most = p->pairs[i].sets;
    return most;
}

static void transcribe_plane(set p, uint32_t v, uint32_t *x, dir_pair *order) {
    for (uint32_t i = 0; p.count > 0; i++) {
        uint32_t s, k;
        /* Ours: where there is no pair for line 14, lines 9 and 10 do. */
        if (*x == 0 || least_locations(&p, 1) == UINT32_MAX) {
            k = least_sets(&p);
            s = most_locations_at(&p, k);
            if (v != 3)
                *x = 1;
        } else {
            s = least_locations(&p, 1);
            k = most_sets_at(&p, s);
            *x = 0;
        }
        take_out(&p, s, k);
        order[i] = (dir_pair){s, k};
    }
}

/* Random parts of planes, several in a row, so that x is carried over. */
static void planes_follow_algorithm_1(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        dir_pair pairs[MOST_PAIRS], expected[MOST_PAIRS];
        base_rng rng;
        base_rng_seed(&rng, seed, 0);
        const uint32_t least = 1U << base_rng_below(&rng, 4);
        const uint32_t count = make_plane(least, least << base_rng_below(&rng, 4), pairs);
        const uint32_t variant = (uint32_t)base_rng_below(&rng, 3) + 1;
        dir_turn turn = DIR_REPLACEMENTS;
        uint32_t x = 0;
        for (int plane = 0; plane < 4; plane++) {
            bool left[MOST_PAIRS];
            uint32_t order[MOST_PAIRS];
            set p = {.count = 0};
            for (uint32_t i = 0; i < count; i++) {
                const dir_pair a = pairs[i];
                left[i] = base_rng_below(&rng, 4) != 0;
                if (left[i] &&
                    (variant == 1 || a.sets == 1 || (variant == 2 && a.sets == a.locations)))
                    p.pairs[p.count++] = a;
            }
            transcribe_plane(p, variant, &x, expected);
            assert_int_equal(dir_order_plane(pairs, count, variant, left, &turn, order), p.count);
            for (uint32_t i = 0; i < p.count; i++) {
                assert_int_equal(pairs[order[i]].locations, expected[i].locations);
                assert_int_equal(pairs[order[i]].sets, expected[i].sets);
            }
            assert_int_equal(turn == DIR_COLLISIONS, x);
        }
    }
}

/* ---- Algorithm 7 in the thesis's own steps. */

static void pairs_of(const col_point *points, uint32_t count, set *p) {
    p->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_in = false;
        for (uint32_t j = 0; j < p->count; j++)
            is_in = is_in || (p->pairs[j].locations == points[i].locations &&
                              p->pairs[j].sets == points[i].sets);
        if (!is_in)
            p->pairs[p->count++] = (dir_pair){points[i].locations, points[i].sets};
    }
}

static void transcribe_driver(col_point *points, uint32_t count, col_point *order) {
    uint32_t x = 0;
    set p;
    while (count > 0) {
        pairs_of(points, count, &p);
        while (p.count > 0) {
            const uint32_t k0 = least_sets(&p), s0 = least_locations(&p, 0);
            const uint32_t s = x == 0 ? most_locations_at(&p, k0) : s0;
            const uint32_t k = x == 0 ? k0 : most_sets_at(&p, s0);
            uint32_t best = count;
            for (uint32_t i = 0; i < count; i++)
                if (points[i].locations == s && points[i].sets == k &&
                    (best == count || points[i].operations < points[best].operations))
                    best = i;
            x = 1 - x;
            *order++ = points[best];
            points[best] = points[--count];
            take_out(&p, s, k);
        }
    }
}

static dir_rtg make_space(dir_pair *pairs, uint32_t sizes, uint32_t least, uint32_t most) {
    dir_rtg rtg = {.size_count = sizes, .pairs = pairs};
    for (uint32_t i = 0; i < sizes; i++)
        rtg.sizes[i] = 1024U << i;
    rtg.pair_count = make_plane(least, most, pairs);
    return rtg;
}

static void check_order(const dir_rtg *rtg, const uint32_t *order, const col_point *expected,
                        uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const col_point p = dir_rtg_point(rtg, order[i]);
        if (memcmp(&p, &expected[i], sizeof p) != 0)
            fail_msg("place %u: (%u, %u, %u), not (%u, %u, %u)", i + 1, p.operations, p.locations,
                     p.sets, expected[i].operations, expected[i].locations, expected[i].sets);
    }
}

static void points_follow_algorithm_7(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        dir_pair pairs[MOST_PAIRS];
        bool wanted[MOST_POINTS], left[MOST_PAIRS];
        uint32_t order[MOST_POINTS], count = 0;
        col_point points[MOST_POINTS], expected[MOST_POINTS];
        base_rng rng;
        base_rng_seed(&rng, seed, 1);
        const uint32_t sizes = (uint32_t)base_rng_below(&rng, 7) + 1;
        const dir_rtg rtg = make_space(pairs, sizes, 4, 4U << base_rng_below(&rng, 6));
        const uint64_t share = base_rng_below(&rng, 5) + 1;
        for (uint32_t i = 0; i < dir_rtg_count(&rtg); i++)
            if ((wanted[i] = base_rng_below(&rng, share) == 0))
                points[count++] = dir_rtg_point(&rtg, i);
        transcribe_driver(points, count, expected);
        assert_int_equal(dir_order_points(&rtg, wanted, left, order), count);
        check_order(&rtg, order, expected, count);
    }
}

/* A solution in Figure 12's space, with 1Ki to 8Ki operations and 4 to 32 locations: odd places
 * favour replacements, even ones collisions; a pair's larger test waits for the second pass. */
static void a_solution_is_ordered_as_in_figure_12(void **state) {
    static const col_point expected[] = {{4096, 16, 1}, {1024, 4, 4},  {1024, 4, 1},
                                         {1024, 8, 2},  {2048, 32, 8}, {1024, 32, 32},
                                         {8192, 16, 1}, {2048, 4, 4}};
    dir_pair pairs[MOST_PAIRS];
    bool wanted[MOST_POINTS] = {false}, left[MOST_PAIRS];
    uint32_t order[MOST_POINTS];
    (void)state;
    const dir_rtg rtg = make_space(pairs, 4, 4, 32);
    assert_int_equal(rtg.pair_count, 18);
    for (uint32_t i = 0; i < 8; i++)
        wanted[dir_rtg_number(&rtg, expected[i])] = true;
    assert_int_equal(dir_order_points(&rtg, wanted, left, order), 8);
    check_order(&rtg, order, expected, 8);
}

static void points_and_their_numbers_round_trip(void **state) {
    dir_pair pairs[MOST_PAIRS];
    (void)state;
    const dir_rtg rtg = make_space(pairs, 7, 4, 128);
    assert_int_equal(dir_rtg_count(&rtg), 7 * 33);
    for (uint32_t i = 0; i < dir_rtg_count(&rtg); i++)
        assert_int_equal(dir_rtg_number(&rtg, dir_rtg_point(&rtg, i)), i);
    assert_int_equal(dir_rtg_number(&rtg, (col_point){1024, 4, 3}), dir_rtg_count(&rtg));
    assert_int_equal(dir_rtg_number(&rtg, (col_point){512, 4, 4}), dir_rtg_count(&rtg));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_are_ordered_as_in_figure_9),
        cmocka_unit_test(planes_follow_algorithm_1),
        cmocka_unit_test(points_follow_algorithm_7),
        cmocka_unit_test(a_solution_is_ordered_as_in_figure_12),
        cmocka_unit_test(points_and_their_numbers_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
