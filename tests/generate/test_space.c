/* SPDX-License-Identifier: MIT */
/* The parameter spaces are the papers' sets, and steps stay inside them. */
#include "generate/space.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static col_space build(col_grid grid, col_range operations, col_range locations) {
    col_space space;
    col_error error;
    assert_int_equal(col_space_build(&space, grid, operations, locations, &error), COL_OK);
    return space;
}

static void powers_of_two(void **state) {
    (void)state;
    const col_space space =
        build(COL_GRID_POWERS, (col_range){1 << 10, 1 << 16}, (col_range){4, 128});
    const uint32_t operations[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
    const uint32_t locations[] = {4, 8, 16, 32, 64, 128};
    assert_int_equal(space.operation_count, 7);
    assert_memory_equal(space.operations, operations, sizeof operations);
    assert_int_equal(space.location_count, 6);
    assert_memory_equal(space.locations, locations, sizeof locations);
}

/* N of the paper on reinforcement learning, by its own formula. */
static void half_powers(void **state) {
    (void)state;
    const col_space space = build(COL_GRID_HALF_POWERS, (col_range){1, 1 << 20}, (col_range){4, 4});
    uint32_t count = 0;
    for (int i = 0; i <= 40; i++) {
        /* The power of an even i is whole; pow must not round it up. */
        const double power = i % 2 == 0 ? ldexp(1, i / 2) : ldexp(sqrt(2), i / 2);
        const uint32_t value = (uint32_t)ceil(power);
        if (count > 0 && space.operations[count - 1] == value)
            continue;
        assert_int_equal(space.operations[count++], value);
    }
    assert_int_equal(count, space.operation_count);
}

static void a_single_value_need_not_be_on_the_grid(void **state) {
    (void)state;
    const col_space space = build(COL_GRID_POWERS, (col_range){1000, 1000}, (col_range){12, 12});
    assert_true(col_space_has(&space, &(col_point){1000, 12, 3}));
    assert_false(col_space_has(&space, &(col_point){1000, 12, 5}));
    assert_false(col_space_has(&space, &(col_point){1000, 12, 0}));
    assert_false(col_space_has(&space, &(col_point){1024, 12, 3}));
    /* All divisors of 12, in order. */
    const uint32_t divisors[] = {1, 2, 3, 4, 6, 12, 0};
    for (uint32_t i = 0, k = 0; i < 7; i++) {
        k = col_next_divisor(12, k);
        assert_int_equal(k, divisors[i]);
    }
}

static void bad_ranges_are_refused(void **state) {
    (void)state;
    const col_range good = {4, 128};
    const struct {
        col_range operations, locations;
        const char *reason;
    } cases[] = {
        {{0, 10}, good, "operations"},  {{20, 10}, good, "operations"},
        {{5, 7}, good, "power of two"}, {good, {9, 15}, "power of two"},
        {good, {0, 0}, "locations"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        col_space space;
        col_error error;
        assert_int_equal(col_space_build(&space, COL_GRID_POWERS, cases[i].operations,
                                         cases[i].locations, &error),
                         COL_BAD_INPUT);
        assert_non_null(strstr(error.message, cases[i].reason));
    }
}

/* The thesis's perturbation function, Definition 5, on powers of two. */
static void steps_double_and_halve(void **state) {
    (void)state;
    const col_space space = build(COL_GRID_POWERS, (col_range){1024, 4096}, (col_range){4, 32});
    uint32_t points = 0;
    for (uint32_t n = 512; n <= 8192; n *= 2)
        for (uint32_t s = 2; s <= 64; s *= 2)
            for (uint32_t k = 1; k <= 64; k *= 2) {
                const col_point point = {n, s, k};
                const bool inside = n >= 1024 && n <= 4096 && s >= 4 && s <= 32 && k <= s;
                assert_int_equal(col_space_has(&space, &point), inside);
                const col_point wanted[COL_MOVE_COUNT] = {{2 * n, s, k}, {n / 2, s, k},
                                                          {n, 2 * s, k}, {n, s / 2, k},
                                                          {n, s, 2 * k}, {n, s, k / 2}};
                for (uint32_t move = 0; move < COL_MOVE_COUNT; move++) {
                    col_point to;
                    const bool legal = inside && col_space_has(&space, &wanted[move]);
                    assert_int_equal(col_space_step(&space, &point, (col_move)move, &to), legal);
                    if (legal)
                        assert_memory_equal(&to, &wanted[move], sizeof to);
                }
                points += inside;
            }
    assert_int_equal(points, 3 * (3 + 4 + 5 + 6));
}

/* Steps back undo steps forth on the finer grid too, and neighbours are the legal steps in order.
 */
static void steps_can_be_undone(void **state) {
    (void)state;
    const col_space space =
        build(COL_GRID_HALF_POWERS, (col_range){1, 1 << 16}, (col_range){1, 1024});
    for (uint32_t i = 0; i < space.operation_count; i++)
        for (uint32_t l = 0; l < space.location_count; l++)
            for (uint32_t k = 1; k <= space.locations[l]; k *= 2) {
                const col_point point = {space.operations[i], space.locations[l], k};
                col_point neighbours[COL_MOVE_COUNT], to, back;
                const uint32_t count = col_space_neighbours(&space, &point, neighbours);
                uint32_t seen = 0;
                for (uint32_t move = 0; move < COL_MOVE_COUNT; move++) {
                    if (!col_space_step(&space, &point, (col_move)move, &to))
                        continue;
                    assert_memory_equal(&to, &neighbours[seen++], sizeof to);
                    assert_true(col_space_has(&space, &to));
                    assert_true(col_space_step(&space, &to, (col_move)(move ^ 1), &back));
                    assert_memory_equal(&back, &point, sizeof back);
                }
                assert_int_equal(seen, count);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(half_powers),
        cmocka_unit_test(a_single_value_need_not_be_on_the_grid),
        cmocka_unit_test(bad_ranges_are_refused),
        cmocka_unit_test(steps_double_and_halve),
        cmocka_unit_test(steps_can_be_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
