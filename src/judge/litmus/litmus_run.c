/* SPDX-License-Identifier: MIT */
/* Litmus tests on designs: see litmus_run.h. */
#include "judge/litmus/litmus_run.h"

#include "base/clock.h"
#include "base/problem.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>

/* Loading a program takes long where the rest is quick. */
enum { RUNS_OF_A_LAYOUT = 2, RUNS_OF_A_LAYOUT_OF_CODE = 1000, BUDGET = 10 };

typedef struct instance {
    lit_runs *runs;
    lit_program *program;
    bool is_allowed;
    uint32_t finals; /* locations whose final value is known */
} instance;

static void notice(void *context, const col_event *event) {
    instance *i = context;
    lit_program_notice(i->program, event);
    i->finals += event->kind == COL_FINAL_VALUE;
    if (i->runs->sees_reads)
        chk_returned_notice(&i->runs->box.returned, event);
    else if (i->is_allowed)
        i->is_allowed = col_checker_notice(i->runs->checker, event);
}

static void remember(lit_runs *runs, const char *reason) {
    if (runs->forbidden + runs->failures == 0)
        (void)snprintf(runs->reason, sizeof runs->reason, "%s", reason);
}

/* A design that shows reads alone may say nothing of memory, or too little of adds. */
static col_status check_sight(const instance *i, col_problem *problem) {
    const lit_runs *runs = i->runs;
    const lit_test *test = i->program->test;
    const col_duv_description *design = col_duv_describe(runs->duv);
    for (uint32_t item = 0; runs->sees_reads && item < test->item_count; item++)
        if (!test->items[item].is_register && i->finals < i->program->program.location_count)
            return base_refuse(problem,
                               "%s asks for the final value of a location, and the design %.100s "
                               "does not tell it",
                               test->name, design->name);
    for (uint32_t o = 0; design->is_narrow && o < col_program_operations(&i->program->program); o++)
        if (i->program->program.operations[o].kind == COL_ADD)
            return base_refuse(problem,
                               "%s has adds, which cannot be told apart in words of %d bytes",
                               test->name, COL_NARROW_BYTES);
    return COL_OK;
}

static col_status end_judging(instance *i, bool is_complete, const char **reason,
                              col_problem *problem) {
    lit_runs *runs = i->runs;
    if (!runs->sees_reads) {
        i->is_allowed = i->is_allowed && col_checker_finish(runs->checker, is_complete);
        if (!i->is_allowed)
            *reason = col_checker_violation(runs->checker)->reason;
        return COL_OK;
    }
    col_verdict verdict;
    bool is_strange;
    const col_status status =
        chk_black_box_finish(&runs->box, is_complete, NULL, NULL, &verdict, &is_strange, problem);
    i->is_allowed = verdict != COL_FORBIDDEN;
    runs->undecided += verdict == COL_UNDECIDED;
    *reason = runs->box.violation.reason;
    return status;
}

/* A run that the model forbids goes on to its outcome. */
static const volatile int *stop_of(const lit_runs *runs) {
    return runs->timer != NULL ? base_timer_stop(runs->timer) : NULL;
}

static col_status run_once(lit_runs *runs, lit_program *program, uint64_t seed,
                           lit_outcomes *outcomes, uint64_t *state, col_problem *problem) {
    instance i = {.runs = runs, .program = program, .is_allowed = true};
    const col_observer observer = {&i, notice,
                                   1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED |
                                       1U << COL_VALUE_RETURNED | 1U << COL_FINAL_VALUE};
    col_run run = {0};
    size_t number = 0;
    lit_program_begin(program);
    if (runs->sees_reads)
        chk_returned_restart(&runs->box.returned);
    else
        col_checker_restart(runs->checker);
    col_status status = col_duv_run(runs->duv, seed, &observer, stop_of(runs), &run, problem);
    if (status != COL_OK || (run.end != COL_RUN_COMPLETE && base_is_stopped(stop_of(runs))))
        return status;
    runs->done++;
    const bool is_complete = run.end == COL_RUN_COMPLETE;
    status = is_complete ? check_sight(&i, problem) : COL_OK;
    if (status != COL_OK)
        return status;
    const char *reason = "";
    status = end_judging(&i, is_complete, &reason, problem);
    if (status != COL_OK)
        return status;
    if (!is_complete || !lit_program_state(program, state, &status, problem)) {
        remember(runs, !is_complete ? run.message : "a value was read that no thread had written");
        runs->failures++;
        return status;
    }
    status = lit_outcomes_add(outcomes, program->test, state, 1, &number, problem);
    if (status != COL_OK || i.is_allowed)
        return status;
    remember(runs, reason);
    runs->forbidden++;
    if (number < outcomes->count)
        outcomes->states[number].is_forbidden = true;
    return COL_OK;
}

static col_status load_again(lit_runs *runs, lit_program *program, base_rng *rng,
                             col_problem *problem) {
    lit_program_vary(program, rng);
    program->program.is_narrow = col_duv_describe(runs->duv)->is_narrow;
    const col_status status = runs->sees_reads
                                  ? chk_black_box_load(&runs->box, &program->program, problem)
                                  : col_checker_load(runs->checker, &program->program, problem);
    return status == COL_OK ? col_duv_load(runs->duv, &program->program, problem) : status;
}

col_status lit_run(lit_runs *runs, lit_program *program, lit_outcomes *outcomes,
                   col_problem *problem) {
    uint64_t *state = calloc((size_t)program->test->item_count + 1, sizeof *state);
    col_status status = state != NULL ? COL_OK : base_out_of_memory(problem);
    const col_duv_description *design = col_duv_describe(runs->duv);
    const uint64_t layout = design->varies ? RUNS_OF_A_LAYOUT_OF_CODE : RUNS_OF_A_LAYOUT;
    runs->forbidden = runs->failures = runs->undecided = runs->done = 0;
    runs->sees_reads = design->shows == COL_SHOWS_READS;
    runs->box.model = design->model;
    runs->box.budget = BUDGET;
    runs->box.stop = stop_of(runs);
    col_duv_interrupt(runs->duv, stop_of(runs));
    runs->pairs = program->pairs;
    lit_outcomes_begin(outcomes);
    for (uint64_t i = 0; status == COL_OK && i < runs->count && !base_is_stopped(stop_of(runs));
         i++) {
        base_rng rng;
        base_rng_seed(&rng, runs->seed, i);
        if (i % layout == 0)
            status = load_again(runs, program, &rng, problem);
        if (status == COL_OK)
            status = run_once(runs, program, base_rng_next(&rng), outcomes, state, problem);
    }
    lit_outcomes_sort(outcomes);
    free(state);
    return status;
}

col_status lit_compare(lit_runs *runs, lit_test *test, const lit_outcomes *outcomes,
                       col_problem *problem) {
    lit_outcomes allowed = {0};
    const col_status status =
        lit_judge_test(runs->allows, test, runs->budget, &allowed, &runs->is_complete, problem);
    runs->allowed = allowed.count;
    runs->seen = status == COL_OK ? lit_outcomes_shared(outcomes, &allowed) : 0;
    lit_outcomes_free(&allowed);
    return status;
}
