/* SPDX-License-Identifier: MIT */
/*
 * An earlier end of an episode against running through all its tests again: what is covered by
 * those that are done in time, whether the error was found, and that nothing else changes.
 */
#include "base/random.h"
#include "collider/episode.h"
#include "harness.h"
#include "results/statistics/evolution.h"

#include <string.h>

enum { TESTS = 40, ROUNDS = 2000 };

/* An episode, test by test; of the curve, the points at which something rose, and the last. */
typedef struct episode {
    col_curve_point all[TESTS], curve[TESTS + 1];
    uint64_t failing; /* the number of a test; 0: none */
    cam_row row;
} episode;

static void play(episode *e, base_rng *rng) {
    col_curve_point now = {0};
    size_t rises = 0;
    *e = (episode){.failing = base_rng_below(rng, 2) == 0 ? 0 : 1 + base_rng_below(rng, TESTS)};
    for (size_t i = 0; i < TESTS; i++) {
        const col_curve_point before = now;
        now.tests++;
        now.cycles += 1 + base_rng_below(rng, 100);
        now.operations += 5;
        now.seconds += 0.5;
        now.structural += base_rng_below(rng, 4) == 0;
        now.functional += (uint32_t)base_rng_below(rng, 3);
        e->all[i] = now;
        if (now.structural > before.structural || now.functional > before.functional)
            e->curve[rises++] = now;
    }
    e->curve[rises++] = now;
    e->row = (cam_row){.kind = CAM_EPISODE,
                       .is_done = true,
                       .verdict = e->failing > 0 ? "violation" : "pass",
                       .reason = e->failing > 0 ? "wrong" : NULL,
                       .ended_by = "tests",
                       .tests = now.tests,
                       .instances = 2 * now.tests,
                       .operations = now.operations,
                       .cycles = now.cycles,
                       .seconds = now.seconds,
                       .coverage = {{now.structural, 90, true, now.structural, 80},
                                    {now.functional, 190, true, now.functional, 180}},
                       .failing_tests = e->failing > 0,
                       .failure_test = e->failing,
                       .failure_cycles = e->failing > 0 ? e->all[e->failing - 1].cycles : 0,
                       .curve = e->curve,
                       .curve_count = rises};
}

static void play_one(episode *e, uint64_t seed) {
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    play(e, &rng);
}

static void assert_covers(const cam_extent *extent, uint32_t covered) {
    assert_int_equal(extent->covered, covered);
    assert_int_equal(extent->reached, covered);
    assert_true(extent->reachable_known);
}

TEST(an_earlier_end_has_the_tests_until_then) {
    base_rng rng;
    base_rng_seed(&rng, 30, 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        episode e;
        play(&e, &rng);
        const uint64_t end = 1 + base_rng_below(&rng, e.row.cycles - 1);
        col_curve_point done = {0};
        for (size_t i = 0; i < TESTS && e.all[i].cycles <= end; i++)
            done = e.all[i];
        cam_row row = e.row;
        cam_end_after(&row, end);
        assert_covers(&row.coverage[COL_STRUCTURAL], done.structural);
        assert_covers(&row.coverage[COL_FUNCTIONAL], done.functional);
        assert_int_equal(row.cycles, end);
        assert_string_equal(row.ended_by, "cycles");
        assert_true(row.curve_count == 0 || row.curve[row.curve_count - 1].cycles <= end);
        const bool is_found = e.failing > 0 && e.failing <= done.tests;
        assert_int_equal(row.failure_test, is_found ? e.failing : 0);
        assert_int_equal(row.failing_tests, is_found);
        assert_string_equal(row.verdict, is_found ? "violation" : "pass");
        /* between two rises the tests are not known one by one */
        assert_true(row.tests <= e.row.tests && row.instances <= e.row.instances);
        assert_true(row.seconds <= e.row.seconds && row.operations <= e.row.operations);
    }
}

TEST(the_same_or_a_later_end_changes_nothing) {
    episode e;
    play_one(&e, 31);
    for (uint64_t more = 0; more < 2; more++) {
        cam_row row = e.row;
        cam_end_after(&row, e.row.cycles + more);
        assert_int_equal(row.cycles, e.row.cycles);
        assert_int_equal(row.tests, e.row.tests);
        assert_int_equal(row.instances, e.row.instances);
        assert_int_equal(row.curve_count, e.row.curve_count);
        assert_int_equal(row.failure_test, e.row.failure_test);
        assert_string_equal(row.ended_by, "tests");
        assert_covers(&row.coverage[COL_STRUCTURAL], e.row.coverage[COL_STRUCTURAL].covered);
        assert_covers(&row.coverage[COL_FUNCTIONAL], e.row.coverage[COL_FUNCTIONAL].covered);
    }
    cam_row tour = {.kind = CAM_TOUR, .is_done = true, .cycles = 10};
    cam_end_after(&tour, 5);
    assert_int_equal(tour.cycles, 10);
}

TEST(without_a_curve_nothing_is_known) {
    cam_row row = {.kind = CAM_EPISODE, .is_done = true, .cycles = 10, .tests = 1};
    cam_end_after(&row, 5);
    assert_false(row.is_done);
    assert_non_null(row.reason);
}

/* What was covered out of reach is not told apart in a curve. */
TEST(what_was_out_of_reach_makes_reach_unknown) {
    episode e;
    play_one(&e, 32);
    e.row.coverage[COL_STRUCTURAL].reached--;
    cam_end_after(&e.row, e.row.cycles - 1);
    assert_false(e.row.coverage[COL_STRUCTURAL].reachable_known);
    assert_true(e.row.coverage[COL_FUNCTIONAL].reachable_known);
}

/* Numbers that no episode has, as a damaged store may hold them. */
TEST(any_numbers_are_taken) {
    static const uint64_t odd[] = {0, 1, 5, UINT64_MAX / 2, UINT64_MAX};
    enum { ODD = sizeof odd / sizeof *odd };
    for (uint32_t i = 0; i < ODD * ODD * ODD; i++) {
        col_curve_point point = {.tests = odd[i % ODD], .cycles = odd[i / ODD % ODD]};
        cam_row row = {.kind = CAM_EPISODE,
                       .is_done = true,
                       .tests = odd[i / ODD / ODD],
                       .cycles = odd[i % ODD],
                       .failure_test = odd[i / ODD % ODD],
                       .curve = &point,
                       .curve_count = 1};
        cam_charge(&row, 1e12, &point);
        cam_end_after(&row, 3);
        assert_true(row.cycles <= 3 || row.cycles > UINT64_MAX / 4);
    }
}
