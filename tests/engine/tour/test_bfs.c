/* SPDX-License-Identifier: MIT */
/*
 * Shortest tests: they can all be done, cover everything, end where they began, and together cost
 * what the distances say, which are found here by relaxing until nothing changes; and the
 * published costs.
 */
#include "harness.h"
#include "letters.h"

#include <stdlib.h>

#ifdef REDUCED
enum { MOST_CORES = 4 };
#else
enum { MOST_CORES = 6 };
#endif

static tour_count run_bfs(const tour_space *space) {
    tour_count count;
    uint64_t bytes = 0;
    assert_int_equal(tour_count_begin(&count, space, NULL), COL_OK);
    assert_int_equal(tour_bfs(space, (tour_sink){count_one, &count}, &bytes, NULL), COL_OK);
    assert_true(bytes >= tour_state_count(space) && bytes <= 16 * tour_state_count(space));
    tour_count_end(&count);
    return count;
}

/* Distances of all states from the initial one, by repeating until nothing changes. */
static uint32_t *find_distances(const tour_space *space) {
    const uint64_t states = tour_state_count(space);
    uint32_t *distances = malloc(states * sizeof *distances);
    assert_non_null(distances);
    for (uint64_t i = 0; i < states; i++)
        distances[i] = i == 0 ? 0 : UINT32_MAX / 2;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint64_t i = 0; i < states * TOUR_KIND_COUNT * space->cores; i++) {
            const col_tour_operation operation = {(uint8_t)(i / space->cores % TOUR_KIND_COUNT),
                                                  (uint8_t)(i % space->cores)};
            const uint64_t number = i / space->cores / TOUR_KIND_COUNT;
            const tour_state state = tour_numbered_state(space, number);
            if (!tour_is_possible(space, &state, operation))
                continue;
            const tour_state next = tour_after(space, &state, operation);
            uint32_t *distance = &distances[tour_state_number(space, &next)];
            if (*distance <= distances[number] + 1)
                continue;
            *distance = distances[number] + 1;
            has_changed = true;
        }
    }
    return distances;
}

/* What resets a state. */
static uint32_t reset_cost(const tour_space *space, const tour_state *state) {
    uint32_t held = 0;
    for (uint32_t i = 0; i < space->cores; i++)
        held += state->holders >> i & 1;
    return space->protocol == COL_TOUR_SI ? held : 2;
}

/* What all tests cost: the distance, the transition, and the reset. */
static uint64_t expected_cost(const tour_space *space, const uint32_t *distances) {
    const uint64_t operations = (uint64_t)TOUR_KIND_COUNT * space->cores;
    uint64_t cost = 0;
    for (uint64_t i = 0; i < tour_state_count(space) * operations; i++) {
        const col_tour_operation operation = {(uint8_t)(i / space->cores % TOUR_KIND_COUNT),
                                              (uint8_t)(i % space->cores)};
        const tour_state state = tour_numbered_state(space, i / operations);
        if (!tour_is_possible(space, &state, operation))
            continue;
        const tour_state next = tour_after(space, &state, operation);
        cost += distances[i / operations] + 1 + reset_cost(space, &next);
    }
    return cost;
}

static void the_cost_is_the_sum_of_distances(void **unused) {
    (void)unused;
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= MOST_CORES; cores++) {
            const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, cores);
            uint32_t *distances = find_distances(&space);
            const tour_count count = run_bfs(&space);
            assert_int_equal(count.cost, expected_cost(&space, distances));
            assert_int_equal(count.covered, tour_transition_count(&space));
            assert_int_equal(count.state.holders, 0);
            free(distances);
        }
}

/* What Qin and Mishra give. */
static void costs_are_the_published_ones(void **unused) {
    (void)unused;
    static const struct {
        tour_space space;
        uint64_t cost;
    } rows[] = {
        {TOUR_ONE_LEVEL(COL_TOUR_MSI, 8), 36896},      {TOUR_ONE_LEVEL(COL_TOUR_MESI, 8), 37712},
        {TOUR_ONE_LEVEL(COL_TOUR_MOSI, 8), 196400},    {TOUR_ONE_LEVEL(COL_TOUR_MOESI, 8), 197216},
#ifndef REDUCED
        {TOUR_ONE_LEVEL(COL_TOUR_MESI, 16), 29103264},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const tour_count count = run_bfs(&rows[i].space);
        assert_int_equal(count.cost, rows[i].cost);
        assert_int_equal(count.covered, tour_transition_count(&rows[i].space));
    }
}

static bool count_only(void *context, col_tour_operation operation) {
    uint64_t *cost = context;
    (void)operation;
    ++*cost;
    return true;
}

/* The largest, without the executor, which would take long. */
static void costs_of_the_largest_are_the_published_ones(void **unused) {
    (void)unused;
#ifndef REDUCED
    uint64_t cost = 0, bytes = 0;
    assert_int_equal(tour_bfs(&(tour_space)TOUR_ONE_LEVEL(COL_TOUR_MOSI, 16),
                              (tour_sink){count_only, &cost}, &bytes, NULL),
                     COL_OK);
    assert_int_equal(cost, 275254368);
#else
    (void)count_only;
#endif
}

static void a_tour_ends_when_the_sink_returns_false(void **unused) {
    (void)unused;
    const tour_space space = TOUR_ONE_LEVEL(COL_TOUR_MOESI, 3);
    for (uint32_t enough = 1; enough <= 40; enough++) {
        uint32_t left = enough;
        uint64_t bytes = 0;
        assert_int_equal(tour_bfs(&space, (tour_sink){count_down, &left}, &bytes, NULL), COL_OK);
        assert_int_equal(left, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cost_is_the_sum_of_distances),
        cmocka_unit_test(costs_are_the_published_ones),
        cmocka_unit_test(costs_of_the_largest_are_the_published_ones),
        cmocka_unit_test(a_tour_ends_when_the_sink_returns_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
