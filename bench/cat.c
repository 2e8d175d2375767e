/* SPDX-License-Identifier: MIT */
/*
 * Time to judge one execution by our cat models, from a litmus test's size to the largest that is
 * taken: sequential interleavings of random programs, so that every test of the model is evaluated.
 * The reference beside each figure is the checker at run time on the same events, where it has the
 * model. Further arguments are cat files to be tried, too.
 */
#include "base/clock.h"
#include "base/random.h"
#include "judge/cat/cat_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, LOCATIONS = 16 };

static void give_up(const char *message) {
    (void)fprintf(stderr, "bench: %s\n", message);
    exit(COL_FAILURE);
}

/* ---- An execution. */

typedef struct execution {
    col_program program;
    col_event *events;
    size_t count;
} execution;

static void choose_operation(base_rng *rng, col_operation *o, uint32_t value) {
    static const uint8_t kinds[] = {COL_LOAD,  COL_LOAD,  COL_LOAD,  COL_LOAD, COL_STORE,
                                    COL_STORE, COL_STORE, COL_FENCE, COL_SWAP, COL_ADD};
    o->kind = kinds[base_rng_below(rng, sizeof kinds)];
    o->location = o->kind == COL_FENCE ? 0 : (uint32_t)base_rng_below(rng, LOCATIONS);
    o->fence = o->kind == COL_FENCE ? COL_FULL_FENCE : 0;
    o->value = col_kinds[o->kind].writes ? value : 0;
}

/* Each thread's operations in their order, as one core would have done them all. */
static void make_events(base_rng *rng, execution *x) {
    const col_program *p = &x->program;
    uint64_t memory[LOCATIONS] = {0};
    uint32_t at[THREADS] = {0};
    for (uint32_t left = col_program_operations(p); left > 0;) {
        const uint32_t thread = (uint32_t)base_rng_below(rng, THREADS);
        const uint32_t i = p->thread_start[thread] + at[thread];
        if (i == p->thread_start[thread + 1])
            continue;
        at[thread]++;
        left--;
        const col_operation *o = &p->operations[i];
        const uint64_t before = memory[o->location];
        if (col_kinds[o->kind].writes)
            memory[o->location] = (o->kind == COL_ADD ? before : 0) + col_program_operand(p, o);
        if (o->kind != COL_FENCE)
            x->events[x->count++] = (col_event){
                .kind = col_kinds[o->kind].writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                .core = thread,
                .operation = i,
                .word = memory[o->location],
                .overwritten = before,
                .read = before};
    }
}

static void make_execution(execution *x, uint32_t operations) {
    base_rng rng;
    uint32_t lengths[THREADS];
    col_problem problem;
    base_rng_seed(&rng, 1, operations);
    for (uint32_t t = 0; t < THREADS; t++)
        lengths[t] = operations / THREADS;
    *x = (execution){.program = COL_PROGRAM_EMPTY, .events = calloc(operations, sizeof *x->events)};
    if (x->events == NULL ||
        col_program_shape(&x->program, THREADS, lengths, LOCATIONS, &problem) != COL_OK)
        give_up("out of memory");
    for (uint32_t i = 0; i < operations; i++)
        choose_operation(&rng, &x->program.operations[i], i + 1);
    make_events(&rng, x);
}

static void free_execution(execution *x) {
    col_program_free(&x->program);
    free(x->events);
}

/* ---- Judging it. */

static bool judge_by_cat(cat_judge *judge, const execution *x) {
    col_problem problem;
    bool is_allowed = false;
    if (cat_judge_load(judge, &x->program, &problem) != COL_OK)
        give_up(problem.message);
    for (size_t i = 0; i < x->count; i++)
        cat_judge_notice(judge, &x->events[i]);
    if (cat_judge_finish(judge, true, &is_allowed, &problem) != COL_OK)
        give_up(problem.message);
    return is_allowed;
}

static bool judge_by_checker(col_checker *checker, const execution *x) {
    col_problem problem;
    if (col_checker_load(checker, &x->program, &problem) != COL_OK)
        give_up(problem.message);
    for (size_t i = 0; i < x->count; i++)
        (void)col_checker_notice(checker, &x->events[i]);
    return col_checker_finish(checker, true);
}

/* Processor seconds of one, over at least a tenth of a second. */
static double time_cat(cat_judge *judge, const execution *x) {
    const double start = base_processor_seconds();
    uint32_t count = 0;
    do {
        if (!judge_by_cat(judge, x))
            give_up("a sequential execution is not allowed");
        count++;
    } while (base_processor_seconds() - start < 0.1);
    return (base_processor_seconds() - start) / count;
}

static double time_checker(col_model model, const execution *x) {
    col_checker *checker;
    col_problem problem;
    uint32_t count = 0;
    if (col_checker_new(&checker, model, &problem) != COL_OK)
        give_up(problem.message);
    const double start = base_processor_seconds();
    do {
        if (!judge_by_checker(checker, x))
            give_up("a sequential execution is not allowed by the checker");
        count++;
    } while (base_processor_seconds() - start < 0.1);
    col_checker_free(checker);
    return (base_processor_seconds() - start) / count;
}

static void measure(const char *path) {
    static const uint32_t sizes[] = {16, 64, 256, 1024, CAT_MOST_OPERATIONS};
    cat_judge *judge;
    col_problem problem;
    col_model which;
    if (cat_judge_new(&judge, NULL, path, NULL, &problem) != COL_OK)
        give_up(problem.message);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        execution x;
        make_execution(&x, sizes[i]);
        const double seconds = time_cat(judge, &x);
        printf("%-12.40s %5u operations %10.3f ms", path, sizes[i], seconds * 1e3);
        if (cat_judge_is_built_in(judge, &which))
            printf("  %7.1f times the checker's", seconds / time_checker(which, &x));
        printf("\n");
        free_execution(&x);
    }
    cat_judge_free(judge);
}

int main(int count, char **words) {
    static const char *const own[] = {"sc.cat",    "tso.cat",   "pso.cat",  "wmo.cat",
                                      "armv8.cat", "rvwmo.cat", "power.cat"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        measure(own[i]);
    for (int i = 1; i < count; i++)
        measure(words[i]);
    return 0;
}
