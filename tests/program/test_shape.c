/* SPDX-License-Identifier: MIT */
/* The shape of a program in memory: its limits, its reuse, which thread an operation is of. */
#include "harness.h"
#include "random_program.h"

/* Whatever the program was before, shaping it makes it loads of location 0 at addresses 0. */
TEST(shaping_discards_the_old_program) {
    const col_operation load = {.kind = COL_LOAD};
    col_program program = COL_PROGRAM_EMPTY;
    for (uint64_t test = 0; test < 2000; test++) {
        base_rng rng;
        base_rng_seed(&rng, 31, test);
        random_program(&rng, &program);
        uint32_t lengths[8], total = 0;
        const uint32_t threads = random_between(&rng, 0, 8);
        const uint32_t locations = random_between(&rng, 0, 12);
        for (uint32_t t = 0; t < threads; t++)
            total += lengths[t] = random_between(&rng, 0, 20);
        assert_int_equal(col_program_shape(&program, threads, lengths, locations, NULL), COL_OK);
        assert_int_equal(program.thread_count, threads);
        assert_int_equal(program.location_count, locations);
        assert_int_equal(col_program_operations(&program), total);
        for (uint32_t t = 0; t < threads; t++)
            assert_int_equal(program.thread_start[t + 1] - program.thread_start[t], lengths[t]);
        for (uint32_t o = 0; o < total; o++)
            assert_memory_equal(&program.operations[o], &load, sizeof load);
        for (uint32_t l = 0; l < locations; l++)
            assert_int_equal(program.addresses[l], 0);
    }
    col_program_free(&program);
    assert_null(program.operations);
    assert_int_equal(col_program_operations(&program), 0);
}

/* Empty threads, at the ends too, never own an operation. */
TEST(every_operation_has_its_thread) {
    col_program program = COL_PROGRAM_EMPTY;
    for (uint64_t test = 0; test < 2000; test++) {
        base_rng rng;
        base_rng_seed(&rng, 32, test);
        uint32_t lengths[40];
        const uint32_t threads = random_between(&rng, 1, 40);
        for (uint32_t t = 0; t < threads; t++)
            lengths[t] = random_between(&rng, 0, 2) * random_between(&rng, 0, 1);
        assert_int_equal(col_program_shape(&program, threads, lengths, 1, NULL), COL_OK);
        uint32_t index = 0;
        for (uint32_t t = 0; t < threads; t++)
            for (uint32_t place = 0; place < lengths[t]; place++)
                assert_int_equal(col_program_thread_of(&program, index++), t);
    }
    col_program_free(&program);
}

TEST(shapes_beyond_the_limits_are_refused) {
    static uint32_t lengths[COL_MAX_THREADS + 1];
    const uint32_t most[] = {UINT32_MAX - 2, 2};
    col_program program = COL_PROGRAM_EMPTY, before = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 33, 0);
    random_program(&rng, &program);
    base_rng_seed(&rng, 33, 0);
    random_program(&rng, &before);
    col_problem problem;
    assert_int_equal(col_program_shape(&program, COL_MAX_THREADS + 1, lengths, 1, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "a program has at most 65536 threads");
    assert_int_equal(col_program_shape(&program, 1, lengths, COL_MAX_LOCATIONS + 1, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "a program has at most 16777216 locations");
    assert_int_equal(col_program_shape(&program, 2, most, 1, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "a program has fewer than 2^32 - 1 operations");
    /* Their sum is 4 modulo 2^32. */
    const uint32_t wrapping[] = {UINT32_MAX, 5};
    assert_int_equal(col_program_shape(&program, 2, wrapping, 1, &problem), COL_BAD_INPUT);
    assert_true(col_program_equal(&program, &before));

    assert_int_equal(
        col_program_shape(&program, COL_MAX_THREADS, lengths, COL_MAX_LOCATIONS, &problem), COL_OK);
    col_program_free(&program);
    col_program_free(&before);
}

/* A store leaves its value; an add counts in the upper half of the word. */
TEST(operands_follow_the_kind) {
    const uint32_t value = 0xfedcba98;
    for (int kind = COL_STORE; kind <= COL_ADD; kind++) {
        const col_operation operation = {.kind = (uint8_t)kind, .value = value};
        const col_program wide = COL_PROGRAM_EMPTY, narrow = {.is_narrow = true};
        assert_int_equal(col_program_operand(&wide, &operation),
                         kind == COL_ADD ? UINT64_C(0xfedcba9800000000) : value);
        assert_int_equal(col_program_operand(&narrow, &operation),
                         kind == COL_ADD ? UINT64_C(1) << 32 : value);
    }
}
