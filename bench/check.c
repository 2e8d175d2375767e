/* SPDX-License-Identifier: MIT */
/*
 * Operations judged per second by the checker at run time, on one core: executions of the built-in
 * simulator on 32 cores, recorded first and then given to the checker, so that its time alone is
 * measured. The reference beside each figure is a depth-first search for a cycle over the complete
 * execution with the same edges: what a checker takes that is told everything at the end. The same
 * events are given thread by thread, too: an order that explains nothing.
 */
#include "base/clock.h"
#include "collider/generate.h"
#include "judge/execution.h"
#include "judge/runtime/runtime_checker.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 32, LEAST = 1 << 10, MOST = 1 << 22, REPEATED = 1 << 20 };

/* Without adds, words are values. */
typedef struct seen_event {
    uint32_t operation : 31;
    uint32_t stores : 1;
    uint32_t word, overwritten;
} seen_event;

typedef struct recording {
    col_program program;
    seen_event *events;
    size_t count, capacity;
} recording;

static void give_up(const char *message) {
    (void)fprintf(stderr, "bench: %s\n", message);
    exit(COL_FAILURE);
}

static void make_program(uint32_t operations, uint32_t locations, col_program *program) {
    col_problem problem;
    col_generation generation;
    col_generator *generator = col_generator_new();
    col_generation_default(&generation);
    generation.threads = THREADS;
    generation.operations = operations;
    generation.locations = locations;
    if (generator == NULL ||
        col_instruction_mix_parse("even", &generation.instructions, &problem) != COL_OK ||
        col_generate(generator, &generation, 1, 0, program, &problem) != COL_OK)
        give_up(problem.message);
    col_generator_free(generator);
}

static void record(void *context, const col_event *event) {
    recording *r = context;
    if (r->count == r->capacity) {
        r->capacity = 2 * r->capacity + 1024;
        r->events = realloc(r->events, r->capacity * sizeof *r->events);
        if (r->events == NULL)
            give_up("out of memory");
    }
    r->events[r->count++] =
        (seen_event){event->operation & INT32_MAX, event->kind == COL_STORE_PERFORMED,
                     (uint32_t)event->word, (uint32_t)event->overwritten};
}

static void run(recording *r, sim_mode mode) {
    sim_wiring wiring;
    sim_system *system;
    sim_result result;
    col_problem problem;
    const sl_protocol *protocol = sim_built_in_find("mesi2");
    const col_observer observer = {r, record, 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
    if (sim_wiring_infer(&wiring, protocol, THREADS, &problem) != COL_OK)
        give_up(problem.message);
    wiring.core.mode = mode;
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK ||
        sim_system_run(system, &r->program, 1, false, &observer, &result, &problem) != COL_OK)
        give_up(problem.message);
    if (system->failure.happened)
        give_up(system->failure.text);
    sim_system_free(system);
}

static void give_events(col_checker *checker, const recording *r) {
    col_event event = {0};
    for (size_t i = 0; i < r->count; i++) {
        const seen_event *e = &r->events[i];
        event.kind = e->stores ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED;
        event.operation = e->operation;
        event.word = e->word;
        event.overwritten = e->overwritten;
        (void)col_checker_notice(checker, &event);
    }
}

/* Seconds to check an execution once; loading the program is part of it if `loads`. */
static double time_checker(col_checker *checker, const recording *r, bool loads) {
    col_problem problem;
    const uint32_t times = (uint32_t)(r->count >= REPEATED ? 1 : REPEATED / r->count);
    const double start = base_processor_seconds();
    for (uint32_t i = 0; i < times; i++) {
        if (loads && col_checker_load(checker, &r->program, &problem) != COL_OK)
            give_up(problem.message);
        if (!loads)
            col_checker_restart(checker);
        give_events(checker, r);
        if (!col_checker_finish(checker, true))
            give_up(col_checker_violation(checker)->reason);
    }
    return (base_processor_seconds() - start) / times;
}

/* ---- The reference. */

typedef struct depth_first {
    const chk_execution *execution;
    uint8_t *color;
    uint32_t *stack;
    size_t count, capacity;
    bool found;
} depth_first;

static void visit(void *context, chk_known edge) {
    depth_first *d = context;
    const uint32_t before = edge.before;
    if (d->color[before] == 1)
        d->found = true;
    if (d->color[before] != 0)
        return;
    if (d->count == d->capacity) {
        d->capacity = 2 * d->capacity + 1024;
        d->stack = realloc(d->stack, d->capacity * sizeof *d->stack);
        if (d->stack == NULL)
            give_up("out of memory");
    }
    d->stack[d->count++] = before;
}

static double time_search(const col_checker *checker) {
    const uint32_t nodes = checker->order.node_count;
    depth_first d = {.execution = &checker->execution, .color = calloc(nodes, 1)};
    if (d.color == NULL)
        give_up("out of memory");
    const double start = base_processor_seconds();
    for (uint32_t i = 0; i < nodes; i++) {
        visit(&d, (chk_known){.before = i});
        while (d.count > 0) {
            const uint32_t node = d.stack[d.count - 1];
            if (d.color[node] == 0) {
                d.color[node] = 1;
                chk_each_before(d.execution, node, visit, &d);
            } else {
                d.color[node] = 2;
                d.count--;
            }
        }
    }
    const double spent = base_processor_seconds() - start;
    if (d.found)
        give_up("the reference found a cycle");
    free(d.color);
    free(d.stack);
    return spent;
}

/* ---- The table. */

static int compare_events(const void *a, const void *b) {
    const seen_event *x = a, *y = b;
    return x->operation < y->operation ? -1 : x->operation > y->operation;
}

static void bench_one(col_model model, sim_mode mode, uint32_t locations) {
    double first = 0;
    for (uint32_t operations = LEAST; operations <= MOST; operations *= 4) {
        recording r = {.program = COL_PROGRAM_EMPTY};
        col_checker *checker;
        col_problem problem;
        make_program(operations, locations, &r.program);
        run(&r, mode);
        if (col_checker_new(&checker, model, &problem) != COL_OK)
            give_up(problem.message);
        (void)time_checker(checker, &r, true); /* memory is taken once */
        const double spent = time_checker(checker, &r, true);
        const double again = time_checker(checker, &r, false);
        const double five = (spent + 4 * again) / 5; /* a test has five instances */
        const double turned = (double)checker->turned / operations;
        const double search = time_search(checker);
        if (first == 0)
            first = five / operations;
        qsort(r.events, r.count, sizeof *r.events, compare_events);
        const double shuffled = time_checker(checker, &r, false);
        (void)printf(
            "%-6s %4u locations %8u operations %6.1f M/s (first instance %.1f, later %.1f), "
            "%4.2f x search, growth n^%.2f, %5.2f turned, %4.0f bytes/op; thread by thread "
            "%6.2f M/s\n",
            col_models[model], locations, operations, operations / five / 1e6,
            operations / spent / 1e6, operations / again / 1e6, five / search,
            operations == LEAST
                ? 1.0
                : 1 + log(five / operations / first) / log((double)operations / LEAST),
            turned, (double)col_checker_bytes(checker) / operations, operations / shuffled / 1e6);
        (void)fflush(stdout);
        col_checker_free(checker);
        col_program_free(&r.program);
        free(r.events);
    }
}

int main(void) {
    static const uint32_t locations[] = {16, 128};
    for (size_t i = 0; i < sizeof locations / sizeof locations[0]; i++) {
        bench_one(COL_TSO, SIM_TSO, locations[i]);
        bench_one(COL_ARMV8, SIM_WEAK, locations[i]);
    }
    return 0;
}
