/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Running out of memory in a run is a failure of the machine, never of the design, and leaves the
 * system whole: the next run, with memory again, does what it would have done anyway.
 */
#include "protocol/explore/search.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static const sl_services *usual;
static uint32_t allocations_left;

static void *fail_to_grow(sl_system *base, void *old, size_t size) {
    if (allocations_left == 0)
        sim_out_of_memory((sim_system *)(void *)base);
    allocations_left--;
    return usual->grow(base, old, size);
}

static void assert_out_of_memory(col_status status, const col_problem *problem) {
    assert_int_equal(status, COL_FAILURE);
    assert_non_null(strstr(problem->message, "out of memory"));
}

/* The cycles of an instance in which no allocation fails. */
static uint64_t cycles_of(sim_system *system, const col_program *program, bool warm) {
    sim_result result;
    col_problem problem;
    assert_int_equal(sim_system_run(system, program, 1, warm, NULL, &result, &problem), COL_OK);
    if (system->failure.happened)
        fail_msg("%s", system->failure.text);
    assert_int_equal(result.operations, col_program_operations(program));
    return result.cycles;
}

static sim_system *make_growing(const sl_protocol *protocol) {
    run_shape shape = plain_shape(4, 600);
    shape.locations = 200;
    shape.outstanding = 16;
    shape.memory_latency = 300; /* beyond the wheel */
    sim_system *system = make_system(protocol, &shape);
    usual = system->base.services;
    return system;
}

/* Fails one allocation of a run after the other. How many there are. */
static uint32_t fail_each(const sl_protocol *protocol, const col_program *program) {
    sim_system *system = make_growing(protocol);
    const uint64_t cycles = cycles_of(system, program, false);
    sim_system_free(system);
    for (uint32_t n = 0;; n++) {
        sim_result result;
        col_problem problem = {0};
        system = make_growing(protocol);
        sl_services failing = *usual;
        failing.grow = fail_to_grow;
        allocations_left = n;
        system->base.services = &failing;
        const col_status status =
            sim_system_run(system, program, 1, false, NULL, &result, &problem);
        system->base.services = usual;
        if (status != COL_OK) {
            assert_out_of_memory(status, &problem);
            assert_int_equal(cycles_of(system, program, true), cycles);
        }
        sim_system_free(system);
        if (status == COL_OK)
            return n;
    }
}

TEST(a_run_without_memory_fails_and_the_next_succeeds) {
    run_shape shape = plain_shape(4, 600);
    shape.locations = 200;
    col_program program = COL_PROGRAM_EMPTY;
    make_program(&shape, 7, &program);
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
        assert_true(fail_each(*p, &program) > 5);
    col_program_free(&program);
}

TEST(a_search_without_memory_fails_and_the_next_succeeds) {
    const exp_exploration_settings settings = {.blocks = 1, .outstanding = 1};
    const run_shape shape = plain_shape(2, 0);
    sim_system *system = make_system(sim_built_in_find("mi"), &shape);
    col_status status = COL_FAILURE;
    uint32_t failures = 0;
    usual = system->base.services;
    sl_services failing = *usual;
    failing.grow = fail_to_grow;
    for (uint32_t n = 0; status != COL_OK; n++) {
        exp_exploration found;
        col_problem problem = {0};
        allocations_left = n;
        system->base.services = &failing;
        status = exp_explore(system, &settings, &found, &problem);
        system->base.services = usual;
        if (status != COL_OK) {
            assert_out_of_memory(status, &problem);
            failures++;
            continue;
        }
        assert_true(found.complete && !found.broken);
        assert_int_equal(found.states, 2701);
    }
    assert_true(failures > 2);
    sim_system_free(system);
}

#ifndef SANITIZED
/* A limit on the process would let an allocation by value fail. */
TEST(monitors_need_no_memory_for_large_values) {
    static const char text[] =
        "collider program 1\nlocation a0 0x40\nthread 0\n store a0 %s\nend\n";
    char small[128], large[128];
    (void)snprintf(small, sizeof small, text, "1");
    (void)snprintf(large, sizeof large, text, "4294967295");
    col_program one = COL_PROGRAM_EMPTY, huge = COL_PROGRAM_EMPTY;
    read_text(&one, small);
    read_text(&huge, large);
    const run_shape shape = plain_shape(2, 0);
    sim_system *system = make_system(sim_built_in_find("mi"), &shape);
    const uint64_t cycles = cycles_of(system, &one, false);
    struct rlimit old, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    limit = old;
    limit.rlim_cur = (rlim_t)4 << 30; /* eight bytes for each of 2^32 values are more */
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    assert_int_equal(cycles_of(system, &huge, false), cycles);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    sim_system_free(system);
    col_program_free(&one);
    col_program_free(&huge);
}
#endif
