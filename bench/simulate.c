/* SPDX-License-Identifier: MIT */
/*
 * Operations simulated per second on one core: built-in protocols, and with GEM5 set to a gem5 tree
 * its MESI_Three_Level as well. High contention: 16 locations, half loads, half stores. Transitions
 * are counted, monitors are off. The reference beside each figure is an interpreter that performs
 * the same operations on an array, without caches: what simulating the memory system costs.
 */
#include "base/clock.h"
#include "collider/generate.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/system.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPERATIONS = 1 << 16, LOCATIONS = 16, INSTANCES = 8 };

static void give_up(const col_problem *problem) {
    (void)fprintf(stderr, "bench: %s\n", problem->message);
    exit(COL_FAILURE);
}

static void make_program(uint32_t cores, col_program *program) {
    col_problem problem;
    col_generation generation;
    col_generator *generator = col_generator_new();
    col_generation_default(&generation);
    generation.threads = cores;
    generation.operations = OPERATIONS;
    generation.locations = LOCATIONS;
    if (generator == NULL ||
        col_instruction_mix_parse("even", &generation.instructions, &problem) != COL_OK ||
        col_generate(generator, &generation, 1, 0, program, &problem) != COL_OK)
        give_up(&problem);
    col_generator_free(generator);
}

/* All operations, thread by thread, on an array. */
static double time_interpreter(const col_program *program) {
    volatile uint64_t memory[LOCATIONS] = {0};
    uint64_t sum = 0;
    const double start = base_processor_seconds();
    for (int i = 0; i < INSTANCES; i++)
        for (uint32_t o = 0; o < col_program_operations(program); o++) {
            const col_operation *operation = &program->operations[o];
            if (operation->kind == COL_STORE)
                memory[operation->location] = operation->value;
            else
                sum += memory[operation->location];
        }
    const double spent = base_processor_seconds() - start;
    return sum == 1 ? 0 : spent;
}

/* Seconds that the instances take, after one in which pools grow. */
static double time_system(sim_system *system, const col_program *program, uint64_t *cycles) {
    double spent = 0;
    *cycles = 0;
    for (uint64_t i = 0; i <= INSTANCES; i++) {
        sim_result result;
        col_problem problem;
        const double start = base_processor_seconds();
        if (sim_system_run(system, program, i, false, NULL, &result, &problem) != COL_OK)
            give_up(&problem);
        if (system->failure.happened) {
            (void)fprintf(stderr, "bench: %s\n", system->failure.text);
            exit(COL_FAILURE);
        }
        if (i == 0)
            continue;
        spent += base_processor_seconds() - start;
        *cycles += result.cycles;
    }
    return spent;
}

static uint64_t transitions(const sim_system *system) {
    uint64_t sum = 0;
    for (uint32_t m = 0; m < system->protocol->machine_count; m++) {
        const sl_machine *machine = system->protocol->machines[m];
        const size_t cells = (size_t)machine->state_count * machine->event_count;
        for (size_t i = 0; i < cells * system->wiring.machines[m].count; i++)
            sum += system->counts[m][i];
    }
    return sum;
}

typedef struct bench_case {
    const sl_protocol *protocol;
    uint32_t cores;
    sim_mode mode;
} bench_case;

/* `simple` is what the simple requester took on as many cores, `first` this mode on 8; 0: that is
 * this. */
static double bench_one(const bench_case *which, double simple, double first) {
    sim_wiring wiring;
    sim_system *system;
    col_problem problem;
    uint64_t cycles;
    col_program program = COL_PROGRAM_EMPTY;
    make_program(which->cores, &program);
    if (sim_wiring_infer(&wiring, which->protocol, which->cores, &problem) != COL_OK)
        give_up(&problem);
    wiring.core.mode = which->mode;
    if (which->mode == SIM_SIMPLE)
        wiring.core.outstanding = 1;
    if (sim_system_new(&system, which->protocol, &wiring, &problem) != COL_OK)
        give_up(&problem);
    const double spent = time_system(system, &program, &cycles);
    const double operations = (double)OPERATIONS * INSTANCES;
    (void)printf("%-18s %4u cores %-6s %7.3f M/s %6.1f cycles/op %5.1f transitions/op %4.0f x "
                 "interpreter",
                 which->protocol->name, which->cores, sim_modes[which->mode],
                 operations / spent / 1e6, (double)cycles * which->cores / operations,
                 (double)transitions(system) / ((double)OPERATIONS * (INSTANCES + 1)),
                 spent / time_interpreter(&program));
    if (simple > 0)
        (void)printf("  %3.0f %% of simple", 100 * simple / spent);
    if (first > 0)
        (void)printf("  cost over 8 cores %.2f", spent / first);
    (void)printf("\n");
    sim_system_free(system);
    col_program_free(&program);
    return spent;
}

static void bench_protocol(const sl_protocol *protocol) {
    static const uint32_t cores[] = {8, 32, 128};
    double first[SIM_MODE_COUNT] = {0};
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        double simple = 0;
        for (sim_mode mode = SIM_SIMPLE; mode < SIM_MODE_COUNT; mode++) {
            const bench_case which = {protocol, cores[i], mode};
            const double spent = bench_one(&which, simple, first[mode]);
            if (mode == SIM_SIMPLE)
                simple = spent;
            if (i == 0)
                first[mode] = spent;
        }
    }
}

static void bench_gem5(const char *folder) {
    char path[4096];
    sim_plugin plugin;
    col_problem problem;
    base_text complaints = {0};
    (void)snprintf(path, sizeof path, "%s/src/mem/ruby/protocol/MESI_Three_Level.slicc", folder);
    if (sim_plugin_compile(&plugin, path, &complaints, &problem) != COL_OK)
        give_up(&problem);
    bench_protocol(plugin.protocol);
    sim_plugin_close(&plugin);
    base_text_free(&complaints);
}

int main(void) {
    (void)printf("simulation, %d operations on %d locations, one core\n", OPERATIONS, LOCATIONS);
    for (const sl_protocol *const *protocol = sim_built_in; *protocol != NULL; protocol++)
        bench_protocol(*protocol);
    const char *gem5 = getenv("GEM5");
    if (gem5 != NULL)
        bench_gem5(gem5);
    return COL_OK;
}
