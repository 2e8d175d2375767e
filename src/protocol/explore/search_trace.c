/* SPDX-License-Identifier: MIT */
/* Ways: see trace.h. Each step without renaming is found by trying: what it leads to must be, once
 * renamed, what the search found. */
#include "explore/trace.h"

#include <stdlib.h>
#include <string.h>

/* The present state becomes the origin of steps; its image is kept in `image`. */
static void settle(worker *w, uint8_t *image) {
    world *s = &w->steps.world;
    memcpy(image, s->image, s->image_bytes);
    exp_world_unpack(s, image);
}

static void rename_image(worker *w) {
    if (w->renames)
        exp_renamer_pack(&w->renamer, &w->steps.world);
}

/* A step of a search fails when it is taken again, or there is no memory. */
static bool fail_again(worker *w) {
    w->strays = !w->system->failure.out_of_memory;
    return false;
}

/* Takes steps of a search from the beginning and notes the hash of each state. */
static bool follow(worker *w, const uint16_t *choices, uint32_t count, uint8_t *image,
                   uint64_t *prints) {
    world *s = &w->steps.world;
    if (setjmp(w->system->escape) != 0)
        return fail_again(w);
    exp_step_begin(&w->steps);
    exp_world_pack_all(s);
    rename_image(w);
    for (uint32_t i = 0; i < count; i++) {
        settle(w, image);
        if (!exp_step_may(&w->steps, choices[i]))
            return fail_again(w);
        (void)exp_worker_step(w, choices[i], false);
        rename_image(w);
        prints[i] = exp_known_print(s->image, s->image_bytes);
    }
    return true;
}

bool exp_trace_follow(worker *w, const uint16_t *choices, uint32_t length, uint8_t *image,
                      uint64_t *print) {
    const world *s = &w->steps.world;
    uint64_t *prints = calloc((size_t)length + 1, sizeof *prints);
    const bool is_there = prints != NULL && follow(w, choices, length, image, prints);
    free(prints);
    if (!is_there)
        return false;
    *print = exp_known_print(s->image, s->image_bytes);
    settle(w, image);
    return true;
}

/* Takes plain steps from the beginning; false: one fails. */
static bool replay(worker *w, const uint16_t *plain, uint32_t count, uint8_t *image) {
    world *s = &w->steps.world;
    w->system->failure.happened = false;
    if (setjmp(w->system->escape) != 0)
        return false;
    exp_step_begin(&w->steps);
    exp_world_pack_all(s);
    settle(w, image);
    for (uint32_t i = 0; i < count; i++) {
        if (!exp_step_may(&w->steps, plain[i]))
            return fail_again(w);
        (void)exp_worker_step(w, plain[i], exp_step_is_quiet(&w->steps));
        settle(w, image);
    }
    return true;
}

/* The choice from the present state that leads to one with this hash. */
static bool find_step(worker *w, uint64_t print, uint16_t *found) {
    uint16_t choices[EXP_MOST_LISTED];
    world *s = &w->steps.world;
    const uint32_t count = exp_step_list(&w->steps, choices);
    for (uint32_t i = 0; i < count; i++) {
        (void)exp_worker_step(w, choices[i], false);
        rename_image(w);
        const bool is_it = exp_known_print(s->image, s->image_bytes) == print;
        exp_world_undo(s);
        if (is_it) {
            *found = choices[i];
            return true;
        }
    }
    return false;
}

static bool find_way(worker *w, const uint64_t *prints, uint32_t length, uint8_t *image,
                     uint16_t *plain) {
    if (setjmp(w->system->escape) != 0)
        return fail_again(w); /* nothing on the way fails */
    exp_step_begin(&w->steps);
    exp_world_pack_all(&w->steps.world);
    settle(w, image);
    for (uint32_t i = 0; i < length; i++) {
        if (!find_step(w, prints[i], &plain[i]))
            return fail_again(w);
        (void)exp_worker_step(w, plain[i], false);
        settle(w, image);
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
        if (!replay(w, plain, length + 1, image) && w->system->failure.happened &&
            w->system->failure.event.kind == kind)
            return true;
    }
    return false;
}

bool exp_trace_plain(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                     uint16_t *plain) {
    const col_event_kind kind = w->system->failure.event.kind;
    uint64_t *prints = calloc((size_t)length + 1, sizeof *prints);
    uint8_t *image = malloc(w->steps.world.image_capacity);
    bool is_found = prints != NULL && image != NULL;
    if (is_found && w->renames) {
        is_found = follow(w, choices, length, image, prints) &&
                   find_way(w, prints, length, image, plain) &&
                   (last == EXP_NO_CHOICE || find_failure(w, plain, length, kind, image));
    } else if (is_found) {
        memcpy(plain, choices, length * sizeof *plain);
        plain[length] = (uint16_t)last;
    }
    free(prints);
    free(image);
    return is_found;
}

bool exp_trace_walk(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                    base_text *trace) {
    uint16_t *plain = calloc((size_t)length + 1, sizeof *plain);
    uint8_t *image = malloc(w->steps.world.image_capacity);
    const bool has_memory = plain != NULL && image != NULL;
    const bool watched = w->system->base.watch_transitions; /* witnesses need it afterwards */
    if (has_memory && exp_trace_plain(w, choices, length, last, plain)) {
        w->steps.trace = trace;
        w->system->base.watch_transitions = true;
        (void)replay(w, plain, length + (last != EXP_NO_CHOICE), image);
        w->system->base.watch_transitions = watched;
        w->steps.trace = NULL;
    }
    free(plain);
    free(image);
    return has_memory;
}

bool exp_trace_write(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                     base_text *trace) {
    const sim_failure failure = w->system->failure;
    const bool has_memory = exp_trace_walk(w, choices, length, last, trace);
    if (last == EXP_NO_CHOICE)
        exp_step_tell_flights(&w->steps, trace, "does not take");
    if (!w->system->failure.happened) { /* a deadlock: no step fails */
        w->system->failure = failure;
        w->system->failure.event.message = w->system->failure.text;
    }
    base_text_print(trace, "%s\n", w->system->failure.text);
    return has_memory && !trace->failed;
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

/* Accesses that the last step has completed. */
static void note_ends(const worker *w, exp_path_step *steps, uint32_t last) {
    const world *s = &w->steps.world;
    for (uint32_t i = 0; i <= last; i++) {
        if (steps[i].kind != EXP_ACCESS || steps[i].ends != EXP_NOT_ENDED)
            continue;
        for (uint32_t b = 0; b < s->blocks; b++)
            if (exp_block_address(b) == steps[i].block &&
                s->of_cores.known[steps[i].core][b].access == NO_ACCESS)
                steps[i].ends = last;
    }
}

/* What the step did that was taken last. */
static void note_taken(const worker *w, exp_path_step *step) {
    const stepper *x = &w->steps;
    step->takes = x->taken_count > 0;
    step->cell = step->takes ? x->taken[0] : (exp_cell){0};
    step->is_refused = step->kind == EXP_ACCESS && !x->completed && step->request != SL_ACQUIRE &&
                       x->world.of_cores.known[x->core][x->block].access == NO_ACCESS;
}

static bool describe(worker *w, const uint16_t *plain, uint32_t count, uint8_t *image,
                     exp_path_step *steps) {
    world *s = &w->steps.world;
    if (setjmp(w->system->escape) != 0)
        return fail_again(w);
    exp_step_begin(&w->steps);
    exp_world_pack_all(s);
    settle(w, image);
    for (uint32_t i = 0; i < count; i++) {
        if (!exp_step_may(&w->steps, plain[i]))
            return fail_again(w);
        exp_step_describe(&w->steps, plain[i], &steps[i]);
        (void)exp_worker_step(w, plain[i], false);
        note_taken(w, &steps[i]);
        note_ends(w, steps, i);
        settle(w, image);
    }
    return true;
}

bool exp_witness_make(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                      exp_witness *witness) {
    uint16_t *plain = calloc((size_t)length + 1, sizeof *plain);
    uint8_t *image = malloc(w->steps.world.image_capacity);
    exp_path_step *steps = calloc((size_t)length + 1, sizeof *steps);
    const sim_failure failure = w->system->failure;
    w->system->failure.out_of_memory = false;
    bool is_made = plain != NULL && image != NULL && steps != NULL &&
                   exp_trace_plain(w, choices, length, EXP_NO_CHOICE, plain);
    if (is_made)
        plain[length] = (uint16_t)last;
    if (is_made && w->renames)
        is_made = replay(w, plain, length, image) && find_taker(w, &witness->cell, &plain[length]);
    is_made = is_made && describe(w, plain, length + 1, image, steps);
    w->system->failure = failure;
    w->system->failure.event.message = w->system->failure.text;
    witness->steps = is_made ? steps : NULL;
    witness->count = length + 1;
    if (!is_made)
        free(steps);
    free(plain);
    free(image);
    return is_made;
}
