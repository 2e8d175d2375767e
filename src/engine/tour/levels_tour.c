/* SPDX-License-Identifier: MIT */
/*
 * A tour of two levels, made on the fly. The shared states are sets of caches, second levels before
 * first levels; a set is entered once, from the set without its last cache, and everything of the
 * state is done then: what leads to a larger set is done and undone, so that every transition
 * between shared states is met once in each direction (the paper's Euler tour of the product space:
 * at each state of the horizontal subspace the vertical one, at each of its states the horizontal
 * moves). MSI, MESI: stores go in cycles, so that the way back from a store leads to a set with the
 * storing core in it. MOSI, MOESI: the states of each owner are sets, too, of the other caches.
 */
#include "engine/tour/tour.h"

#include "base/number.h"

#include <assert.h>

/* A walk through the space of two levels of caches, and short ways to any of its states. */

typedef struct tour_walk {
    const tour_space *space;
    tour_sink sink;
    tour_state state;
    bool is_enough; /* the sink's word: nothing is done any more */
} tour_walk;

static void step(tour_walk *w, uint32_t kind, uint32_t who) {
    const col_tour_operation operation = {(uint8_t)kind, (uint8_t)who};
    if (w->is_enough || !w->sink.take(w->sink.context, operation))
        w->is_enough = true;
    else
        w->state = tour_after(w->space, &w->state, operation);
}

/* ---- Ways to a state. */

static void load_all(tour_walk *w, uint32_t holders, uint32_t seconds) {
    for (uint32_t core = 0; core < w->space->cores; core++)
        if (tour_set_has(holders & ~w->state.holders, core))
            step(w, COL_TOUR_LOAD, core);
    for (uint32_t cluster = 0; cluster < w->space->clusters; cluster++)
        if (tour_set_has(seconds & ~w->state.seconds, cluster))
            step(w, COL_TOUR_LOAD2, cluster);
}

/* Evicts the block from all caches but these. */
static void evict_others(tour_walk *w, uint32_t holders, uint32_t seconds) {
    for (uint32_t core = 0; core < w->space->cores; core++)
        if (tour_set_has(w->state.holders & ~holders, core))
            step(w, COL_TOUR_EVICT, core);
    for (uint32_t cluster = 0; cluster < w->space->clusters; cluster++)
        if (tour_set_has(w->state.seconds & ~seconds, cluster))
            step(w, COL_TOUR_EVICT2, cluster);
}

/* A store frees many caches at once. */
static void go_to_initial(tour_walk *w) {
    const uint32_t held = base_bit_count(w->state.holders) + base_bit_count(w->state.seconds);
    if (w->space->protocol != COL_TOUR_SI && held > 3)
        step(w, COL_TOUR_STORE, 0);
    evict_others(w, 0, 0);
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
           (w->state.holders & tour_cores_of(w->space, other)) != 0)
        other++;
    step(w, COL_TOUR_LOAD2, other);
}

static bool is_owned(const tour_walk *w, uint8_t holding) {
    return tour_has_owned(w->space) && (holding == TOUR_OWNED || holding == TOUR_MODIFIED);
}

/* Owned data do not become shared where they are: who is to share them evicts them first. */
static void disown(tour_walk *w, const tour_state *target) {
    const tour_state here = w->state;
    if (is_owned(w, here.holding)) {
        const uint32_t owner =
            here.holding == TOUR_OWNED ? here.owner : tour_set_first(here.holders);
        if (tour_set_has(target->holders, owner) ||
            tour_set_has(target->seconds, tour_cluster(w->space, owner)))
            step(w, COL_TOUR_EVICT, owner);
    }
    if (is_owned(w, here.second_holding)) {
        const uint32_t owner =
            here.second_holding == TOUR_OWNED ? here.second_owner : tour_set_first(here.seconds);
        if (!tour_set_has(target->seconds, owner))
            return;
        if (w->space->inclusive)
            evict_others(w, ~tour_cores_of(w->space, owner), UINT32_MAX);
        step(w, COL_TOUR_EVICT2, owner);
    }
}

/* To where a core has modified data, with its second level or without. */
static void go_to_modified(tour_walk *w, uint32_t core, bool with_second) {
    const uint32_t cluster = tour_cluster(w->space, core);
    const bool has_second = tour_set_has(w->state.seconds, cluster);
    if (!w->space->inclusive && has_second && !with_second)
        step(w, COL_TOUR_EVICT2, cluster);
    if (!(w->state.holding == TOUR_MODIFIED && w->state.holders == tour_set_of(core)))
        step(w, COL_TOUR_STORE, core);
    if (!w->space->inclusive && !has_second && with_second)
        step(w, COL_TOUR_LOAD2, cluster);
}

/* To a state that one cluster has for itself. */
static void go_to_unshared(tour_walk *w, const tour_state *target) {
    const bool with_second = target->seconds != 0;
    uint32_t cluster = 0, core = 0;
    while (!tour_set_has(target->seconds, cluster) &&
           (target->holders & tour_cores_of(w->space, cluster)) == 0)
        cluster++;
    while (!tour_set_has(tour_cores_of(w->space, cluster), core) ||
           (!tour_set_has(target->holders, core) && base_bit_count(target->holders) != 0))
        core++;
    const bool is_alone = base_bit_count(target->holders) == 1 && target->holding == TOUR_SHARED;
    const uint32_t width = tour_width(w->space), base = cluster * width;
    const uint32_t start = is_alone ? base + (core - base + 1) % width : core;
    if (target->holding == TOUR_MODIFIED || target->second_holding == TOUR_MODIFIED) {
        go_to_modified(w, start, with_second);
        if (target->holding == TOUR_MODIFIED)
            return;
        if (target->holding == TOUR_EXCLUSIVE)
            step(w, COL_TOUR_EVICT, start);
    } else {
        go_to_initial(w);
        if (with_second)
            step(w, COL_TOUR_LOAD2, cluster);
        if (target->holders != 0)
            step(w, COL_TOUR_LOAD, start);
    }
    load_all(w, target->holders, target->seconds);
    evict_others(w, target->holders, target->seconds);
}

/* A core of a cluster that is not among these, if there is one; the one that has modified data, if
 * it can be. */
static uint32_t core_besides(const tour_walk *w, uint32_t cluster, uint32_t holders) {
    const uint32_t all = tour_cores_of(w->space, cluster), others = all & ~holders;
    const uint32_t besides = others != 0 ? others : all;
    const uint32_t writers = w->state.holding == TOUR_MODIFIED ? w->state.holders & besides : 0;
    return tour_set_first(writers != 0 ? writers : besides);
}

/* Where there are owned states. To one that a core or a second level owns, or in which the second
 * level has modified data and its cores share them. */
static void go_to_owned(tour_walk *w, const tour_state *target) {
    const bool is_core = target->holding == TOUR_OWNED,
               is_kept = is_unshared(target->second_holding);
    const uint32_t cluster = is_core   ? tour_cluster(w->space, target->owner)
                             : is_kept ? tour_set_first(target->seconds)
                                       : target->second_owner;
    const uint32_t start = is_core ? target->owner : core_besides(w, cluster, target->holders);
    go_to_modified(w, start, tour_set_has(target->seconds, cluster));
    if (!is_core && tour_set_has(target->holders, start))
        step(w, COL_TOUR_EVICT, start);
    load_all(w, target->holders, target->seconds);
    if (is_kept && is_unshared(w->state.holding) && is_core)
        step(w, COL_TOUR_LOAD, core_besides(w, cluster, target->holders));
    else if (!is_kept && (is_unshared(w->state.holding) || is_unshared(w->state.second_holding)))
        ask_from_outside(w);
    evict_others(w, target->holders, target->seconds);
}

/* Is one operation enough? */
static bool step_to(tour_walk *w, const tour_state *target) {
    for (uint32_t number = 0; number < tour_operation_count(w->space); number++) {
        const col_tour_operation operation = tour_numbered_operation(w->space, number);
        if (!tour_is_possible(w->space, &w->state, operation))
            continue;
        const tour_state next = tour_after(w->space, &w->state, operation);
        if (!tour_is_same(&next, target))
            continue;
        step(w, operation.kind, operation.core);
        return true;
    }
    return false;
}

static void walk_to(tour_walk *w, const tour_state *target) {
    if (w->is_enough || tour_is_same(&w->state, target))
        return;
    if (target->holding != TOUR_SHARED || target->second_holding != TOUR_SHARED) {
        if (step_to(w, target))
            return;
        const bool is_shared =
            target->second_holding == TOUR_MODIFIED && target->holding == TOUR_SHARED;
        if (target->holding == TOUR_OWNED || target->second_holding == TOUR_OWNED ||
            (is_shared && tour_has_owned(w->space)))
            go_to_owned(w, target);
        else
            go_to_unshared(w, target);
    } else if (target->holders == 0 && target->seconds == 0) {
        go_to_initial(w);
    } else {
        disown(w, target);
        load_all(w, target->holders, target->seconds);
        if ((is_unshared(w->state.holding) && (w->state.holders & target->holders) != 0) ||
            (is_unshared(w->state.second_holding) && (w->state.seconds & target->seconds) != 0))
            ask_from_outside(w);
        evict_others(w, target->holders, target->seconds);
    }
    assert(w->is_enough || tour_is_same(&w->state, target));
}

/* ---- What is done at a shared state. */

static void load_again(tour_walk *w) {
    const tour_state here = w->state;
    for (uint32_t core = 0; core < w->space->cores; core++)
        if (tour_set_has(here.holders, core))
            step(w, COL_TOUR_LOAD, core);
    for (uint32_t cluster = 0; cluster < w->space->clusters; cluster++)
        if (tour_set_has(here.seconds, cluster))
            step(w, COL_TOUR_LOAD2, cluster);
}

static bool is_sole(const tour_walk *w, const tour_state *state, uint32_t core) {
    return (state->holders & tour_cores_of(w->space, tour_cluster(w->space, core))) ==
           tour_set_of(core);
}

static uint32_t holder_behind(const tour_walk *w, uint32_t holders, uint32_t core) {
    do
        core = core + 1 < w->space->cores ? core + 1 : 0;
    while (!tour_set_has(holders, core));
    return core;
}

static uint32_t holder_before(const tour_walk *w, uint32_t holders, uint32_t core) {
    do
        core = core > 0 ? core - 1 : w->space->cores - 1;
    while (!tour_set_has(holders, core));
    return core;
}

/* All sharers but one store, for each one of them: the core that is left out stores, and is among
 * the sharers of the next state, where another one is left out. */
static void cycle(tour_walk *w, uint32_t sharers, uint32_t first) {
    tour_state target = w->state;
    step(w, COL_TOUR_STORE, first);
    for (uint32_t core = 0; core < first; core++) {
        if (!tour_set_has(sharers, core))
            continue;
        target.holders = sharers & ~tour_set_of(core);
        walk_to(w, &target);
        step(w, COL_TOUR_STORE, core);
    }
    target.holders = sharers & ~tour_set_of(first);
    walk_to(w, &target);
}

/* Inclusive: from a state to the one with a core of a further cluster there are two ways, a load
 * that fills both levels and the way from that core's store; none leads back. Instead of evictions,
 * a store of the larger state does: that of the next holder, or of the one behind it. */
static bool is_done_from_below(const tour_walk *w, const tour_state *state, uint32_t core) {
    const uint32_t count = base_bit_count(state->holders);
    if (!w->space->inclusive || count < 2)
        return false;
    const uint32_t before = holder_before(w, state->holders, core);
    return is_sole(w, state, before) ||
           (count > 2 && is_sole(w, state, holder_before(w, state->holders, before)));
}

static tour_state with_core(const tour_walk *w, const tour_state *state, uint32_t core) {
    tour_state larger = *state;
    larger.holders |= tour_set_of(core);
    larger.seconds |= tour_set_of(tour_cluster(w->space, core));
    return larger;
}

static void store_from_outside(tour_walk *w, uint32_t core) {
    const tour_state here = w->state, larger = with_core(w, &here, core);
    const uint32_t behind = holder_behind(w, larger.holders, core);
    step(w, COL_TOUR_STORE, core);
    if (base_bit_count(larger.holders) > 2 && !is_sole(w, &larger, behind)) {
        walk_to(w, &larger);
        step(w, COL_TOUR_STORE, holder_behind(w, larger.holders, behind));
    }
    walk_to(w, &here);
}

static void go_and_return(tour_walk *w, uint32_t kind, uint32_t who) {
    const tour_state here = w->state;
    step(w, kind, who);
    walk_to(w, &here);
}

/* Inclusive: a load of a core whose second level has nothing fills both. */
static bool fills_both(const tour_walk *w, uint32_t core) {
    return w->space->inclusive && !tour_set_has(w->state.seconds, tour_cluster(w->space, core));
}

/* Where there are owned states, whoever stores must evict before it shares: no way back is shorter
 * for passing by another shared state. */
static void store_and_return(tour_walk *w) {
    for (uint32_t core = 0; core < w->space->cores && !w->is_enough; core++) {
        go_and_return(w, COL_TOUR_STORE, core);
        if (fills_both(w, core))
            go_and_return(w, COL_TOUR_LOAD, core);
    }
}

static void store_all(tour_walk *w) {
    const tour_state here = w->state;
    if (tour_has_owned(w->space)) {
        store_and_return(w);
        return;
    }
    for (uint32_t core = 0; core < w->space->cores && !w->is_enough; core++) {
        if (w->space->inclusive && !tour_set_has(here.seconds, tour_cluster(w->space, core))) {
            store_from_outside(w, core);
            step(w, COL_TOUR_LOAD, core);
            if (here.holders != 0)
                step(w, COL_TOUR_STORE, holder_behind(w, w->state.holders, core));
            walk_to(w, &here);
        } else if (here.holders == 0 || tour_set_has(here.holders, core)) {
            if (is_done_from_below(w, &here, core))
                continue;
            step(w, COL_TOUR_STORE, core);
            walk_to(w, &here);
        } else if (here.holders >> core == 0) {
            cycle(w, here.holders | tour_set_of(core), core);
        }
    }
}

/* From one cache to none and back. */
static void leave_alone(tour_walk *w) {
    const tour_state here = w->state;
    if (base_bit_count(here.holders) + base_bit_count(here.seconds) != 1)
        return;
    evict_others(w, 0, 0);
    walk_to(w, &here);
}

/* ---- The tour of the shared states: caches by number, second levels first. */

static uint32_t cache_count(const tour_walk *w) {
    return w->space->clusters + w->space->cores;
}

static void step_cache(tour_walk *w, bool is_load, uint32_t cache) {
    const uint32_t clusters = w->space->clusters;
    if (cache < clusters)
        step(w, is_load ? COL_TOUR_LOAD2 : COL_TOUR_EVICT2, cache);
    else
        step(w, is_load ? COL_TOUR_LOAD : COL_TOUR_EVICT, cache - clusters);
}

static bool is_held(const tour_walk *w, uint32_t cache) {
    const uint32_t clusters = w->space->clusters;
    return cache < clusters ? tour_set_has(w->state.seconds, cache)
                            : tour_set_has(w->state.holders, cache - clusters);
}

static bool can_add(const tour_walk *w, uint32_t cache) {
    const uint32_t clusters = w->space->clusters;
    return !is_held(w, cache) &&
           (!w->space->inclusive || cache < clusters ||
            tour_set_has(w->state.seconds, tour_cluster(w->space, cache - clusters)));
}

static void visit(tour_walk *w, uint32_t size, uint32_t last);

/* MESI has no way from no cache to one that shares: the sets of one cache are entered from those
 * with the first cache besides. */
static void visit_single(tour_walk *w, uint32_t cache) {
    if (w->space->inclusive && cache >= w->space->clusters)
        return;
    step_cache(w, false, 0);
    visit(w, 1, cache);
    step_cache(w, true, 0);
}

static void visit(tour_walk *w, uint32_t size, uint32_t last) {
    const bool has_stores = w->space->protocol != COL_TOUR_SI;
    load_again(w);
    if (has_stores) {
        store_all(w);
        leave_alone(w);
    }
    const bool is_second_single = has_stores && size == 1 && last != 0;
    for (uint32_t cache = is_second_single ? 1 : 0; cache < cache_count(w) && !w->is_enough;
         cache++) {
        if (!can_add(w, cache))
            continue;
        step_cache(w, true, cache);
        if (size == 0 || cache > last)
            visit(w, size + 1, cache);
        step_cache(w, false, cache);
    }
    if (has_stores && size == 2 && is_held(w, 0))
        visit_single(w, last);
}

/* ---- The tour of the owned states: what a core owns, with its second level if that holds the
 * block, or what a second level alone owns. All other caches may share. */

static bool is_owner(const tour_walk *w, uint32_t cache) {
    const uint32_t clusters = w->space->clusters;
    if (w->state.holding == TOUR_OWNED)
        return cache == clusters + w->state.owner;
    return cache == w->state.second_owner;
}

/* A core's store leads to where it is the owner, and the owner's store from there leads back: both
 * are done from the state of the owner with the lower number. What the two hold changes places. */
static void store_by_turns(tour_walk *w, uint32_t core) {
    const tour_state here = w->state;
    if (core == here.owner || fills_both(w, core)) {
        go_and_return(w, COL_TOUR_STORE, core);
        return;
    }
    if (core < here.owner)
        return;
    tour_state twin = here;
    if (!tour_set_has(here.holders, core))
        twin.holders ^= tour_set_of(core) | tour_set_of(here.owner);
    twin.owner = (uint8_t)core;
    const uint32_t cluster = tour_cluster(w->space, core);
    const bool has_second = tour_set_has(here.seconds, cluster);
    twin.second_holding = has_second ? TOUR_OWNED : TOUR_SHARED;
    twin.second_owner = has_second ? (uint8_t)cluster : 0;
    step(w, COL_TOUR_STORE, core);
    walk_to(w, &twin);
    step(w, COL_TOUR_STORE, here.owner);
    walk_to(w, &here);
}

/* The owner's eviction is on the way from its store to where it ends, if that is a state that
 * others, and with a second level, other clusters, hold. */
static bool is_on_a_way(const tour_walk *w) {
    const tour_state *here = &w->state;
    const uint32_t cluster = tour_cluster(w->space, here->owner);
    if (!tour_set_has(here->seconds, cluster))
        return here->seconds != 0 || base_bit_count(here->holders) > 1;
    return here->seconds != tour_set_of(cluster) ||
           (here->holders & ~tour_cores_of(w->space, cluster)) != 0;
}

static void leave_owned(tour_walk *w) {
    if (w->state.holding == TOUR_OWNED) {
        for (uint32_t core = 0; core < w->space->cores && !w->is_enough; core++) {
            store_by_turns(w, core);
            if (fills_both(w, core))
                go_and_return(w, COL_TOUR_LOAD, core);
        }
        if (!is_on_a_way(w))
            go_and_return(w, COL_TOUR_EVICT, w->state.owner);
        return;
    }
    const uint32_t cluster = w->state.second_owner;
    store_and_return(w);
    if (!w->space->inclusive || (w->state.holders & tour_cores_of(w->space, cluster)) == 0)
        go_and_return(w, COL_TOUR_EVICT2, cluster);
}

static void visit_owned(tour_walk *w, uint32_t size, uint32_t last) {
    load_again(w);
    leave_owned(w);
    for (uint32_t cache = 0; cache < cache_count(w) && !w->is_enough; cache++) {
        if (is_owner(w, cache) || !can_add(w, cache))
            continue;
        step_cache(w, true, cache);
        if (size == 0 || cache > last)
            visit_owned(w, size + 1, cache);
        step_cache(w, false, cache);
    }
}

static void visit_all_owned(tour_walk *w) {
    for (uint32_t core = 0; core < w->space->cores && !w->is_enough; core++) {
        const uint32_t cluster = tour_cluster(w->space, core);
        const tour_state alone = {
            .holders = tour_set_of(core), .holding = TOUR_OWNED, .owner = (uint8_t)core};
        tour_state with_second = alone;
        with_second.seconds = tour_set_of(cluster);
        with_second.second_holding = TOUR_OWNED;
        with_second.second_owner = (uint8_t)cluster;
        walk_to(w, w->space->inclusive ? &with_second : &alone);
        visit_owned(w, 0, 0);
    }
    for (uint32_t cluster = 0; cluster < w->space->clusters && !w->is_enough; cluster++) {
        const tour_state alone = {.seconds = tour_set_of(cluster),
                                  .second_holding = TOUR_OWNED,
                                  .second_owner = (uint8_t)cluster};
        walk_to(w, &alone);
        visit_owned(w, 0, 0);
    }
}

/* ---- What a cluster has for itself, and nobody: few states; each operation, and the way back. */

static void do_all(tour_walk *w, const tour_state *here) {
    for (uint32_t number = 0; number < tour_operation_count(w->space) && !w->is_enough; number++) {
        const col_tour_operation operation = tour_numbered_operation(w->space, number);
        if (!tour_is_possible(w->space, here, operation))
            continue;
        walk_to(w, here);
        step(w, operation.kind, operation.core);
    }
}

bool tour_levels_euler(const tour_space *space, tour_sink sink) {
    tour_walk w = {.space = space, .sink = sink, .state = TOUR_INITIAL};
    if (space->protocol == COL_TOUR_SI) {
        visit(&w, 0, 0);
        return !w.is_enough;
    }
    do_all(&w, &TOUR_INITIAL);
    const tour_state first = {.seconds = 1};
    walk_to(&w, &first);
    visit(&w, 1, 0);
    const tour_space shared = {COL_TOUR_SI, space->cores, space->clusters, space->inclusive};
    for (uint64_t number = tour_state_count(&shared);
         number < tour_state_count(space) && !w.is_enough; number++) {
        const tour_state here = tour_numbered_state(space, number);
        /* The tour of the owned states meets it. */
        if (!(here.second_holding == TOUR_OWNED ||
              (here.holding == TOUR_OWNED && here.second_holding == TOUR_SHARED)))
            do_all(&w, &here);
    }
    if (tour_has_owned(space))
        visit_all_owned(&w);
    return !w.is_enough;
}
