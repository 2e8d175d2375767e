/* SPDX-License-Identifier: MIT */
/* Ways: see search_parts.h. Each step without renaming is found by trying: what it leads to must
 * be, once renamed, what the search found. */

#include "protocol/explore/search_parts.h"

#include <stdlib.h>
#include <string.h>

/* The present state becomes the origin of steps; its image is kept in `image`. */
static void make_origin(worker *w, uint8_t *image) {
    world *s = &w->steps.world;
    memcpy(image, s->image, s->image_bytes);
    exp_world_unpack(s, image);
}

/* A step of a search fails when it is taken again, or there is no memory. */
static bool fail_again(worker *w) {
    w->strays = !w->system->failure.out_of_memory;
    return false;
}

/* Takes steps of a search from the beginning, and notes the hash of each state, if that is wanted.
 */
static bool follow(worker *w, const uint16_t *choices, uint32_t count, uint8_t *image,
                   uint64_t *hashes) {
    if (setjmp(w->system->escape) != 0)
        return fail_again(w);
    exp_worker_start(w);
    exp_worker_rename(w);
    for (uint32_t i = 0; i < count; i++) {
        make_origin(w, image);
        if (!exp_step_may(&w->steps, choices[i]))
            return fail_again(w);
        (void)exp_worker_step(w, choices[i], false);
        const uint64_t hash = exp_worker_hash(w);
        if (hashes != NULL)
            hashes[i] = hash;
    }
    return true;
}

bool exp_trace_follow(worker *w, const uint16_t *choices, uint32_t length, uint8_t *image,
                      uint64_t *hash) {
    const world *s = &w->steps.world;
    if (!follow(w, choices, length, image, NULL))
        return false;
    *hash = exp_known_hash(s->image, s->image_bytes);
    make_origin(w, image);
    return true;
}

/* What a choice from the present state is. */
static void describe(stepper *x, uint32_t listed, exp_path_step *step) {
    world *w = &x->world;
    const uint32_t choice = listed % EXP_MOST_CHOICES;
    const uint32_t messages = exp_step_accesses(x), alarms = messages + w->flight_count;
    const sl_controller *c;
    *step = (exp_path_step){.kind = EXP_TIME, .ends = EXP_NOT_ENDED};
    if (choice < messages) {
        const exp_access a = exp_access_of(x, choice);
        *step = (exp_path_step){.kind = EXP_ACCESS,
                                .core = a.core,
                                .block = exp_block_address(a.block),
                                .request = a.kind,
                                .number = w->system->cores[a.core].controller->number,
                                .ends = EXP_NOT_ENDED};
        return;
    }
    if (choice < alarms) {
        const flight *f = &w->flights[choice - messages];
        c = w->buffers[f->buffer]->consumer;
        step->kind = EXP_MESSAGE;
        step->queue = w->buffers[f->buffer]->name;
        step->message = w->system->protocol->messages[f->message->type].name;
    } else {
        alarm_clock list[MOST_ALARMS];
        (void)exp_world_alarms(w, list);
        c = list[choice - alarms].timer->consumer;
        step->block = list[choice - alarms].timer->items[list[choice - alarms].item].address;
    }
    step->machine = c->machine->name;
    step->number = c->number;
}

/* Accesses that the last step has completed, and what it did. */
static void note_last(const worker *w, exp_path_step *steps, uint32_t last) {
    const stepper *x = &w->steps;
    const world *s = &x->world;
    exp_path_step *step = &steps[last];
    step->takes = x->taken_count > 0;
    step->cell = step->takes ? x->taken[0] : (exp_cell){0};
    step->is_refused = step->kind == EXP_ACCESS && !x->completed && step->request != SL_ACQUIRE &&
                       s->of_cores.known[x->core][x->block].access == NO_ACCESS;
    for (uint32_t i = 0; i <= last; i++) {
        if (steps[i].kind != EXP_ACCESS || steps[i].ends != EXP_NOT_ENDED)
            continue;
        for (uint32_t b = 0; b < s->blocks; b++)
            if (exp_block_address(b) == steps[i].block &&
                s->of_cores.known[steps[i].core][b].access == NO_ACCESS)
                steps[i].ends = last;
    }
}

static void begin(worker *w, uint8_t *image) {
    exp_worker_start(w);
    make_origin(w, image);
}

/* Takes plain steps from the beginning, and describes them unless `steps` is NULL; false: one
 * fails. */
static bool replay(worker *w, const uint16_t *plain, uint32_t count, uint8_t *image,
                   exp_path_step *steps) {
    w->system->failure.happened = false;
    if (setjmp(w->system->escape) != 0)
        return fail_again(w);
    begin(w, image);
    for (uint32_t i = 0; i < count; i++) {
        if (!exp_step_may(&w->steps, plain[i]))
            return fail_again(w);
        if (steps != NULL)
            describe(&w->steps, plain[i], &steps[i]);
        (void)exp_worker_step(w, plain[i], exp_step_is_quiet(&w->steps));
        if (steps != NULL)
            note_last(w, steps, i);
        make_origin(w, image);
    }
    return true;
}

/* The choice from the present state that leads to one with this hash. */
static bool find_step(worker *w, uint64_t hash, uint16_t *found) {
    uint16_t choices[EXP_MOST_LISTED];
    const uint32_t count = exp_step_list(&w->steps, choices);
    for (uint32_t i = 0; i < count; i++) {
        (void)exp_worker_step(w, choices[i], false);
        const bool is_it = exp_worker_hash(w) == hash;
        exp_world_undo(&w->steps.world);
        if (is_it) {
            *found = choices[i];
            return true;
        }
    }
    return false;
}

static bool find_way(worker *w, const uint64_t *hashes, uint32_t length, uint8_t *image,
                     uint16_t *plain) {
    if (setjmp(w->system->escape) != 0)
        return fail_again(w); /* nothing on the way fails */
    begin(w, image);
    for (uint32_t i = 0; i < length; i++) {
        if (!find_step(w, hashes[i], &plain[i]))
            return fail_again(w);
        (void)exp_worker_step(w, plain[i], false);
        make_origin(w, image);
    }
    return true;
}

/* A last step that fails in the same way. */
static bool find_failure(worker *w, uint16_t *plain, uint32_t length, col_event_kind kind,
                         uint8_t *image) {
    uint16_t choices[EXP_MOST_LISTED];
    const uint32_t count = exp_step_list(&w->steps, choices);
    for (uint32_t i = 0; i < count; i++) {
        plain[length] = choices[i];
        if (!replay(w, plain, length + 1, image, NULL) && w->system->failure.happened &&
            w->system->failure.event.kind == kind) {
            w->strays = false;
            return true;
        }
    }
    return false;
}

/* A way without renaming, and what finding it takes. */
typedef struct way {
    uint16_t *plain;  /* choices */
    uint64_t *hashes; /* of its states, as the search renames them */
    uint8_t *image;   /* of the state that steps are taken from */
} way;

/* False: no memory. */
static bool open_way(way *y, const worker *w, uint32_t length) {
    *y = (way){.plain = calloc((size_t)length + 1, sizeof *y->plain),
               .hashes = calloc((size_t)length + 1, sizeof *y->hashes),
               .image = malloc(w->steps.world.image_capacity)};
    return y->plain != NULL && y->hashes != NULL && y->image != NULL;
}

static void close_way(way *y) {
    free(y->plain);
    free(y->hashes);
    free(y->image);
}

/* The choices without renaming that lead to the same state, or one that differs in names; of a last
 * step that fails, too: `last`, EXP_NO_CHOICE: there is none. False: there is no such way. */
static bool find_plain(worker *w, const uint16_t *choices, uint32_t length, uint32_t last, way *y) {
    const col_event_kind kind = w->system->failure.event.kind;
    if (w->renames)
        return follow(w, choices, length, y->image, y->hashes) &&
               find_way(w, y->hashes, length, y->image, y->plain) &&
               (last == EXP_NO_CHOICE || find_failure(w, y->plain, length, kind, y->image));
    memcpy(y->plain, choices, length * sizeof *y->plain);
    y->plain[length] = (uint16_t)last;
    return true;
}

bool exp_trace_walk(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                    base_text *trace) {
    way y;
    const bool has_memory = open_way(&y, w, length);
    const bool watched = w->system->base.watch_transitions; /* witnesses need it afterwards */
    if (has_memory && find_plain(w, choices, length, last, &y)) {
        w->steps.trace = trace;
        w->system->base.watch_transitions = true;
        (void)replay(w, y.plain, length + (last != EXP_NO_CHOICE), y.image, NULL);
        w->system->base.watch_transitions = watched;
        w->steps.trace = NULL;
    }
    close_way(&y);
    return has_memory;
}

bool exp_trace_write(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                     base_text *trace) {
    const sim_failure failure = w->system->failure;
    const bool has_memory = exp_trace_walk(w, choices, length, last, trace);
    if (last == EXP_NO_CHOICE)
        exp_trace_flights(w, trace, "does not take");
    if (!w->system->failure.happened) { /* a deadlock: no step fails */
        w->system->failure = failure;
        w->system->failure.event.message = w->system->failure.text;
    }
    base_text_print(trace, "%s\n", w->system->failure.text);
    return has_memory && !trace->failed;
}

void exp_trace_flights(const worker *who, base_text *text, const char *what) {
    const world *w = &who->steps.world;
    for (uint32_t i = 0; i < w->flight_count; i++) {
        const sl_buffer *b = w->buffers[w->flights[i].buffer];
        base_text_print(text, "%s %u %s a %s in %s\n", b->consumer->machine->name,
                        b->consumer->number, what,
                        w->system->protocol->messages[w->flights[i].message->type].name, b->name);
    }
}

/* ---- Witnesses. */

static bool takes(const worker *w, const exp_cell *cell) {
    for (uint32_t i = 0; i < w->steps.taken_count; i++)
        if (memcmp(&w->steps.taken[i], cell, sizeof *cell) == 0)
            return true;
    return false;
}

/* A step from the present state that takes the transition. */
static bool find_taker(worker *w, const exp_cell *cell, uint16_t *found) {
    uint16_t choices[EXP_MOST_LISTED];
    if (setjmp(w->system->escape) != 0)
        return fail_again(w);
    const uint32_t count = exp_step_list(&w->steps, choices);
    for (uint32_t i = 0; i < count; i++) {
        (void)exp_step_take(&w->steps, choices[i]);
        exp_world_undo(&w->steps.world);
        *found = choices[i];
        if (takes(w, cell))
            return true;
    }
    return fail_again(w);
}

bool exp_witness_make(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                      exp_witness *witness) {
    way y;
    exp_path_step *steps = calloc((size_t)length + 1, sizeof *steps);
    const sim_failure failure = w->system->failure;
    w->system->failure.out_of_memory = false;
    bool is_made = open_way(&y, w, length) && steps != NULL &&
                   find_plain(w, choices, length, EXP_NO_CHOICE, &y);
    if (is_made)
        y.plain[length] = (uint16_t)last;
    if (is_made && w->renames)
        is_made = replay(w, y.plain, length, y.image, NULL) &&
                  find_taker(w, &witness->cell, &y.plain[length]);
    is_made = is_made && replay(w, y.plain, length + 1, y.image, steps);
    w->system->failure = failure;
    w->system->failure.event.message = w->system->failure.text;
    witness->steps = is_made ? steps : NULL;
    witness->count = length + 1;
    if (!is_made)
        free(steps);
    close_way(&y);
    return is_made;
}
