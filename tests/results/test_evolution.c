/* SPDX-License-Identifier: MIT */
/*
 * Evolutions against looking each value up and summarising the trials that there are; what rows
 * give as curves; and that a hundred thousand curves are no matter of patience.
 */
#include "base/random.h"
#include "harness.h"
#include "results/statistics/evolution.h"
#include "results/statistics/significance.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_CURVES = 200, MOST_STEPS = 60, PLACES = 40 };

static cam_step steps[MOST_CURVES][MOST_STEPS];

/* A curve that rises at whole numbers; some begin at 0, some never. */
static cam_curve make(cam_step *to, size_t most, uint64_t rise, base_rng *rng) {
    const size_t count = (size_t)base_rng_below(rng, most + 1);
    double x = (double)base_rng_below(rng, 3);
    uint32_t covered = 0;
    for (size_t i = 0; i < count; i++) {
        covered += (uint32_t)base_rng_below(rng, rise);
        to[i] = (cam_step){x, covered};
        x += (double)base_rng_below(rng, 5);
    }
    return (cam_curve){to, count, x + (double)base_rng_below(rng, 20),
                       (cam_after)base_rng_below(rng, 3)};
}

/* The last step that is not later. */
static double look_up(const cam_curve *c, double x) {
    double covered = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->steps[i].x <= x)
            covered = c->steps[i].covered;
    return covered;
}

static void check_place(const cam_curve *curves, size_t count, double x, const cam_band *band) {
    double values[MOST_CURVES];
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (curves[i].after != CAM_STOPPED || x <= curves[i].end)
            values[known++] = look_up(&curves[i], x);
    assert_int_equal(band->trials, known);
    if (known == 0) {
        assert_true(isnan(band->lower) && isnan(band->median) && isnan(band->upper));
        return;
    }
    const sta_quartiles q = sta_summarise(values, known);
    assert_true(band->lower == q.lower && band->median == q.median && band->upper == q.upper);
}

static void check_curve(const cam_curve *c, double x) {
    uint32_t covered = 0;
    const bool is_known = cam_curve_at(c, x, &covered);
    assert_int_equal(is_known, c->after != CAM_STOPPED || x <= c->end);
    assert_true(covered == look_up(c, x));
    if (covered == 0)
        return;
    /* The first time at which as much is covered. */
    const sta_observation o = cam_curve_reaches(c, covered);
    assert_true(o.is_event && o.time <= x && look_up(c, o.time) >= covered);
    assert_true(look_up(c, nextafter(o.time, -1)) < covered);
}

static void check_never(const cam_curve *c) {
    const uint32_t more = (c->count > 0 ? c->steps[c->count - 1].covered : 0) + 1;
    const sta_observation o = cam_curve_reaches(c, more);
    assert_false(o.is_event);
    assert_true(c->after == CAM_STAYS ? isinf(o.time) : o.time == c->end);
    assert_true(cam_curve_reaches(c, 0).is_event && cam_curve_reaches(c, 0).time == 0);
}

TEST(bands_are_quartiles_of_the_curves) {
    enum { ROUNDS = 300 };
    static const size_t sizes[] = {1, 2, 10, 33, MOST_CURVES};
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        cam_curve curves[MOST_CURVES];
        cam_band bands[PLACES];
        double x[PLACES];
        const size_t count = sizes[round % 5];
        for (size_t i = 0; i < count; i++)
            curves[i] = make(steps[i], MOST_STEPS, round % 2 == 0 ? 4 : UINT32_C(1) << 20, &rng);
        cam_places(x, PLACES, cam_longest(curves, count));
        assert_int_equal(cam_evolve(curves, count, x, PLACES, bands, NULL), COL_OK);
        for (size_t i = 0; i < PLACES; i++) {
            check_place(curves, count, x[i], &bands[i]);
            check_curve(&curves[i % count], x[i]);
        }
        check_never(&curves[0]);
    }
}

TEST(grid_is_denser_at_the_start) {
    double x[101];
    cam_places(x, 101, 5e6);
    assert_true(x[0] == 0 && x[100] == 5e6);
    for (size_t i = 2; i < 101; i++)
        assert_true(x[i] - x[i - 1] > x[i - 1] - x[i - 2]);
    cam_places(x, 1, 7);
    assert_true(x[0] == 7);
}

TEST(is_exact_until_a_budget_ends) {
    const cam_curve curves[] = {
        {NULL, 0, 5, CAM_STAYS}, {NULL, 0, 9, CAM_SPENT}, {NULL, 0, 7, CAM_STOPPED}};
    assert_true(cam_longest(curves, 3) == 9);
}

/* ---- Rows. */

static cam_row row_of(const char *ended_by, uint32_t covered) {
    static const col_curve_point points[] = {{0.5, 1, 100, 1000, 10, 20},
                                             {2, 7, 700, 7000, 40, 90}};
    return (cam_row){.kind = CAM_EPISODE,
                     .is_done = true,
                     .ended_by = ended_by,
                     .tests = 8,
                     .cycles = 8000,
                     .seconds = 2.5,
                     .coverage = {{.covered = covered, .total = 50}, {.covered = 90, .total = 200}},
                     .curve = points,
                     .curve_count = 2};
}

TEST(rows_give_curves) {
    static const double second[] = {7000, 2, 7}, ends[] = {8000, 2.5, 8};
    const cam_row row = row_of("cycles", 40);
    cam_step to[2];
    for (int axis = 0; axis < CAM_AXIS_COUNT; axis++) {
        const cam_curve c = cam_row_curve(&row, (cam_axis)axis, COL_FUNCTIONAL, to);
        assert_int_equal(c.count, 2);
        assert_true(c.steps[1].x == second[axis] && c.steps[1].covered == 90);
        assert_true(c.end == ends[axis] && c.after == CAM_SPENT);
    }
    assert_int_equal(cam_row_curve(&row, CAM_CYCLES, COL_STRUCTURAL, to).steps[0].covered, 10);
}

TEST(endings_decide_how_a_curve_continues) {
    static const cam_after afters[COL_ENDING_COUNT] = {
        [COL_ENDED_BY_TESTS] = CAM_SPENT,    [COL_ENDED_BY_TIME] = CAM_SPENT,
        [COL_ENDED_BY_CYCLES] = CAM_SPENT,   [COL_ENDED_BY_COVERAGE] = CAM_SPENT,
        [COL_ENDED_BY_ENGINE] = CAM_STAYS,   [COL_ENDED_BY_PROGRAMS] = CAM_STAYS,
        [COL_ENDED_BY_ERROR] = CAM_STOPPED,  [COL_ENDED_BY_SIGNAL] = CAM_STOPPED,
        [COL_ENDED_BY_FAILURE] = CAM_STOPPED};
    for (int i = 0; i < COL_ENDING_COUNT; i++) {
        const cam_row part = row_of(col_endings[i], 40), whole = row_of(col_endings[i], 50);
        assert_int_equal(cam_row_after(&part, COL_STRUCTURAL), afters[i]);
        assert_int_equal(cam_row_after(&whole, COL_STRUCTURAL), CAM_STAYS);
    }
}

/* ---- Many. */

static double seconds_to_evolve(const cam_curve *curves, size_t count, size_t in_group) {
    cam_band bands[100];
    double x[100];
    const clock_t start = clock();
    for (size_t i = 0; i < count; i += in_group) {
        cam_places(x, 100, cam_longest(curves + i, in_group));
        assert_int_equal(cam_evolve(curves + i, in_group, x, 100, bands, NULL), COL_OK);
    }
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* One group, and groups of ten. Far from what it takes, so that no load of the machine fails it. */
TEST(many_curves_are_handled_quickly) {
#ifdef REDUCED
    enum { COUNT = 5000 };
#else
    enum { COUNT = 100000 };
#endif
    cam_curve *curves = calloc(COUNT, sizeof *curves);
    cam_step *room = calloc((size_t)COUNT * MOST_STEPS, sizeof *room);
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    assert_true(curves != NULL && room != NULL);
    for (size_t i = 0; curves != NULL && room != NULL && i < COUNT; i++)
        curves[i] = make(room + i * MOST_STEPS, MOST_STEPS, 8, &rng);
    const double whole = seconds_to_evolve(curves, COUNT, COUNT);
    const double groups = seconds_to_evolve(curves, COUNT, 10);
    print_message("%d curves of up to %d points: %.3f s in one group, %.3f s in groups of ten\n",
                  COUNT, MOST_STEPS, whole, groups);
    assert_true(whole < 5 && groups < 5);
    free(curves);
    free(room);
}
