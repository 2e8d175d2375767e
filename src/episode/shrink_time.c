/* SPDX-License-Identifier: MIT */
/* Leaving out operations while the others keep their time. See shrink_time.h. */
#include "episode/shrink_time.h"
#include "base/memory.h"
#include "base/problem.h"
#include "program/reduce.h"

#include <stdlib.h>

enum { MOST_CORRECTIONS = 3 };
#define NEVER UINT64_MAX

col_status epi_time_open(epi_time *time, const col_setting *setting, col_problem *problem) {
    const col_status status = epi_worker_open(&time->worker, setting, problem);
    return status == COL_OK ? epi_worker_time(&time->worker, time->trial->timer, problem) : status;
}

void epi_time_close(epi_time *time) {
    epi_worker_close(&time->worker);
    col_program_free(&time->timed);
    free(time->before);
    free(time->now);
    free(time->lengths);
    free(time->keeps);
}

/* ---- Running a program. */

static void notice(void *context, const col_event *event) {
    epi_time *time = context;
    if (time->now[event->operation] == NEVER)
        time->now[event->operation] = event->cycle;
}

static col_status run(epi_time *time, const col_program *program, epi_instance *instance,
                      col_problem *problem) {
    const col_observer observer = {time, notice,
                                   1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED |
                                       1U << COL_VALUE_RETURNED};
    const uint32_t operations = col_program_operations(program);
    col_status status = base_reserve(&time->now, &time->now_capacity, (size_t)operations + 1,
                                     sizeof *time->now, problem);
    if (status == COL_OK)
        status = epi_worker_load(&time->worker, program, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t o = 0; o < operations; o++)
        time->now[o] = NEVER;
    time->worker.also[0] = &observer;
    epi_worker_run(&time->worker, instance);
    time->worker.also[0] = NULL;
    if (instance->status != COL_OK)
        *problem = instance->problem;
    return instance->status;
}

static void swap_cycles(epi_time *time) {
    uint64_t *const cycles = time->before;
    const size_t capacity = time->before_capacity;
    time->before = time->now;
    time->before_capacity = time->now_capacity;
    time->now = cycles;
    time->now_capacity = capacity;
}

epi_answer epi_time_ask(void *context, const col_program *program) {
    epi_time *time = context;
    epi_trial *trial = time->trial;
    epi_instance instance = {.seed = trial->seed};
    if (epi_trial_is_over(trial))
        return EPI_NO_ANSWER;
    trial->status = run(time, program, &instance, &trial->problem);
    const bool fails = trial->status == COL_OK && epi_trial_is_it(trial, &instance);
    epi_instance_free(&instance);
    epi_trial_note(trial, program, fails);
    if (fails)
        swap_cycles(time);
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
        if (time->before[--operation] != NEVER)
            return time->before[operation];
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
        if (time->before[o] != NEVER && time->now[now] != NEVER) {
            *shift = (int64_t)(time->now[now] - time->before[o]);
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

static bool reserve(epi_time *time, epi_search *search) {
    const size_t count = (size_t)col_program_operations(&search->best) + 1;
    return epi_search_is_fine(search, base_reserve(&time->lengths, &time->lengths_capacity, count,
                                                   sizeof *time->lengths, &search->problem)) &&
           epi_search_is_fine(search, base_reserve(&time->keeps, &time->keeps_capacity, count,
                                                   sizeof *time->keeps, &search->problem));
}

bool epi_time_keep(epi_search *search, const bool *keeps) {
    epi_time *time = search->context;
    const col_program *best = &search->best;
    if (!reserve(time, search))
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
