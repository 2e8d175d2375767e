/* SPDX-License-Identifier: MIT */
/*
 * Workers: see search_worker.h.
 *
 * Invariants of threads. A batch has two rounds of the team, expansion and resolution; everything
 * between rounds is done by the calling thread alone, and the lock of the team orders the rounds.
 *  1. A worker, with its system and its output, is used by one thread in a round, and between
 *     rounds by the calling thread.
 *  2. In a round, of what workers share only these are written: next_task and last_task, atomic;
 *     outputs[task], by the worker that took the task; in expansion the claims, in resolution the
 *     known states (state_table.c). States of the batch, its numbers and the memory of both tables
 *     stay as they are, so they are read without a lock.
 *  3. Each task below last_task is taken once: next_task only rises in a round.
 *  4. In expansion no state becomes known if there are claims: whether one is known does not depend
 *     on who is faster. Without claims there is one worker, which makes states known itself.
 *  5. In resolution a state becomes known by the one claim that stands, so it was not known before.
 *  6. The number of a claim is the place of its step: states of the batch in order, their steps in
 *     order. So the claim that stands is that of the step which one worker alone finds first.
 *
 * Invariants of leaving by the system's escape:
 *  7. exp_worker_run sets it and is on the stack of the thread for as long as the system takes
 *     steps. Outside of a round, whoever takes steps sets it before.
 *  8. What an escape passes over owns nothing: output, trials and images are the worker's, messages
 *     and records the system's. Locals that change after setjmp are not read after it.
 *  9. A step that was left is not continued: is_torn makes the next run begin the system again, and
 *     the world unpacks a whole state before it takes a step.
 * 10. Whoever leaves sets last_task to 0. A shared batch is then rolled back to the checkpoint:
 *     nothing was resolved, so nothing of it is known.
 */
#include "protocol/explore/search_worker.h"

#include "base/memory.h"
#include "base/problem.h"
#include "protocol/simulate/system.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Before the content of a record. */
typedef struct record_head {
    uint64_t hash; /* of a state that is claimed */
    uint32_t parent, bytes, claim, claim_place;
    uint16_t choice;
} record_head;

_Static_assert(EXP_TASK_STATES *EXP_MOST_TASKS <= UINT16_MAX, "6: a state takes 16 bits");
_Static_assert((int)EXP_MOST_LISTED < (int)EXP_DROPPED, "6: a step takes 16 bits, and is no mark");

/* What a worker counts: how many bytes that takes, which are copied to the checkpoint, or back. */
typedef enum checkpoint { MEASURED, KEPT, TAKEN_BACK } checkpoint;

static size_t copy(const worker *w, size_t at, void *own, size_t bytes, checkpoint is) {
    if (is == KEPT)
        memcpy(w->checkpoint + at, own, bytes);
    else if (is == TAKEN_BACK)
        memcpy(own, w->checkpoint + at, bytes);
    return at + bytes;
}

static size_t copy_counts(worker *w, checkpoint is) {
    const sim_system *s = w->system;
    size_t at = copy(w, 0, &w->edges, sizeof w->edges, is);
    at = copy(w, at, &w->asleep, sizeof w->asleep, is);
    at = copy(w, at, w->bounds, w->steps.world.buffer_count, is);
    if (w->firsts != NULL)
        at = copy(w, at, w->firsts, exp_cell_count(s->protocol) * sizeof *w->firsts, is);
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        const size_t cells = (size_t)c->machine->state_count * c->machine->event_count;
        at = copy(w, at, c->counts, cells * sizeof *c->counts, is);
    }
    return at;
}

/* With queues that fill, a step depends on all messages under way. An exact search, which is for
 * comparison, and a graph let the system take every step. */
static bool may_number(const worker *w, const exp_exploration_settings *settings) {
    return settings->slots == 0 && !w->system->base.bounded && !settings->is_exact &&
           !settings->finds_livelocks && (!w->renames || w->renamer.names != NULL);
}

void exp_worker_open(worker *w, sim_system *system, const exp_exploration_settings *settings,
                     const exp_symmetry *symmetry) {
    w->system = system;
    w->renames = symmetry != NULL;
    exp_step_open(&w->steps, system, settings);
    w->plain_renaming =
        exp_renaming_pack(&w->steps.world.plain, w->steps.world.cores, w->steps.world.blocks);
    w->bounds = sim_grow(&system->base, NULL, w->steps.world.buffer_count + 1);
    if (settings->wants_witnesses || settings->goal != NULL)
        w->firsts =
            sim_grow(&system->base, NULL, exp_cell_count(system->protocol) * sizeof *w->firsts);
    if (w->renames)
        exp_renamer_open(&w->renamer, &w->steps.world, symmetry, settings->is_exact);
    /* What is sent fills queues, so that steps hold each other up; a graph has all steps. */
    if (!settings->takes_all_steps && settings->slots == 0 && !system->base.bounded &&
        !settings->finds_livelocks)
        w->trials = sim_grow(&system->base, NULL, EXP_MOST_CHOICES * sizeof *w->trials);
    if (may_number(w, settings))
        exp_step_table_open(&w->table, &w->steps, w->renames ? &w->renamer : NULL,
                            settings->most_step_bytes, w->firsts != NULL);
    w->arrival.lengths =
        sim_grow(&system->base, NULL, system->base.controller_count + MOST_FLIGHTS + 2);
    w->spare_image = exp_world_new_image(&w->steps.world);
    w->steps.notes_cells = w->firsts != NULL || settings->slots != 0 || w->table.is_on;
    system->base.watch_transitions = w->steps.notes_cells;
    if (settings->workers > 1)
        w->checkpoint = sim_grow(&system->base, NULL, copy_counts(w, MEASURED));
}

void exp_worker_close(worker *w) {
    if (w->steps.world.system != NULL)
        exp_step_close(&w->steps);
    w->system->base.watch_transitions = false;
    free(w->output);
    exp_step_table_close(&w->table);
}

/* ---- Output. */

static void put(worker *w, const void *bytes, size_t count) {
    memcpy(w->output + w->used, bytes, count);
    w->used += count;
}

const uint8_t *exp_worker_read(const uint8_t *at, found_state *f) {
    record_head head;
    memcpy(&head, at, sizeof head);
    *f = (found_state){
        .parent = head.parent, .choice = head.choice, .image = {at + sizeof head, head.bytes}};
    return f->image.image + f->image.bytes;
}

/* False: no memory. `more`: bytes of zeros after the content. */
static bool put_record(worker *w, record_head head, const void *content, uint32_t more) {
    const uint32_t bytes = head.bytes;
    head.bytes += more;
    if (base_reserve(&w->output, &w->capacity, w->used + sizeof head + head.bytes, 1, NULL) !=
        COL_OK)
        return false;
    put(w, &head, sizeof head);
    put(w, content, bytes);
    memset(w->output + w->used, 0, more);
    w->used += more;
    return true;
}

static known_result claim_state(worker *w, const exp_arrival *a, record_head *head) {
    if (exp_known_has(w->batch->known, a->hash))
        return KNOWN_BEFORE;
    head->hash = a->hash;
    head->claim = w->state << 16 | a->place;
    const claim_result result =
        exp_claims_make(w->batch->claims, a->hash, head->claim, &head->claim_place);
    if (result == CLAIM_NO_ROOM) {
        w->end.is_crowded = true;
        longjmp(w->system->escape, 1);
    }
    return result == CLAIM_STANDS ? KNOWN_NEW : KNOWN_BEFORE;
}

/* Of the state that was reached. */
static uint32_t sleep_bytes(const worker *w) {
    if (w->trials == NULL)
        return 0;
    return exp_sleep_bytes(&w->steps,
                           w->is_numbered ? w->table.after_count : w->steps.world.flight_count);
}

/* The state whose image was written. */
static void arrive(worker *w, uint32_t parent, uint32_t choice) {
    const world *s = &w->steps.world;
    exp_arrival *a = &w->arrival;
    w->hash = exp_known_hash(s->image, s->image_bytes);
    *a = (exp_arrival){.hash = w->hash,
                       .image = s->image,
                       .bytes = (uint32_t)s->image_bytes,
                       .sleep_bytes = sleep_bytes(w),
                       .length_bytes = w->table.length_bytes,
                       .parent = parent,
                       .choice = choice,
                       .place = w->place,
                       .lengths = a->lengths};
    for (uint32_t i = 0; i < a->length_bytes; i++)
        a->lengths[i] = w->table.lengths[i];
}

/* Notes the state that has arrived. */
static known_result note_arrival(worker *w) {
    const exp_arrival *a = &w->arrival;
    record_head head = {.parent = a->parent, .choice = (uint16_t)a->choice, .bytes = a->bytes};
    const bool is_alone = w->batch->claims == NULL;
    const known_result result = is_alone
                                    ? exp_known_add(w->batch->known, a->hash, a->image, a->bytes)
                                    : claim_state(w, a, &head);
    if (result != KNOWN_NEW)
        return result;
    if (!put_record(w, head, a->image, a->sleep_bytes + a->length_bytes))
        return KNOWN_NO_MEMORY;
    memcpy(w->output + w->used - a->length_bytes, a->lengths, a->length_bytes);
    w->records++;
    w->found += is_alone;
    return KNOWN_NEW;
}

known_result exp_worker_note(worker *w, uint32_t parent, uint32_t choice) {
    arrive(w, parent, choice);
    return note_arrival(w);
}

/* Comes before anything that may leave by the escape: it leaves as if nothing had waited. */
static void settle_arrival(worker *w) {
    exp_arrival *a = &w->arrival;
    if (!a->is_waiting)
        return;
    a->is_waiting = false;
    const known_result result = note_arrival(w);
    if (result == KNOWN_NO_MEMORY)
        sim_out_of_memory(w->system);
    if (result == KNOWN_NEW && a->trial != NULL) {
        a->trial->is_new = true;
        a->trial->bits = w->used - a->length_bytes - a->sleep_bytes;
    }
}

/* The state whose image was written waits until the next one is written. */
static void let_wait(worker *w) {
    world *s = &w->steps.world;
    settle_arrival(w);
    arrive(w, w->state, w->choice);
    w->arrival.is_waiting = true;
    exp_known_expect(w->batch->known, w->hash);
    if (w->batch->claims != NULL)
        exp_claims_expect(w->batch->claims, exp_claims_place(w->batch->claims, w->hash));
    uint8_t *const written = s->image;
    s->image = w->spare_image;
    w->spare_image = written;
}

/* ---- Steps from a state. */

void exp_worker_rename(worker *w) {
    if (w->renames)
        exp_renamer_pack(&w->renamer, &w->steps.world);
}

uint64_t exp_worker_hash(worker *w) {
    exp_worker_rename(w);
    return exp_known_hash(w->steps.world.image, w->steps.world.image_bytes);
}

uint32_t exp_worker_end_image(worker *w) {
    world *s = &w->steps.world;
    if (!w->table.is_on)
        return (uint32_t)s->image_bytes;
    s->image[s->image_bytes] = EXP_NO_LENGTHS;
    return (uint32_t)s->image_bytes + 1;
}

void exp_worker_start(worker *w) {
    exp_step_begin(&w->steps);
    exp_world_pack_all(&w->steps.world);
}

bool exp_worker_step(worker *w, uint32_t choice, bool is_quiet) {
    const bool taken = w->is_taken = exp_step_take(&w->steps, choice);
    exp_world_pack(&w->steps.world);
    const bool changes = exp_world_moved(&w->steps.world);
    if (is_quiet && !taken && !changes)
        exp_step_refuse(&w->steps);
    if (w->steps.world.remembers && !taken && changes) {
        exp_step_remember(&w->steps, choice);
        exp_world_pack(&w->steps.world);
    }
    return changes;
}

/* The transitions of the step; states come in order, so the first time is the first of all. */
static void note_cells(worker *w) {
    const exp_cell *goal = w->batch->goal;
    for (uint32_t i = 0; i < w->steps.taken_count; i++) {
        const exp_cell *cell = &w->steps.taken[i];
        uint64_t *first = &w->firsts[exp_cell_place(w->system->protocol, cell)];
        if (*first == 0)
            *first = exp_first(w->batch->first_number + w->state, w->choice);
        if (goal != NULL && goal->machine == cell->machine && goal->state == cell->state &&
            goal->event == cell->event) {
            w->end.is_reached = true;
            longjmp(w->system->escape, 1);
        }
    }
}

/* Of the state before it is renamed. */
static uint64_t plain_hash(const worker *w) {
    const world *s = &w->steps.world;
    return w->is_numbered ? exp_step_table_hash(&w->table)
                          : exp_known_hash(s->image, s->image_bytes);
}

/* Renames the state that the step in w->choice leads to, which waits then. False: it is known, as
 * it was met lately. */
static bool note_target(worker *w) {
    const world *s = &w->steps.world;
    const bool is_graph = w->batch->wants_graph;
    w->hash = is_graph || !w->renames ? 0 : exp_renamer_knows(&w->renamer, plain_hash(w));
    if (w->hash != 0)
        return false;
    if (w->is_numbered)
        exp_step_table_pack(&w->table);
    else
        exp_worker_rename(w);
    if (is_graph) {
        const graph_step step = {.target = exp_known_hash(s->image, s->image_bytes),
                                 .renaming = w->renames ? w->renamer.renaming : w->plain_renaming};
        const record_head head = {
            .parent = w->state, .choice = EXP_GRAPH_STEP, .bytes = sizeof step};
        if (!put_record(w, head, &step, 0))
            sim_out_of_memory(w->system);
    }
    let_wait(w);
    if (!is_graph && w->renames)
        exp_renamer_learn(&w->renamer, w->hash);
    return true;
}

/* What the step touched, and the state that it led to, for sleep sets. */
static void note_trial(worker *w, bool changes, bool waits) {
    const world *s = &w->steps.world;
    exp_trial *t = &w->trials[w->trial_count++];
    exp_trial_note(t, &w->steps, w->choice, w->is_taken);
    const bool is_single = w->steps.picker.most == 1;
    t->is_idle = is_single && !changes && w->choice < exp_step_accesses(&w->steps) + s->held_count;
    t->may_sleep = is_single && t->may_sleep && changes;
    t->hash = w->hash;
    if (!waits)
        return;
    w->arrival.trial = t;
    t->bit_bytes = w->arrival.sleep_bytes;
    t->renaming = w->renames ? w->renamer.renaming : w->plain_renaming;
    memcpy(t->places, s->places, s->held_count);
}

/* Takes the step in w->choice, by the table if it can: does it lead to another state? */
static bool take_step(worker *w, bool is_quiet) {
    bool changes;
    if (w->table.is_on && !exp_step_table_find(&w->table, w->choice))
        settle_arrival(w);
    w->is_numbered = w->table.is_on && exp_step_table_take(&w->table, is_quiet, &changes);
    if (w->is_numbered) {
        w->is_taken = w->table.effect->is_taken;
        return changes;
    }
    settle_arrival(w);
    if (w->table.is_on)
        exp_step_table_enter(&w->table);
    return exp_worker_step(w, w->choice, is_quiet);
}

/* Back to the state at hand. */
static void undo_step(worker *w) {
    world *s = &w->steps.world;
    if (!w->is_numbered) {
        exp_world_undo(s);
        return;
    }
    s->touched = NOBODY;
    s->memory_touched = false;
}

/* The step in w->choice, and what comes of it. */
static void try_step(worker *w, bool is_quiet, bool *moves) {
    const bool changes = take_step(w, is_quiet);
    if (w->firsts != NULL) {
        settle_arrival(w);
        note_cells(w);
    }
    *moves = *moves || (changes && !exp_step_is_free(&w->steps, w->choice));
    w->edges += changes;
    w->done |= w->steps.done;
    const bool waits = changes && note_target(w);
    if (w->trials != NULL && w->choice < EXP_MOST_CHOICES)
        note_trial(w, changes, waits);
}

/* Nothing that is under way in the state can be taken. */
static _Noreturn void report_stuck(worker *w) {
    sim_stuck stuck = {""};
    w->choice = EXP_NO_CHOICE;
    if (w->table.is_on)
        exp_step_table_enter(&w->table);
    sim_list_exhausted(w->system, &stuck);
    sim_fail(w->system, (col_event){.kind = COL_DEADLOCK},
             "deadlock: no message that is under way can be taken%s", stuck.text);
}

static void note_bounds(worker *w) {
    const world *s = &w->steps.world;
    uint32_t before = 0; /* messages lie by buffers */
    for (uint32_t i = 0; i < s->flight_count; i++) {
        const uint32_t buffer = s->flights[i].buffer;
        before = i > 0 && s->flights[i - 1].buffer == buffer ? before + 1 : 1;
        if (before > w->bounds[buffer])
            w->bounds[buffer] = (uint8_t)before;
    }
}

/* A step that need not be taken: it is idle, or it sleeps and would change the state. */
static void pass_over(worker *w, exp_rest rest, bool *moves) {
    if (rest == EXP_IDLE) {
        exp_trial_note_idle(&w->trials[w->trial_count++], &w->steps, w->choice);
        return;
    }
    *moves = *moves || !exp_step_is_free(&w->steps, w->choice);
    w->edges++;
    w->asleep++;
}

/* Steps start from the state; returns which of them rest. */
static image_span begin_state(worker *w, const image_span *state) {
    image_span rests;
    if (w->table.is_on) {
        exp_step_table_begin(&w->table, state, &rests);
        return rests;
    }
    exp_world_unpack(&w->steps.world, state->image);
    const size_t own = w->steps.world.origin_bytes;
    return (image_span){state->image + own, (uint32_t)(state->bytes - own)};
}

/* All steps from a state. A mistake leaves by the system's escape. */
static void expand(worker *w) {
    uint16_t choices[EXP_MOST_LISTED];
    const image_span *state = &w->batch->states[w->state];
    bool moves = false;
    uint32_t members = 1; /* that the step may take for the smallest */
    w->done = 0;
    w->trial_count = 0;
    const image_span rests = begin_state(w, state);
    note_bounds(w);
    const bool is_quiet = exp_step_is_quiet(&w->steps);
    const uint32_t count = exp_step_list(&w->steps, choices);
    for (uint32_t i = 0; i < count; i++) {
        w->choice = choices[i];
        w->place = i;
        if (w->choice >= EXP_MOST_CHOICES && w->choice / EXP_MOST_CHOICES >= members)
            continue;
        const exp_rest rest = exp_sleep_find(rests.image, rests.bytes, w->choice);
        if (rest == EXP_ASLEEP || (rest == EXP_IDLE && !is_quiet)) {
            pass_over(w, rest, &moves);
            members = 1; /* else it would not rest */
            continue;
        }
        try_step(w, is_quiet, &moves);
        members = w->steps.picker.most;
        undo_step(w);
    }
    settle_arrival(w);
    if (w->trials != NULL)
        exp_sleep_write(&w->steps, w->trials, w->trial_count, w->output);
    if (!is_quiet && !moves)
        report_stuck(w);
    if (w->batch->wants_graph) {
        /* What the steps of the state complete, for the graph. */
        const world *s = &w->steps.world;
        if (s->flight_count == 0)
            w->done |= exp_mark_quiet(s->cores, s->blocks);
        const record_head head = {
            .parent = w->state, .choice = EXP_GRAPH_STATE, .bytes = sizeof w->done};
        if (!put_record(w, head, &w->done, 0))
            sim_out_of_memory(w->system);
    }
}

/* ---- Batches. */

/* The next task that nobody has taken. False: there is none. */
static bool take_task(batch *b, uint32_t *task) {
    *task = atomic_fetch_add(&b->next_task, 1);
    return *task < b->last_task;
}

static void run_tasks(worker *w) {
    batch *b = w->batch;
    for (uint32_t task; take_task(b, &task);) {
        task_output *output = &b->outputs[task];
        base_invariant(task < EXP_MOST_TASKS && task * EXP_TASK_STATES < b->count); /* 3 */
        *output = (task_output){w, w->used, w->used};
        w->state = task * EXP_TASK_STATES;
        const uint32_t end =
            w->state + EXP_TASK_STATES < b->count ? w->state + EXP_TASK_STATES : b->count;
        for (; w->state < end; w->state++)
            expand(w);
        output->end = w->used;
    }
}

void exp_worker_begin(worker *w) {
    w->used = 0;
    w->records = 0;
    w->end = (worker_end){0};
}

void exp_worker_run(worker *w) {
    w->end = (worker_end){0};
    w->system->failure.happened = w->system->failure.out_of_memory = false;
    w->steps.world.limit = NULL;
    w->steps.refused = false;
    base_invariant(w->system->explorer == &w->steps); /* 1 */
    if (setjmp(w->system->escape) == 0) {
        w->arrival.is_waiting = false;
        if (w->is_torn)
            exp_step_begin(&w->steps);
        w->is_torn = false;
        run_tasks(w);
        return;
    }
    w->is_torn = true;
    w->end = (worker_end){.is_broken = w->system->failure.happened,
                          .is_limited = w->steps.world.limit != NULL,
                          .is_reached = w->end.is_reached,
                          .is_crowded = w->end.is_crowded,
                          .is_refusal = w->steps.refused,
                          .out_of_memory = w->system->failure.out_of_memory,
                          .state = w->state,
                          .choice = w->choice};
    w->batch->last_task = 0; /* nobody needs to look at the others */
}

/* Does the record have a claim that was made? */
static bool is_claim(const record_head *head) {
    return head->choice < EXP_DROPPED;
}

/* What all records of a task need is far away in memory: it is asked for before. */
static void expect_records(const batch *b, const uint8_t *at, const uint8_t *end) {
    for (record_head head; at < end; at += sizeof head + head.bytes) {
        memcpy(&head, at, sizeof head);
        if (!is_claim(&head))
            continue;
        exp_claims_expect(b->claims, head.claim_place);
        exp_known_expect(b->known, head.hash);
    }
}

static void resolve(worker *w, const task_output *output) {
    const batch *b = w->batch;
    uint8_t *at = output->worker->output + output->start;
    const uint8_t *end = output->worker->output + output->end;
    expect_records(b, at, end);
    for (record_head head; at < end; at += sizeof head + head.bytes) {
        memcpy(&head, at, sizeof head);
        if (!is_claim(&head))
            continue;
        if (exp_claims_stands(b->claims, head.claim_place, head.claim)) {
            const known_result added = exp_known_add(b->known, head.hash, NULL, 0);
            base_invariant(added == KNOWN_NEW); /* 5 */
            w->found++;
        } else {
            head.choice = EXP_DROPPED;
            memcpy(at, &head, sizeof head);
        }
    }
}

void exp_worker_resolve(worker *w) {
    for (uint32_t task; take_task(w->batch, &task);)
        if (w->batch->outputs[task].start < w->batch->outputs[task].end)
            resolve(w, &w->batch->outputs[task]);
}

/* ---- Going back. */

void exp_worker_checkpoint(worker *w) {
    (void)copy_counts(w, KEPT);
}

void exp_worker_roll_back(worker *w) {
    (void)copy_counts(w, TAKEN_BACK);
    exp_worker_begin(w);
    if (w->renames)
        exp_renamer_forget(&w->renamer);
}

/* Threads of a search. */

typedef struct member {
    struct thread_team *team;
    uint32_t number;
    pthread_t thread;
} member;

struct thread_team {
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    /* Under the lock. */
    uint64_t round; /* of work; 0: none yet */
    uint32_t busy;  /* members that have not returned from it */
    bool is_over;
    void (*task)(void *context, uint32_t number);
    void *context;

    uint32_t count; /* with the caller, who is the first */
    member members[];
};

static void *follow(void *context) {
    const member *self = context;
    thread_team *c = self->team;
    uint64_t done = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->round == done && !c->is_over)
            (void)pthread_cond_wait(&c->begins, &c->lock);
        if (c->is_over)
            break;
        done = c->round;
        (void)pthread_mutex_unlock(&c->lock);
        c->task(c->context, self->number);
        (void)pthread_mutex_lock(&c->lock);
        if (--c->busy == 0)
            (void)pthread_cond_signal(&c->ends);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

thread_team *exp_team_new(uint32_t count) {
    thread_team *c = calloc(1, sizeof *c + count * sizeof *c->members);
    if (c == NULL)
        return NULL;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->begins, NULL);
    (void)pthread_cond_init(&c->ends, NULL);
    for (c->count = 1; c->count < count; c->count++) {
        member *m = &c->members[c->count];
        *m = (member){.team = c, .number = c->count};
        if (pthread_create(&m->thread, NULL, follow, m) != 0)
            break;
    }
    return c;
}

void exp_team_free(thread_team *c) {
    if (c == NULL)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->is_over = true;
    (void)pthread_cond_broadcast(&c->begins);
    (void)pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 1; i < c->count; i++)
        (void)pthread_join(c->members[i].thread, NULL);
    (void)pthread_cond_destroy(&c->begins);
    (void)pthread_cond_destroy(&c->ends);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

void exp_team_run(thread_team *c, void (*task)(void *context, uint32_t number), void *context) {
    (void)pthread_mutex_lock(&c->lock);
    c->task = task;
    c->context = context;
    c->busy = c->count - 1;
    c->round++;
    (void)pthread_cond_broadcast(&c->begins);
    (void)pthread_mutex_unlock(&c->lock);
    task(context, 0);
    (void)pthread_mutex_lock(&c->lock);
    while (c->busy > 0)
        (void)pthread_cond_wait(&c->ends, &c->lock);
    (void)pthread_mutex_unlock(&c->lock);
}
