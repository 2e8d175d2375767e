/* SPDX-License-Identifier: MIT */
/* One worker: a design and its judge. See worker.h. */
#include "episode/worker.h"
#include "base/memory.h"
#include "base/problem.h"
#include "base/stop.h"
#include "episode/fingerprint.h"
#include "episode/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

col_status epi_worker_open(epi_worker *worker, const col_setting *setting, col_problem *problem) {
    *worker = (epi_worker){0};
    col_status status = epi_design_open(&worker->duv, setting, problem);
    if (status != COL_OK)
        return status;
    col_duv_limit(worker->duv, setting->limit);
    status = epi_judge_open(&worker->judge, setting, col_duv_describe(worker->duv), problem);
    if (status != COL_OK)
        epi_worker_close(worker);
    return status;
}

col_status epi_worker_time(epi_worker *worker, base_timer *timer, col_problem *problem) {
    const col_status status = base_timer_add(timer, &worker->ended, problem);
    if (status != COL_OK)
        return status;
    worker->timer = timer;
    worker->stops[0] = base_timer_stop(timer);
    col_duv_interrupt(worker->duv, worker->stops[0]);
    epi_judge_interrupt(&worker->judge, worker->stops[0]);
    return COL_OK;
}

void epi_worker_close(epi_worker *worker) {
    if (worker->timer != NULL)
        base_timer_remove(worker->timer, &worker->ended);
    base_text_free(&worker->output);
    epi_judge_close(&worker->judge);
    col_duv_close(worker->duv);
    *worker = (epi_worker){0};
}

void epi_instance_free(epi_instance *instance) {
    free(instance->events);
    free(instance->output);
    instance->events = NULL;
    instance->output = NULL;
    instance->event_count = instance->event_capacity = 0;
}

col_status epi_worker_load(epi_worker *worker, const col_program *program, col_problem *problem) {
    worker->program = program;
    const col_status status = epi_judge_load(&worker->judge, program, problem);
    return status == COL_OK ? col_duv_load(worker->duv, program, problem) : status;
}

static const uint32_t error_kinds =
    1U << COL_PROTOCOL_ERROR | 1U << COL_DEADLOCK | 1U << COL_INVARIANT_BROKEN;

/* What a judge sees of an instance, at either level of observation. */
static const uint32_t seen_kinds = 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED |
                                   1U << COL_VALUE_RETURNED | 1U << COL_FINAL_VALUE;

static bool is_stopped(const epi_worker *worker) {
    return base_is_stopped(worker->stops[0]) || base_is_stopped(worker->stops[1]);
}

/* Running out of memory ends the instance. */
static void keep_event(epi_worker *worker, const col_event *event) {
    epi_instance *i = worker->instance;
    if (i->status == COL_OK)
        i->status = base_reserve(&i->events, &i->event_capacity, i->event_count + 1,
                                 sizeof *i->events, &i->problem);
    if (i->status != COL_OK) {
        base_stop_set(&worker->ended, true);
        return;
    }
    i->events[i->event_count++] = (epi_event){
        .operation = event->operation,
        .core = event->core,
        .word = event->word,
        .overwritten = event->overwritten,
        .read = event->read,
        .kind = (uint8_t)event->kind,
        .source = (uint8_t)event->source,
    };
}

/* What a read returned is kept as if it had been seen to perform: an atomic replaced that value.
 * Values of operations that read nothing are the judge's business alone. */
static void keep_value(epi_worker *worker, const col_event *event) {
    if (event->operation >= col_program_operations(worker->program))
        return;
    const col_operation *operation = &worker->program->operations[event->operation];
    const col_kind_traits *traits = &col_kinds[operation->kind];
    col_event performed = *event;
    if (!traits->reads)
        return;
    performed.kind = traits->writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED;
    if (traits->writes) {
        performed.read = performed.overwritten = event->word;
        performed.word = (operation->kind == COL_ADD ? event->word : 0) +
                         col_program_operand(worker->program, operation);
    }
    keep_event(worker, &performed);
}

/* The end of what the design printed. */
static void keep_output(epi_worker *worker, const char *text) {
    base_text *output = &worker->output;
    if (text == NULL)
        return;
    base_text_add(output, text);
    if (output->failed || output->length <= EPI_OUTPUT)
        return;
    memmove(output->data, output->data + output->length - EPI_OUTPUT, EPI_OUTPUT + 1);
    output->length = EPI_OUTPUT;
}

static void notice(void *context, const col_event *event) {
    epi_worker *worker = context;
    if (event->kind == COL_OUTPUT) { /* nobody else has a use for it */
        keep_output(worker, event->message);
        return;
    }
    if ((seen_kinds >> event->kind & 1) != 0 && worker->instance->keeps_events) {
        if (event->kind == COL_VALUE_RETURNED)
            keep_value(worker, event);
        else
            keep_event(worker, event);
    }
    if ((error_kinds >> event->kind & 1) != 0 && !worker->has_wrong) {
        worker->wrong = *event;
        worker->wrong.message = NULL; /* its text is not ours */
        worker->has_wrong = true;
    }
    for (int i = 0; i < EPI_WATCHERS; i++)
        if (worker->also[i] != NULL && (worker->also[i]->kinds >> event->kind & 1) != 0)
            worker->also[i]->notice(worker->also[i]->context, event);
    if (!epi_judge_notice(&worker->judge, event) || is_stopped(worker))
        base_stop_set(&worker->ended, true);
}

static col_outcome outcome_of(col_run_end end) {
    static const col_outcome outcomes[COL_RUN_END_COUNT] = {
        [COL_RUN_PROTOCOL_ERROR] = COL_PROTOCOL_WRONG,
        [COL_RUN_DEADLOCK] = COL_DEADLOCKED,
        [COL_RUN_STARVED] = COL_STARVED,
        [COL_RUN_INVARIANT] = COL_VIOLATION,
        [COL_RUN_CRASHED] = COL_CRASHED,
        [COL_RUN_TIMED_OUT] = COL_CRASHED,
    };
    return outcomes[end];
}

/* What the judge saw comes first: a design may well go wrong in other ways
 * afterwards. */
static void judge(epi_worker *worker, const col_run *run, epi_instance *instance) {
    bool is_allowed = true;
    instance->status = epi_judge_finish(&worker->judge, run->end == COL_RUN_COMPLETE, &is_allowed,
                                        &instance->problem);
    if (instance->status != COL_OK)
        return;
    instance->outcome = COL_PASS;
    instance->is_undecided = false;
    if (worker->judge.is_undecided && is_stopped(worker))
        return; /* for want of time */
    instance->done = true;
    instance->breaks_model = !is_allowed;
    instance->is_undecided = worker->judge.is_undecided;
    instance->outcome = is_allowed ? outcome_of(run->end) : COL_VIOLATION;
    if (instance->outcome == COL_CRASHED && is_stopped(worker))
        instance->outcome = COL_PASS; /* it was killed because it did not stop */
    if (!is_allowed)
        (void)snprintf(instance->reason, sizeof instance->reason, "%s",
                       epi_judge_violation(&worker->judge)->reason);
    else if (instance->outcome != COL_PASS)
        (void)snprintf(instance->reason, sizeof instance->reason, "%s", run->message);
    else
        instance->done = run->end == COL_RUN_COMPLETE; /* else it was stopped from outside */
}

static void tell_shape(const epi_worker *worker, epi_instance *instance) {
    const epi_wrong wrong = {
        .outcome = instance->outcome,
        .reason = instance->reason,
        .violation = instance->breaks_model ? epi_judge_violation(&worker->judge) : NULL,
        .program = worker->program,
        .design = col_duv_describe(worker->duv),
        .event = worker->has_wrong ? &worker->wrong : NULL};
    if (!epi_shape(&wrong, instance->shape, sizeof instance->shape))
        instance->status = base_out_of_memory(&instance->problem);
}

static void run_design(epi_worker *worker, const col_observer *observer, col_run *run) {
    epi_instance *instance = worker->instance;
    col_problem problem;
    const col_status status =
        col_duv_run(worker->duv, instance->seed, observer, &worker->ended, run, &problem);
    if (instance->status == COL_OK && status != COL_OK) { /* else keep_event failed before it */
        instance->status = status;
        instance->problem = problem;
    }
}

/* The events of an instance that was run before, once more. */
static void retell(epi_worker *worker, col_run *run) {
    const epi_instance *past = worker->retold;
    *run = (col_run){.end = past->end, .cycles = past->cycles, .operations = past->operations};
    (void)snprintf(run->message, sizeof run->message, "%s", past->reason);
    keep_output(worker, past->output);
    for (size_t i = 0; i < past->event_count && worker->ended == 0; i++) {
        col_event event = epi_event_told(&past->events[i]);
        if (worker->judge.sees_reads && event.kind != COL_FINAL_VALUE) {
            event.word = event.kind == COL_STORE_PERFORMED ? event.read : event.word;
            event.kind = COL_VALUE_RETURNED;
        }
        notice(worker, &event);
    }
}

col_event epi_event_told(const epi_event *event) {
    return (col_event){.kind = (col_event_kind)event->kind,
                       .core = event->core,
                       .operation = event->operation,
                       .word = event->word,
                       .overwritten = event->overwritten,
                       .read = event->read,
                       .source = (col_source)event->source};
}

void epi_worker_run(epi_worker *worker, epi_instance *instance) {
    col_observer observer = {worker, notice, seen_kinds | error_kinds | 1U << COL_OUTPUT};
    col_run run = {.end = COL_RUN_COMPLETE};
    for (int i = 0; i < EPI_WATCHERS; i++)
        observer.kinds |= worker->also[i] == NULL ? 0 : worker->also[i]->kinds;
    base_stop_set(&worker->ended, worker->retold == NULL && is_stopped(worker));
    worker->has_wrong = false;
    worker->output.length = 0;
    worker->instance = instance;
    instance->event_count = 0;
    free(instance->output);
    instance->output = NULL;
    instance->of_reads = worker->judge.sees_reads;
    instance->status = COL_OK;
    instance->done = false;
    instance->reason[0] = instance->shape[0] = '\0';
    epi_judge_restart(&worker->judge);
    if (worker->retold != NULL)
        retell(worker, &run);
    else
        run_design(worker, &observer, &run);
    if (instance->status != COL_OK)
        return;
    instance->end = run.end;
    instance->cycles = run.cycles;
    instance->operations = run.operations;
    judge(worker, &run, instance);
    if (instance->status != COL_OK)
        return;
    if (instance->outcome != COL_PASS)
        tell_shape(worker, instance);
    if (instance->outcome != COL_PASS && worker->output.length > 0 &&
        (instance->output = strdup(worker->output.data)) == NULL)
        instance->status = base_out_of_memory(&instance->problem);
    if (instance->hits != NULL)
        col_duv_collect(worker->duv, instance->hits);
}

uint64_t epi_worker_run_on(epi_worker *worker, epi_instance *instance, uint64_t most) {
    uint64_t runs = 0;
    const uint64_t first = instance->seed;
    do {
        instance->seed = first + runs++;
        epi_worker_run(worker, instance);
    } while (col_duv_describe(worker->duv)->varies && runs < most && instance->status == COL_OK &&
             instance->done && instance->outcome == COL_PASS);
    return runs;
}
