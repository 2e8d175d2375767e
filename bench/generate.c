/* SPDX-License-Identifier: MIT */
/*
 * How fast complete programs (threads, addresses, values) are made in memory on one core, and
 * whether the time grows linearly with their size. The reference, measured beside each figure, is
 * the time to fill as many bytes as the program has: no generator can beat it.
 */
#include "collider/generate.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct engine {
    const char *name;
    bool chained, biased;
    double target; /* million operations per second at 64Ki; 0: none */
} engine;

static const engine engines[] = {
    {"plain", false, false, 0},
    {"plain-bias", false, true, 100},
    {"chain", true, false, 0},
    {"chain-bias", true, true, 40},
};

enum { THREADS = 32, LOCATIONS = 32, SETS = 4, WORK = 1 << 23, ROUNDS = 5 };

/* The best of several rounds: noise only ever adds time. */
static double time_generation(col_generator *generator, const col_generation *generation,
                              col_program *program) {
    const uint64_t programs = WORK / generation->operations;
    double best = 1e9;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const double start = base_processor_seconds();
        for (uint64_t test = 0; test < programs; test++) {
            col_problem problem;
            if (col_generate(generator, generation, round, test, program, &problem) != COL_OK) {
                (void)fprintf(stderr, "bench: %s\n", problem.message);
                exit(COL_FAILURE);
            }
        }
        const double spent = base_processor_seconds() - start;
        best = spent < best ? spent : best;
    }
    return best / (double)programs;
}

static double time_fill(const col_program *program) {
    const size_t size = col_program_operations(program) * sizeof(col_operation);
    const size_t times = WORK * sizeof(col_operation) / size;
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = base_processor_seconds();
        for (size_t i = 0; i < times; i++) {
            memset(program->operations, (int)i, size);
            __asm__ volatile("" : : "r"(program->operations) : "memory");
        }
        const double spent = base_processor_seconds() - start;
        best = spent < best ? spent : best;
    }
    return best / (double)times;
}

static void bench_engine(const engine *e, col_generator *generator, col_program *program) {
    double last = 0;
    for (uint32_t operations = 1 << 10; operations <= 1 << 20; operations <<= 2) {
        col_generation generation;
        col_generation_default(&generation);
        generation.chained = e->chained;
        generation.threads = THREADS;
        generation.operations = operations;
        generation.locations = LOCATIONS;
        if (e->biased)
            col_addressing_bias(&generation.addressing, SETS);
        const double spent = time_generation(generator, &generation, program);
        const double rate = operations / spent / 1e6;
        (void)printf("%-12s %7uKi %8.1f M/s %7.1f x fill", e->name, operations >> 10, rate,
                     spent / time_fill(program));
        if (last > 0)
            (void)printf("   growth %.2f", spent / last / 4);
        if (operations == 1 << 16 && e->target > 0)
            (void)printf("   target %.0f M/s: %s", e->target, rate >= e->target ? "met" : "MISSED");
        (void)printf("\n");
        last = spent;
    }
}

int main(void) {
    col_generator *generator = col_generator_new();
    col_program program = COL_PROGRAM_EMPTY;
    if (generator == NULL)
        return COL_FAILURE;
    (void)printf("random test generation, %d threads, %d locations, one core\n"
                 "operations per second; time over that of filling the memory; growth of the time\n"
                 "for four times the operations, over four (1.00 is linear)\n",
                 THREADS, LOCATIONS);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        bench_engine(&engines[i], generator, &program);
    col_program_free(&program);
    col_generator_free(generator);
    return COL_OK;
}
