/* SPDX-License-Identifier: MIT */
/*
 * Operations simulated per second on one core: built-in protocols, and with GEM5 set to a gem5 tree
 * its MESI_Three_Level as well. High contention: 16 locations, half loads, half stores. Transitions
 * are counted, monitors are off. The reference beside each figure is an interpreter that performs
 * the same operations on an array, without caches: what simulating the memory system costs.
 */
#include "collider/generate.h"
#include "sim/protocols.h"
#include "sim/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { OPERATIONS = 1 << 16, LOCATIONS = 16, INSTANCES = 8 };

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void give_up(const col_error *error) {
    (void)fprintf(stderr, "bench: %s\n", error->message);
    exit(COL_FAILURE);
}

static void make_program(uint32_t cores, col_program *program) {
    col_error error;
    col_generation generation;
    col_generator *generator = col_generator_new();
    col_generation_default(&generation);
    generation.threads = cores;
    generation.operations = OPERATIONS;
    generation.locations = LOCATIONS;
    if (generator == NULL ||
        col_instruction_mix_parse("even", &generation.instructions, &error) != COL_OK ||
        col_generate(generator, &generation, 1, 0, program, &error) != COL_OK)
        give_up(&error);
    col_generator_free(generator);
}

/* All operations, thread by thread, on an array. */
static double time_interpreter(const col_program *program) {
    volatile uint64_t memory[LOCATIONS] = {0};
    uint64_t sum = 0;
    const double start = seconds();
    for (int i = 0; i < INSTANCES; i++)
        for (uint32_t o = 0; o < col_program_operations(program); o++) {
            const col_operation *operation = &program->operations[o];
            if (operation->kind == COL_STORE)
                memory[operation->location] = operation->value;
            else
                sum += memory[operation->location];
        }
    const double spent = seconds() - start;
    return sum == 1 ? 0 : spent;
}

static double bench_one(const sl_protocol *protocol, uint32_t cores, double first) {
    sim_wiring wiring;
    sim_system *system;
    sim_result result;
    col_error error;
    col_program program = COL_PROGRAM_EMPTY;
    make_program(cores, &program);
    if (sim_wiring_infer(&wiring, protocol, cores, &error) != COL_OK ||
        sim_system_new(&system, protocol, &wiring, &error) != COL_OK)
        give_up(&error);
    uint64_t cycles = 0;
    double spent = 0;
    for (uint64_t i = 0; i <= INSTANCES; i++) {
        const double start = seconds();
        if (sim_system_run(system, &program, i, false, NULL, &result, &error) != COL_OK)
            give_up(&error);
        if (system->failure.happened) {
            (void)fprintf(stderr, "bench: %s\n", system->failure.text);
            exit(COL_FAILURE);
        }
        if (i == 0)
            continue; /* pools grow in the first one */
        spent += seconds() - start;
        cycles += result.cycles;
    }
    const double operations = (double)OPERATIONS * INSTANCES;
    (void)printf("%-18s %4u cores %7.3f M/s %6.1f cycles/operation %5.0f x interpreter",
                 protocol->name, cores, operations / spent / 1e6,
                 (double)cycles * cores / operations, spent / time_interpreter(&program));
    if (first > 0)
        (void)printf("   cost over 8 cores %.2f", spent / first);
    (void)printf("\n");
    sim_system_free(system);
    col_program_free(&program);
    return spent;
}

static void bench_protocol(const sl_protocol *protocol) {
    const double first = bench_one(protocol, 8, 0);
    (void)bench_one(protocol, 32, first);
    (void)bench_one(protocol, 128, first);
}

static void bench_gem5(const char *folder) {
    char path[4096];
    sim_plugin plugin;
    col_error error;
    col_text complaints = {0};
    (void)snprintf(path, sizeof path, "%s/src/mem/ruby/protocol/MESI_Three_Level.slicc", folder);
    if (sim_plugin_compile(&plugin, path, &complaints, &error) != COL_OK)
        give_up(&error);
    bench_protocol(plugin.protocol);
    sim_plugin_close(&plugin);
    col_text_free(&complaints);
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
