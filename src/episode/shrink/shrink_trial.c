/* SPDX-License-Identifier: MIT */
/* Does a program still fail? See shrink_trial.h. */
#include "episode/shrink/shrink_trial.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/problem.h"
#include "base/random.h"
#include "program/reshape.h"

#include <stdlib.h>

enum {
    FRESH_STREAM = 1,          /* of seeds */
    TRIED_STREAM,              /* of the first start, and so on */
    COUNTED_STREAM = 1 << 16,  /* of the first batch, and so on */
    MOST_OPERATIONS = 1 << 15, /* that a trial runs, in all its instances */
    ENOUGH_FAILING = 4,
    HOPELESS = 40,           /* none of this many in a hundred fails: nor will enough of all */
    STRICT = 100,            /* one seed of this many must fail */
    MOST_SEARCHED = 1 << 18, /* operations that are run to see if others fail */
    MOST_MEASURED = 1 << 20, /* operations, in all instances that measure how often it fails */
    FEWEST_SEEDS = 8,
    DELAY_COST = 16, /* cycles of delays that take as long as an operation */
    BATCH = 16,      /* of seeds that are tried until one fails */
    RARE_STREAM = 1 << 15,
};

static const double MOMENT = 0.5; /* seconds in which a result is measured when the time is up */

col_status epi_trial_open(epi_trial *trial, const col_setting *setting, col_problem *problem) {
    const uint32_t seeds = trial->settings->seeds;
    trial->room = (size_t)(seeds > EPI_FRESH_SEEDS ? seeds : EPI_FRESH_SEEDS) + 1;
    BASE_TRY(base_new(&trial->instances, trial->room, sizeof *trial->instances, problem));
    BASE_TRY(base_timer_new(&trial->timer, trial->settings->stop, problem));
    BASE_TRY(epi_pool_new(&trial->pool, setting, trial->settings->jobs, trial->timer, problem));
    for (size_t i = 0; i < trial->room; i++)
        trial->instances[i].keeps_events = epi_pool_describe(trial->pool)->varies;
    trial->began = base_seconds(); /* opening a design may take long */
    return COL_OK;
}

void epi_trial_close(epi_trial *trial) {
    epi_pool_free(trial->pool);
    base_timer_free(trial->timer);
    for (size_t i = 0; trial->instances != NULL && i < trial->room; i++)
        epi_instance_free(&trial->instances[i]);
    free(trial->instances);
    epi_instance_free(&trial->shown);
}

void epi_trial_show(epi_trial *trial, const col_program *program, epi_instance *instance) {
    if (!epi_pool_describe(trial->pool)->varies)
        return;
    epi_instance_free(&trial->shown);
    trial->shown = *instance;
    trial->shown_of = col_program_hash(program);
    *instance = (epi_instance){.keeps_events = true};
}

void epi_trial_limit(epi_trial *trial, double seconds) {
    const double left = seconds - epi_trial_seconds(trial);
    trial->most = seconds;
    base_timer_set(trial->timer, seconds == 0 ? 0 : left > 0 ? left : 1e-6);
}

double epi_trial_seconds(const epi_trial *trial) {
    return base_seconds() - trial->began;
}

col_size epi_size(const col_program *program) {
    col_size size = {.locations = program->location_count};
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t before = size.operations;
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            size.delays += program->operations[o].kind == COL_DELAY;
            size.operations += program->operations[o].kind != COL_DELAY;
        }
        size.threads += size.operations > before;
    }
    return size;
}

bool epi_trial_is_over(epi_trial *trial) {
    if (base_is_stopped(base_timer_stop(trial->timer)) || base_is_stopped(trial->settings->stop))
        trial->is_out_of_time = true;
    if (trial->most > 0 && epi_trial_seconds(trial) >= trial->most)
        trial->is_out_of_time = true;
    return trial->is_out_of_time || trial->status != COL_OK;
}

static void report(const epi_trial *trial) {
    const col_shrink_progress progress = {.seconds = epi_trial_seconds(trial),
                                          .trials = trial->trials,
                                          .instances = trial->count,
                                          .size = trial->size};
    if (trial->settings->progress != NULL)
        trial->settings->progress(trial->settings->context, &progress);
}

static bool is_it(const epi_trial *trial, const epi_instance *instance) {
    return instance->done && instance->outcome == trial->outcome &&
           (!trial->breaks_model || instance->breaks_model);
}

/* Of an instance, in operations. A long delay costs cycles of the design, too. */
static uint64_t work_of(const col_program *program) {
    uint64_t delays = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (program->operations[o].kind == COL_DELAY)
            delays += program->operations[o].location;
    return (uint64_t)col_program_operations(program) + delays / DELAY_COST + 1;
}

/* Large programs are run less often: it is about as much work for any. */
static uint32_t count_seeds(const epi_trial *trial, const col_program *program) {
    const uint32_t affordable = (uint32_t)(MOST_OPERATIONS / work_of(program));
    const uint32_t seeds = affordable < FEWEST_SEEDS ? FEWEST_SEEDS : affordable;
    return seeds < trial->settings->seeds ? seeds : trial->settings->seeds;
}

/* All in the configuration that it failed in, if the design draws one. */
static void set_seeds(epi_trial *trial, uint32_t first, uint32_t end, uint64_t stream) {
    const col_duv_description *design = epi_pool_describe(trial->pool);
    base_rng rng;
    base_rng_seed(&rng, trial->settings->seed, stream);
    for (uint32_t i = first; i < end; i++)
        trial->instances[i].seed = epi_seed_like(design, base_rng_next(&rng), trial->seed);
}

/* The first instance from `first` on that fails in any way; `count`: none does. */
static uint32_t find_failure(epi_trial *trial, const col_program *program, uint32_t first,
                             uint32_t count) {
    epi_instance *instances = trial->instances;
    if (trial->status != COL_OK)
        return count; /* what failed before must not be forgotten */
    trial->status =
        epi_pool_run(trial->pool, program, instances + first, count - first, true, &trial->problem);
    for (uint32_t i = first; trial->status == COL_OK && i < count; i++) {
        if (!instances[i].done)
            return count; /* stopped */
        trial->count++;
        trial->work += col_program_operations(program);
        if (instances[i].outcome != COL_PASS)
            return i;
    }
    return count;
}

bool epi_trial_find(epi_trial *trial, const col_program *program) {
    const uint64_t was = trial->seed;
    base_rng rng;
    base_rng_seed(&rng, ~trial->settings->seed, trial->start);
    trial->seed = epi_seed_like(epi_pool_describe(trial->pool), base_rng_next(&rng), was);
    const bool found = epi_trial_ask(trial, program) == EPI_FAILS;
    trial->seed = found ? trial->seed : was;
    trial->needed = 0;
    return found;
}

/* The first instance from `first` on that fails as it should; `count`: none does. */
static uint32_t find_it(epi_trial *trial, const col_program *program, uint32_t first,
                        uint32_t count) {
    uint32_t at = first;
    while (at < count) {
        at = find_failure(trial, program, at, count);
        if (at < count && is_it(trial, &trial->instances[at]))
            return at;
        at = at < count ? at + 1 : count; /* it fails in another way */
    }
    return count;
}

/* How many instances fail, until there are enough, and the first of them. */
static uint32_t find_several(epi_trial *trial, const col_program *program, uint32_t count,
                             uint32_t enough, uint32_t *first) {
    const bool is_short = trial->is_strict && count > trial->settings->seeds;
    const uint32_t end = is_short ? 1 + (count - 1) * HOPELESS / STRICT : count;
    uint32_t found = 1, at = find_it(trial, program, 1, end);
    if (at >= end)
        return 0;
    *first = at;
    for (; found < enough; found++) {
        at = find_it(trial, program, at + 1, count);
        if (at >= count)
            break;
    }
    return found;
}

/* What fails with one known seed alone may fail by luck: a program that failed with others too is
 * not given up for such. When it is small enough for all seeds it keeps failing with several. */
epi_answer epi_trial_ask(void *context, const col_program *program) {
    epi_trial *trial = context;
    const uint32_t count = 1 + count_seeds(trial, program);
    uint32_t first = 0; /* that fails: that of the seed that failed last, unless there is another */
    if (epi_trial_is_over(trial))
        return EPI_NO_ANSWER;
    trial->trials++;
    trial->instances[0].seed = trial->seed;
    set_seeds(trial, 1, count, TRIED_STREAM + trial->start);
    const uint32_t strict = trial->is_strict ? (count + STRICT - 2) / STRICT : 0;
    const uint32_t least = trial->least > strict ? trial->least : strict;
    const uint32_t several = least > ENOUGH_FAILING ? least : ENOUGH_FAILING;
    bool fails = trial->needed == 0 && least == 0 && find_it(trial, program, 0, 1) == 0;
    const uint32_t enough = count > trial->settings->seeds ? several : least > 1 ? least : 1;
    const uint32_t found = find_several(trial, program, count, enough, &first);
    fails = !epi_trial_is_over(trial) &&
            (fails || (found > 0 && found >= trial->needed && found >= least));
    if (fails) {
        trial->needed = found > trial->needed ? found : trial->needed;
        trial->seed = trial->instances[first].seed;
        epi_trial_show(trial, program, &trial->instances[first]);
        trial->size = epi_size(program);
    }
    report(trial);
    return fails ? EPI_FAILS : epi_trial_is_over(trial) ? EPI_NO_ANSWER : EPI_PASSES;
}

bool epi_trial_fails_too(epi_trial *trial, const col_program *program, uint32_t seeds,
                         uint64_t *found) {
    const uint64_t affordable = MOST_SEARCHED / work_of(program) + FEWEST_SEEDS;
    for (uint32_t tried = 0; tried < seeds && tried < affordable && !epi_trial_is_over(trial);
         tried += BATCH) {
        set_seeds(trial, 0, BATCH, RARE_STREAM + tried / BATCH);
        const uint32_t at = find_it(trial, program, 0, BATCH);
        if (at == BATCH)
            continue;
        if (found != NULL)
            *found = trial->instances[at].seed;
        return true;
    }
    return false;
}

int64_t epi_trial_count(void *context, const col_program *program, uint64_t batch, uint32_t seeds,
                        uint64_t *shown) {
    epi_trial *trial = context;
    uint32_t failing = 0;
    if (epi_trial_is_over(trial))
        return -1;
    set_seeds(trial, 0, seeds, COUNTED_STREAM + batch);
    trial->status =
        epi_pool_run(trial->pool, program, trial->instances, seeds, false, &trial->problem);
    for (uint32_t i = 0; trial->status == COL_OK && i < seeds; i++)
        if (is_it(trial, &trial->instances[i]) && failing++ == 0)
            *shown = trial->instances[i].seed;
    trial->count += seeds;
    trial->work += (uint64_t)seeds * col_program_operations(program);
    report(trial);
    return epi_trial_is_over(trial) ? -1 : (int64_t)failing;
}

void epi_trial_measure(epi_trial *trial, const col_program *program, epi_measure *measure) {
    *measure = (epi_measure){0};
    if (trial->status != COL_OK)
        return;
    const uint32_t affordable = (uint32_t)(MOST_MEASURED / work_of(program)) + 1;
    const uint32_t count = affordable < EPI_FRESH_SEEDS ? affordable : EPI_FRESH_SEEDS;
    set_seeds(trial, 0, count, FRESH_STREAM);
    if (epi_trial_is_over(trial))
        base_timer_set(trial->timer, MOMENT);
    trial->status =
        epi_pool_run(trial->pool, program, trial->instances, count, false, &trial->problem);
    for (uint32_t i = 0; trial->status == COL_OK && i < count; i++) {
        measure->tried += trial->instances[i].done;
        if (!is_it(trial, &trial->instances[i]))
            continue;
        measure->failing++;
        if (measure->shown < EPI_SHOWN_SEEDS)
            measure->seeds[measure->shown++] = trial->instances[i].seed;
        if (measure->failing == 1)
            epi_trial_show(trial, program, &trial->instances[i]);
    }
    trial->count += measure->tried;
    trial->work += (uint64_t)measure->tried * col_program_operations(program);
}

/* Leaving out operations while the others keep their time. */

enum { MOST_CORRECTIONS = 3 };
#define NEVER UINT64_MAX

col_status epi_time_open(epi_time *time, const col_setting *setting, col_problem *problem) {
    const col_status status = epi_worker_open(&time->worker, setting, problem);
    return status == COL_OK ? epi_worker_time(&time->worker, time->trial->timer, problem) : status;
}

void epi_time_close(epi_time *time) {
    epi_worker_close(&time->worker);
    col_program_free(&time->timed);
    free(time->before.at);
    free(time->now.at);
    free(time->lengths);
    free(time->keeps);
}

/* ---- Running a program. */

static void notice(void *context, const col_event *event) {
    epi_time *time = context;
    if (time->now.at[event->operation] == NEVER)
        time->now.at[event->operation] = event->cycle;
}

static col_status run(epi_time *time, const col_program *program, epi_instance *instance,
                      col_problem *problem) {
    const col_observer observer = {time, notice,
                                   1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED |
                                       1U << COL_VALUE_RETURNED};
    const uint32_t operations = col_program_operations(program);
    BASE_TRY(base_reserve(&time->now.at, &time->now.capacity, (size_t)operations + 1,
                          sizeof *time->now.at, problem));
    BASE_TRY(epi_worker_load(&time->worker, program, problem));
    for (uint32_t o = 0; o < operations; o++)
        time->now.at[o] = NEVER;
    time->worker.also[0] = &observer;
    epi_worker_run(&time->worker, instance);
    time->worker.also[0] = NULL;
    if (instance->status != COL_OK)
        *problem = instance->problem;
    return instance->status;
}

epi_answer epi_time_ask(void *context, const col_program *program) {
    epi_time *time = context;
    epi_trial *trial = time->trial;
    epi_instance instance = {.seed = trial->seed};
    if (epi_trial_is_over(trial))
        return EPI_NO_ANSWER;
    trial->status = run(time, program, &instance, &trial->problem);
    const bool fails = trial->status == COL_OK && is_it(trial, &instance);
    epi_instance_free(&instance);
    trial->trials++;
    trial->count++;
    trial->work += col_program_operations(program);
    if (fails)
        trial->size = epi_size(program);
    report(trial);
    if (fails) {
        const epi_cycles before = time->before;
        time->before = time->now;
        time->now = before;
    }
    return fails ? EPI_FAILS : epi_trial_is_over(trial) ? EPI_NO_ANSWER : EPI_PASSES;
}

/* ---- Gaps: operations next to each other that are left out, and delays there. */

typedef struct gap {
    uint32_t first, end; /* operations of the best program */
    uint32_t next;       /* behind them: the end of what is kept before the next gap */
} gap;

static bool is_open(const col_program *best, const bool *keeps, uint32_t operation) {
    return !keeps[operation] || best->operations[operation].kind == COL_DELAY;
}

/* The first gap from `from` on in a thread that ends at `end`; false: there is none. */
static bool find_gap(const col_program *best, const bool *keeps, uint32_t from, uint32_t end,
                     gap *g) {
    for (g->first = from; g->first < end && !is_open(best, keeps, g->first);)
        g->first++;
    for (g->end = g->first; g->end < end && is_open(best, keeps, g->end);)
        g->end++;
    for (g->next = g->end; g->next < end && !is_open(best, keeps, g->next);)
        g->next++;
    return g->first < end;
}

/* The last cycle of what is before an operation of the thread; its start: 0. */
static uint64_t last_cycle(const epi_time *time, uint32_t start, uint32_t operation) {
    while (operation > start)
        if (time->before.at[--operation] != NEVER)
            return time->before.at[operation];
    return 0;
}

/* From what is before the gap to the last operation in it. */
static void guess_lengths(epi_time *time, const col_program *best, const bool *keeps) {
    gap g;
    for (uint32_t t = 0; t < best->thread_count; t++) {
        const uint32_t start = best->thread_start[t];
        for (g.next = start; find_gap(best, keeps, g.next, best->thread_start[t + 1], &g);) {
            const uint64_t from = last_cycle(time, start, g.first);
            const uint64_t to = last_cycle(time, start, g.end);
            int64_t delays = 0; /* that stand there already */
            for (uint32_t o = g.first; o < g.end; o++)
                if (best->operations[o].kind == COL_DELAY)
                    delays += best->operations[o].location;
            const int64_t length = to > from ? (int64_t)(to - from) : 0;
            time->lengths[g.first] = length > delays ? length : delays;
        }
    }
}

/* The best program with a delay for each gap that something follows on. */
static bool make(epi_time *time, epi_search *search, const bool *keeps) {
    const col_program *best = &search->best;
    gap g;
    if (!epi_search_is_fine(search, prg_copy(best, &time->timed, &search->problem)))
        return false;
    for (uint32_t t = 0; t < best->thread_count; t++)
        for (g.next = best->thread_start[t];
             find_gap(best, keeps, g.next, best->thread_start[t + 1], &g);) {
            const int64_t length = time->lengths[g.first];
            for (uint32_t o = g.first; o < g.end; o++)
                time->keeps[o] = false;
            if (g.end == best->thread_start[t + 1] || length <= 0 || length > UINT32_MAX)
                continue;
            time->keeps[g.first] = true;
            time->timed.operations[g.first] =
                (col_operation){.kind = COL_DELAY, .location = (uint32_t)length};
        }
    return epi_search_is_fine(
        search, prg_keep(&time->timed, time->keeps, &search->candidate, &search->problem));
}

/* How much later than before the first operation behind the gap performed that did so both times;
 * `now` is the number that the gap's end has in the candidate. */
static bool find_shift(const epi_time *time, const gap *g, uint32_t now, int64_t *shift) {
    for (uint32_t o = g->end; o < g->next; o++, now++)
        if (time->before.at[o] != NEVER && time->now.at[now] != NEVER) {
            *shift = (int64_t)(time->now.at[now] - time->before.at[o]);
            return true;
        }
    return false;
}

/* What performed late is to perform earlier. False: all is on time. */
static bool correct_lengths(epi_time *time, const col_program *best, const bool *keeps) {
    bool is_changed = false;
    uint32_t now = 0; /* operations of the candidate that were passed */
    gap g;
    for (uint32_t t = 0; t < best->thread_count; t++) {
        uint32_t at = best->thread_start[t];
        int64_t corrected = 0, shift = 0;
        for (; find_gap(best, keeps, at, best->thread_start[t + 1], &g); at = g.end) {
            now += g.first - at + time->keeps[g.first];
            if (!find_shift(time, &g, now, &shift))
                continue;
            is_changed |= shift != corrected;
            time->lengths[g.first] -= shift - corrected;
            corrected = shift;
        }
        now += best->thread_start[t + 1] - at;
    }
    return is_changed;
}

bool epi_time_keep(epi_search *search, const bool *keeps) {
    epi_time *time = search->context;
    const col_program *best = &search->best;
    const size_t count = (size_t)col_program_operations(best) + 1;
    if (!epi_search_is_fine(search, base_reserve(&time->lengths, &time->lengths_capacity, count,
                                                 sizeof *time->lengths, &search->problem)) ||
        !epi_search_is_fine(search, base_reserve(&time->keeps, &time->keeps_capacity, count,
                                                 sizeof *time->keeps, &search->problem)))
        return false;
    for (uint32_t o = 0; o < col_program_operations(best); o++)
        time->keeps[o] = keeps[o];
    guess_lengths(time, best, keeps);
    for (int i = 0; i <= MOST_CORRECTIONS && !search->over; i++) {
        if (!make(time, search, keeps))
            return false;
        const uint64_t instances = time->trial->count;
        if (epi_search_try(search))
            return true;
        if (time->trial->count == instances || !correct_lengths(time, best, keeps))
            return false; /* it was not run, or nothing can be corrected */
    }
    return false;
}

/* ---- Earlier. */

bool epi_time_advance(epi_search *search) {
    const col_program *best = &search->best;
    uint32_t least = UINT32_MAX;
    for (uint32_t t = 0; t < best->thread_count; t++) {
        const col_operation *first = &best->operations[best->thread_start[t]];
        if (best->thread_start[t] == best->thread_start[t + 1])
            continue;
        const uint32_t length = first->kind == COL_DELAY ? first->location : 0;
        least = length < least ? length : least;
    }
    if (least == 0 || least == UINT32_MAX)
        return false;
    if (!epi_search_is_fine(search, prg_copy(best, &search->candidate, &search->problem)))
        return false;
    for (uint32_t t = 0; t < best->thread_count; t++)
        if (best->thread_start[t] < best->thread_start[t + 1])
            search->candidate.operations[best->thread_start[t]].location -= least - 1;
    return least > 1;
}
