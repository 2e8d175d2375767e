/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * What parameters change about random test generation: finer steps of the number of locations, by
 * brute force over small ranges, and how many of the loads and stores are loads, by counting them.
 */
#include "synthetic.h"

#include "engine/rtg.h"

#include "base/random.h"
#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CACHED_SETS = 128, MOST_POINTS = 4096 };

static dir_rtg open_space(const char *engine, col_range locations, uint32_t steps) {
    const col_engine_settings settings = synthetic_settings((col_range){64, 64}, locations, 1);
    dir_rtg_parameters parameters = DIR_RTG_UNASKED;
    col_problem problem = {0};
    dir_rtg rtg;
    parameters.location_steps = steps;
    if (dir_rtg_open(&rtg, dir_engine_find(engine), parameters, &settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return rtg;
}

/* ---- S in finer steps. */

/* Is it b + b i / m, rounded down, of an octave b? */
static bool is_step(col_range range, uint32_t steps, uint32_t locations) {
    if (locations > range.most)
        return false;
    for (uint32_t b = range.least; b <= locations; b *= 2)
        for (uint32_t i = 0; i < steps; i++)
            if (b * (steps + i) / steps == locations)
                return true;
    return false;
}

static void expect_space(col_range range, uint32_t steps) {
    dir_rtg rtg = open_space("htg", range, steps);
    uint32_t pair = 0, run = 0;
    for (uint32_t s = range.least; s <= range.most; s++) {
        if (!is_step(range, steps, s))
            continue;
        assert_int_equal(rtg.runs[run++], pair);
        for (uint32_t k = 1; k <= s && k <= CACHED_SETS; k++)
            if (s % k == 0) {
                assert_true(pair < rtg.pair_count);
                assert_int_equal(rtg.pairs[pair].locations, s);
                assert_int_equal(rtg.pairs[pair++].sets, k);
            }
    }
    assert_int_equal(pair, rtg.pair_count);
    assert_int_equal(run, rtg.location_count);
    assert_int_equal(rtg.runs[run], pair);
    dir_rtg_close(&rtg);
}

TEST(locations_double_in_as_many_steps_as_asked_for) {
    static const uint32_t halves[] = {4, 6, 8, 12, 16, 24, 32, 48};
    for (uint32_t steps = 1; steps <= 32; steps += steps < 8 ? 1 : 12)
        for (uint32_t least = 1; least <= 9; least++)
            for (uint32_t most = least; most <= 80; most += 1 + most / 4)
                expect_space((col_range){least, most}, steps);
    dir_rtg rtg = open_space("htg", (col_range){4, 63}, 2);
    assert_int_equal(rtg.location_count, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(rtg.pairs[rtg.runs[i]].locations, halves[i]);
    dir_rtg_close(&rtg);
}

/* The next pair with the same sets, or of the same locations, by looking at all of them. */
static uint32_t nearest(const dir_rtg *rtg, uint32_t from, dir_move move) {
    const bool keeps_sets = move == DIR_MORE_LOCATIONS || move == DIR_FEWER_LOCATIONS;
    const int64_t sign = move == DIR_MORE_LOCATIONS || move == DIR_MORE_SETS ? 1 : -1;
    uint32_t best = rtg->pair_count;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < rtg->pair_count; i++) {
        const int64_t more = (int64_t)rtg->pairs[i].locations - rtg->pairs[from].locations;
        const int64_t apart = (int64_t)rtg->pairs[i].sets - rtg->pairs[from].sets;
        const int64_t distance = sign * (keeps_sets ? more : apart);
        if ((keeps_sets ? apart : more) == 0 && distance > 0 && distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static uint32_t reach(const dir_rtg *rtg) {
    uint32_t queue[MOST_POINTS] = {0}, end = 1;
    bool seen[MOST_POINTS] = {true};
    assert_true(rtg->pair_count <= MOST_POINTS);
    for (uint32_t next = 0; next < end; next++)
        for (uint32_t m = 0; m < DIR_MOVE_COUNT; m++) {
            const uint32_t to = dir_rtg_move(rtg, queue[next], (dir_move)m);
            if (to != rtg->pair_count && !seen[to]) {
                seen[to] = true;
                queue[end++] = to;
            }
        }
    return end;
}

/* With doublings, three locations that compete for three sets cannot be reached. */
TEST(finer_moves_are_to_the_nearest_pair_and_reach_all) {
    static const char *const engines[] = {"htg", "rlg"};
    for (size_t e = 0; e < 2; e++)
        for (uint32_t steps = 2; steps <= 32; steps += 5)
            for (uint32_t least = 1; least <= 7; least++) {
                dir_rtg rtg = open_space(engines[e], (col_range){least, 128}, steps);
                for (uint32_t i = 0; i < rtg.pair_count; i++)
                    for (uint32_t m = 0; m < DIR_MOVE_COUNT; m++) {
                        const uint32_t to = dir_rtg_move(&rtg, i, (dir_move)m);
                        assert_int_equal(to, nearest(&rtg, i, (dir_move)m));
                        if (to != rtg.pair_count)
                            assert_int_equal(dir_rtg_move(&rtg, to, (dir_move)(m ^ 1)), i);
                    }
                assert_int_equal(reach(&rtg), rtg.pair_count);
                dir_rtg_close(&rtg);
            }
}

/* 4, 5, 6, 7, 8, 10, 12, 14, 16 have 3, 2, 4, 2, 4, 4, 6, 4, 5 divisors. */
TEST(directed_engines_visit_every_point_of_a_finer_space) {
    static const char *const engines[] = {"ctg1", "htg"};
    for (size_t e = 0; e < 2; e++) {
        col_engine_settings settings =
            synthetic_settings((col_range){32, 64}, (col_range){4, 16}, 3);
        bool seen[2][17][17] = {{{false}}};
        uint32_t count = 0;
        settings.options = "location-steps=4";
        synthetic_walk w = synthetic_start(engines[e], &settings, 5, 20);
        for (; synthetic_step(&w); count++) {
            bool *is_seen = &seen[w.point.operations / 64][w.point.locations][w.point.sets];
            assert_false(*is_seen);
            *is_seen = true;
            (void)synthetic_run(&w.design, &w.point);
        }
        assert_int_equal(count, 2 * (3 + 2 + 4 + 2 + 4 + 4 + 6 + 4 + 5));
        synthetic_end(&w);
    }
}

TEST(learning_engines_come_to_numbers_between_doublings) {
    col_engine_settings settings = synthetic_settings((col_range){32, 64}, (col_range){4, 16}, 3);
    uint32_t between = 0;
    settings.options = "location-steps=4,policy=random";
    synthetic_walk w = synthetic_start("rlg-chain", &settings, 5, 20);
    for (uint32_t i = 0; i < 300; i++) {
        const uint32_t before = w.point.locations;
        assert_true(synthetic_step(&w));
        assert_true(is_step((col_range){4, 16}, 4, w.point.locations));
        assert_true(before == 0 || w.point.locations <= 2 * before);
        between += (w.point.locations & (w.point.locations - 1)) != 0;
        (void)synthetic_run(&w.design, &w.point);
    }
    synthetic_end(&w);
    assert_true(between > 50);
}

/* ---- Loads. */

static double part_of_loads(const char *engine, const char *mix, const char *options) {
    col_engine_settings settings =
        synthetic_settings((col_range){4096, 4096}, (col_range){16, 64}, 11);
    uint64_t loads = 0, stores = 0;
    settings.threads = 8;
    settings.repeat = true;
    settings.mix = mix;
    settings.options = options;
    synthetic_walk w = synthetic_start(engine, &settings, 5, 20);
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(synthetic_step(&w));
        for (uint32_t o = 0; o < col_program_operations(&w.program); o++) {
            loads += w.program.operations[o].kind == COL_LOAD;
            stores += w.program.operations[o].kind == COL_STORE;
        }
        (void)synthetic_run(&w.design, &w.point);
    }
    synthetic_end(&w);
    return (double)loads / (double)(loads + stores);
}

/* Three standard deviations of 40,000 independent draws are below 0.01, and so are the search's. */
TEST(half_of_the_loads_and_stores_are_loads_if_asked_for) {
    static const char *const chained[] = {"ctg1", "ctg2", "ctg3", "htg", "rlg-chain", "chain-bias"};
    static const char *const plain[] = {"rlg", "rlg-bias", "plain", "plain-bias"};
    static const char *const chain_mixes[] = {"published", "full", "c1-c3", "c0-c1", NULL};
    static const char *const plain_mixes[] = {"load-most", "store-heavy", "full", NULL};
    for (size_t e = 0; e < sizeof chained / sizeof chained[0]; e++)
        for (size_t m = 0; chain_mixes[m] != NULL; m++)
            assert_true(fabs(part_of_loads(chained[e], chain_mixes[m], "loads=0.5") - 0.5) < 0.02);
    for (size_t e = 0; e < sizeof plain / sizeof plain[0]; e++)
        for (size_t m = 0; plain_mixes[m] != NULL; m++)
            assert_true(fabs(part_of_loads(plain[e], plain_mixes[m], "loads=0.5") - 0.5) < 0.02);
    assert_true(fabs(part_of_loads("htg", "published", NULL) - 0.57) < 0.02);
    assert_true(fabs(part_of_loads("htg", "published", "loads=0.4") - 0.4) < 0.02);
    assert_true(fabs(part_of_loads("plain", "even", "loads=0.9") - 0.9) < 0.02);
    assert_true(part_of_loads("plain", "even", "loads=0") == 0);
    assert_true(part_of_loads("plain", "even", "loads=1") == 1);
}

static void expect_refusal(const char *engine, const char *mix, const char *options,
                           const char *why) {
    col_engine_settings settings = synthetic_settings((col_range){64, 64}, (col_range){4, 16}, 1);
    col_engine *none = NULL;
    col_problem problem = {0};
    settings.mix = mix;
    settings.options = options;
    assert_int_equal(col_engine_new(&none, engine, &settings, &problem), COL_BAD_INPUT);
    assert_null(none);
    if (strstr(problem.message, why) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, why);
}

/* Of S, L and any, one to two thirds are loads. */
TEST(parameters_that_cannot_be_are_refused) {
    expect_refusal("htg", "c1", "loads=0.9", "have 33 to 67 % loads, so the parameter loads");
    expect_refusal("htg", "c1", "loads=0.2", "have 33 to 67 % loads, so the parameter loads");
    expect_refusal("plain", "load=1", "loads=0.5", "needs a mix with loads and stores");
    expect_refusal("htg", NULL, "loads=1.1", "is a number from 0 to 1");
    expect_refusal("htg", NULL, "loads=-1", "is a number from 0 to 1");
    expect_refusal("ctg1", NULL, "location-steps=0", "is a number from 1 to 32");
    expect_refusal("ctg1", NULL, "location-steps=33", "is a number from 1 to 32");
}

/* The orders in which points are visited, against word-for-word transcriptions of both algorithms.
 */

enum { MOST_PAIRS = 64, MOST_ORDERED = 512 };

/* S x K for locations that double: all sets that divide them. */
static uint32_t make_plane(uint32_t least, uint32_t most, dir_pair *pairs) {
    uint32_t count = 0;
    for (uint32_t s = least; s <= most; s *= 2)
        for (uint32_t k = 1; k <= s; k++)
            if (s % k == 0)
                pairs[count++] = (dir_pair){s, k};
    return count;
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
TEST(planes_follow_algorithm_1) {
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

TEST(points_follow_algorithm_7) {
    for (uint64_t seed = 0; seed < 1000; seed++) {
        dir_pair pairs[MOST_PAIRS];
        bool wanted[MOST_ORDERED], left[MOST_PAIRS];
        uint32_t order[MOST_ORDERED], count = 0;
        col_point points[MOST_ORDERED], expected[MOST_ORDERED];
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

TEST(points_and_their_numbers_round_trip) {
    dir_pair pairs[MOST_PAIRS];
    const dir_rtg rtg = make_space(pairs, 7, 4, 128);
    assert_int_equal(dir_rtg_count(&rtg), 7 * 33);
    for (uint32_t i = 0; i < dir_rtg_count(&rtg); i++)
        assert_int_equal(dir_rtg_number(&rtg, dir_rtg_point(&rtg, i)), i);
    assert_int_equal(dir_rtg_number(&rtg, (col_point){1024, 4, 3}), dir_rtg_count(&rtg));
    assert_int_equal(dir_rtg_number(&rtg, (col_point){512, 4, 4}), dir_rtg_count(&rtg));
}
