/* SPDX-License-Identifier: MIT */
/* The model-based engine: each point of each plane once in the stated order, and then it is
 * through.
 */
#include "synthetic.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = {"ctg1", "ctg2", "ctg3"};

/* The next point; the program is checked to be a test at it. */
static col_point next(col_engine *engine, const col_feedback *feedback, col_program *program) {
    col_point point;
    col_problem problem = {0};
    if (col_engine_next(engine, feedback, program, &point, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    if (point.operations > 0) {
        assert_int_equal(col_program_operations(program), point.operations);
        assert_int_equal(program->location_count, point.locations);
    }
    return point;
}

static void expect_points(const char *name, col_range operations, col_range locations,
                          const col_point *expected, uint32_t count) {
    const col_engine_settings settings = synthetic_settings(operations, locations, 1);
    col_engine *engine = synthetic_engine(name, &settings);
    col_program program = COL_PROGRAM_EMPTY;
    synthetic s = synthetic_new(1, 1000);
    for (uint32_t i = 0; i < count; i++) {
        const col_point point = next(engine, &s.feedback, &program);
        if (memcmp(&point, &expected[i], sizeof point) != 0)
            fail_msg("%s, test %u: (%u, %u, %u), not (%u, %u, %u)", name, i + 1, point.operations,
                     point.locations, point.sets, expected[i].operations, expected[i].locations,
                     expected[i].sets);
        (void)synthetic_run(&s, &point);
    }
    for (int again = 0; again < 3; again++)
        assert_int_equal(next(engine, &s.feedback, &program).operations, 0);
    col_program_free(&program);
    col_engine_free(engine);
}

/* Figure 9a: the planes of 1Ki, 2Ki and 4Ki, each with 4 to 32 locations, traversed as 9b, c, d. */
TEST(planes_are_traversed_as_in_figure_9) {
    static const uint32_t orders[3][19][2] = {
        {{32, 1},
         {4, 4},
         {16, 1},
         {4, 2},
         {8, 1},
         {8, 8},
         {4, 1},
         {8, 4},
         {32, 2},
         {8, 2},
         {16, 2},
         {16, 16},
         {32, 4},
         {16, 8},
         {16, 4},
         {32, 32},
         {32, 8},
         {32, 16}},
        {{32, 1}, {4, 4}, {16, 1}, {8, 8}, {8, 1}, {16, 16}, {4, 1}, {32, 32}},
        {{32, 1}, {16, 1}, {8, 1}, {4, 1}}};
    for (int v = 0; v < 3; v++) {
        col_point expected[64];
        uint32_t count = 0;
        for (uint32_t plane = 0; plane < 3; plane++)
            for (uint32_t i = 0; orders[v][i][0] != 0; i++)
                expected[count++] = (col_point){1024U << plane, orders[v][i][0], orders[v][i][1]};
        expect_points(variants[v], (col_range){1024, 4096}, (col_range){4, 32}, expected, count);
    }
}

/* A plane with an odd number of points ends on a turn of replacements: the next begins with
 * collisions. */
TEST(turns_carry_over_to_the_next_plane) {
    static const col_point expected[] = {{64, 4, 1},  {64, 4, 4},  {64, 4, 2},
                                         {128, 4, 4}, {128, 4, 1}, {128, 4, 2},
                                         {256, 4, 1}, {256, 4, 4}, {256, 4, 2}};
    /* In the second plane it is the turn of collisions, and only one set is left. */
    static const col_point small[] = {{64, 2, 1},  {64, 2, 2},  {64, 1, 1},
                                      {128, 2, 2}, {128, 2, 1}, {128, 1, 1}};
    expect_points("ctg1", (col_range){64, 256}, (col_range){4, 4}, expected, 9);
    expect_points("ctg1", (col_range){64, 128}, (col_range){1, 2}, small, 6);
}

/* Caches with two sets allow two sets at most. */
TEST(sets_do_not_exceed_those_of_the_caches) {
    col_engine_settings settings = synthetic_settings((col_range){64, 64}, (col_range){4, 8}, 1);
    static const col_point expected[] = {{64, 8, 1}, {64, 4, 2}, {64, 4, 1}, {64, 8, 2}};
    col_program program = COL_PROGRAM_EMPTY;
    synthetic s = synthetic_new(1, 1000);
    settings.geometry =
        (col_geometry){.block_bits = 6,
                       .level_count = 1,
                       .levels = {{.name = "L0", .index_low = 6, .index_bits = 1, .ways = 2}}};
    col_engine *engine = synthetic_engine("ctg1", &settings);
    for (uint32_t i = 0; i < 4; i++) {
        const col_point point = next(engine, synthetic_run(&s, &expected[i]), &program);
        assert_memory_equal(&point, &expected[i], sizeof point);
    }
    assert_int_equal(next(engine, &s.feedback, &program).operations, 0);
    col_program_free(&program);
    col_engine_free(engine);
}

TEST(full_coverage_ends_the_search) {
    const col_engine_settings settings =
        synthetic_settings((col_range){64, 256}, (col_range){4, 32}, 1);
    col_program program = COL_PROGRAM_EMPTY;
    for (int v = 0; v < 3; v++) {
        col_engine *engine = synthetic_engine(variants[v], &settings);
        col_feedback feedback = {.total = 10, .covered = 9};
        for (feedback.tests = 0; feedback.tests < 3; feedback.tests++)
            assert_int_not_equal(next(engine, &feedback, &program).operations, 0);
        feedback.covered = 10;
        assert_int_equal(next(engine, &feedback, &program).operations, 0);
        col_engine_free(engine);
    }
    col_program_free(&program);
}

/* Starting over visits the same points by other programs. */
TEST(each_round_visits_the_same_points_by_new_programs) {
    col_engine_settings settings = synthetic_settings((col_range){64, 128}, (col_range){4, 8}, 3);
    enum { ROUND = 2 * 7 };
    col_point points[ROUND];
    col_hash hashes[3 * ROUND];
    col_program program = COL_PROGRAM_EMPTY;
    synthetic s = synthetic_new(1, 1000);
    settings.repeat = true;
    col_engine *engine = synthetic_engine("ctg1", &settings);
    for (uint32_t i = 0; i < 3 * ROUND; i++) {
        const col_point point = next(engine, &s.feedback, &program);
        assert_int_not_equal(point.operations, 0);
        if (i < ROUND)
            points[i] = point;
        assert_memory_equal(&point, &points[i % ROUND], sizeof point);
        hashes[i] = col_program_hash(&program);
        for (uint32_t j = 0; j < i; j++)
            assert_memory_not_equal(&hashes[i], &hashes[j], sizeof hashes[i]);
        (void)synthetic_run(&s, &point);
    }
    col_program_free(&program);
    col_engine_free(engine);
}

static void expect_refusal(const char *name, const col_engine_settings *settings,
                           const char *part) {
    col_engine *engine = NULL;
    col_problem problem = {0};
    assert_int_equal(col_engine_new(&engine, name, settings, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, part);
}

TEST(impossible_settings_are_refused) {
    col_engine_settings settings = synthetic_settings((col_range){64, 64}, (col_range){4, 8}, 1);
    settings.sets = 2;
    expect_refusal("ctg2", &settings, "one set or for as many as they are");
    expect_refusal("ctg3", &settings, "ctg3 has no point");
    settings.sets = 16;
    expect_refusal("ctg1", &settings, "8 locations cannot compete for 16 sets");
    expect_refusal("plain", &settings, "sets are for engines that bias addresses");
    settings.sets = 0;
    settings.mix = "balanced";
    expect_refusal("ctg1", &settings, "there is no mix 'balanced'");
    settings.mix = NULL;
    settings.options = "population=3";
    expect_refusal("ctg1", &settings, "has no parameter 'population'");
    expect_refusal("chain", &settings, "has no parameter 'population'");
}
