/* SPDX-License-Identifier: MIT */
/* Running small programs many times: see instances.h. */
#include "instances.h"

#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

static const struct {
    uint32_t network_latency, jitter, memory_latency, core_jitter, outstanding, width, window,
        loads, stores, cache_bytes;
    sim_topology topology;
} shapes[VARIANTS] = {
    {3, 4, 30, 4, 8, 4, 40, 32, 32, 4096, SIM_CROSSBAR},
    {1, 40, 5, 300, 16, 8, 64, 64, 64, 4096, SIM_CROSSBAR},
    {5, 0, 60, 100, 4, 1, 16, 8, 4, 128, SIM_MESH},
    {2, 12, 12, 24, 2, 2, 4, 2, 2, 64, SIM_CROSSBAR},
};

static sim_system *make(const sl_protocol *protocol, uint32_t variant, sim_mode mode,
                        uint32_t without) {
    sim_wiring wiring;
    sim_system *system = NULL;
    col_problem problem;
    assert_int_equal(sim_wiring_infer(&wiring, protocol, MOST_CORES, &problem), COL_OK);
    wiring.network_latency = shapes[variant].network_latency;
    wiring.jitter = shapes[variant].jitter;
    wiring.memory_latency = shapes[variant].memory_latency;
    wiring.topology = shapes[variant].topology;
    wiring.deadlock_cycles = 50000;
    wiring.monitors = without == 0;
    wiring.core = (sim_core_settings){.mode = mode,
                                      .width = shapes[variant].width,
                                      .window = shapes[variant].window,
                                      .loads = shapes[variant].loads,
                                      .stores = shapes[variant].stores,
                                      .outstanding = shapes[variant].outstanding,
                                      .jitter = shapes[variant].core_jitter,
                                      .skew = SIM_SKEW_OF_NETWORK,
                                      .without = without};
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        for (uint32_t i = 0; i < wiring.machines[m].cache_count; i++)
            wiring.machines[m].caches[i].bytes = shapes[variant].cache_bytes;
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return system;
}

void variants_make(variants *all, const char *protocol, sim_mode mode, uint32_t without) {
    for (uint32_t i = 0; i < VARIANTS; i++)
        all->systems[i] = make(sim_built_in_find(protocol), i, mode, without);
}

void variants_free(variants *all) {
    for (uint32_t i = 0; i < VARIANTS; i++)
        sim_system_free(all->systems[i]);
}

typedef struct note {
    const col_program *program;
    outcome *seen;
    uint8_t performed[ORACLE_OPERATIONS];
} note;

static void take_down(void *context, const col_event *event) {
    note *n = context;
    assert_true(event->operation < ORACLE_OPERATIONS);
    const bool is_load = event->kind == COL_LOAD_PERFORMED;
    n->performed[event->operation]++;
    n->seen->read[event->operation] = is_load ? event->word : event->read;
    if (!is_load)
        n->seen->replaced[event->operation] = event->overwritten;
}

void variants_run(variants *all, const col_program *program, uint64_t seed, outcome *seen) {
    sim_system *system = all->systems[seed % VARIANTS];
    const bool warm = seed / VARIANTS % 2 == 1;
    note n = {.program = program, .seen = seen};
    const col_observer observer = {.context = &n,
                                   .notice = take_down,
                                   .kinds = 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
    memset(seen, 0, sizeof *seen);
    (void)run_well(system, program, seed, warm, &observer);
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        const col_kind_traits *traits = &col_kinds[program->operations[i].kind];
        assert_int_equal(n.performed[i], traits->reads || traits->writes);
        if (!traits->reads)
            seen->read[i] = 0;
    }
}

bool mode_allows(sim_mode mode, const col_program *program, const outcome *seen) {
    switch (mode) {
    case SIM_SC:
        return oracle_allows(ORACLE_SC, program, seen);
    case SIM_TSO:
        return oracle_allows(ORACLE_TSO, program, seen);
    default:
        return oracle_allows(ORACLE_ARMV8, program, seen) &&
               oracle_allows(ORACLE_RVWMO, program, seen);
    }
}
