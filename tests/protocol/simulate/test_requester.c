/* SPDX-License-Identifier: MIT */
/* What the simple requester makes of a program: awaits, fences, read-modify-writes, delays. */
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

enum { SEEDS = 20 };

static void check_in_turns(const seen_run *s) {
    for (uint32_t turn = 0; turn < 4; turn++) {
        /* Thread 0 is operations 0 to 4, thread 1 operations 5 to 9. */
        static const uint32_t order[] = {0, 5, 6, 1, 2, 7, 8, 3};
        const uint32_t *pair = order + (size_t)2 * turn;
        assert_true(s->operations[pair[0]].cycle <= s->operations[pair[1]].cycle);
    }
    assert_int_equal(s->operations[4].word, 4);
    assert_int_equal(s->operations[9].word, 3);
}

TEST(a_flag_goes_back_and_forth) {
    see_on_each("collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                "thread 0\n store a0 1\n await a1 2\n store a0 3\n await a1 4\n load a1\n"
                "thread 1\n await a0 1\n store a1 2\n await a0 3\n store a1 4\n load a0\nend\n",
                2, SEEDS, check_in_turns);
}

static void check_sum(const seen_run *s) {
    uint64_t last = 0, sum = 0;
    for (uint32_t i = 0; i < 12; i++) {
        const uint64_t added = s->operations[i].word - s->operations[i].overwritten;
        sum += added >> 32;
        last = s->operations[i].word > last ? s->operations[i].word : last;
    }
    assert_int_equal(sum, 78); /* 1 + 2 + ... + 12 */
    assert_int_equal(last, UINT64_C(78) << 32);
}

TEST(adds_leave_their_sum) {
    see_on_each(
        "collider program 1\nlocation a0 0x48\n"
        "thread 0\n add a0 1\n add a0 2\n add a0 3\nthread 1\n add a0 4\n add a0 5\n add a0 6\n"
        "thread 2\n add a0 7\n add a0 8\n add a0 9\n"
        "thread 3\n add a0 10\n add a0 11\n add a0 12\nend\n",
        4, SEEDS, check_sum);
}

/* Every swap returns what another left; together they make one chain from 0. */
static void check_swaps(const seen_run *s) {
    uint32_t starts = 0;
    for (uint32_t i = 0; i < 6; i++) {
        starts += s->operations[i].overwritten == 0;
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(s->operations[i].overwritten, s->operations[j].overwritten);
        assert_int_not_equal(s->operations[i].overwritten, s->operations[i].word);
        assert_int_equal(s->operations[i].word, i + 1);
    }
    assert_int_equal(starts, 1);
}

TEST(swaps_make_one_chain) {
    see_on_each("collider program 1\nlocation a0 0x40\nthread 0\n swap a0 1\n swap a0 2\n"
                "thread 1\n swap a0 3\n swap a0 4\nthread 2\n swap a0 5\n swap a0 6\nend\n",
                3, SEEDS, check_swaps);
}

/* Fence and delay are operations 1 and 3: nothing is seen of them but the time they take. */
static void check_pauses(const seen_run *s) {
    assert_false(s->operations[1].times + s->operations[3].times > 0);
    assert_true(s->operations[2].cycle > s->operations[0].cycle);
    assert_true(s->operations[4].cycle >= s->operations[2].cycle + 1000);
    assert_true(s->operations[4].cycle < s->operations[2].cycle + 1200);
}

TEST(fences_and_delays_hold_back_what_follows) {
    see_on_each("collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                "thread 0\n store a0 1\n fence\n load a1\n delay 1000\n load a0\nend\n",
                1, SEEDS, check_pauses);
}

static void check_coherence(const seen_run *s) {
    assert_int_equal(s->operations[1].word, 1);
    assert_true(s->operations[3].word == 0 || s->operations[3].word == 1);
}

/* Two words of one block do not disturb each other. */
TEST(locations_of_a_block_are_separate) {
    see_on_each("collider program 1\nlocation a0 0x40\nlocation a1 0x78\n"
                "thread 0\n store a0 1\n load a0\nthread 1\n store a1 2\n load a0\nend\n",
                2, SEEDS, check_coherence);
}

TEST(programs_with_more_threads_than_cores_are_refused) {
    col_program program = COL_PROGRAM_EMPTY;
    read_text(&program, "collider program 1\nlocation a0 0x40\nthread 0\nthread 1\nthread 2\n"
                        " load a0\nend\n");
    const run_shape shape = plain_shape(2, 0);
    sim_system *system = make_system(sim_built_in[0], &shape);
    sim_result result;
    col_problem problem;
    assert_int_equal(sim_system_run(system, &program, 1, false, NULL, &result, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "the program has 3 threads, the design 2 cores");
    sim_system_free(system);
    col_program_free(&program);
}

static void check_failure(const char *text, col_event_kind kind) {
    col_program program = COL_PROGRAM_EMPTY;
    read_text(&program, text);
    const run_shape shape = plain_shape(2, 0);
    sim_system *system = make_system(sim_built_in[0], &shape);
    witness w = {0};
    run_instance(system, &program, 1, false, &w);
    witness_end(&w);
    assert_int_equal(system->failure.happened, kind != COL_LOAD_PERFORMED);
    if (system->failure.happened)
        assert_int_equal(system->failure.event.kind, kind);
    sim_system_free(system);
    col_program_free(&program);
}

/* What is awaited was overwritten long ago. Reading it again and again is no progress; doing
 * nothing because the program says so is. */
TEST(waiting_in_vain_is_distinguished_from_waiting) {
    check_failure("collider program 1\nlocation a0 0x40\nthread 0\n delay 5000\n await a0 1\n"
                  "thread 1\n store a0 1\n store a0 2\nend\n",
                  COL_DEADLOCK);
    check_failure("collider program 1\nlocation a0 0x40\nthread 0\n delay 500000\n store a0 1\n"
                  "thread 1\n await a0 1\nend\n",
                  COL_LOAD_PERFORMED);
}
