/* SPDX-License-Identifier: MIT */
/* Walks through two levels of caches: see levels_walk.h. */
#include "tour/levels_walk.h"
#include "base/bits.h"

#include <assert.h>

void tour_walk_step(tour_walk *w, uint32_t kind, uint32_t who) {
    const tour_operation operation = {(uint8_t)kind, (uint8_t)who};
    if (w->is_enough || !w->sink.take(w->sink.context, operation))
        w->is_enough = true;
    else
        w->state = tour_levels_after(w->space, &w->state, operation);
}

/* ---- Ways to a state. */

static void load_all(tour_walk *w, uint32_t holders, uint32_t seconds) {
    for (uint32_t core = 0; core < w->space->cores; core++)
        if (tour_set_has(holders & ~w->state.holders, core))
            tour_walk_step(w, TOUR_LOAD, core);
    for (uint32_t cluster = 0; cluster < w->space->clusters; cluster++)
        if (tour_set_has(seconds & ~w->state.seconds, cluster))
            tour_walk_step(w, TOUR_LEVELS_LOAD2, cluster);
}

void tour_walk_evict_others(tour_walk *w, uint32_t holders, uint32_t seconds) {
    for (uint32_t core = 0; core < w->space->cores; core++)
        if (tour_set_has(w->state.holders & ~holders, core))
            tour_walk_step(w, TOUR_EVICT, core);
    for (uint32_t cluster = 0; cluster < w->space->clusters; cluster++)
        if (tour_set_has(w->state.seconds & ~seconds, cluster))
            tour_walk_step(w, TOUR_LEVELS_EVICT2, cluster);
}

/* A store frees many caches at once. */
static void go_to_initial(tour_walk *w) {
    const uint32_t held = base_bit_count(w->state.holders) + base_bit_count(w->state.seconds);
    if (w->space->protocol != TOUR_SI && held > 3)
        tour_walk_step(w, TOUR_STORE, 0);
    tour_walk_evict_others(w, 0, 0);
}

static bool is_unshared(uint8_t holding) {
    return holding == TOUR_EXCLUSIVE || holding == TOUR_MODIFIED;
}

/* The second level of a cluster that has nothing of the block asks for it: nobody has it for itself
 * any more. */
static void ask_from_outside(tour_walk *w) {
    uint32_t other = 0;
    if (w->is_enough)
        return;
    while (tour_set_has(w->state.seconds, other) ||
           (w->state.holders & tour_levels_cores(w->space, other)) != 0)
        other++;
    tour_walk_step(w, TOUR_LEVELS_LOAD2, other);
}

static bool is_owned(const tour_walk *w, uint8_t holding) {
    return tour_levels_has_owned(w->space) && (holding == TOUR_OWNED || holding == TOUR_MODIFIED);
}

/* Owned data do not become shared where they are: who is to share them evicts them first. */
static void disown(tour_walk *w, const tour_levels_state *target) {
    const tour_levels_state here = w->state;
    if (is_owned(w, here.holding)) {
        const uint32_t owner =
            here.holding == TOUR_OWNED ? here.owner : tour_set_first(here.holders);
        if (tour_set_has(target->holders, owner) ||
            tour_set_has(target->seconds, tour_levels_cluster(w->space, owner)))
            tour_walk_step(w, TOUR_EVICT, owner);
    }
    if (is_owned(w, here.second_holding)) {
        const uint32_t owner =
            here.second_holding == TOUR_OWNED ? here.second_owner : tour_set_first(here.seconds);
        if (!tour_set_has(target->seconds, owner))
            return;
        if (w->space->inclusive)
            tour_walk_evict_others(w, ~tour_levels_cores(w->space, owner), UINT32_MAX);
        tour_walk_step(w, TOUR_LEVELS_EVICT2, owner);
    }
}

static void go_to_shared(tour_walk *w, const tour_levels_state *target) {
    disown(w, target);
    load_all(w, target->holders, target->seconds);
    if ((is_unshared(w->state.holding) && (w->state.holders & target->holders) != 0) ||
        (is_unshared(w->state.second_holding) && (w->state.seconds & target->seconds) != 0))
        ask_from_outside(w);
    tour_walk_evict_others(w, target->holders, target->seconds);
}

static bool is_modified_by(const tour_walk *w, uint32_t core) {
    return w->state.holding == TOUR_MODIFIED && w->state.holders == tour_set_of(core);
}

/* To where a core has modified data, with its second level or without. */
static void go_to_modified(tour_walk *w, uint32_t core, bool with_second) {
    const uint32_t cluster = tour_levels_cluster(w->space, core);
    const bool has_second = tour_set_has(w->state.seconds, cluster);
    if (!w->space->inclusive && has_second && !with_second)
        tour_walk_step(w, TOUR_LEVELS_EVICT2, cluster);
    if (!is_modified_by(w, core))
        tour_walk_step(w, TOUR_STORE, core);
    if (!w->space->inclusive && !has_second && with_second)
        tour_walk_step(w, TOUR_LEVELS_LOAD2, cluster);
}

/* To a state that one cluster has for itself. */
static void go_to_unshared(tour_walk *w, const tour_levels_state *target) {
    const bool with_second = target->seconds != 0;
    uint32_t cluster = 0, core = 0;
    while (!tour_set_has(target->seconds, cluster) &&
           (target->holders & tour_levels_cores(w->space, cluster)) == 0)
        cluster++;
    while (!tour_set_has(tour_levels_cores(w->space, cluster), core) ||
           (!tour_set_has(target->holders, core) && base_bit_count(target->holders) != 0))
        core++;
    const bool is_alone = base_bit_count(target->holders) == 1 && target->holding == TOUR_SHARED;
    const uint32_t width = w->space->cores / w->space->clusters, base = cluster * width;
    const uint32_t start = is_alone ? base + (core - base + 1) % width : core;
    if (target->holding == TOUR_MODIFIED || target->second_holding == TOUR_MODIFIED) {
        go_to_modified(w, start, with_second);
        if (target->holding == TOUR_MODIFIED)
            return;
        if (target->holding == TOUR_EXCLUSIVE)
            tour_walk_step(w, TOUR_EVICT, start);
    } else {
        go_to_initial(w);
        if (with_second)
            tour_walk_step(w, TOUR_LEVELS_LOAD2, cluster);
        if (target->holders != 0)
            tour_walk_step(w, TOUR_LOAD, start);
    }
    load_all(w, target->holders, target->seconds);
    tour_walk_evict_others(w, target->holders, target->seconds);
}

/* A core of a cluster that is not among these, if there is one; the one that has modified data, if
 * it can be. */
static uint32_t core_besides(const tour_walk *w, uint32_t cluster, uint32_t holders) {
    const uint32_t all = tour_levels_cores(w->space, cluster), others = all & ~holders;
    const uint32_t besides = others != 0 ? others : all;
    const uint32_t writers = w->state.holding == TOUR_MODIFIED ? w->state.holders & besides : 0;
    return tour_set_first(writers != 0 ? writers : besides);
}

/* Where there are owned states. To one that a core or a second level owns, or in which the second
 * level has modified data and its cores share them. */
static void go_to_owned(tour_walk *w, const tour_levels_state *target) {
    const bool is_core = target->holding == TOUR_OWNED,
               is_kept = is_unshared(target->second_holding);
    const uint32_t cluster = is_core   ? tour_levels_cluster(w->space, target->owner)
                             : is_kept ? tour_set_first(target->seconds)
                                       : target->second_owner;
    const uint32_t start = is_core ? target->owner : core_besides(w, cluster, target->holders);
    go_to_modified(w, start, tour_set_has(target->seconds, cluster));
    if (!is_core && tour_set_has(target->holders, start))
        tour_walk_step(w, TOUR_EVICT, start);
    load_all(w, target->holders, target->seconds);
    if (is_kept && is_unshared(w->state.holding) && is_core)
        tour_walk_step(w, TOUR_LOAD, core_besides(w, cluster, target->holders));
    else if (!is_kept && (is_unshared(w->state.holding) || is_unshared(w->state.second_holding)))
        ask_from_outside(w);
    tour_walk_evict_others(w, target->holders, target->seconds);
}

/* Is one operation enough? */
static bool step_to(tour_walk *w, const tour_levels_state *target) {
    for (uint32_t number = 0; number < tour_levels_operation_count(w->space); number++) {
        const tour_operation operation = tour_levels_numbered_operation(w->space, number);
        if (!tour_levels_is_possible(w->space, &w->state, operation))
            continue;
        const tour_levels_state next = tour_levels_after(w->space, &w->state, operation);
        if (!tour_levels_is_same(&next, target))
            continue;
        tour_walk_step(w, operation.kind, operation.core);
        return true;
    }
    return false;
}

void tour_walk_to(tour_walk *w, const tour_levels_state *target) {
    if (w->is_enough || tour_levels_is_same(&w->state, target))
        return;
    if (target->holding != TOUR_SHARED || target->second_holding != TOUR_SHARED) {
        if (step_to(w, target))
            return;
        const bool is_shared =
            target->second_holding == TOUR_MODIFIED && target->holding == TOUR_SHARED;
        if (target->holding == TOUR_OWNED || target->second_holding == TOUR_OWNED ||
            (is_shared && tour_levels_has_owned(w->space)))
            go_to_owned(w, target);
        else
            go_to_unshared(w, target);
    } else if (target->holders == 0 && target->seconds == 0) {
        go_to_initial(w);
    } else {
        go_to_shared(w, target);
    }
    assert(w->is_enough || tour_levels_is_same(&w->state, target));
}
