/* SPDX-License-Identifier: MIT */
/* Programs that start with their blocks written by core 0: where the blocks are, that everything
 * still goes right, and what happens if writing them goes wrong. */
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

enum { CORES = 4, OPERATIONS = 400 };

static sim_system *make_starting(const char *protocol, const run_shape *shape, sim_start start) {
    sim_system *system = make_system(sim_built_in_find(protocol), shape);
    system->wiring.start = start;
    return system;
}

/* ---- Where the blocks are. */

typedef struct counts {
    const sim_system *system;
    uint32_t of_memory; /* transitions of the directory */
    uint64_t word;      /* what was loaded */
} counts;

static void count(void *context, const col_event *event) {
    counts *c = context;
    if (event->kind == COL_LOAD_PERFORMED)
        c->word = event->word;
    else
        c->of_memory +=
            strcmp(c->system->protocol->machines[event->machine]->name, "Directory") == 0;
}

static counts run_counting(const char *protocol, sim_start start, sim_result *result) {
    const run_shape shape = plain_shape(CORES, OPERATIONS);
    sim_system *system = make_starting(protocol, &shape, start);
    counts c = {.system = system, .word = 7};
    const col_observer observer = {&c, count, 1U << COL_TRANSITION | 1U << COL_LOAD_PERFORMED};
    col_program program = COL_PROGRAM_EMPTY;
    read_text(&program, "collider program 1\nlocation a0 0x1000\nlocation a1 0x2000\n"
                        "thread 0\nthread 1\n  load a1\nend\n");
    *result = run_well(system, &program, 1, false, &observer);
    col_program_free(&program);
    sim_system_free(system);
    return c;
}

/* In two levels a block that core 0 wrote comes from its cache, without the directory. */
TEST(core_0_has_the_blocks) {
    sim_result cold, written;
    const counts nobody = run_counting("mesi2", SIM_COLD, &cold);
    const counts core_0 = run_counting("mesi2", SIM_WRITTEN, &written);
    assert_true(nobody.of_memory > 0);
    assert_int_equal(core_0.of_memory, 0);
    assert_true(nobody.word == 0 && core_0.word == 0);
    assert_true(written.cycles > cold.cycles); /* writing them takes time */
}

/* ---- Everything still goes right, and the same again. */

TEST(programs_go_right) {
    static const char *const protocols[] = {"mi", "msi", "mesi2", "mesi3", "moesi2", "tsocc"};
    col_program program = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    for (size_t p = 0; p < sizeof protocols / sizeof protocols[0]; p++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            const run_shape shape = random_shape(&rng, CORES, OPERATIONS);
            sim_system *system = make_starting(protocols[p], &shape, SIM_WRITTEN);
            uint64_t hashes[2];
            make_program(&shape, seed, &program);
            for (uint32_t i = 0; i < 2; i++) {
                witness w = {0};
                run_instance(system, &program, seed, false, &w);
                assert_false(system->failure.happened);
                assert_complete(&w);
                hashes[i] = w.hash;
                witness_end(&w);
            }
            assert_true(hashes[0] == hashes[1]);
            if (shape.mode == SIM_TSO)
                (void)run_judged(system, &program, seed, COL_TSO, false);
            sim_system_free(system);
        }
    col_program_free(&program);
}

/* ---- What goes wrong before the program. */

static void take_event(void *context, const col_event *event) {
    uint32_t *events = context;
    if (event->kind == COL_OUTPUT)
        return; /* who waits for whom */
    assert_int_equal(event->kind, COL_DEADLOCK);
    assert_int_equal(event->operation, 0);
    assert_non_null(
        strstr(event->message, "before the program, while core 0 was writing all locations: "));
    ++*events;
}

/* With room for a few cycles only, writing takes too long. The next instance is as good as new. */
TEST(a_failure_before_the_program_is_told) {
    const run_shape shape = plain_shape(CORES, OPERATIONS);
    sim_system *system = make_starting("mesi2", &shape, SIM_WRITTEN);
    const uint32_t enough = system->wiring.deadlock_cycles;
    uint32_t events = 0;
    const col_observer observer = {&events, take_event, UINT32_MAX};
    col_program program = COL_PROGRAM_EMPTY;
    sim_result result;
    make_program(&shape, 1, &program);
    system->wiring.deadlock_cycles = 2;
    assert_int_equal(sim_system_run(system, &program, 1, false, &observer, &result, NULL), COL_OK);
    assert_true(system->failure.happened);
    assert_int_equal(events, 1);
    assert_int_equal(result.operations, 0);
    system->wiring.deadlock_cycles = enough;
    (void)run_well(system, &program, 1, false, NULL);
    col_program_free(&program);
    sim_system_free(system);
}

/* Cores that have nothing to write do not keep the program waiting. */
TEST(writing_takes_no_skew) {
    const run_shape shape = plain_shape(CORES, OPERATIONS);
    sim_system *system = make_starting("mesi2", &shape, SIM_WRITTEN);
    col_program program = COL_PROGRAM_EMPTY;
    read_text(&program, "collider program 1\nlocation a0 0x1000\nthread 0\nend\n");
    system->wiring.core.skew = 10000;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        system->wiring.start = SIM_COLD;
        const uint64_t early = run_well(system, &program, seed, false, NULL).cycles;
        system->wiring.start = SIM_WRITTEN;
        const uint64_t late = run_well(system, &program, seed, false, NULL).cycles;
        assert_in_range(late - early, 1, 1000); /* one store */
    }
    col_program_free(&program);
    sim_system_free(system);
}

TEST(a_run_that_is_stopped_before_the_program_ends) {
    const run_shape shape = plain_shape(CORES, OPERATIONS);
    sim_system *system = make_starting("mesi2", &shape, SIM_WRITTEN);
    const volatile int stop = 1;
    col_program program = COL_PROGRAM_EMPTY;
    sim_result result;
    make_program(&shape, 1, &program);
    system->stop = &stop;
    assert_int_equal(sim_system_run(system, &program, 1, false, NULL, &result, NULL), COL_OK);
    assert_true(system->stopped);
    assert_int_equal(result.operations, 0);
    col_program_free(&program);
    sim_system_free(system);
}
