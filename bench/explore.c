/* SPDX-License-Identifier: MIT */
/*
 * States searched per second of processor time, by one thread, without symmetry. The reference
 * beside each figure is how often the simulator takes a transition of the same protocol: a state
 * takes several steps, each about a transition, besides saving, comparing and restoring.
 */
#include "base/clock.h"
#include "collider/generate.h"
#include "protocol/explore/search.h"
#include "protocol/simulate/protocol_library.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPERATIONS = 1 << 16, LOCATIONS = 16, LEAST_STATES = 200000 };

static void give_up(const col_problem *problem) {
    (void)fprintf(stderr, "bench: %s\n", problem->message);
    exit(COL_FAILURE);
}

static sim_system *make(const sl_protocol *p, uint32_t cores, uint32_t blocks) {
    sim_wiring wiring;
    sim_system *system = NULL;
    col_problem problem;
    if (sim_wiring_infer(&wiring, p, cores, &problem) != COL_OK)
        give_up(&problem);
    for (uint32_t m = 0; m < p->machine_count; m++)
        for (uint32_t i = 0; i < wiring.machines[m].cache_count; i++) {
            wiring.machines[m].caches[i].ways = blocks;
            wiring.machines[m].caches[i].bytes = (uint64_t)blocks * SL_BLOCK_BYTES;
        }
    wiring.monitors = false;
    wiring.core.mode = SIM_SIMPLE;
    if (sim_system_new(&system, p, &wiring, &problem) != COL_OK)
        give_up(&problem);
    return system;
}

static double states_per_second(const sl_protocol *p, uint32_t cores) {
    const exp_exploration_settings settings = {.blocks = 1, .outstanding = 1};
    uint64_t states = 0;
    const double start = base_processor_seconds();
    while (states < LEAST_STATES) {
        sim_system *system = make(p, cores, 1);
        exp_exploration found;
        col_problem problem;
        if (exp_explore(system, &settings, &found, &problem) != COL_OK)
            give_up(&problem);
        states += found.states;
        base_text_free(&found.trace);
        sim_system_free(system);
    }
    return (double)states / (base_processor_seconds() - start);
}

static uint64_t transitions_of(const sim_system *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_machine *m = s->controllers[i]->machine;
        for (uint32_t c = 0; c < m->state_count * m->event_count; c++)
            sum += s->controllers[i]->counts[c];
    }
    return sum;
}

static double transitions_per_second(const sl_protocol *p, uint32_t cores) {
    sim_system *system = make(p, cores, LOCATIONS);
    col_generator *generator = col_generator_new();
    col_program program = COL_PROGRAM_EMPTY;
    col_generation generation;
    col_problem problem;
    sim_result result;
    col_generation_default(&generation);
    generation.threads = cores;
    generation.operations = OPERATIONS;
    generation.locations = LOCATIONS;
    if (generator == NULL ||
        col_generate(generator, &generation, 1, 0, &program, &problem) != COL_OK)
        give_up(&problem);
    const double start = base_processor_seconds();
    if (sim_system_run(system, &program, 1, false, NULL, &result, &problem) != COL_OK)
        give_up(&problem);
    const double rate = (double)transitions_of(system) / (base_processor_seconds() - start);
    col_program_free(&program);
    col_generator_free(generator);
    sim_system_free(system);
    return rate;
}

int main(void) {
    static const struct {
        const char *protocol;
        uint32_t cores;
    } cases[] = {{"mesi2", 2}, {"mesi2", 3}, {"moesi2", 2}, {"mesi3", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sl_protocol *p = sim_built_in_find(cases[i].protocol);
        const double states = states_per_second(p, cases[i].cores);
        (void)printf(
            "explore %-7s %u cores: %6.0f thousand states/s; %4.1f %% of the transitions/s "
            "of the simulator\n",
            cases[i].protocol, cases[i].cores, states / 1e3,
            100 * states / transitions_per_second(p, cases[i].cores));
    }
    return 0;
}
