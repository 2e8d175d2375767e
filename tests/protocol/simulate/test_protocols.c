/* SPDX-License-Identifier: MIT */
/* ctest: long */
/* The built-in protocols under random programs: coherent, complete, repeatable, frugal. */
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef REDUCED
enum { SYSTEMS = 4 };
#else
enum { SYSTEMS = 12 };
#endif

static void for_each_protocol(void (*test)(const sl_protocol *)) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
        test(*p);
}

/* ---- Coherent and complete. */

static void check_runs(const sl_protocol *protocol, uint32_t cores, uint32_t operations) {
    base_rng rng;
    base_rng_seed(&rng, cores, operations);
    col_program program = COL_PROGRAM_EMPTY;
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        const run_shape shape = random_shape(&rng, cores, operations);
        sim_system *system = make_system(protocol, &shape);
        for (uint64_t instance = 0; instance < 4; instance++) {
            witness w = {0};
            make_program(&shape, (uint64_t)i * 4 + instance, &program);
            run_instance(system, &program, i + instance, instance % 2 == 1, &w);
            if (system->failure.happened)
                fail_msg("%s on %u cores, system %u, instance %u: %s", protocol->name, cores, i,
                         (uint32_t)instance, system->failure.text);
            assert_complete(&w);
            assert_true(w.transitions > 0);
            witness_end(&w);
        }
        sim_system_free(system);
    }
    col_program_free(&program);
}

static void check_all_sizes(const sl_protocol *protocol) {
    check_runs(protocol, 2, 1024);
    check_runs(protocol, 5, 1000);
    check_runs(protocol, 8, 1024);
    check_runs(protocol, 32, 2048);
}

TEST(random_programs_run_coherently) {
    for_each_protocol(check_all_sizes);
}

/* ---- Repeatable. */

static uint64_t hash_of(sim_system *system, const col_program *program, uint64_t seed) {
    witness w = {0};
    run_instance(system, program, seed, false, &w);
    assert_false(system->failure.happened);
    assert_true(w.evictions > 0);
    witness_end(&w);
    return w.hash;
}

static void check_repeats(const sl_protocol *protocol) {
    for (int replacement = SL_LRU; replacement <= SL_RANDOM; replacement++) {
        run_shape shape = plain_shape(8, 1024);
        shape.replacement = (sl_replacement)replacement;
        shape.cache_bytes = 128;
        col_program program = COL_PROGRAM_EMPTY;
        make_program(&shape, 1, &program);
        sim_system *system = make_system(protocol, &shape), *fresh = make_system(protocol, &shape);
        const uint64_t hash = hash_of(system, &program, 7);
        assert_int_not_equal(hash_of(system, &program, 8), hash);
        assert_int_equal(hash_of(system, &program, 7), hash);
        assert_int_equal(hash_of(fresh, &program, 7), hash);
        sim_system_free(system);
        sim_system_free(fresh);
        col_program_free(&program);
    }
}

TEST(a_seed_gives_one_stream_of_events) {
    for_each_protocol(check_repeats);
}

/* ---- Frugal. */

static void check_allocations(const sl_protocol *protocol) {
    run_shape shape = plain_shape(8, 2048);
    shape.monitors = false;
    sim_system *system = make_system(protocol, &shape);
    col_program program = COL_PROGRAM_EMPTY;
    uint64_t warm = 0;
    for (uint64_t instance = 1; instance <= 90; instance++) {
        witness w = {0};
        make_program(&shape, 1, &program);
        run_instance(system, &program, instance, false, &w);
        witness_end(&w);
        if (instance == 60) /* pools have grown to the largest use */
            warm = system->allocations;
    }
    assert_true(warm > 0);
    assert_int_equal(system->allocations, warm);
    sim_system_free(system);
    col_program_free(&program);
}

TEST(a_warm_system_allocates_nothing) {
    for_each_protocol(check_allocations);
}

/* In a child of its own, whose peak the system counts. */
static void check_memory(const sl_protocol *protocol) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run_shape shape = plain_shape(64, 8192);
        shape.cache_bytes = 64 << 10;
        sim_system *system = make_system(protocol, &shape);
        col_program program = COL_PROGRAM_EMPTY;
        sim_result result;
        col_problem problem;
        make_program(&shape, 1, &program);
        assert_int_equal(sim_system_run(system, &program, 1, false, NULL, &result, &problem),
                         COL_OK);
        assert_false(system->failure.happened);
        sim_system_free(system);
        col_program_free(&program);
        _exit(0);
    }
    int status;
    struct rusage usage;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
#ifndef SANITIZED
    assert_true(usage.ru_maxrss < 200 * 1024);
#endif
}

TEST(sixty_four_cores_take_less_than_200_megabytes) {
    for_each_protocol(check_memory);
}
