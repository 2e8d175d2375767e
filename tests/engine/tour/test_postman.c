/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The postman's tour, counted by the executor: every operation is possible, all transitions are
 * covered, and the cost is the optimum, not one operation more.
 */
#include "harness.h"
#include "letters.h"

static void check_tour(col_tour_protocol protocol, uint32_t cores) {
    const tour_space space = TOUR_ONE_LEVEL(protocol, cores);
    uint64_t optimum = 0;
    tour_count count;
    col_problem problem = {0};
    assert_int_equal(tour_find_optimum(&space, &optimum, &problem), COL_OK);
    assert_int_equal(tour_count_begin(&count, &space, &problem), COL_OK);
    assert_true(tour_postman(&space, (tour_sink){count_one, &count}));
    assert_int_equal(count.covered, tour_transition_count(&space));
    assert_int_equal(count.cost, optimum);
    tour_count_end(&count);
}

TEST(small_tours_cover_all_at_the_optimum) {
#ifdef REDUCED
    const uint32_t most_cores = 10;
#else
    const uint32_t most_cores = 12;
#endif
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= most_cores; cores++)
            check_tour((col_tour_protocol)protocol, cores);
}

/* Cores whose number has many divisors: sets that are themselves again after few steps. */
TEST(tours_of_divisible_core_counts_are_optimal) {
    check_tour(COL_TOUR_MSI, 15);
    check_tour(COL_TOUR_MESI, 16);
#ifndef REDUCED
    check_tour(COL_TOUR_MESI, 18);
    check_tour(COL_TOUR_MOSI, 16);
    check_tour(COL_TOUR_MOESI, 15);
#endif
}

/* ---- A sink that has enough. */

enum { MOST_OPERATIONS = 3000 };

typedef struct record {
    col_tour_operation operations[MOST_OPERATIONS];
    uint64_t count;
} record;

static bool take_record(void *context, col_tour_operation operation) {
    record *r = context;
    assert_true(r->count < MOST_OPERATIONS);
    r->operations[r->count++] = operation;
    return true;
}

typedef struct follower {
    const record *whole;
    uint64_t most, taken;
} follower;

static bool follow(void *context, col_tour_operation operation) {
    follower *f = context;
    assert_true(f->taken < f->most);
    assert_int_equal(operation.kind, f->whole->operations[f->taken].kind);
    assert_int_equal(operation.core, f->whole->operations[f->taken].core);
    return ++f->taken < f->most;
}

TEST(a_tour_stops_when_its_sink_returns_false) {
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++) {
        const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, 5);
        record whole = {.count = 0};
        assert_true(tour_postman(&space, (tour_sink){take_record, &whole}));
        for (uint64_t most = 1; most <= whole.count; most++) {
            follower f = {&whole, most, 0};
            assert_false(tour_postman(&space, (tour_sink){follow, &f}));
            assert_int_equal(f.taken, most);
        }
    }
}

/* ---- Memory: how deep the stack is when the sink is called. */

typedef struct depth {
    uintptr_t base;
    size_t most;
} depth;

static bool measure_depth(void *context, col_tour_operation operation) {
    (void)operation;
    depth *d = context;
    const uintptr_t here = (uintptr_t)&operation;
    const size_t bytes = d->base > here ? d->base - here : here - d->base;
    d->most = bytes > d->most ? bytes : d->most;
    return true;
}

static size_t depth_of(col_tour_protocol protocol, uint32_t cores, uintptr_t base) {
    const tour_space space = TOUR_ONE_LEVEL(protocol, cores);
    depth d = {.base = base};
    assert_true(tour_postman(&space, (tour_sink){measure_depth, &d}));
    return d.most;
}

TEST(memory_does_not_depend_on_the_number_of_cores) {
    const uintptr_t base = (uintptr_t)&state;
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++) {
        const size_t small = depth_of((col_tour_protocol)protocol, 6, base);
        assert_true(small > 0);
        assert_int_equal(depth_of((col_tour_protocol)protocol, 8, base), small);
        assert_int_equal(depth_of((col_tour_protocol)protocol, 12, base), small);
    }
}
