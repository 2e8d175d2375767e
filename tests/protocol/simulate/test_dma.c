/* SPDX-License-Identifier: MIT */
/*
 * DMA engines, on a protocol made for them (tests/data/dma): what they read and write is coherent,
 * whole blocks and parts; a controller that reads and writes memory without looking is found; and
 * what an engine does not take, the core does.
 */
#include "runs.h"

#include "protocol/simulate/system.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

#ifdef REDUCED
enum { SYSTEMS = 8 };
#else
enum { SYSTEMS = 60 };
#endif

static sim_plugin plugin;

static int compile(void **state) {
    compile_protocol(&plugin, TEST_DATA "/dma/dma.slicc");
    return 0;
}

static int close_plugin(void **state) {
    sim_plugin_close(&plugin);
    return 0;
}

typedef struct variant {
    uint32_t engines;
    bool whole_blocks, careless, early, monitors;
} variant;

static sim_system *make_variant(const variant *v, const run_shape *shape) {
    const sl_protocol *protocol = plugin.protocol;
    sim_wiring wiring;
    sim_system *system = NULL;
    col_problem problem;
    assert_int_equal(sim_wiring_infer(&wiring, protocol, shape->cores, &problem), COL_OK);
    wiring.core.mode = shape->mode;
    wiring.core.outstanding = shape->outstanding;
    wiring.jitter = shape->jitter;
    wiring.monitors = v->monitors;
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        assert_int_equal(wiring.machines[m].has_dma,
                         strcmp(protocol->machines[m]->name, "DMA") == 0);
        if (wiring.machines[m].has_dma) {
            assert_int_equal(wiring.machines[m].count, 1);
            wiring.machines[m].count = v->engines;
            wiring.machines[m].whole_blocks = v->whole_blocks;
        }
        if (strcmp(protocol->machines[m]->name, "Directory") == 0) {
            sim_wiring_parameter(&wiring.machines[m], "careless", v->careless);
            sim_wiring_parameter(&wiring.machines[m], "early", v->early);
        }
    }
    assert_int_equal(sim_wiring_has_dma(&wiring), v->engines > 0);
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return system;
}

/* How many of the systems have an error, by a monitor or by the checker. */
static uint32_t count_errors(const variant *v) {
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t errors = 0;
    base_rng rng;
    base_rng_seed(&rng, 26, 1);
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        run_shape shape = random_shape(&rng, 4, 300);
        shape.mode = SIM_TSO;
        shape.mix = "load=0.2,store=0.25,swap=0.05,add=0.05,fence=0.05,fetch=0.05,"
                    "dma-read=0.2,dma-write=0.2";
        sim_system *system = make_variant(v, &shape);
        make_program(&shape, i, &program);
        errors += !run_judged(system, &program, i, COL_TSO, v->careless);
        sim_system_free(system);
    }
    col_program_free(&program);
    return errors;
}

TEST(engines_read_and_write_coherently) {
    static const variant variants[] = {{.engines = 1, .monitors = true},
                                       {.engines = 3, .monitors = true},
                                       {.engines = 2},
                                       {.engines = 1, .whole_blocks = true, .monitors = true},
                                       {.engines = 0}};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        assert_int_equal(count_errors(&variants[i]), 0);
}

/* What memory holds is not yet what the other caches must see. */
TEST(writes_perform_when_they_are_seen_or_end) {
    static const variant variants[] = {
        {.engines = 1, .whole_blocks = true, .early = true, .monitors = true},
        {.engines = 2, .whole_blocks = true, .early = true},
    };
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        assert_int_equal(count_errors(&variants[i]), 0);
}

TEST(accesses_that_do_not_wait_their_turn_are_found) {
    static const variant variants[] = {
        {.engines = 1, .careless = true, .monitors = true},
        {.engines = 1, .careless = true},
        {.engines = 1, .careless = true, .whole_blocks = true},
    };
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        assert_true(count_errors(&variants[i]) >= SYSTEMS / 4);
}

/* Locations a0 and a1 share a block, a2 is alone: what the engine is asked for. */
TEST(blocks_are_written_whole_only_where_nothing_else_is) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x48\n"
                               "location a2 0x88\nthread 0\n dma-write a0 1\n dma-write a2 2\n"
                               " dma-read a1\nend\n";
    const run_shape shape = plain_shape(1, 0);
    col_program program = COL_PROGRAM_EMPTY;
    read_text(&program, text);
    for (uint32_t whole = 0; whole < 2; whole++) {
        const variant v = {.engines = 1, .whole_blocks = whole == 1};
        sim_system *system = make_variant(&v, &shape);
        system->program = &program;
        sim_dma_start(system);
        assert_int_equal(sim_dma_takes(system, &program.operations[0]), whole == 0);
        assert_true(sim_dma_takes(system, &program.operations[1]));
        assert_true(sim_dma_takes(system, &program.operations[2]));
        sim_system_free(system);
    }
    col_program_free(&program);
}

/* Against looking at all other locations, for programs of few and many on close addresses. */
TEST(neighbours_are_found_among_many_locations) {
    static const uint32_t counts[] = {1, 2, 3, 64, 65, 700, 5};
    const variant v = {.engines = 1, .whole_blocks = true};
    const run_shape shape = plain_shape(1, 0);
    sim_system *system = make_variant(&v, &shape);
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    base_rng rng;
    base_rng_seed(&rng, 12, 1);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint32_t count = counts[i];
        assert_int_equal(col_program_shape(&program, 1, (const uint32_t[]){1}, count, &problem),
                         COL_OK);
        for (uint32_t l = 0; l < count; l++)
            program.addresses[l] = base_rng_below(&rng, UINT64_C(32) * count) * COL_WORD_BYTES;
        system->program = &program;
        sim_dma_start(system);
        for (uint32_t l = 0; l < count; l++) {
            const col_operation write = {.kind = COL_DMA_WRITE, .location = l, .value = 1};
            bool is_alone = true;
            for (uint32_t other = 0; other < count; other++)
                is_alone = is_alone && (other == l || sl_line(program.addresses[other]) !=
                                                          sl_line(program.addresses[l]));
            assert_int_equal(sim_dma_takes(system, &write), is_alone);
        }
    }
    sim_system_free(system);
    col_program_free(&program);
}

/* A block that is never kept is never prefetched: the requests arrive, one for each operation. */
TEST(prefetches_go_to_their_own_queue) {
    static const char text[] = "collider program 1\nlocation a0 0x40\n"
                               "thread 0\n prefetch a0\n load a0\n prefetch a0\n delay 200\n"
                               " prefetch a0\n delay 200\n load a0\nend\n";
    col_program program = COL_PROGRAM_EMPTY;
    read_text(&program, text);
    for (uint32_t mode = SIM_SIMPLE; mode < SIM_MODE_COUNT; mode++) {
        run_shape shape = plain_shape(1, 0);
        const variant v = {.engines = 1, .monitors = true};
        shape.mode = (sim_mode)mode;
        sim_system *system = make_variant(&v, &shape);
        const sl_machine *cache = plugin.protocol->machines[0];
        (void)run_well(system, &program, 1, false, NULL);
        uint32_t arrived = 0;
        for (uint32_t s = 0; s < cache->state_count; s++)
            for (uint32_t e = 0; e < cache->event_count; e++)
                if (strcmp(cache->events[e], "Prefetch") == 0)
                    arrived += system->counts[0][s * cache->event_count + e];
        assert_int_equal(arrived, 3);
        sim_system_free(system);
    }
    col_program_free(&program);
}

int main(void) {
    return run_all_tests(compile, close_plugin);
}
