/* SPDX-License-Identifier: MIT */
/*
 * States found again: see restore.h. Only states that lead to one that waits are needed, and a
 * state is found from one that was found before it, in the same order; so two passes are enough:
 * backward to mark them, forward to take one step to each. Those that are found wait in a queue
 * until those found from them have been found, too.
 */
#include "explore/restore.h"
#include "base/stop.h"

#include <stdlib.h>

typedef struct restorer {
    search *search;
    worker *worker;
    uint64_t *needed;  /* a bit for each state */
    image_queue queue; /* states that were found again, and are not parents yet */
    uint64_t next;     /* no state before this waits in the queue */
    uint64_t parent;   /* the state that steps start from */
    bool has_parent;
    bool is_stopped;
    bool is_foreign; /* a step is not one of the design's */
} restorer;

static bool is_needed(const restorer *r, uint64_t number) {
    return (r->needed[number / 64] >> number % 64 & 1) != 0;
}

static void mark(restorer *r, uint64_t number) {
    r->needed[number / 64] |= UINT64_C(1) << number % 64;
}

static void mark_needed(restorer *r) {
    const search *x = r->search;
    found_run states;
    for (uint64_t i = x->number; i < x->paths.count; i++)
        mark(r, i);
    for (uint64_t run = x->paths.index_count; run-- > 0;)
        for (uint32_t i = exp_paths_read(&x->paths, run, &states); i-- > 0;)
            if (is_needed(r, run * EXP_PATHS_RUN + i))
                mark(r, states.parents[i]);
}

/* The parent becomes the origin of steps. False: no memory, or the disk fails. */
static bool go_to(restorer *r, uint64_t parent) {
    if (r->has_parent && r->parent == parent)
        return true;
    exp_queue_drop(&r->queue);
    image_span image = {0};
    for (bool is_there = false; !is_there; r->next++) {
        if (!is_needed(r, r->next))
            continue;
        image = exp_queue_take(&r->queue);
        if (image.image == NULL)
            return false;
        is_there = r->next == parent;
    }
    exp_world_unpack(&r->worker->steps.world, image.image);
    r->parent = parent;
    r->has_parent = true;
    return true;
}

/* Takes the step to a state, whose image is written. False: it is no step of the design, or leads
 * elsewhere. */
static bool take(restorer *r, uint32_t choice) {
    worker *w = r->worker;
    if (!exp_step_may(&w->steps, choice) || !exp_worker_step(w, choice, false))
        return false;
    if (w->renames)
        exp_renamer_pack(&w->renamer, &w->steps.world);
    return exp_known_has(&r->search->known,
                         exp_known_print(w->steps.world.image, w->steps.world.image_bytes));
}

/* False: no memory, or the disk fails. */
static bool keep(restorer *r, uint64_t number) {
    const world *s = &r->worker->steps.world;
    image_queue *queue = number < r->search->number ? &r->queue : &r->search->queue;
    return exp_queue_add(queue, s->image, (uint32_t)s->image_bytes);
}

static bool begin(restorer *r) {
    worker *w = r->worker;
    exp_step_begin(&w->steps);
    exp_world_pack_all(&w->steps.world);
    if (w->renames)
        exp_renamer_pack(&w->renamer, &w->steps.world);
    r->is_foreign = !exp_known_has(
        &r->search->known, exp_known_print(w->steps.world.image, w->steps.world.image_bytes));
    return !r->is_foreign && keep(r, 0);
}

static bool find_again(restorer *r, uint64_t number, uint64_t parent, uint32_t choice) {
    r->is_foreign = false;
    if (!go_to(r, parent))
        return false;
    r->is_foreign = true; /* if a step fails */
    r->is_foreign = !take(r, choice);
    if (r->is_foreign || !keep(r, number))
        return false;
    exp_world_undo(&r->worker->steps.world);
    return true;
}

/* False: no memory, the disk fails, or the steps are not the design's. */
static bool find_all(restorer *r) {
    const search *x = r->search;
    found_run states;
    r->is_foreign = true; /* if the first state fails */
    if (setjmp(r->worker->system->escape) != 0)
        return false;
    if (x->number == x->paths.count)
        return true; /* nothing waits */
    if (!begin(r))
        return false;
    for (uint64_t run = 0; run < x->paths.index_count; run++) {
        const uint32_t count = exp_paths_read(&x->paths, run, &states);
        r->is_stopped = base_is_stopped(x->settings->stop);
        if (r->is_stopped)
            return true;
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t number = run * EXP_PATHS_RUN + i;
            if (number > 0 && is_needed(r, number) &&
                !find_again(r, number, states.parents[i], states.choices[i]))
                return false;
        }
    }
    return true;
}

col_status exp_restore(search *x, const char *path, col_problem *problem) {
    restorer r = {.search = x,
                  .worker = &x->workers[0],
                  .queue = {.most_bytes = x->queue.most_bytes, .folder = x->queue.folder}};
    col_status status = COL_OK;
    r.needed = calloc(x->paths.count / 64 + 1, sizeof *r.needed);
    if (r.needed == NULL)
        return base_out_of_memory(problem);
    mark_needed(&r);
    if (!find_all(&r)) {
        if (x->workers[0].system->failure.out_of_memory || !r.is_foreign)
            status = base_fail(problem,
                               "cannot restore the states of %.400s: no memory, or the "
                               "temporary file fails",
                               path);
        else
            status = base_refuse(problem,
                                 "%.400s is damaged: its steps are not those of the design", path);
    }
    x->limit = r.is_stopped ? "stop" : NULL;
    exp_queue_free(&r.queue);
    free(r.needed);
    return status;
}
