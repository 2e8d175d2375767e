/* SPDX-License-Identifier: MIT */
/*
 * Time to judge a trace of which nothing but the words is known, on one core: TSO executions of the
 * built-in simulator, operations thread by thread, and the same with one wrong word. The reference
 * beside each figure is building the order within threads alone: what no checker can do without.
 * With AXE set to the program of that name, its time on the same traces as well.
 */
#include "base/clock.h"
#include "collider/generate.h"
#include "judge/trace/solver.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 1 << 15, LEAST = 1 << 14, MOST = 1 << 20, DAMAGED = 5 };

static void give_up(const char *message) {
    (void)fprintf(stderr, "bench: %s\n", message);
    exit(COL_FAILURE);
}

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL)
        give_up("out of memory");
    return memory;
}

/* ---- Traces. */

typedef struct bench_case {
    uint32_t operations, threads, locations;
} bench_case;

static void make_program(const bench_case *which, col_program *program) {
    col_problem problem;
    col_generation generation;
    col_generator *generator = col_generator_new();
    col_generation_default(&generation);
    generation.threads = which->threads;
    generation.operations = which->operations;
    generation.locations = which->locations;
    if (generator == NULL ||
        col_instruction_mix_parse("even", &generation.instructions, &problem) != COL_OK ||
        col_generate(generator, &generation, 1, 0, program, &problem) != COL_OK)
        give_up(problem.message);
    col_generator_free(generator);
}

static void take_down(void *context, const col_event *event) {
    uint64_t *words = context;
    if (event->kind == COL_LOAD_PERFORMED)
        words[event->operation] = event->word;
}

static void run(const col_program *program, uint64_t *words) {
    sim_wiring wiring;
    sim_system *system;
    sim_result result;
    col_problem problem;
    const sl_protocol *protocol = sim_built_in_find("mesi3");
    const col_observer observer = {words, take_down, 1U << COL_LOAD_PERFORMED};
    if (sim_wiring_infer(&wiring, protocol, program->thread_count, &problem) != COL_OK)
        give_up(problem.message);
    wiring.core.mode = SIM_TSO;
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK ||
        sim_system_run(system, program, 1, false, &observer, &result, &problem) != COL_OK)
        give_up(problem.message);
    if (system->failure.happened)
        give_up(system->failure.text);
    sim_system_free(system);
}

static void make_trace(const bench_case *which, col_trace *trace) {
    make_program(which, &trace->program);
    const col_operation *operations = trace->program.operations;
    const uint32_t count = col_program_operations(&trace->program);
    uint64_t *words = zeroed(count, sizeof *words);
    uint32_t *writer = zeroed((size_t)count + 1, sizeof *writer);
    run(&trace->program, words);
    trace->source = zeroed(count, sizeof *trace->source);
    for (uint32_t o = 0; o < count; o++)
        if (operations[o].kind == COL_STORE)
            writer[operations[o].value] = o;
    for (uint32_t o = 0; o < count; o++)
        if (operations[o].kind == COL_LOAD)
            trace->source[o] = words[o] == 0 ? COL_INITIAL : writer[words[o]];
    free(words);
    free(writer);
}

static void free_trace(col_trace *trace) {
    col_program_free(&trace->program);
    free(trace->source);
}

/* The last store of a thread, and the first load of its location in another one. */
static uint32_t damage(const col_trace *trace, uint32_t thread, uint32_t *source) {
    const col_program *program = &trace->program;
    const uint32_t threads = program->thread_count;
    uint32_t store = program->thread_start[(thread + threads / 2) % threads + 1] - 1;
    while (program->operations[store].kind != COL_STORE)
        store--;
    uint32_t load = program->thread_start[thread];
    while (program->operations[load].kind != COL_LOAD ||
           program->operations[load].location != program->operations[store].location)
        load = (load + 1) % col_program_operations(program);
    *source = store;
    return load;
}

/* ---- Times. */

typedef struct figures {
    double spent;
    size_t bytes;
    uint64_t conflicts;
    col_verdict verdict;
} figures;

static figures judge(const col_trace *trace) {
    const col_trace_settings settings = {.model = COL_TSO};
    col_problem problem;
    chk_solver solver = {.problem = &problem};
    figures f;
    const double start = base_processor_seconds();
    if (chk_solver_judge(&solver, trace, &settings, &f.verdict) != COL_OK)
        give_up(problem.message);
    f.spent = base_processor_seconds() - start;
    f.bytes = chk_solver_bytes(&solver);
    f.conflicts = solver.conflict_count;
    chk_solver_free(&solver);
    return f;
}

static double time_order(const col_trace *trace) {
    chk_order order = {0};
    col_problem problem;
    const double start = base_processor_seconds();
    if (chk_order_build(&order, &trace->program, chk_model_of(COL_TSO), (chk_times){0}, &problem) !=
        COL_OK)
        give_up(problem.message);
    const double spent = base_processor_seconds() - start;
    chk_order_free(&order);
    return spent;
}

/* The longest of several traces with one wrong word each; it says how many were forbidden. */
static double time_damaged(col_trace *trace, uint32_t *forbidden) {
    double worst = 0;
    *forbidden = 0;
    for (uint32_t i = 0; i < DAMAGED; i++) {
        uint32_t source;
        const uint32_t load = damage(trace, i % trace->program.thread_count, &source);
        const uint32_t right = trace->source[load];
        trace->source[load] = source;
        const figures f = judge(trace);
        trace->source[load] = right;
        worst = f.spent > worst ? f.spent : worst;
        *forbidden += f.verdict == COL_FORBIDDEN;
    }
    return worst;
}

/* ---- Axe. */

static void write_trace(const col_trace *trace, FILE *file) {
    const col_program *program = &trace->program;
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            const col_operation *operation = &program->operations[o];
            const uint32_t source = trace->source[o];
            if (operation->kind == COL_STORE)
                (void)fprintf(file, "%u: M[%u] := %u\n", t, operation->location, o + 1);
            else
                (void)fprintf(file, "%u: M[%u] == %u\n", t, operation->location,
                              source == COL_INITIAL ? 0 : source + 1);
        }
    (void)fprintf(file, "check\n");
}

static double time_axe(const char *axe, const col_trace *trace) {
    char path[] = "/tmp/collider-bench-XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file == NULL)
        give_up("cannot write a trace for Axe");
    write_trace(trace, file);
    (void)fclose(file);
    (void)fflush(stdout);
    const double start = base_seconds();
    const pid_t child = fork();
    if (child == 0) {
        (void)freopen("/dev/null", "w", stdout);
        (void)execl(axe, axe, "check", "TSO", path, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    const double spent = base_seconds() - start;
    (void)unlink(path);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
        give_up("cannot run Axe");
    return spent;
}

/* ---- The table. */

/* `least` is what LEAST operations took; 0: not measured. */
static double bench_one(const bench_case *which, double least, const char *axe) {
    col_trace trace = {0};
    uint32_t forbidden;
    make_trace(which, &trace);
    const figures f = judge(&trace);
    if (f.verdict != COL_ALLOWED)
        give_up("a trace of the simulator is not allowed");
    const double damaged = time_damaged(&trace, &forbidden);
    (void)printf("%7u %4u %4u %8.4f %6.0f %5.0f %6.0f x order %6llu", which->operations,
                 which->threads, which->locations, f.spent, 1e9 * f.spent / which->operations,
                 (double)f.bytes / which->operations, f.spent / time_order(&trace),
                 (unsigned long long)f.conflicts);
    (void)printf("   %8.4f (%u of %d NO)", damaged, forbidden, DAMAGED);
    if (least > 0)
        (void)printf("   n^%.2f", log(f.spent / least) / log((double)which->operations / LEAST));
    if (axe != NULL) {
        const double reference = time_axe(axe, &trace);
        (void)printf("   axe %.2f s: %.0f x", reference, reference / f.spent);
    }
    (void)printf("\n");
    free_trace(&trace);
    return f.spent;
}

int main(void) {
    static const uint32_t threads[] = {4, 16, 32}, locations[] = {16, 128};
    const char *axe = getenv("AXE");
    (void)printf("traces, TSO, by words alone, one core\n"
                 "    ops  thr  loc  seconds  ns/op  B/op   against       conflicts   one wrong "
                 "word\n");
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
        for (size_t l = 0; l < sizeof locations / sizeof locations[0]; l++) {
            const bench_case which = {SMALL, threads[t], locations[l]};
            (void)bench_one(&which, 0, axe);
        }
    for (size_t l = 0; l < sizeof locations / sizeof locations[0]; l++) {
        const bench_case first = {LEAST, 32, locations[l]};
        const double least = bench_one(&first, 0, NULL);
        for (uint32_t n = 4 * LEAST; n <= MOST; n *= 4) {
            const bench_case which = {n, 32, locations[l]};
            (void)bench_one(&which, least, NULL);
        }
    }
    return COL_OK;
}
