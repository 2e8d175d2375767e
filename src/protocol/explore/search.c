/* SPDX-License-Identifier: MIT */
/*
 * The search: see search.h. Breadth first, so that a trace is as short as can be: the states of
 * one depth are looked at, in batches, before those of the next.
 */
#include "protocol/explore/search_parts.h"

#include "protocol/explore/search.h"

#include "base/clock.h"
#include "base/problem.h"
#include "protocol/explore/state_symmetry.h"
#include "protocol/simulate/transition_table.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MESSAGES = 250 };
enum { QUEUE_SHARE = 8 }; /* of the memory: what waits beyond that is on the disk */

/* ---- The search. */

/* What stops the search; NULL: nothing. */
static const char *limit_met(const search *x) {
    const exp_exploration_settings *limits = x->settings;
    if (base_is_stopped(limits->stop))
        return "stop";
    if (limits->most_states != 0 && x->result->states >= limits->most_states)
        return "states";
    if (limits->most_bytes != 0 &&
        exp_known_bytes(&x->known) + exp_search_other_bytes(x) >= limits->most_bytes)
        return "memory";
    if (limits->most_seconds > 0 && base_seconds() - x->start >= limits->most_seconds)
        return "time";
    return NULL;
}

static void tell_progress(const search *x) {
    if (x->settings->progress == NULL)
        return;
    const exp_exploration_progress progress = {.states = x->result->states,
                                               .waiting = x->queue.count,
                                               .bytes = x->result->bytes,
                                               .depth = x->result->depth,
                                               .seconds = base_seconds() - x->start};
    x->settings->progress(x->settings->context, &progress);
}

/* A batch has ended before its end. False: no memory. */
static bool end_search(search *x) {
    worker *w = &x->workers[0];
    x->limit = w->end.is_broken ? NULL : w->end.is_reached ? "reach" : w->steps.world.limit;
    if (!w->end.is_broken)
        return true;
    x->result->broken = true;
    x->refused = w->end.is_refusal;
    x->broken_at = x->number + w->end.state;
    x->broken_by = w->end.choice;
    uint32_t length;
    uint16_t *choices = exp_paths_to(&x->paths, x->broken_at, &length);
    const bool is_written =
        choices != NULL && exp_trace_write(w, choices, length, x->broken_by, &x->result->trace);
    free(choices);
    return is_written;
}

/* The initial state. False: no memory, or a limit. */
static bool begin(search *x) {
    worker *w = &x->workers[0];
    if (setjmp(w->system->escape) != 0)
        return false;
    exp_worker_start(w);
    exp_worker_rename(w);
    const bool is_noted = exp_worker_note(w, 0, 0) == KNOWN_NEW;
    const found_state first = {.image = {w->steps.world.image, exp_worker_end_image(w)}};
    const bool noted = is_noted && exp_search_add(x, &first);
    w->found = 0;
    x->old_states = 1;
    exp_search_count(x);
    return noted;
}

/* Saves it at the end, and now and then before. */
static col_status save(search *x, bool is_end, col_problem *problem) {
    const exp_exploration_settings *s = x->settings;
    const double now = base_seconds();
    if (s->save == NULL || (!is_end && (s->save_every <= 0 || now - x->saved_at < s->save_every)))
        return COL_OK;
    const col_status status = exp_save_write(x, s->save, problem);
    x->saved_at = base_seconds();
    x->result->saved = status == COL_OK;
    return status;
}

/* The states of one batch. `*ended`: the search ends within it. */
static col_status expand_batch(search *x, bool *ended, col_problem *problem) {
    bool is_full;
    if (!exp_batch_fill(x))
        return base_fail(problem,
                         "cannot read back states that wait: no memory, or the temporary "
                         "file in %.300s fails",
                         x->queue.folder);
    if (!exp_batch_expand(x, &is_full))
        return base_out_of_memory(problem);
    const worker *w = &x->workers[0];
    *ended = w->end.is_broken || w->end.is_limited || w->end.is_reached;
    if (*ended ? !end_search(x) : !exp_batch_gather(x))
        return base_out_of_memory(problem);
    if (*ended)
        return COL_OK;
    x->number += x->batch->count;
    exp_search_count(x);
    base_invariant(x->paths.count == x->result->states); /* 3 of state_batch.c */
    tell_progress(x);
    x->limit = is_full ? "memory" : NULL;
    return is_full ? COL_OK : save(x, false, problem);
}

/* The first state, or those of a saved search. */
static col_status begin_search(search *x, col_problem *problem) {
    const char *path = x->settings->resume;
    if (path == NULL)
        return begin(x) ? COL_OK : base_out_of_memory(problem);
    col_status status = exp_save_read(x, path, problem);
    if (status == COL_OK)
        status = exp_restore(x, path, problem);
    exp_search_count(x);
    x->start = x->saved_at = base_seconds(); /* finding states again is not searching */
    return status;
}

static col_status search_all(search *x, col_problem *problem) {
    exp_exploration *r = x->result;
    bool ended = false;
    col_status status = begin_search(x, problem);
    if (status != COL_OK || x->limit != NULL)
        return status;
    while (status == COL_OK && !ended && x->queue.count > 0) {
        if (x->number == x->depth_end) {
            x->depth_end = x->number + x->queue.count;
            r->depth += x->number > 0;
        }
        x->limit = limit_met(x);
        if (x->limit == NULL)
            status = expand_batch(x, &ended, problem);
        if (status == COL_OK && !ended && x->limit != NULL)
            return save(x, true, problem);
    }
    if (status != COL_OK || ended)
        return status;
    r->complete = true;
    return save(x, true, problem);
}

/* ---- Witnesses. */

size_t exp_cell_count(const sl_protocol *p) {
    return exp_cell_place(p, &(exp_cell){.machine = p->machine_count});
}

size_t exp_cell_place(const sl_protocol *p, const exp_cell *cell) {
    size_t place = cell->event;
    for (uint32_t m = 0; m < cell->machine; m++)
        place += (size_t)p->machines[m]->state_count * p->machines[m]->event_count;
    if (cell->machine < p->machine_count)
        place += (size_t)cell->state * p->machines[cell->machine]->event_count;
    return place;
}

bool exp_cell_next(const sl_protocol *p, exp_cell *cell) {
    const sl_machine *m = p->machines[cell->machine];
    if (++cell->event == m->event_count) {
        cell->event = 0;
        cell->state++;
    }
    if (cell->state == m->state_count) {
        cell->state = 0;
        cell->machine++;
    }
    return cell->machine < p->machine_count;
}

uint64_t exp_search_first(const search *x, size_t place) {
    uint64_t first = 0;
    for (uint32_t i = 0; i < x->worker_count; i++) {
        const uint64_t own = x->workers[i].firsts[place];
        first = own != 0 && (first == 0 || own < first) ? own : first;
    }
    return first;
}

static bool add_witness(search *x, const exp_cell *cell, uint64_t first) {
    exp_witnesses *all = &x->result->witnesses;
    exp_witness *grown = realloc(all->list, (all->count + 1) * sizeof *grown);
    uint32_t length;
    if (grown == NULL)
        return false;
    all->list = grown;
    uint16_t *choices = exp_paths_to(&x->paths, exp_first_state(first), &length);
    exp_witness *w = &all->list[all->count];
    *w = (exp_witness){.cell = *cell};
    const bool made = choices != NULL &&
                      exp_witness_make(&x->workers[0], choices, length, exp_first_choice(first), w);
    all->count += made;
    free(choices);
    return made;
}

/* False: no memory. */
static bool collect_witnesses(search *x) {
    const sl_protocol *p = x->workers[0].system->protocol;
    const exp_cell *goal = x->settings->goal;
    exp_cell cell = {0};
    size_t place = 0;
    if (x->workers[0].firsts == NULL)
        return true;
    do {
        const uint64_t first = exp_search_first(x, place);
        if (first != 0 && (x->settings->wants_witnesses || exp_cell_place(p, goal) == place) &&
            !add_witness(x, &cell, first))
            return false;
        place++;
    } while (exp_cell_next(p, &cell));
    return true;
}

void exp_witnesses_free(exp_witnesses *witnesses) {
    for (uint32_t i = 0; i < witnesses->count; i++)
        free(witnesses->list[i].steps);
    free(witnesses->list);
    *witnesses = (exp_witnesses){0};
}

/* Words in the order of the kinds of accesses in search_step.c. */
bool exp_accesses_parse(const char *text, uint32_t *accesses) {
    static const char *const words[EXP_KINDS] = {"load", "store", "flush", "atomic", "acquire"};
    *accesses = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        uint32_t kind = 0;
        while (kind < EXP_KINDS &&
               (strlen(words[kind]) != length || memcmp(words[kind], at, length) != 0))
            kind++;
        if (kind == EXP_KINDS)
            return false;
        *accesses |= 1U << kind;
        at += length;
        if (*at == '\0')
            return true;
    }
}

/* ---- Setting up. */

static bool has_other(const sl_field *f) {
    for (; f->kind != SL_FIELD_END; f++)
        if (f->kind == SL_FIELD_OTHER)
            return true;
    return false;
}

static bool is_saved(const sl_member *m) {
    return m->kind == SL_MEMBER_VALUE
               ? m->field == SL_FIELD_DATA || m->field == SL_FIELD_DESTINATION ||
                     m->field == SL_FIELD_SET
               : m->field != SL_FIELD_OTHER;
}

/* A machine that keeps something of which no state can be made. */
static bool is_beyond(const sl_machine *m) {
    for (uint32_t i = 1; i < m->record_count; i++)
        if (has_other(m->records[i]))
            return true;
    for (uint32_t i = 0; i < m->member_count; i++)
        if (!is_saved(&m->members[i]))
            return true;
    return false;
}

static col_status refuse_machines(const sim_system *s, col_problem *problem) {
    for (uint32_t m = 0; m < s->protocol->machine_count; m++) {
        const sl_machine *machine = s->protocol->machines[m];
        const sim_machine_wiring *w = &s->wiring.machines[m];
        if (w->is_role || w->sequencers > 1)
            return base_refuse(problem,
                               "a search has one core at each controller, and machines in one role "
                               "alone; %s is otherwise",
                               machine->name);
        if (is_beyond(machine))
            return base_refuse(problem,
                               "a search cannot compare states of %s: it has a TriggerQueue, an "
                               "ExpectedMap, a TBEStorage or a WriteMask",
                               machine->name);
    }
    return COL_OK;
}

static col_status refuse(const sim_system *s, const exp_exploration_settings *settings,
                         col_problem *problem) {
    uint32_t buffers = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++)
        buffers += s->controllers[i]->in_buffer_count;
    if (settings->blocks == 0 || settings->blocks > EXP_MOST_BLOCKS)
        return base_refuse(problem, "a search has 1 to %d blocks", EXP_MOST_BLOCKS);
    if (s->wiring.cores > EXP_MOST_CORES)
        return base_refuse(problem, "a search has 1 to %d cores", EXP_MOST_CORES);
    if (settings->finds_livelocks && s->wiring.cores * settings->blocks >= EXP_MOST_MARKS)
        return base_refuse(problem, "a search for livelocks has fewer than %d cores times blocks",
                           EXP_MOST_MARKS);
    if (settings->finds_livelocks && (settings->save != NULL || settings->resume != NULL))
        return base_refuse(problem, "a search for livelocks keeps all steps: it cannot be saved or "
                                    "resumed");
    if (s->base.controller_count > EXP_MOST_CONTROLLERS || buffers > EXP_MOST_BUFFERS ||
        s->protocol->message_count > MOST_MESSAGES)
        return base_refuse(problem,
                           "a search has at most %d controllers, %d queues and %d types of "
                           "messages",
                           EXP_MOST_CONTROLLERS, EXP_MOST_BUFFERS, MOST_MESSAGES);
    return refuse_machines(s, problem);
}

/* Running out of memory leaves by the system's escape. */
static bool open_worker(search *x, worker *w, sim_system *system) {
    w->batch = x->batch;
    w->system = system;
    if (setjmp(system->escape) != 0)
        return false;
    exp_worker_open(w, system, x->settings,
                    x->settings->use_symmetry ? &x->result->symmetry : NULL);
    return true;
}

/* Workers but the first have systems like the caller's. */
static col_status open_workers(search *x, sim_system *system, col_problem *problem) {
    x->worker_count = 1;
    if (!open_worker(x, &x->workers[0], system))
        return base_out_of_memory(problem);
    const uint32_t wanted = x->settings->is_exact ? 1 : x->settings->workers;
    while (x->worker_count < wanted && x->worker_count < EXP_MOST_WORKERS) {
        sim_system *other;
        const col_status status = sim_system_copy(&other, system, problem);
        if (status != COL_OK)
            return status;
        x->worker_count++;
        if (!open_worker(x, &x->workers[x->worker_count - 1], other))
            return base_out_of_memory(problem);
    }
    return COL_OK;
}

/* The caller's system has all counts. */
static void close_workers(search *x) {
    for (uint32_t i = 0; i < x->worker_count; i++) {
        exp_worker_close(&x->workers[i]);
        if (i == 0)
            continue;
        sim_system_add_counts(x->workers[0].system, x->workers[i].system);
        sim_system_free(x->workers[i].system);
    }
}

/* ---- What else was seen. */

void exp_search_bounds(const search *x, uint8_t bounds[EXP_MOST_BUFFERS]) {
    const uint32_t buffers = x->workers[0].steps.world.buffer_count;
    for (uint32_t i = 0; i < x->worker_count; i++)
        for (uint32_t b = 0; b < buffers; b++)
            if (x->workers[i].bounds[b] > bounds[b])
                bounds[b] = x->workers[i].bounds[b];
}

static exp_bound *find_bound(exp_exploration *r, uint32_t machine, const char *queue) {
    for (uint32_t i = 0; i < r->bound_count; i++)
        if (r->bounds[i].machine == machine && strcmp(r->bounds[i].queue, queue) == 0)
            return &r->bounds[i];
    r->bounds[r->bound_count] = (exp_bound){.machine = machine, .queue = queue};
    return &r->bounds[r->bound_count++];
}

/* Requests of cores are not messages of the search. */
static void tell_bounds(search *x) {
    const world *w = &x->workers[0].steps.world;
    uint8_t bounds[EXP_MOST_BUFFERS] = {0};
    exp_search_bounds(x, bounds);
    for (uint32_t i = 0; i < w->buffer_count; i++) {
        const sl_controller *c = w->system->controllers[w->buffer_owner[i]];
        if (c->core < w->cores && w->system->cores[c->core].requests == w->buffers[i])
            continue;
        exp_bound *b = find_bound(x->result, sim_machine_of(w->system, c), w->buffers[i]->name);
        b->most = bounds[i] > b->most ? bounds[i] : b->most;
    }
}

static double omission(uint64_t states) {
    return (double)states * (double)(states - 1) / 2 / 0x1p64;
}

/* Only a file can have steps that are not the design's. */
static col_status cannot_retrace(const search *x, col_problem *problem) {
    if (!x->workers[0].strays || x->settings->resume == NULL)
        return base_out_of_memory(problem);
    return base_refuse(problem, "%.400s is damaged: its steps are not those of the design",
                       x->settings->resume);
}

static col_status run(search *x, sim_system *system, col_problem *problem) {
    col_status status = open_workers(x, system, problem);
    x->start = base_seconds();
    x->saved_at = x->start;
    if (status == COL_OK)
        status = search_all(x, problem);
    if (status == COL_OK && x->result->complete && x->settings->finds_livelocks &&
        !exp_livelock_find(x))
        status = base_out_of_memory(problem);
    if (status == COL_OK && x->result->complete && x->settings->draws &&
        x->result->states <= EXP_MOST_DRAWN && !exp_draw(x, &x->result->drawing))
        status = cannot_retrace(x, problem);
    if (status == COL_OK && !collect_witnesses(x))
        status = cannot_retrace(x, problem);
    if (status == COL_OK)
        tell_bounds(x);
    x->result->limit = x->limit;
    x->result->omission = x->settings->is_exact ? 0 : omission(x->result->states);
    close_workers(x);
    return status;
}

static col_status explore(sim_system *system, const exp_exploration_settings *settings,
                          exp_exploration *result, bool *refused, col_problem *problem) {
    search x = {.settings = settings, .result = result};
    col_status status = COL_OK;
    if (settings->use_symmetry)
        exp_symmetry_find(system, settings->blocks, settings->takes_any, &result->symmetry);
    x.workers = calloc(EXP_MOST_WORKERS, sizeof *x.workers);
    x.batch = calloc(1, sizeof *x.batch);
    if (x.workers == NULL || x.batch == NULL || !exp_known_open(&x.known, settings->is_exact)) {
        status = base_out_of_memory(problem);
    } else {
        x.queue = (image_queue){
            .folder = settings->folder,
            .most_bytes = settings->folder == NULL ? 0 : settings->most_bytes / QUEUE_SHARE};
        x.batch->known = &x.known;
        x.batch->goal = settings->goal;
        x.batch->wants_graph = settings->finds_livelocks;
        status = run(&x, system, problem);
        *refused = x.refused;
    }
    exp_team_free(x.team);
    exp_claims_free(&x.claims);
    exp_known_close(&x.known);
    exp_paths_free(&x.paths);
    exp_queue_free(&x.queue);
    exp_graph_free(&x.graph);
    free(x.batch);
    free(x.workers);
    return status;
}

/* A protocol that refuses a request may wait for one that it has begun with, which the core has
 * forgotten: that is no mistake, so the search starts again and forgets none. */
col_status exp_explore(sim_system *system, const exp_exploration_settings *settings,
                       exp_exploration *result, col_problem *problem) {
    bool refused = false;
    *result = (exp_exploration){0};
    col_status status = refuse(system, settings, problem);
    if (status != COL_OK)
        return status;
    exp_exploration_settings again = *settings;
    if (settings->save != NULL)
        status = exp_save_check_place(settings->save, problem);
    if (status == COL_OK && settings->resume != NULL)
        status = exp_save_remembers(settings->resume, &again.remembers, problem);
    if (status != COL_OK)
        return status;
    result->remembered = again.remembers && !settings->remembers;
    status = explore(system, &again, result, &refused, problem);
    if (status != COL_OK || !result->broken || !refused || again.remembers)
        return status;
    again.remembers = true;
    again.resume = NULL;
    base_text_free(&result->trace);
    base_text_free(&result->drawing);
    exp_witnesses_free(&result->witnesses);
    for (uint32_t i = 0; i < system->base.controller_count; i++) {
        const sl_machine *m = system->controllers[i]->machine;
        memset(system->controllers[i]->counts, 0,
               (size_t)m->state_count * m->event_count * sizeof *system->controllers[i]->counts);
    }
    *result = (exp_exploration){.remembered = true};
    return explore(system, &again, result, &refused, problem);
}
