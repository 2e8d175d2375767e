/* SPDX-License-Identifier: MIT */
/* Suspects: see suspect.h. */
#include "episode/triage/suspect.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/problem.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENOUGH_FAILING = 16, /* runs to judge a change by */
    FEWEST_FAILING = 8,  /* with fewer, chance decides */
    MOST_RUNS = 4096,    /* to find them */
    CHECKS = 96,         /* other seeds that a change must survive */
    LARGER_CHECKS = 8    /* runs of the larger program */
};

/* Which cells a run took, and when first. */
typedef struct cells {
    const col_duv_description *design;
    uint32_t first[64]; /* of each machine: where its cells begin */
    uint32_t count;
    uint8_t *now;   /* taken by the run under way */
    uint64_t *turn; /* when first, in events of that run */
    uint64_t *last; /* the same of the last failing run */
    uint8_t *all;   /* taken by all failing runs */
    uint8_t *ever;  /* by any run */
    uint64_t events, last_events;
    col_event failed; /* the cell that was not defined, if there is one */
    bool has_failed;
} cells;

typedef struct search {
    epi_worker *worker;
    const epi_symptom *symptom;
    epi_suspects *found;
    cells cells;
    epi_instance instance;
    uint64_t failing[ENOUGH_FAILING];
    uint8_t *before;  /* cells that runs without this failure took, before any change */
    base_index looks; /* that were seen without a change */
} search;

uint64_t epi_look(const epi_instance *instance) {
    return instance->outcome == COL_PASS
               ? 0
               : XXH3_64bits(instance->shape, strlen(instance->shape)) | 1;
}

static uint32_t place_of(const cells *c, uint32_t machine, uint32_t state, uint32_t event) {
    return c->first[machine] + state * c->design->names[machine].event_count + event;
}

static void notice(void *context, const col_event *e) {
    cells *c = context;
    if (e->machine >= c->design->machine_count ||
        e->state >= c->design->names[e->machine].state_count ||
        e->event >= c->design->names[e->machine].event_count)
        return;
    if (e->kind == COL_PROTOCOL_ERROR) {
        c->failed = *e;
        c->has_failed = true;
        return;
    }
    const uint32_t place = place_of(c, e->machine, e->state, e->event);
    c->events++;
    if (c->now[place] == 0)
        c->turn[place] = c->events;
    c->now[place] = 1;
}

static col_status open_cells(cells *c, const col_duv_description *design, col_problem *problem) {
    c->design = design;
    for (uint32_t m = 0; m < design->machine_count; m++) {
        c->first[m] = c->count;
        c->count += design->names[m].state_count * design->names[m].event_count;
    }
    c->now = calloc(3, c->count + 1);
    c->turn = calloc(2 * (size_t)c->count + 1, sizeof *c->turn);
    if (c->now == NULL || c->turn == NULL)
        return base_out_of_memory(problem);
    c->all = c->now + c->count;
    c->ever = c->all + c->count;
    c->last = c->turn + c->count;
    return COL_OK;
}

static col_status run(search *s, uint64_t seed, bool watches, col_problem *problem) {
    const col_observer observer = {&s->cells, notice,
                                   1U << COL_TRANSITION | 1U << COL_PROTOCOL_ERROR};
    if (watches) {
        memset(s->cells.now, 0, s->cells.count);
        s->cells.events = 0;
        s->worker->also[0] = &observer;
    }
    s->instance.seed = seed;
    epi_worker_run(s->worker, &s->instance);
    s->worker->also[0] = NULL;
    epi_instance_free(&s->instance);
    if (s->instance.status != COL_OK)
        *problem = s->instance.problem;
    return s->instance.status;
}

static bool is_stopped(const search *s) {
    return base_is_stopped(s->worker->stops[0]) || base_is_stopped(s->worker->stops[1]);
}

static uint64_t seed_of(const search *s, uint64_t number, uint64_t of) {
    return epi_seed_like(col_duv_describe(s->worker->duv), base_splitmix(&number), of);
}

/* ---- How it fails. */

static void mark(uint8_t *taken, const cells *run) {
    for (uint32_t i = 0; i < run->count; i++)
        taken[i] |= run->now[i];
}

static void note_failing(search *s) {
    cells *c = &s->cells;
    s->failing[s->found->failing++] = s->instance.seed;
    for (uint32_t i = 0; i < c->count; i++)
        c->all[i] &= c->now[i];
    memcpy(c->last, c->turn, c->count * sizeof *c->last);
    c->last_events = c->events;
}

static col_status add_look(search *s, uint64_t look, col_problem *problem) {
    return look == 0 || base_index_find(&s->looks, look, NULL, NULL, NULL) != BASE_NO_NUMBER
               ? COL_OK
               : base_index_put(&s->looks, look, problem);
}

static bool is_symptom(const search *s) {
    return s->instance.outcome == s->symptom->outcome &&
           (!s->symptom->allows_others || epi_look(&s->instance) == s->found->look);
}

static col_status look(search *s, col_problem *problem) {
    cells *c = &s->cells;
    memset(c->all, 1, c->count); /* NOLINT(clang-analyzer-core.NonNullParamChecker) -- it is open */
    s->found->failing = s->found->passing = 0;
    for (size_t i = 0; i < s->symptom->look_count; i++)
        BASE_TRY(add_look(s, s->symptom->looks[i], problem));
    for (uint64_t i = 0; i < MOST_RUNS && s->found->failing < ENOUGH_FAILING && !is_stopped(s);
         i++) {
        const uint64_t seed = i == 0 ? s->symptom->seed : seed_of(s, i, s->symptom->seed);
        BASE_TRY(run(s, seed, true, problem));
        s->found->look = i == 0 ? epi_look(&s->instance) : s->found->look;
        BASE_TRY(add_look(s, epi_look(&s->instance), problem));
        if (is_symptom(s)) {
            note_failing(s);
            continue;
        }
        s->found->passing++;
        mark(s->before, c);
    }
    return COL_OK;
}

/* Changes last for one configuration. */
static bool has_larger(const search *s) {
    const epi_symptom *y = s->symptom;
    return y->larger != NULL &&
           (!col_duv_describe(s->worker->duv)->draws || y->seed >> 32 == y->larger_seed >> 32);
}

static col_status run_larger(search *s, uint64_t number, col_problem *problem) {
    const uint64_t of = s->symptom->larger_seed;
    return run(s, number == 0 ? of : seed_of(s, number, of), true, problem);
}

static col_status look_at_larger(search *s, col_problem *problem) {
    if (!has_larger(s))
        return COL_OK;
    BASE_TRY(epi_worker_load(s->worker, s->symptom->larger, problem));
    for (uint64_t i = 0; i < LARGER_CHECKS; i++) {
        BASE_TRY(run_larger(s, i, problem));
        if (!is_symptom(s))
            mark(s->before, &s->cells);
    }
    return epi_worker_load(s->worker, s->symptom->program, problem);
}

/* ---- Changes. */

/* Not as it was, and in no way that was not known. */
static bool passes(const search *s) {
    const uint64_t look = epi_look(&s->instance);
    return look == 0 || (s->symptom->allows_others && look != s->found->look &&
                         base_index_find(&s->looks, look, NULL, NULL, NULL) != BASE_NO_NUMBER);
}

/* Does no run fail any more, of those that did and of others? */
static col_status survives(search *s, bool *does, col_problem *problem) {
    *does = true;
    for (uint32_t i = 0; *does && i < s->found->failing; i++) {
        BASE_TRY(run(s, s->failing[i], false, problem));
        *does = passes(s);
    }
    for (uint32_t i = 0; *does && i < CHECKS; i++) {
        BASE_TRY(run(s, seed_of(s, MOST_RUNS + i, s->symptom->seed), false, problem));
        *does = passes(s);
    }
    return COL_OK;
}

/* Does the change lead away from this state? */
static bool leaves(const duv_change *change, uint32_t machine, uint32_t state) {
    return change->kind == SIM_CHANGE_NEXT && change->machine == machine && change->was == state;
}

static uint32_t count_lost(const search *s, const duv_change *change) {
    const cells *c = &s->cells;
    uint32_t lost = 0;
    for (uint32_t m = 0; m < c->design->machine_count; m++) {
        const uint32_t events = c->design->names[m].event_count;
        for (uint32_t i = 0; i < c->design->names[m].state_count * events; i++)
            lost += s->before[c->first[m] + i] != 0 && c->ever[c->first[m] + i] == 0 &&
                    !leaves(change, m, i / events);
    }
    return lost;
}

/* What runs take with the change, which is made. */
static col_status note_taken(search *s, col_problem *problem) {
    memset(s->cells.ever, 0, s->cells.count);
    for (uint32_t i = 0; i < s->found->failing + CHECKS; i++) {
        const uint64_t seed = i < s->found->failing
                                  ? s->failing[i]
                                  : seed_of(s, i - s->found->failing, s->symptom->seed);
        BASE_TRY(run(s, seed, true, problem));
        mark(s->cells.ever, &s->cells);
    }
    if (!has_larger(s))
        return COL_OK;
    BASE_TRY(epi_worker_load(s->worker, s->symptom->larger, problem));
    for (uint64_t i = 0; i < LARGER_CHECKS; i++) {
        BASE_TRY(run_larger(s, i, problem));
        mark(s->cells.ever, &s->cells);
    }
    return epi_worker_load(s->worker, s->symptom->program, problem);
}

static col_status add_suspect(search *s, const duv_change *change, uint64_t after,
                              col_problem *problem) {
    epi_suspects *f = s->found;
    epi_suspect suspect = {.change = *change, .after = after, .number = f->count};
    BASE_TRY(note_taken(s, problem));
    suspect.lost = count_lost(s, change);
    BASE_TRY(base_reserve(&f->list, &f->capacity, f->count + 1, sizeof *f->list, problem));
    f->list[f->count++] = suspect;
    return COL_OK;
}

/* Does the same help elsewhere in the cell? */
static bool is_known(const epi_suspects *f, const duv_change *change) {
    for (size_t i = 0; i < f->count; i++)
        if (duv_change_is_like(&f->list[i].change, change))
            return true;
    return false;
}

static col_status try_change(search *s, const duv_change *change, uint64_t after,
                             col_problem *problem) {
    col_duv *duv = s->worker->duv;
    bool does = false;
    BASE_TRY(duv_change_make(duv, change, problem));
    s->found->changes++;
    col_status status = survives(s, &does, problem);
    if (status == COL_OK && does && !is_stopped(s))
        status = add_suspect(s, change, after, problem);
    duv_change_undo(duv, 0);
    return status;
}

static col_status try_cores(search *s, col_problem *problem) {
    duv_change change;
    for (uint32_t i = 0; duv_core_change(s->worker->duv, i, &change) && !is_stopped(s); i++)
        BASE_TRY(try_change(s, &change, 0, problem));
    return COL_OK;
}

static col_status try_cell(search *s, col_duv_cell cell, uint64_t after, col_problem *problem) {
    col_duv *duv = s->worker->duv;
    const uint32_t count = duv_change_count(duv, cell);
    s->found->cells++;
    for (uint32_t number = 0; number < count; number++) {
        if (is_stopped(s)) {
            s->found->is_complete = false;
            break;
        }
        const duv_change change = duv_change_find(duv, cell, number);
        if (is_known(s->found, &change))
            continue;
        BASE_TRY(try_change(s, &change, after, problem));
    }
    return COL_OK;
}

static bool is_new_cell(const epi_suspect *s) {
    return s->change.kind == SIM_CHANGE_LIKE;
}

static int by_rank(const void *left, const void *right) {
    const epi_suspect *a = left, *b = right;
    if (a->lost != b->lost)
        return a->lost < b->lost ? -1 : 1;
    if (is_new_cell(a) != is_new_cell(b)) /* rather a cell that leads there is wrong */
        return is_new_cell(a) ? 1 : -1;
    if (a->after != b->after)
        return a->after < b->after ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void epi_suspects_sort(epi_suspects *suspects) {
    if (suspects->count > 1)
        qsort(suspects->list, suspects->count, sizeof *suspects->list, by_rank);
}

static col_status try_all(search *s, col_problem *problem) {
    cells *c = &s->cells;
    BASE_TRY(look(s, problem));
    if (s->found->failing < FEWEST_FAILING)
        return COL_OK;
    BASE_TRY(look_at_larger(s, problem));
    BASE_TRY(try_cores(s, problem));
    if (c->has_failed)
        BASE_TRY(try_cell(s, (col_duv_cell){c->failed.machine, c->failed.state, c->failed.event}, 0,
                          problem));
    for (uint32_t m = 0; m < c->design->machine_count; m++) {
        const uint32_t events = c->design->names[m].event_count;
        for (uint32_t i = 0; i < c->design->names[m].state_count * events; i++)
            if (c->all[c->first[m] + i] != 0)
                BASE_TRY(try_cell(s, (col_duv_cell){m, i / events, i % events},
                                  c->last_events - c->last[c->first[m] + i], problem));
    }
    return COL_OK;
}

static col_status find(search *s, col_problem *problem) {
    s->found->is_complete = true;
    BASE_TRY(open_cells(&s->cells, col_duv_describe(s->worker->duv), problem));
    BASE_TRY(base_new(&s->before, s->cells.count + 1, 1, problem));
    BASE_TRY(epi_worker_load(s->worker, s->symptom->program, problem));
    BASE_TRY(try_all(s, problem));
    if (is_stopped(s)) /* runs that were cut short say nothing */
        s->found->count = 0;
    epi_suspects_sort(s->found);
    return COL_OK;
}

col_status epi_suspects_find(epi_suspects *suspects, epi_worker *worker, const epi_symptom *symptom,
                             col_problem *problem) {
    const col_duv_description *design = col_duv_describe(worker->duv);
    search s = {.worker = worker, .symptom = symptom, .found = suspects};
    if (design->names == NULL || design->machine_count > sizeof s.cells.first / sizeof(uint32_t) ||
        !duv_has_changes(worker->duv))
        return COL_OK;
    free(suspects->list); /* of an earlier search */
    *suspects = (epi_suspects){0};
    const col_status status = find(&s, problem);
    free(s.cells.now);
    free(s.cells.turn);
    free(s.before);
    base_index_free(&s.looks);
    return status;
}

void epi_suspects_free(epi_suspects *suspects) {
    free(suspects->list);
}
