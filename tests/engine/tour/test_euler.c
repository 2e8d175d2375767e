/* SPDX-License-Identifier: MIT */
/*
 * The tour by Euler tours: everything it does is possible, it covers everything, without stores it
 * takes each transition exactly once, and costs no more than published.
 */
#include "harness.h"
#include "letters.h"

#ifdef REDUCED
enum { MOST_CORES = 8 };
#else
enum { MOST_CORES = 12 };
#endif

static tour_count run_euler(const tour_space *space) {
    tour_count count;
    assert_int_equal(tour_count_begin(&count, space, NULL), COL_OK);
    assert_true(tour_euler(space, (tour_sink){count_one, &count}));
    tour_count_end(&count);
    return count;
}

static void covers_everything(void **unused) {
    (void)unused;
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= MOST_CORES; cores++) {
            const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, cores);
            assert_int_equal(run_euler(&space).covered, tour_transition_count(&space));
        }
}

/* An Euler tour: as many steps as transitions, from the beginning back to it. */
static void without_stores_each_transition_is_taken_once(void **unused) {
    (void)unused;
    for (uint32_t cores = TOUR_LEAST_CORES; cores <= MOST_CORES; cores++) {
        const tour_space space = TOUR_ONE_LEVEL(COL_TOUR_SI, cores);
        const tour_count count = run_euler(&space);
        assert_int_equal(count.cost, tour_transition_count(&space));
        assert_int_equal(count.covered, count.cost);
        assert_int_equal(count.state.holders, 0);
    }
}

/* What Qin and Mishra give. */
static void tours_cost_no_more_than_published(void **unused) {
    (void)unused;
    static const struct {
        tour_space space;
        uint64_t cost;
    } rows[] = {
        {TOUR_ONE_LEVEL(COL_TOUR_MSI, 8), 14664},
        {TOUR_ONE_LEVEL(COL_TOUR_MESI, 8), 15312},
        {TOUR_ONE_LEVEL(COL_TOUR_MOSI, 8), 100807},
        {TOUR_ONE_LEVEL(COL_TOUR_MOESI, 8), 101455},
#ifndef REDUCED
        {TOUR_ONE_LEVEL(COL_TOUR_MESI, 16), 11570464},
        {TOUR_ONE_LEVEL(COL_TOUR_MOSI, 16), 131122063},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const tour_count count = run_euler(&rows[i].space);
        assert_true(count.cost <= rows[i].cost);
        assert_int_equal(count.covered, tour_transition_count(&rows[i].space));
    }
}

static void a_tour_ends_when_the_sink_returns_false(void **unused) {
    (void)unused;
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++) {
        const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, 4);
        const uint64_t cost = run_euler(&space).cost;
        for (uint32_t enough = 1; enough <= cost; enough++) {
            uint32_t left = enough;
            assert_false(tour_euler(&space, (tour_sink){count_down, &left}));
            assert_int_equal(left, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_everything),
        cmocka_unit_test(without_stores_each_transition_is_taken_once),
        cmocka_unit_test(tours_cost_no_more_than_published),
        cmocka_unit_test(a_tour_ends_when_the_sink_returns_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
