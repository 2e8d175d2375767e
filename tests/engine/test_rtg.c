/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * What parameters change about random test generation: finer steps of the number of locations, by
 * brute force over small ranges, and how many of the loads and stores are loads, by counting them.
 */
#include "synthetic.h"

#include "direct/rtg.h"

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

static void locations_double_in_as_many_steps_as_asked_for(void **state) {
    static const uint32_t halves[] = {4, 6, 8, 12, 16, 24, 32, 48};
    (void)state;
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
static void finer_moves_are_to_the_nearest_pair_and_reach_all(void **state) {
    static const char *const engines[] = {"htg", "rlg"};
    (void)state;
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
static void directed_engines_visit_every_point_of_a_finer_space(void **state) {
    static const char *const engines[] = {"ctg1", "htg"};
    (void)state;
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

static void learning_engines_come_to_numbers_between_doublings(void **state) {
    col_engine_settings settings = synthetic_settings((col_range){32, 64}, (col_range){4, 16}, 3);
    uint32_t between = 0;
    (void)state;
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
static void half_of_the_loads_and_stores_are_loads_if_asked_for(void **state) {
    static const char *const chained[] = {"ctg1", "ctg2", "ctg3", "htg", "rlg-chain", "chain-bias"};
    static const char *const plain[] = {"rlg", "rlg-bias", "plain", "plain-bias"};
    static const char *const chain_mixes[] = {"published", "full", "c1-c3", "c0-c1", NULL};
    static const char *const plain_mixes[] = {"load-most", "store-heavy", "full", NULL};
    (void)state;
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
static void parameters_that_cannot_be_are_refused(void **state) {
    (void)state;
    expect_refusal("htg", "c1", "loads=0.9", "have 33 to 67 % loads, so the parameter loads");
    expect_refusal("htg", "c1", "loads=0.2", "have 33 to 67 % loads, so the parameter loads");
    expect_refusal("plain", "load=1", "loads=0.5", "needs a mix with loads and stores");
    expect_refusal("htg", NULL, "loads=1.1", "is a number from 0 to 1");
    expect_refusal("htg", NULL, "loads=-1", "is a number from 0 to 1");
    expect_refusal("ctg1", NULL, "location-steps=0", "is a number from 1 to 32");
    expect_refusal("ctg1", NULL, "location-steps=33", "is a number from 1 to 32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locations_double_in_as_many_steps_as_asked_for),
        cmocka_unit_test(finer_moves_are_to_the_nearest_pair_and_reach_all),
        cmocka_unit_test(directed_engines_visit_every_point_of_a_finer_space),
        cmocka_unit_test(learning_engines_come_to_numbers_between_doublings),
        cmocka_unit_test(half_of_the_loads_and_stores_are_loads_if_asked_for),
        cmocka_unit_test(parameters_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
