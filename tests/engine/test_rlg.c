/* SPDX-License-Identifier: MIT */
/*
 * The decision process of RLG by its formulas: sizes in half-doublings, where each action leads and
 * which are allowed, levels of coverage and time, rewards.
 */
#include "synthetic.h"

#include "engine/rlg.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 70 };

static rlg *open_rlg(const dir_engine *kind, const col_engine_settings *settings) {
    rlg *r = calloc(1, sizeof *r);
    col_problem problem = {0};
    assert_non_null(r);
    if (dir_rlg.open(r, kind, settings, &problem) != COL_OK)
        fail_msg("%s: %s", kind->name, problem.message);
    return r;
}

static void close_rlg(rlg *r) {
    dir_rlg.close(r);
    free(r);
}

static rlg *open_small(const char *options) {
    col_engine_settings settings = synthetic_settings((col_range){8, 64}, (col_range){4, 16}, 1);
    settings.options = options;
    settings.cycles = 2000000;
    settings.seconds = 40;
    return open_rlg(dir_engine_find("rlg-bias"), &settings);
}

/* ---- N. */

__extension__ typedef unsigned __int128 wide;

/* The smallest n whose square is at least that of least * 2^(i/2), found bit by bit. */
static uint64_t half_power(uint32_t least, uint32_t i) {
    const wide square = (wide)least * least << i;
    uint64_t root = 0;
    for (int bit = 48; bit >= 0; bit--) {
        const uint64_t larger = root | UINT64_C(1) << bit;
        if ((wide)larger * larger < square)
            root = larger;
    }
    return root + 1;
}

static uint32_t find_sizes(col_range range, uint32_t sizes[MOST_SIZES]) {
    uint32_t count = 0;
    for (uint32_t i = 0;; i++) {
        const uint64_t size = half_power(range.least, i);
        if (size > range.most)
            return count;
        if (count == 0 || sizes[count - 1] != size)
            sizes[count++] = (uint32_t)size;
    }
}

static void expect_sizes(col_range range) {
    dir_rtg rtg = {0};
    uint32_t sizes[MOST_SIZES];
    const uint32_t count = find_sizes(range, sizes);
    dir_rtg_halve_doublings(&rtg, range);
    if (rtg.size_count != count || memcmp(rtg.sizes, sizes, count * sizeof *sizes) != 0)
        fail_msg("%u:%u: %u sizes, not %u", range.least, range.most, rtg.size_count, count);
}

TEST(sizes_grow_by_the_root_of_two) {
    static const uint32_t published[] = {1024, 1449, 2048, 2897, 4096};
    dir_rtg rtg = {0};
    for (uint32_t least = 1; least < 70; least++)
        for (uint32_t most = least; most < 600; most++)
            expect_sizes((col_range){least, most});
    for (uint32_t least = 1; least < UINT32_MAX / 3; least = least * 2 + least / 3 + 1)
        expect_sizes((col_range){least, UINT32_MAX - 1});
    static const uint32_t ends[] = {3037000498, 3037000499, 3037000500, UINT32_MAX - 1};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        expect_sizes((col_range){1, ends[i]});
        expect_sizes((col_range){1U << 31, ends[i] < 1U << 31 ? 1U << 31 : ends[i]});
        expect_sizes((col_range){ends[i], ends[i]});
        expect_sizes((col_range){ends[i], UINT32_MAX - 1});
    }
    dir_rtg_halve_doublings(&rtg, (col_range){1024, 4096});
    assert_int_equal(rtg.size_count, 5);
    assert_memory_equal(rtg.sizes, published, sizeof published);
}

/* ---- Actions. */

typedef struct space {
    uint32_t sizes[MOST_SIZES], size_count;
    col_range locations;
    uint32_t sets;        /* as asked for; 0: any */
    uint32_t cached_sets; /* of the caches */
    bool biased;
} space;

static bool is_doubling(col_range range, uint32_t value) {
    uint64_t v = range.least;
    while (v < value)
        v *= 2;
    return v == value && value <= range.most;
}

static bool is_in(const space *s, int64_t n, int64_t locations, int64_t sets) {
    bool has_size = false;
    for (uint32_t i = 0; i < s->size_count; i++)
        has_size = has_size || s->sizes[i] == n;
    if (!has_size || locations < 1 || !is_doubling(s->locations, (uint32_t)locations))
        return false;
    if (!s->biased)
        return sets == 0;
    if (s->sets != 0 && sets != s->sets)
        return false;
    return sets >= 1 && locations % sets == 0 && sets <= s->cached_sets;
}

/* The next of N above or below: what the paper's actions a1 and a2 mean there. */
static int64_t step_of(const space *s, uint32_t n, int by) {
    for (uint32_t i = 0; i < s->size_count; i++)
        if (s->sizes[i] == n)
            return by < 0 ? (i == 0 ? 0 : s->sizes[i - 1])
                          : (i + 1 == s->size_count ? 0 : s->sizes[i + 1]);
    return 0;
}

static bool apply(const space *s, col_point p, uint32_t action, col_point *to) {
    int64_t n = p.operations, l = p.locations, k = p.sets;
    const bool odd = (action == 3 && l % 2 != 0) || (action == 5 && k % 2 != 0);
    n = action == 0 ? step_of(s, p.operations, 1) : action == 1 ? step_of(s, p.operations, -1) : n;
    l = action == 2 ? 2 * l : action == 3 ? l / 2 : l;
    k = action == 4 ? 2 * k : action == 5 ? k / 2 : k;
    *to = (col_point){(uint32_t)n, (uint32_t)l, (uint32_t)k};
    return !odd && is_in(s, n, l, k);
}

static void check_point(const rlg *r, const space *s, uint32_t number) {
    const col_point p = dir_rtg_point(&r->rtg, number);
    uint64_t allowed = 0;
    for (uint32_t a = 0; a < r->action_count; a++) {
        col_point to;
        const uint32_t moved = dir_rlg_move(&r->rtg, number, (dir_rlg_action)a);
        if (!apply(s, p, a, &to)) {
            assert_int_equal(moved, dir_rtg_count(&r->rtg));
            continue;
        }
        allowed |= UINT64_C(1) << a;
        assert_true(moved < dir_rtg_count(&r->rtg));
        const col_point got = dir_rtg_point(&r->rtg, moved);
        assert_memory_equal(&got, &to, sizeof got);
        assert_int_equal(dir_rlg_move(&r->rtg, moved, (dir_rlg_action)(a ^ 1)),
                         number); /* and back */
    }
    assert_true(dir_rlg_allowed(&r->rtg, number, r->action_count) == allowed);
}

/* How many points a walk can come to. */
static uint32_t reach(const rlg *r) {
    const uint32_t count = dir_rtg_count(&r->rtg);
    uint32_t *queue = calloc(count, sizeof *queue), end = 1;
    bool *seen = calloc(count, sizeof *seen);
    assert_non_null(queue);
    assert_non_null(seen);
    if (queue == NULL || seen == NULL)
        return 0;
    queue[0] = r->point;
    seen[r->point] = true;
    for (uint32_t next = 0; next < end; next++)
        for (uint32_t a = 0; a < r->action_count; a++) {
            const uint32_t to = dir_rlg_move(&r->rtg, queue[next], (dir_rlg_action)a);
            if (to != count && !seen[to]) {
                seen[to] = true;
                queue[end++] = to;
            }
        }
    free(queue);
    free(seen);
    return end;
}

static uint32_t count_points(const space *s) {
    uint32_t count = 0;
    for (uint32_t l = 1; l <= s->locations.most; l++)
        for (uint32_t k = 0; k <= l; k++)
            for (uint32_t i = 0; i < s->size_count; i++)
                count += is_in(s, s->sizes[i], l, k);
    return count;
}

typedef struct space_row {
    col_range operations, locations;
    uint32_t sets;
    bool is_whole;       /* every point can be reached */
    uint32_t index_bits; /* of the only cache level; 0: the caches of mesi3 */
} space_row;

static void check_space(const dir_engine *kind, const space_row *row) {
    col_engine_settings settings = synthetic_settings(row->operations, row->locations, 1);
    settings.sets = row->sets;
    settings.options = "policy=random";
    if (row->index_bits > 0) {
        settings.geometry.level_count = 1;
        settings.geometry.levels[0].index_bits = row->index_bits;
    }
    rlg *r = open_rlg(kind, &settings);
    space s = {.locations = row->locations,
               .sets = row->sets,
               .cached_sets = row->index_bits == 0 ? 128 : 1U << row->index_bits,
               .biased = kind->biased};
    s.size_count = find_sizes(row->operations, s.sizes);
    assert_int_equal(r->action_count, kind->biased ? 6 : 4);
    assert_int_equal(dir_rtg_count(&r->rtg), count_points(&s));
    for (uint32_t i = 0; i < dir_rtg_count(&r->rtg); i++)
        check_point(r, &s, i);
    assert_int_equal(reach(r) == dir_rtg_count(&r->rtg), !kind->biased || row->is_whole);
    close_rlg(r);
}

TEST(actions_move_to_neighbouring_points) {
    static const space_row rows[] = {
        {{1024, 65536}, {4, 128}, 0, true, 0}, /* the paper's */
        {{1, 64}, {1, 64}, 0, true, 0},
        {{1, 1}, {1, 1}, 0, true, 0},
        {{100, 3000}, {8, 8}, 0, true, 0},
        {{7, 100}, {3, 50}, 0, false, 0}, /* three sets: how? */
        {{5, 5}, {5, 64}, 0, false, 0},
        {{33, 64}, {12, 100}, 0, false, 0},
        {{16, 128}, {4, 64}, 4, true, 0},
        {{16, 17}, {2, 2}, 2, true, 0},
        {{8, 64}, {4, 64}, 0, true, 3},
        {{9, 12}, {6, 96}, 0, false, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_space(dir_engine_find("rlg-bias"), &rows[i]);
        check_space(dir_engine_find("rlg-chain"), &rows[i]);
        if (rows[i].sets == 0)
            check_space(dir_engine_find("rlg"), &rows[i]);
    }
}

/* ---- State. */

TEST(coverage_is_rounded_to_the_nearest_level) {
    static const uint64_t levels[] = {1, 2, 7, 100, 1000};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        for (uint32_t covered = 0; covered <= 167; covered++) {
            const double fraction = covered / 167.0; /* never half-way between two levels */
            uint64_t nearest = 1;
            for (uint64_t l = 2; l <= levels[i]; l++)
                if (fabs((double)l / (double)levels[i] - fraction) <=
                    fabs((double)nearest / (double)levels[i] - fraction))
                    nearest = l;
            assert_int_equal(dir_rlg_level(fraction, levels[i]), nearest);
        }
    assert_int_equal(dir_rlg_level(1e300, 1000), 1000);
    assert_int_equal(dir_rlg_level(0.0015, 1000), 2); /* half-way: upwards */
}

static void expect_seen(float seen, double expected) {
    assert_true(fabs((double)seen - expected) < 1e-6);
}

TEST(observations_are_coverage_time_and_point) {
    const col_feedback feedback = {.tests = 3, .covered = 50, .total = 167};
    float seen[DIR_RLG_POINT_INPUTS] = {9, 9, 9, 9, 9};
    rlg *r = open_small("policy=random");
    r->elapsed = 500000;
    dir_rlg_observe(r, &feedback, seen);
    expect_seen(seen[0], 0.30); /* 29.94 of 100 */
    expect_seen(seen[1], 0.250);
    assert_true(seen[2] == 9 && seen[3] == 9 && seen[4] == 9);
    r->elapsed = 1e9; /* stays the last level */
    dir_rlg_observe(r, &feedback, seen);
    expect_seen(seen[1], 1);
    close_rlg(r);
    r = open_small("policy=random,observe=point,coverage-levels=7,time-levels=10");
    for (uint32_t i = 0; i < dir_rtg_count(&r->rtg); i++) {
        const col_point p = dir_rtg_point(&r->rtg, i);
        r->point = i;
        dir_rlg_observe(r, &feedback, seen);
        expect_seen(seen[0], 2.0 / 7);
        expect_seen(seen[1], 0.1);
        expect_seen(seen[2], round(2 * log2(p.operations / 8.0)) / 6);
        expect_seen(seen[3], log2(p.locations / 4.0) / 2);
        expect_seen(seen[4], log2(p.sets) / log2(p.locations));
    }
    close_rlg(r);
}

/* ---- Reward. */

static void expect_reward(const char *options, double gained, double time, double horizon,
                          bool is_logarithm) {
    rlg *r = open_small(options);
    const col_feedback feedback = {.tests = 2,
                                   .covered = 100,
                                   .total = 200,
                                   .gained = (uint64_t)gained,
                                   .cycles = (uint64_t)time,
                                   .seconds = time / 1000};
    const double slope = gained / 200 / (time / horizon);
    const double expected = is_logarithm ? log1p(slope) : slope;
    assert_true(fabs(dir_rlg_reward(r, &feedback) - expected) <= 1e-6 * (1 + expected));
    close_rlg(r);
}

TEST(rewards_are_coverage_per_time) {
    expect_reward("policy=random,reward=rate", 10, 40000, 2e6, false); /* the episode's budget */
    expect_reward("policy=random,reward=rate", 0, 40000, 2e6, false);
    expect_reward("policy=random,reward=log", 10, 40000, 2e6, true);
    expect_reward("policy=random,reward=log", 200, 1, 2e6, true);
    expect_reward("policy=random,reward=rate,horizon=500000", 3, 70, 500000, false);
    expect_reward("policy=random,reward=rate,time=clock", 3, 70, 40e3, false); /* 40 s */
    expect_reward("policy=random,reward=log,time=clock,horizon=0.5", 3, 70, 500, true);
    expect_reward("policy=random,reward=rate,price=10000", 10, 30000, 1.5e6, false);
    /* 40,000 of two million cycles are two hundredths. */
    rlg *charged = open_small("policy=random,reward=rate,charge=0.25,least-return=-5");
    const col_feedback idle = {.tests = 2, .covered = 9, .total = 200, .cycles = 40000};
    assert_true(fabs(dir_rlg_reward(charged, &idle) + 0.5) < 1e-9);
    close_rlg(charged);
    /* A test that took no time, or a metric without points, is no reason to fail. */
    rlg *r = open_small("policy=random,reward=rate");
    assert_true(dir_rlg_reward(r, &(col_feedback){.total = 100, .gained = 1}) == 2e6 / 100);
    assert_true(dir_rlg_reward(r, &(col_feedback){.cycles = 100}) == 0);
    close_rlg(r);
}

TEST(the_horizon_is_the_budget_unless_set) {
    col_engine_settings settings = synthetic_settings((col_range){8, 64}, (col_range){4, 16}, 1);
    settings.options = "policy=random";
    rlg *r = open_rlg(dir_engine_find("rlg"), &settings);
    assert_true(r->horizon == 10e6);
    close_rlg(r);
    settings.options = "policy=random,time=clock";
    r = open_rlg(dir_engine_find("rlg"), &settings);
    assert_true(r->horizon == 60);
    close_rlg(r);
    settings.cycles = 1234;
    settings.seconds = 5;
    r = open_rlg(dir_engine_find("rlg"), &settings);
    assert_true(r->horizon == 5);
    close_rlg(r);
    settings.options = "policy=random,horizon=77";
    r = open_rlg(dir_engine_find("rlg"), &settings);
    assert_true(r->horizon == 77);
    close_rlg(r);
}
