/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * Tours of two levels of caches: they cover all of the space, counted; and their costs against the
 * exact minimum, which is found in two ways.
 */
#include "engine/tour/tour.h"
#include "harness.h"
#include "letters.h"

#include <stdlib.h>
#include <string.h>

static tour_count count_tour(const tour_space *space, bool is_postman) {
    tour_count count;
    col_problem problem = {0};
    assert_int_equal(tour_count_begin(&count, space, &problem), COL_OK);
    const tour_sink sink = {count_one, &count};
    uint64_t bytes;
    if (is_postman)
        assert_int_equal(tour_levels_postman(space, sink, &bytes, &problem), COL_OK);
    else
        assert_true(tour_levels_euler(space, sink));
    assert_int_equal(count.covered, tour_transition_count(space));
    tour_count_end(&count);
    return count;
}

static uint64_t optimum_of(const tour_space *space) {
    uint64_t optimum = 0;
    col_problem problem = {0};
    assert_int_equal(tour_find_optimum(space, &optimum, &problem), COL_OK);
    return optimum;
}

static void check_euler(const tour_space *space) {
    const tour_count count = count_tour(space, false);
    if (space->protocol == COL_TOUR_SI)
        assert_int_equal(count.cost, tour_transition_count(space)); /* each exactly once */
    else
        assert_true(count.cost >= optimum_of(space));
}

TEST(euler_tours_cover_everything) {
    FOR_EACH_SPACE(small_shapes, check_euler);
    FOR_EACH_SPACE(large_shapes, check_euler);
}

/* The flow between all states, walked, costs what the flow between classes says. */
static void check_postman(const tour_space *space) {
    assert_int_equal(count_tour(space, true).cost, optimum_of(space));
}

TEST(postman_tours_cost_the_optimum) {
    FOR_EACH_SPACE(small_shapes, check_postman);
}

/* Near the optimum where a shortest tour does not fit in memory or soon will not. */
TEST(euler_tours_are_near_the_optimum) {
    static const struct {
        col_tour_protocol protocol;
        shape shape;
        bool inclusive;
        uint64_t most_permille;
    } rows[] = {
        {COL_TOUR_MESI, {4, 2}, false, 1015},  {COL_TOUR_MESI, {3, 3}, false, 1015},
        {COL_TOUR_MOESI, {2, 4}, false, 1080}, {COL_TOUR_MOSI, {3, 3}, true, 1105},
#ifndef REDUCED
        {COL_TOUR_MESI, {5, 2}, false, 1005},  {COL_TOUR_MESI, {4, 3}, false, 1005},
        {COL_TOUR_MESI, {4, 3}, true, 1030},   {COL_TOUR_MESI, {4, 4}, true, 1010},
        {COL_TOUR_MOESI, {2, 6}, false, 1040}, {COL_TOUR_MOSI, {2, 6}, true, 1035},
        {COL_TOUR_MOESI, {4, 3}, true, 1105},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tour_space space = space_of(rows[i].protocol, rows[i].shape, rows[i].inclusive);
        const uint64_t cost = count_tour(&space, false).cost;
        assert_true(cost * 1000 <= optimum_of(&space) * rows[i].most_permille);
    }
}

/* Facts of the documentation. */
TEST(costs_are_the_documented_ones) {
    static const struct {
        col_tour_protocol protocol;
        shape shape;
        bool inclusive;
        uint64_t cost, optimum;
    } rows[] = {
        {COL_TOUR_MSI, {2, 2}, false, 1808, 1547},
        {COL_TOUR_MSI, {2, 2}, true, 852, 670},
        {COL_TOUR_MSI, {2, 4}, false, 55644, 53927},
        {COL_TOUR_MSI, {4, 2}, true, 32942, 30286},
        {COL_TOUR_MESI, {2, 2}, false, 2774, 2135},
        {COL_TOUR_MESI, {2, 2}, true, 1649, 1204},
        {COL_TOUR_MESI, {2, 4}, false, 60792, 57063},
        {COL_TOUR_MESI, {2, 4}, true, 20493, 17716},
        {COL_TOUR_MESI, {4, 2}, false, 260394, 257791},
        {COL_TOUR_MESI, {4, 2}, true, 36325, 32482},
        {COL_TOUR_MOSI, {2, 2}, false, 8066, 6723},
        {COL_TOUR_MOSI, {2, 4}, true, 120963, 111678},
        {COL_TOUR_MOSI, {4, 2}, true, 320390, 272166},
        {COL_TOUR_MOSI, {2, 4}, false, 396752, 370742},
        {COL_TOUR_MOESI, {2, 2}, false, 9066, 7178},
        {COL_TOUR_MOESI, {2, 2}, true, 4325, 3170},
        {COL_TOUR_MOESI, {2, 4}, false, 401998, 373422},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tour_space space = space_of(rows[i].protocol, rows[i].shape, rows[i].inclusive);
        assert_int_equal(optimum_of(&space), rows[i].optimum);
        assert_int_equal(count_tour(&space, false).cost, rows[i].cost);
    }
}

typedef struct limited {
    uint64_t left, taken;
} limited;

static bool take_some(void *context, col_tour_operation operation) {
    (void)operation;
    limited *l = context;
    l->taken++;
    return --l->left > 0;
}

static void check_enough(const tour_space *space) {
    for (uint64_t most = 1; most < 3000; most += most / 3 + 1) {
        limited l = {.left = most};
        const bool is_whole = tour_levels_euler(space, (tour_sink){take_some, &l});
        assert_true(is_whole ? l.taken < most : l.taken == most);
        limited p = {.left = most};
        uint64_t bytes;
        col_problem problem = {0};
        if (tour_state_count(space) > 200)
            continue;
        assert_int_equal(tour_levels_postman(space, (tour_sink){take_some, &p}, &bytes, &problem),
                         COL_OK);
        assert_true(p.taken <= most);
    }
}

TEST(tours_end_when_the_sink_returns_false) {
    static const shape shapes[] = {{2, 2}, {8, 3}}; /* the latter would take days */
    FOR_EACH_SPACE(shapes, check_enough);
}

/* The cost is found where the tour would be too large. */
TEST(large_spaces_have_an_optimum) {
    const tour_space space = space_of(COL_TOUR_MESI, (shape){8, 3}, false);
    tour_count count;
    col_problem problem = {0};
    assert_int_equal(tour_count_begin(&count, &space, &problem), COL_BAD_INPUT);
    assert_true(optimum_of(&space) > tour_transition_count(&space));
}
