/* SPDX-License-Identifier: MIT */
/*
 * Shrinking a failure, from its folder to another one. The steps: see it fail again, cut it down to
 * what happened last, leave out what can be left out, make addresses and names plain, measure how
 * often it fails, write the instance that shows it best.
 */
#include "episode/shrink/shrink_trial.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/problem.h"
#include "collider/shrink.h"
#include "episode/failure/failure.h"
#include "program/reshape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STARTS = 4, ENOUGH_WORK = 1 << 21, FEWEST = 8, MOST_CUTS = 8, MOST_ROUNDS = 16 };
enum { CLIMB_WORK = 1 << 23, SMALL = 64, RARE = 128, MOST_SOUGHT = 1 << 15 };
enum { NOT_BY_LUCK = 2 }; /* failing runs that count, of a design that varies */

void col_shrink_default(col_shrink_settings *settings) {
    *settings = (col_shrink_settings){.seconds = 60, .seeds = 500, .jobs = 1, .seed = 1};
}

/* ---- One failing instance, looked at closely. */

enum { MOST_RUNS = 10000 }; /* of a design that varies, until it fails */

static col_status open_run(epi_failing_run *run, const col_setting *setting, col_problem *problem) {
    run->instance.keeps_events = true;
    return epi_worker_open(&run->worker, setting, problem);
}

static void close_run(epi_failing_run *run) {
    epi_worker_close(&run->worker);
    epi_instance_free(&run->instance);
    free(run->mentioned);
}

static void notice(void *context, const col_event *event) {
    epi_failing_run *run = context;
    run->has_block = true;
    run->block = event->block;
}

static col_status take_mentions(epi_failing_run *run, const col_program *program,
                                col_problem *problem) {
    const col_violation *violation = epi_judge_violation(&run->worker.judge);
    const uint32_t operations = col_program_operations(program);
    const col_status status = base_reserve(&run->mentioned, &run->capacity, operations + 1,
                                           sizeof *run->mentioned, problem);
    run->has_mentions = violation != NULL && violation->mention_count > 0;
    if (status != COL_OK)
        return status;
    memset(run->mentioned, 0, operations * sizeof *run->mentioned);
    for (uint32_t i = 0; run->has_mentions && i < violation->mention_count; i++)
        run->mentioned[violation->mentions[i].operation] = true;
    return COL_OK;
}

static col_status run_again(epi_failing_run *run, const col_program *program, uint64_t seed,
                            col_problem *problem) {
    const col_observer observer = {run, notice,
                                   1U << COL_PROTOCOL_ERROR | 1U << COL_INVARIANT_BROKEN};
    BASE_TRY(epi_worker_load(&run->worker, program, problem));
    run->has_block = false;
    run->instance.seed = seed;
    run->worker.also[0] = &observer;
    (void)epi_worker_run_on(&run->worker, &run->instance, MOST_RUNS);
    run->worker.also[0] = NULL;
    if (run->instance.status != COL_OK) {
        *problem = run->instance.problem;
        return run->instance.status;
    }
    return take_mentions(run, program, problem);
}

/* Where a descent ended. */
typedef struct result {
    col_program program;
    uint64_t seed;
    bool is_minimal;
    epi_measure measure;
    epi_instance shown; /* of a design that varies: it fails */
} result;

typedef struct job {
    const col_shrink_settings *settings;
    epi_recorded recorded;
    col_failure was;
    epi_trial trial;
    epi_failing_run run;
    result smallest;
    bool has_result; /* there is a smallest */
    col_shrunk *shrunk;
} job;

/* ---- Its time. */

/* When all must be over, with what a limit may be exceeded by; 0: whenever. */
static double limit_of(const job *j) {
    static const double share = 0.06, least = 0.8;
    const double seconds = j->settings->seconds;
    return seconds == 0 ? 0 : seconds + (seconds * share > least ? seconds * share : least);
}

/* Whatever is found is run again when the time is up: to be looked at, and to be recorded. */
static void set_aside(job *j, double seconds_of_a_run) {
    enum { RUNS = 4 };
    const double search = limit_of(j) - RUNS * seconds_of_a_run, most = j->settings->seconds;
    epi_trial_limit(&j->trial, most == 0 ? 0 : search > most ? most : search > 0 ? search : 1e-6);
}

/* What is left is for what must be done in any case. */
static void grant_the_rest(job *j) {
    static const double moment = 0.5;
    const double left = limit_of(j) - epi_trial_seconds(&j->trial);
    base_timer_grant(j->trial.timer, limit_of(j) == 0 ? 0 : left > moment ? left : moment);
}

/* ---- It fails again. */

static bool varies(const job *j) {
    return col_duv_describe(j->run.worker.duv)->varies;
}

static col_status see_it(job *j, col_problem *problem) {
    BASE_TRY(run_again(&j->run, &j->recorded.program, j->was.seed, problem));
    if (!j->run.instance.done)
        return base_fail(problem, "the failure was not seen again within the time limit");
    if (j->was.outcome == COL_PASS)
        return base_refuse(problem, "%.400s says that nothing went wrong", j->settings->folder);
    if (j->run.instance.outcome != j->was.outcome)
        return base_refuse(
            problem,
            "the failure cannot be reproduced (it was: %s, it is: %s): the design is "
            "not deterministic, or it has changed",
            col_outcomes[j->was.outcome], col_outcomes[j->run.instance.outcome]);
    return COL_OK;
}

static col_status begin(job *j, col_problem *problem) {
    if (j->settings->folder != NULL)
        BASE_TRY(epi_failure_read(j->settings->folder, j->settings->allow_code, &j->recorded,
                                  &j->was, problem));
    BASE_TRY(open_run(&j->run, &j->recorded.setting, problem));
    j->trial = (epi_trial){
        .settings = j->settings, .outcome = j->was.outcome, .size = epi_size(&j->recorded.program)};
    j->shrunk->from = j->trial.size;
    BASE_TRY(epi_trial_open(&j->trial, &j->recorded.setting, problem));
    BASE_TRY(epi_worker_time(&j->run.worker, j->trial.timer, problem));
    grant_the_rest(j);
    const double start = base_seconds();
    col_status status = see_it(j, problem);
    j->trial.breaks_model = j->run.instance.breaks_model;
    if (status == COL_OK)
        epi_trial_show(&j->trial, &j->recorded.program, &j->run.instance);
    set_aside(j, base_seconds() - start);
    return status;
}

static void end(job *j) {
    col_program_free(&j->smallest.program);
    epi_instance_free(&j->smallest.shown);
    close_run(&j->run); /* it has the trial's timer */
    epi_trial_close(&j->trial);
    epi_recorded_free(&j->recorded);
}

/* ---- It gets smaller. */

static col_status cut(job *j, epi_search *search, uint32_t fewest, col_problem *problem) {
    const uint32_t block_bits = col_duv_describe(j->run.worker.duv)->geometry.block_bits;
    for (int i = 0; i < MOST_CUTS && epi_search_cut(search, &j->run, block_bits, fewest); i++) {
        BASE_TRY(run_again(&j->run, &search->best, j->trial.seed, problem));
    }
    return COL_OK;
}

/* Smaller, or as small and failing more often; what fails with fewer than one seed in a hundred
 * must be half the size to be better than what does not. */
static bool is_better(const result *a, const result *b) {
    const col_size x = epi_size(&a->program), y = epi_size(&b->program);
    const bool is_rare = a->measure.failing * 100 < a->measure.tried;
    if (is_rare != (b->measure.failing * 100 < b->measure.tried))
        return is_rare ? 2 * x.operations < y.operations : x.operations <= 2 * y.operations;
    if (x.operations != y.operations)
        return x.operations < y.operations;
    const uint32_t often = a->measure.failing, other = b->measure.failing;
    if (often > 2 * other || other > 2 * often)
        return often > other;
    if (x.threads != y.threads)
        return x.threads < y.threads;
    if (x.locations != y.locations)
        return x.locations < y.locations;
    return x.delays != y.delays ? x.delays < y.delays : often > other;
}

static col_status take_result(job *j, epi_search *search, bool is_minimal) {
    result r = {.program = search->best, .seed = j->trial.seed, .is_minimal = is_minimal};
    epi_trial_measure(&j->trial, &r.program, &r.measure);
    /* What a design that varies did once, it need not do again: an instance was kept. */
    const col_hash hash = col_program_hash(&r.program);
    const bool can_be_shown = !varies(j) || memcmp(&hash, &j->trial.shown_of, sizeof hash) == 0;
    if (j->trial.status != COL_OK || !can_be_shown ||
        (j->has_result && !is_better(&r, &j->smallest)))
        return j->trial.status;
    search->best = j->smallest.program;
    epi_instance_free(&j->smallest.shown);
    j->smallest = r;
    if (varies(j)) {
        j->smallest.shown = j->trial.shown;
        j->trial.shown = (epi_instance){0};
        j->trial.shown_of = (col_hash){0};
    }
    j->has_result = true;
    return COL_OK;
}

/* Makes what the search has found small and plain, and takes it if it is better. */
static col_status finish_search(job *j, epi_search *search, col_problem *problem) {
    const col_geometry *geometry = &col_duv_describe(j->run.worker.duv)->geometry;
    bool goes_on = true;
    /* Each step makes the program smaller or plainer, so this ends by itself; the number of rounds
     * is for the case that what fails is a matter of luck. */
    for (int round = 0; round < MOST_ROUNDS && goes_on && !search->over; round++) {
        (void)epi_search_minimise(search);
        goes_on = epi_search_addresses(search, geometry);
        goes_on |= epi_search_canonical(search);
    }
    const bool is_minimal = !goes_on && !search->over;
    col_status status = j->trial.status != COL_OK ? j->trial.status : search->status;
    if (status == COL_OK)
        status = take_result(j, search, is_minimal);
    if (status != COL_OK)
        *problem = j->trial.status != COL_OK ? j->trial.problem : search->problem;
    return status;
}

/* From the failure down to where nothing more can be removed. Where this leads is a matter of
 * where it starts: each start is from another failing instance, and keeps more of what performed
 * before. */
static col_status descend(job *j, uint32_t start, col_problem *problem) {
    epi_search search = {.ask = epi_trial_ask, .context = &j->trial, .forward = start % 2 == 1};
    col_status status = epi_search_begin(&search, &j->recorded.program, problem);
    j->trial.start = start;
    j->trial.needed = 0;
    j->trial.least = varies(j) ? NOT_BY_LUCK : 0;
    j->trial.is_strict = start % 2 == 0;
    j->trial.seed = j->was.seed;
    if (start > 0)
        (void)epi_trial_find(&j->trial, &j->recorded.program);
    if (status == COL_OK && !epi_trial_is_over(&j->trial))
        status = run_again(&j->run, &j->recorded.program, j->trial.seed, problem);
    if (status == COL_OK && !epi_trial_is_over(&j->trial))
        status = cut(j, &search, (uint32_t)FEWEST << start, problem);
    if (status == COL_OK)
        status = finish_search(j, &search, problem);
    epi_search_free(&search);
    return status;
}

/* ---- It fails with hardly any seed. */

/* Less of what fails with the trial's seed, while the rest keeps its time; then the same from the
 * first cycle on, if any other seed does it there. */
static col_status descend_in_time(job *j, epi_search *search, col_problem *problem) {
    BASE_TRY(epi_search_begin(search, &j->recorded.program, problem));
    if (search->ask(search->context, &search->best) != EPI_FAILS) {
        *problem = j->trial.problem; /* none if the time is up */
        return j->trial.status;
    }
    BASE_TRY(cut(j, search, FEWEST, problem));
    (void)epi_search_minimise(search);
    if (!search->over && epi_time_advance(search) &&
        epi_trial_fails_too(&j->trial, &search->candidate, MOST_SOUGHT, &j->trial.seed))
        (void)epi_search_try(search);
    return finish_search(j, search, problem);
}

static col_status shrink_in_time(job *j, col_problem *problem) {
    epi_time time = {.trial = &j->trial, .timed = COL_PROGRAM_EMPTY};
    epi_search search = {.ask = epi_time_ask, .keep = epi_time_keep, .context = &time};
    j->trial.seed = j->was.seed;
    col_status status = epi_time_open(&time, &j->recorded.setting, problem);
    if (status == COL_OK)
        status = descend_in_time(j, &search, problem);
    epi_search_free(&search);
    epi_time_close(&time);
    return status;
}

/* ---- It fails more often. */

/* What was found by climbing is made plain, as long as it keeps half of the failing seeds. */
static col_status make_plain(job *j, const epi_climb *climb, col_problem *problem) {
    epi_search search = {.ask = epi_trial_ask, .context = &j->trial};
    const uint64_t half =
        (uint64_t)climb->rate.failing * j->settings->seeds / climb->rate.tried / 2;
    j->trial.seed = climb->shown;
    j->trial.is_strict = false;
    j->trial.needed = 1;
    j->trial.least = half == 0 ? 1 : (uint32_t)half;
    col_status status = epi_search_begin(&search, &climb->best, problem);
    if (status == COL_OK)
        status = finish_search(j, &search, problem);
    epi_search_free(&search);
    return status;
}

/* From the smallest program on. */
static col_status climb_up(job *j, col_problem *problem) {
    epi_climb climb = {.count = epi_trial_count,
                       .context = &j->trial,
                       .seeds = j->settings->seeds,
                       .most_work = CLIMB_WORK,
                       .seed = j->settings->seed};
    col_status status = epi_climb_begin(&climb, &j->smallest.program, problem);
    if (status == COL_OK && epi_climb_run(&climb))
        status = make_plain(j, &climb, problem);
    if (status == COL_OK && (climb.status != COL_OK || j->trial.status != COL_OK)) {
        status = climb.status != COL_OK ? climb.status : j->trial.status;
        *problem = climb.status != COL_OK ? climb.problem : j->trial.problem;
    }
    epi_climb_free(&climb);
    return status;
}

/* Do hardly any seeds fail? */
static bool is_rare(job *j) {
    const uint64_t work = j->trial.work;
    const bool fails_too =
        varies(j) || epi_trial_fails_too(&j->trial, &j->recorded.program, RARE, NULL);
    j->trial.work = work; /* it is not that of shrinking */
    return !fails_too;
}

static bool is_small(const job *j) {
    return j->has_result && col_program_operations(&j->smallest.program) <= SMALL;
}

static col_status shrink(job *j, col_problem *problem) {
    if (is_rare(j))
        BASE_TRY(shrink_in_time(j, problem));
    const bool is_done = is_small(j);
    for (uint32_t start = 0; start < MOST_STARTS; start++) {
        const bool is_enough = is_done || (start > 0 && j->trial.work > ENOUGH_WORK && is_small(j));
        if (j->has_result && (is_enough || j->trial.is_out_of_time))
            break;
        BASE_TRY(descend(j, start, problem));
    }
    return j->trial.is_out_of_time ? COL_OK : climb_up(j, problem);
}

/* ---- It is written. */

/* Of the instances that fail, one that reads alone show to be wrong says most. */
static col_status choose_instance(job *j, col_problem *problem) {
    const result *r = &j->smallest;
    uint64_t best = varies(j)              ? r->shown.seed
                    : r->measure.shown > 0 ? r->measure.seeds[0]
                                           : r->seed;
    col_evidence least = COL_EVIDENCE_COUNT;
    const uint32_t most = j->trial.is_out_of_time || varies(j) ? 0 : r->measure.shown;
    grant_the_rest(j);
    j->run.worker.retold = varies(j) ? &r->shown : NULL;
    for (uint32_t i = 0; i < most && least > COL_SHOWN_BY_READS; i++) {
        col_evidence evidence = COL_SHOWN_BY_OUTCOME;
        BASE_TRY(run_again(&j->run, &r->program, r->measure.seeds[i], problem));
        BASE_TRY(epi_evidence_of(&j->run, &r->program, &evidence, problem));
        best = evidence < least ? r->measure.seeds[i] : best;
        least = evidence < least ? evidence : least;
    }
    BASE_TRY(run_again(&j->run, &r->program, best, problem));
    return epi_evidence_of(&j->run, &r->program, &j->shrunk->evidence, problem);
}

static col_status write_folder(job *j, col_problem *problem) {
    const col_program *program = &j->smallest.program;
    col_shrunk *shrunk = j->shrunk;
    base_stage stage;
    const col_episode_settings settings = {
        .setting = j->recorded.setting, .engine = "shrink", .seed = j->settings->seed};
    col_failure failure = {.outcome = shrunk->outcome,
                           .test = j->was.test,
                           .instance = j->was.instance,
                           .seed = shrunk->seed,
                           .cycles = j->run.instance.cycles};
    (void)snprintf(failure.reason, sizeof failure.reason, "%s", shrunk->reason);
    col_status status = epi_failure_stage(&stage, shrunk->folder, problem);
    if (status == COL_OK)
        status =
            epi_litmus_write(&j->run, program, &j->recorded.setting, shrunk, stage.path, problem);
    if (status == COL_OK)
        status = epi_failure_write_files(&settings, &settings.setting, program, &j->run.instance,
                                         &failure, stage.path, problem);
    return epi_failure_keep(&stage, status, problem);
}

static col_status finish(job *j, col_problem *problem) {
    col_shrunk *shrunk = j->shrunk;
    const result *r = &j->smallest;
    BASE_TRY(choose_instance(j, problem));
    if (j->run.instance.outcome != j->was.outcome)
        return base_fail(problem, "the failure was not reproduced%s",
                         j->run.instance.done ? ": the design does not repeat"
                                              : " within the time limit");
    shrunk->to = epi_size(&r->program);
    shrunk->outcome = j->was.outcome;
    shrunk->seed = j->run.instance.seed;
    shrunk->failing = r->measure.failing;
    shrunk->tried = r->measure.tried;
    shrunk->minimal = r->is_minimal;
    shrunk->trials = j->trial.trials;
    shrunk->instances = j->trial.count;
    shrunk->seconds = epi_trial_seconds(&j->trial);
    (void)snprintf(shrunk->reason, sizeof shrunk->reason, "%s", j->run.instance.reason);
    return write_folder(j, problem);
}

static col_status run_job(job *j, col_problem *problem) {
    col_status status = begin(j, problem);
    if (status == COL_OK)
        status = shrink(j, problem);
    if (status == COL_OK)
        status = finish(j, problem);
    end(j);
    return status;
}

col_status epi_shrink(const col_shrink_settings *settings, const col_setting *setting,
                      const col_program *program, const col_failure *was, col_shrunk *shrunk,
                      col_problem *problem) {
    job j = {.settings = settings,
             .recorded = {.setting = *setting, .program = COL_PROGRAM_EMPTY},
             .was = *was,
             .shrunk = shrunk};
    *shrunk = (col_shrunk){0};
    (void)snprintf(shrunk->folder, sizeof shrunk->folder, "%s", settings->out);
    BASE_TRY(epi_failure_check(shrunk->folder, problem));
    BASE_TRY(prg_copy(program, &j.recorded.program, problem));
    return run_job(&j, problem);
}

col_status col_shrink(const col_shrink_settings *settings, col_shrunk *shrunk,
                      col_problem *problem) {
    job j = {.settings = settings, .recorded = {.program = COL_PROGRAM_EMPTY}, .shrunk = shrunk};
    *shrunk = (col_shrunk){0};
    if (settings->seeds == 0 || settings->jobs == 0)
        return base_refuse(problem, "it takes one seed and one job at least");
    const int length =
        settings->out == NULL
            ? snprintf(shrunk->folder, sizeof shrunk->folder, "%s/shrunk", settings->folder)
            : snprintf(shrunk->folder, sizeof shrunk->folder, "%s", settings->out);
    if (length < 0 || (size_t)length >= sizeof shrunk->folder)
        return base_refuse(problem, "the folder's name is too long");
    base_lock lock = BASE_LOCK_NONE;
    col_status status = epi_failure_check(shrunk->folder, problem);
    /* By default the result goes into the folder of the failure, for which two would compete. */
    if (status == COL_OK && settings->out == NULL &&
        base_folder_has(settings->folder, "failure.json"))
        status = base_folder_lock(&lock, settings->folder, problem);
    if (status == COL_OK && lock.descriptor >= 0)
        base_stage_sweep(settings->folder);
    if (status == COL_OK)
        status = run_job(&j, problem);
    base_folder_unlock(&lock);
    return status;
}
