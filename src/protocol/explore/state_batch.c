/* SPDX-License-Identifier: MIT */
/*
 * Batches: see search_parts.h. One worker alone makes states known as it finds them, so it needs
 * room in the table for all that may come, a piece of the batch at a time. All together look first,
 * make room for what they found, and then make it known. If something ends the search on the way,
 * they go back, and one worker looks at the batch alone: so it ends as it would with one thread.
 *
 * Invariants:
 *  1. The images of a batch stay where they are until the next one is filled: only that drops what
 *     was taken from the queue.
 *  2. New states are gathered by tasks, which are states of the batch in order, and within a task
 * in the order of its output: they get the numbers that one worker alone gives them.
 *  3. After a batch the table knows each state that has a number, and no other: their count is that
 *     of the ways to states.
 *  4. One worker alone has room for all that its next tasks may find, before it takes them.
 */

#include "protocol/explore/search_parts.h"

#include "base/problem.h"

#include <string.h>

enum { BATCH_STATES = EXP_TASK_STATES * EXP_MOST_TASKS };
enum { SHARED_STATES = 512 }; /* fewer are not worth waking others up */
enum { BATCH_SHARE = 64 };    /* of the memory: what the images of a batch take */

/* ---- Counting. */

uint64_t exp_search_other_bytes(const search *x) {
    return exp_paths_bytes(&x->paths) + x->queue.bytes + exp_graph_bytes(&x->graph);
}

void exp_search_count(search *x) {
    exp_exploration *r = x->result;
    const uint64_t bytes = exp_known_bytes(&x->known) + exp_search_other_bytes(x);
    r->states = x->old_states;
    r->steps = x->old_steps;
    r->asleep = 0;
    for (uint32_t i = 0; i < x->worker_count; i++) {
        r->states += x->workers[i].found;
        r->steps += x->workers[i].edges;
        r->asleep += x->workers[i].asleep;
    }
    x->known.count = r->states;
    r->bytes = bytes > r->bytes ? bytes : r->bytes;
    r->disk_bytes = exp_queue_disk_bytes(&x->queue);
}

/* ---- Filling. */

static uint32_t count_tasks(const batch *b) {
    return (b->count + EXP_TASK_STATES - 1) / EXP_TASK_STATES;
}

/* Of a search with a limit of states: not many more than are wanted. */
static uint64_t most_of_batch(const search *x) {
    const uint64_t limit = x->settings->most_states;
    const uint64_t left = limit > x->result->states ? limit - x->result->states : 0;
    if (limit == 0 || left > BATCH_STATES)
        return BATCH_STATES;
    return left < EXP_TASK_STATES ? EXP_TASK_STATES : left;
}

bool exp_batch_fill(search *x) {
    batch *b = x->batch;
    const uint64_t most = most_of_batch(x), rest = x->depth_end - x->number;
    const uint64_t most_bytes =
        x->settings->most_bytes == 0 ? UINT64_MAX : x->settings->most_bytes / BATCH_SHARE;
    uint64_t bytes = 0;
    exp_queue_drop(&x->queue);
    for (b->count = 0; b->count < most && b->count < rest; b->count++) {
        if (bytes > most_bytes && b->count % EXP_TASK_STATES == 0)
            break;
        b->states[b->count] = exp_queue_take(&x->queue);
        if (b->states[b->count].image == NULL)
            return false;
        bytes += b->states[b->count].bytes;
    }
    b->first_number = x->number;
    return true;
}

/* ---- One worker alone. */

static uint32_t most_choices(const search *x) {
    const uint32_t others = MOST_FLIGHTS + MOST_ALARMS;
    return x->workers[0].system->wiring.cores * x->settings->blocks * EXP_KINDS +
           others * (x->settings->takes_any ? SL_PICKABLE : 1);
}

/* Room in the table for that many states. False: no memory, or `*is_full`: the search may not have
 * more. */
static bool make_room(search *x, uint64_t states, bool *is_full) {
    const uint64_t most = x->settings->most_bytes;
    while (exp_known_room(&x->known) < states) {
        if (most != 0 && exp_known_growing_bytes(&x->known) + exp_search_other_bytes(x) > most) {
            *is_full = exp_known_last_room(&x->known) < states;
            return !*is_full;
        }
        if (!exp_known_grow(&x->known))
            return false;
    }
    return true;
}

static bool has_ended(const worker *w) {
    return w->end.is_broken || w->end.is_limited || w->end.is_reached || w->end.is_crowded ||
           w->end.out_of_memory;
}

/* At least one task, and as many as there is room for. */
static uint32_t tasks_with_room(const search *x, uint64_t each) {
    const uint64_t tasks = exp_known_room(&x->known) / each;
    return tasks == 0 ? 1 : tasks < EXP_MOST_TASKS ? (uint32_t)tasks : EXP_MOST_TASKS;
}

static bool expand_alone(search *x, bool *is_full) {
    batch *b = x->batch;
    const uint32_t tasks = count_tasks(b);
    const uint64_t each = (uint64_t)most_choices(x) * EXP_TASK_STATES;
    b->claims = NULL;
    exp_worker_begin(&x->workers[0]);
    for (uint32_t task = 0, end; task < tasks && !has_ended(&x->workers[0]); task = end) {
        if (!make_room(x, each, is_full)) {
            b->count = task * EXP_TASK_STATES;
            return *is_full;
        }
        end = task + tasks_with_room(x, each);
        end = end < tasks ? end : tasks;
        base_invariant(exp_known_last_room(&x->known) >= (end - task) * each); /* 4 */
        b->next_task = task;
        b->last_task = end;
        exp_worker_run(&x->workers[0]);
        exp_search_count(x);
    }
    return true;
}

/* ---- All together. */

static void run_one(void *context, uint32_t number) {
    exp_worker_run(&((search *)context)->workers[number]);
}

static void resolve_one(void *context, uint32_t number) {
    exp_worker_resolve(&((search *)context)->workers[number]);
}

static void begin_tasks(batch *b) {
    b->next_task = 0;
    b->last_task = count_tasks(b);
}

/* `*is_done`: it was not ended by anything. False: no memory. */
static bool expand_together(search *x, bool *is_done) {
    batch *b = x->batch;
    uint64_t records = 0;
    bool is_full = false;
    *is_done = true;
    if (x->team == NULL)
        x->team = exp_team_new(x->worker_count);
    if (x->team == NULL || !exp_claims_begin(&x->claims, b->count))
        return false;
    b->claims = &x->claims;
    for (uint32_t i = 0; i < x->worker_count; i++) {
        exp_worker_begin(&x->workers[i]);
        exp_worker_checkpoint(&x->workers[i]);
    }
    begin_tasks(b);
    exp_team_run(x->team, run_one, x);
    for (uint32_t i = 0; i < x->worker_count; i++) {
        *is_done = *is_done && !has_ended(&x->workers[i]);
        records += x->workers[i].records;
        if (x->workers[i].end.out_of_memory)
            return false;
    }
    if (*is_done && !make_room(x, records, &is_full)) {
        *is_done = false;
        return is_full;
    }
    if (!*is_done)
        return true;
    begin_tasks(b);
    exp_team_run(x->team, resolve_one, x);
    exp_search_count(x);
    return true;
}

bool exp_batch_expand(search *x, bool *is_full) {
    bool is_done = false;
    *is_full = false;
    if (x->worker_count > 1 && x->batch->count >= SHARED_STATES) {
        if (!expand_together(x, &is_done))
            return false;
        if (is_done)
            return true;
        for (uint32_t i = 0; i < x->worker_count; i++)
            exp_worker_roll_back(&x->workers[i]);
    }
    return expand_alone(x, is_full) && !x->workers[0].end.out_of_memory;
}

/* ---- What was found. */

bool exp_search_add(search *x, const found_state *f) {
    return exp_paths_add(&x->paths, x->number + f->parent, f->choice) &&
           exp_queue_add(&x->queue, f->image.image, f->image.bytes) &&
           (!x->batch->wants_graph ||
            exp_graph_add_state(&x->graph, exp_known_hash(f->image.image, f->image.bytes)));
}

static bool add_step(search *x, const found_state *f) {
    graph_step step;
    uint64_t done;
    if (f->choice == EXP_GRAPH_STEP) {
        memcpy(&step, f->image.image, sizeof step);
        return exp_graph_add_step(&x->graph, step.target, step.renaming);
    }
    memcpy(&done, f->image.image, sizeof done);
    return exp_graph_end_state(&x->graph, done);
}

bool exp_batch_gather(search *x) {
    const uint32_t tasks = count_tasks(x->batch);
    for (uint32_t t = 0; t < tasks; t++) {
        const task_output *o = &x->batch->outputs[t];
        if (o->start == o->end)
            continue; /* nobody may have written anything yet */
        const uint8_t *at = o->worker->output + o->start, *end = o->worker->output + o->end;
        for (found_state f; at < end;) {
            at = exp_worker_read(at, &f);
            if (f.choice != EXP_DROPPED &&
                !(f.choice < EXP_DROPPED ? exp_search_add(x, &f) : add_step(x, &f)))
                return false;
        }
    }
    return true;
}
