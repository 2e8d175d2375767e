/* SPDX-License-Identifier: MIT */
/* ctest: long */
/* Flushes: the block leaves the core's private cache, its data survives, and nothing else breaks.
 */
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { SEEDS = 8, SYSTEMS = 12 };
#else
enum { SEEDS = 50, SYSTEMS = 64 };
#endif

static void run_each(const char *text, check_seen *check) {
    see_on_each(text, 2, SEEDS, check);
}

/* ---- The block leaves. */

/* From memory, or from a level that all cores share. */
static void assert_from_outside(col_source source) {
    assert_true(source == COL_FROM_MEMORY || source == COL_FROM_SHARED_LEVEL);
}

/* A flush is operation 2: of itself nothing is seen. */
static void check_drop(const seen_run *s) {
    assert_int_equal(s->operations[1].source, COL_FROM_PRIVATE_CACHE);
    assert_int_equal(s->operations[2].times, 0);
    assert_from_outside(s->operations[3].source);
    assert_int_equal(s->operations[3].word, s->operations[1].word);
    assert_int_equal(s->evictions, 1);
}

/* Also without a fence: accesses to one block keep their order. */
TEST(a_flushed_block_leaves_the_private_cache) {
    run_each("collider program 1\nlocation a0 0x40\n"
             "thread 0\n store a0 1\n load a0\n flush a0\n load a0\nend\n",
             check_drop);
    run_each("collider program 1\nlocation a0 0x40\n"
             "thread 0\n load a0\n load a0\n flush a0\n load a0\nend\n",
             check_drop);
}

static void check_nothing_to_drop(const seen_run *s) {
    assert_int_equal(s->operations[2].source, COL_FROM_MEMORY);
    assert_int_equal(s->operations[3].source, COL_FROM_PRIVATE_CACHE);
    assert_int_equal(s->evictions, 0);
}

/* Nor does it need a place: a0 and a1 fill the set that a2 belongs to. */
TEST(flushing_what_is_not_there_changes_nothing) {
    run_each("collider program 1\nlocation a0 0x40\n"
             "thread 0\n flush a0\n flush a0\n load a0\n load a0\nend\n",
             check_nothing_to_drop);
    run_each("collider program 1\nlocation a0 0x40\nlocation a1 0x10040\nlocation a2 0x20040\n"
             "thread 0\n load a1\n fence\n load a0\n load a0\n flush a2\n fence\n load a1\nend\n",
             check_nothing_to_drop);
}

/* ---- Dirty data survives. */

static void check_survival(const seen_run *s) {
    assert_int_equal(s->operations[5].times, 1);
    assert_int_equal(s->operations[7].word, 1);
}

static void check_survival_outside(const seen_run *s) {
    check_survival(s);
    assert_from_outside(s->operations[7].source);
}

/* The other core asks while the block is on its way, or long after. */
TEST(dirty_data_survives_a_flush) {
    run_each("collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
             "thread 0\n store a0 1\n flush a0\n fence\n delay 0\n store a1 2\n"
             "thread 1\n await a1 2\n fence\n load a0\nend\n",
             check_survival);
    run_each("collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
             "thread 0\n store a0 1\n flush a0\n fence\n delay 500\n store a1 2\n"
             "thread 1\n await a1 2\n fence\n load a0\nend\n",
             check_survival_outside);
}

/* ---- A protocol that takes no flushes. */

static void check_no_drop(const seen_run *s) {
    assert_int_equal(s->operations[3].source, COL_FROM_PRIVATE_CACHE);
    assert_int_equal(s->evictions, 0);
}

TEST(flushes_do_nothing_if_the_protocol_takes_none) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        sl_machine copies[SIM_MOST_MACHINES];
        const sl_machine *machines[SIM_MOST_MACHINES];
        sl_protocol protocol = **p;
        for (uint32_t m = 0; m < protocol.machine_count; m++) {
            copies[m] = *protocol.machines[m];
            copies[m].requests &= ~(UINT64_C(1) << SL_FLUSH);
            machines[m] = &copies[m];
        }
        protocol.machines = machines;
        see_on(&protocol,
               "collider program 1\nlocation a0 0x40\n"
               "thread 0\n store a0 1\n load a0\n flush a0\n load a0\nend\n",
               2, SEEDS, check_no_drop);
    }
}

/* ---- Random programs. */

static void run_random(const sl_protocol *protocol, uint32_t cores, witness *w) {
    base_rng rng;
    base_rng_seed(&rng, cores, 30);
    col_program program = COL_PROGRAM_EMPTY;
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        run_shape shape = random_shape(&rng, cores, 1024);
        shape.mix = "load=0.29,store=0.29,swap=0.02,add=0.02,fence=0.03,delay=0.05,flush=0.3";
        if (i % 2 == 1) {
            /* Two blocks on a network with much jitter: answers overtake forwards, and a core comes
             * back to its block in between. */
            shape.locations = 2;
            shape.sets = 0;
            shape.outstanding = 1;
            shape.memory_latency = 1;
            shape.jitter = 100;
        }
        sim_system *system = make_system(protocol, &shape);
        for (uint64_t instance = 0; instance < 4; instance++) {
            make_program(&shape, (uint64_t)i * 4 + instance, &program);
            run_instance(system, &program, i + instance, instance % 2 == 1, w);
            if (system->failure.happened)
                fail_msg("%s on %u cores, system %u, instance %u: %s", protocol->name, cores, i,
                         (uint32_t)instance, system->failure.text);
            assert_complete(w);
            witness_end(w);
        }
        sim_system_free(system);
    }
    col_program_free(&program);
}

/* All transitions that flushes make; of how many there are, at least those of stable states. */
static void assert_flushes_covered(const sl_machine *machine, const uint32_t *taken) {
    uint32_t covered = 0;
    for (uint32_t i = 0; i < machine->state_count * machine->event_count; i++) {
        if (strcmp(machine->events[i % machine->event_count], "Flush") != 0 ||
            (machine->cells[i].flags & SL_DEFINED) == 0)
            continue;
        if (taken[i] == 0)
            fail_msg("a flush never meets the state %s", machine->states[i / machine->event_count]);
        covered++;
    }
    assert_true(sl_takes(machine, SL_FLUSH) ? covered >= 2 : covered == 0);
}

TEST(random_programs_with_flushes_run_coherently) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        uint32_t first[SIM_MOST_MACHINES], takers = 0;
        /* Counts the transitions of all machines, one after the other. */
        uint32_t cells = 0;
        for (uint32_t m = 0; m < (*p)->machine_count; m++) {
            first[m] = cells;
            cells += (*p)->machines[m]->state_count * (*p)->machines[m]->event_count;
        }
        witness w = {
            .taken = calloc((size_t)cells + 1, sizeof *w.taken), .first = first, .protocol = (*p)};
        assert_non_null(w.taken);
        run_random(*p, 2, &w);
        run_random(*p, 4, &w);
        run_random(*p, 8, &w);
        for (uint32_t m = 0; m < (*p)->machine_count; m++) {
            takers += sl_takes((*p)->machines[m], SL_FLUSH);
            if (SYSTEMS == 64) /* with fewer, rare ones are not met */
                assert_flushes_covered((*p)->machines[m], w.taken + first[m]);
        }
        assert_int_equal(takers, 1);
        free(w.taken);
    }
}
