/* SPDX-License-Identifier: MIT */
/*
 * A tour of two levels, made on the fly. The shared states are sets of caches, second levels before
 * first levels; a set is entered once, from the set without its last cache, and everything of the
 * state is done then: what leads to a larger set is done and undone, so that every transition
 * between shared states is met once in each direction (the paper's Euler tour of the product space:
 * at each state of the horizontal subspace the vertical one, at each of its states the horizontal
 * moves). MSI, MESI: stores go in cycles, so that the way back from a store leads to a set with the
 * storing core in it.
 */
#include "tour/levels_tour.h"
#include "base/bits.h"

typedef struct walk {
    const tour_levels_space *space;
    tour_sink sink;
    tour_levels_state state;
    uint32_t width; /* cores of a cluster */
    bool is_enough;
} walk;

static bool has(uint32_t set, uint32_t item) {
    return (set >> item & 1) != 0;
}

static uint32_t only(uint32_t item) {
    return UINT32_C(1) << item;
}

static uint32_t cluster_of(const walk *w, uint32_t core) {
    return core / w->width;
}

static uint32_t cores_of(const walk *w, uint32_t cluster) {
    return ((UINT32_C(1) << w->width) - 1) << cluster * w->width;
}

static void step(walk *w, uint32_t kind, uint32_t who) {
    const tour_operation operation = {(uint8_t)kind, (uint8_t)who};
    if (w->is_enough || !w->sink.take(w->sink.context, operation))
        w->is_enough = true;
    else
        w->state = tour_levels_after(w->space, &w->state, operation);
}

/* ---- Ways to a state. */

static void load_all(walk *w, uint32_t holders, uint32_t seconds) {
    for (uint32_t core = 0; core < w->space->cores; core++)
        if (has(holders & ~w->state.holders, core))
            step(w, TOUR_LOAD, core);
    for (uint32_t cluster = 0; cluster < w->space->clusters; cluster++)
        if (has(seconds & ~w->state.seconds, cluster))
            step(w, TOUR_LEVELS_LOAD2, cluster);
}

static void evict_others(walk *w, uint32_t holders, uint32_t seconds) {
    for (uint32_t core = 0; core < w->space->cores; core++)
        if (has(w->state.holders & ~holders, core))
            step(w, TOUR_EVICT, core);
    for (uint32_t cluster = 0; cluster < w->space->clusters; cluster++)
        if (has(w->state.seconds & ~seconds, cluster))
            step(w, TOUR_LEVELS_EVICT2, cluster);
}

/* A store frees many caches at once. */
static void go_to_initial(walk *w) {
    const uint32_t held = base_bit_count(w->state.holders) + base_bit_count(w->state.seconds);
    if (w->space->protocol != TOUR_SI && held > 3)
        step(w, TOUR_STORE, 0);
    evict_others(w, 0, 0);
}

/* What a cluster has for itself after the loads, another cluster's second level must ask for. */
static void go_to_shared(walk *w, const tour_levels_state *target) {
    load_all(w, target->holders, target->seconds);
    const bool core_has =
        w->state.holding != TOUR_SHARED && (w->state.holders & target->holders) != 0;
    const bool cluster_has =
        w->state.second_holding != TOUR_SHARED && (w->state.seconds & target->seconds) != 0;
    if (core_has || cluster_has) {
        uint32_t other = 0;
        while (has(w->state.seconds, other) || (w->state.holders & cores_of(w, other)) != 0)
            other++;
        step(w, TOUR_LEVELS_LOAD2, other);
    }
    evict_others(w, target->holders, target->seconds);
}

/* To where a core has modified data, with its second level or without. */
static void go_to_modified(walk *w, uint32_t core, bool with_second) {
    const uint32_t cluster = cluster_of(w, core);
    const bool has_second = has(w->state.seconds, cluster);
    if (!w->space->inclusive && has_second && !with_second)
        step(w, TOUR_LEVELS_EVICT2, cluster);
    step(w, TOUR_STORE, core);
    if (!w->space->inclusive && !has_second && with_second)
        step(w, TOUR_LEVELS_LOAD2, cluster);
}

/* To a state that one cluster has for itself. */
static void go_to_own(walk *w, const tour_levels_state *target) {
    const bool with_second = target->seconds != 0;
    uint32_t cluster = 0, core = 0;
    while (!has(target->seconds, cluster) && (target->holders & cores_of(w, cluster)) == 0)
        cluster++;
    while (!has(cores_of(w, cluster), core) ||
           (!has(target->holders, core) && base_bit_count(target->holders) != 0))
        core++;
    const bool is_alone = base_bit_count(target->holders) == 1 && target->holding == TOUR_SHARED;
    const uint32_t base = cluster * w->width;
    const uint32_t start = is_alone ? base + (core - base + 1) % w->width : core;
    if (target->holding == TOUR_MODIFIED || target->second_holding == TOUR_MODIFIED) {
        go_to_modified(w, start, with_second);
        if (target->holding == TOUR_MODIFIED)
            return;
        if (target->holding == TOUR_EXCLUSIVE)
            step(w, TOUR_EVICT, start);
    } else {
        go_to_initial(w);
        if (with_second)
            step(w, TOUR_LEVELS_LOAD2, cluster);
        if (target->holders != 0)
            step(w, TOUR_LOAD, start);
    }
    load_all(w, target->holders, target->seconds);
    evict_others(w, target->holders, target->seconds);
}

/* Is one operation enough? */
static bool step_to(walk *w, const tour_levels_state *target) {
    for (uint32_t number = 0; number < tour_levels_operation_count(w->space); number++) {
        const tour_operation operation = tour_levels_numbered_operation(w->space, number);
        if (!tour_levels_is_possible(w->space, &w->state, operation))
            continue;
        const tour_levels_state next = tour_levels_after(w->space, &w->state, operation);
        if (!tour_levels_is_same(&next, target))
            continue;
        step(w, operation.kind, operation.core);
        return true;
    }
    return false;
}

static void go_to(walk *w, const tour_levels_state *target) {
    if (w->is_enough || tour_levels_is_same(&w->state, target))
        return;
    if (target->holding != TOUR_SHARED || target->second_holding != TOUR_SHARED) {
        if (!step_to(w, target))
            go_to_own(w, target);
    } else if (target->holders == 0 && target->seconds == 0) {
        go_to_initial(w);
    } else {
        go_to_shared(w, target);
    }
}

/* ---- What is done at a shared state. */

static void load_again(walk *w) {
    const tour_levels_state here = w->state;
    for (uint32_t core = 0; core < w->space->cores; core++)
        if (has(here.holders, core))
            step(w, TOUR_LOAD, core);
    for (uint32_t cluster = 0; cluster < w->space->clusters; cluster++)
        if (has(here.seconds, cluster))
            step(w, TOUR_LEVELS_LOAD2, cluster);
}

static bool is_sole(const walk *w, const tour_levels_state *state, uint32_t core) {
    return (state->holders & cores_of(w, cluster_of(w, core))) == only(core);
}

static uint32_t holder_behind(const walk *w, uint32_t holders, uint32_t core) {
    do
        core = core + 1 < w->space->cores ? core + 1 : 0;
    while (!has(holders, core));
    return core;
}

static uint32_t holder_before(const walk *w, uint32_t holders, uint32_t core) {
    do
        core = core > 0 ? core - 1 : w->space->cores - 1;
    while (!has(holders, core));
    return core;
}

/* All sharers but one store, for each one of them: the core that is left out stores, and is among
 * the sharers of the next state, where another one is left out. */
static void cycle(walk *w, uint32_t sharers, uint32_t first) {
    tour_levels_state target = w->state;
    step(w, TOUR_STORE, first);
    for (uint32_t core = 0; core < first; core++) {
        if (!has(sharers, core))
            continue;
        target.holders = sharers & ~only(core);
        go_to(w, &target);
        step(w, TOUR_STORE, core);
    }
    target.holders = sharers & ~only(first);
    go_to(w, &target);
}

/* Inclusive: from a state to the one with a core of a further cluster there are two ways, a load
 * that fills both levels and the way from that core's store; none leads back. Instead of evictions,
 * a store of the larger state does: that of the next holder, or of the one behind it. */
static bool is_done_from_below(const walk *w, const tour_levels_state *state, uint32_t core) {
    const uint32_t count = base_bit_count(state->holders);
    if (!w->space->inclusive || count < 2)
        return false;
    const uint32_t before = holder_before(w, state->holders, core);
    return is_sole(w, state, before) ||
           (count > 2 && is_sole(w, state, holder_before(w, state->holders, before)));
}

static tour_levels_state with_core(const walk *w, const tour_levels_state *state, uint32_t core) {
    tour_levels_state larger = *state;
    larger.holders |= only(core);
    larger.seconds |= only(cluster_of(w, core));
    return larger;
}

static void store_from_outside(walk *w, uint32_t core) {
    const tour_levels_state here = w->state, larger = with_core(w, &here, core);
    const uint32_t behind = holder_behind(w, larger.holders, core);
    step(w, TOUR_STORE, core);
    if (base_bit_count(larger.holders) > 2 && !is_sole(w, &larger, behind)) {
        go_to(w, &larger);
        step(w, TOUR_STORE, holder_behind(w, larger.holders, behind));
    }
    go_to(w, &here);
}

static void load_from_outside(walk *w, uint32_t core) {
    const tour_levels_state here = w->state;
    step(w, TOUR_LOAD, core);
    if (here.holders != 0)
        step(w, TOUR_STORE, holder_behind(w, w->state.holders, core));
    go_to(w, &here);
}

static void store_all(walk *w) {
    const tour_levels_state here = w->state;
    for (uint32_t core = 0; core < w->space->cores && !w->is_enough; core++) {
        if (w->space->inclusive && !has(here.seconds, cluster_of(w, core))) {
            store_from_outside(w, core);
            load_from_outside(w, core);
        } else if (here.holders == 0 || has(here.holders, core)) {
            if (is_done_from_below(w, &here, core))
                continue;
            step(w, TOUR_STORE, core);
            go_to(w, &here);
        } else if (here.holders >> core == 0) {
            cycle(w, here.holders | only(core), core);
        }
    }
}

/* From one cache to none and back. */
static void leave_alone(walk *w) {
    const tour_levels_state here = w->state;
    if (base_bit_count(here.holders) + base_bit_count(here.seconds) != 1)
        return;
    evict_others(w, 0, 0);
    go_to(w, &here);
}

/* ---- The tour of the shared states: caches by number, second levels first. */

static uint32_t cache_count(const walk *w) {
    return w->space->clusters + w->space->cores;
}

static void step_cache(walk *w, bool is_load, uint32_t cache) {
    const uint32_t clusters = w->space->clusters;
    if (cache < clusters)
        step(w, is_load ? TOUR_LEVELS_LOAD2 : TOUR_LEVELS_EVICT2, cache);
    else
        step(w, is_load ? TOUR_LOAD : TOUR_EVICT, cache - clusters);
}

static bool is_held(const walk *w, uint32_t cache) {
    const uint32_t clusters = w->space->clusters;
    return cache < clusters ? has(w->state.seconds, cache)
                            : has(w->state.holders, cache - clusters);
}

static bool can_add(const walk *w, uint32_t cache) {
    const uint32_t clusters = w->space->clusters;
    return !is_held(w, cache) && (!w->space->inclusive || cache < clusters ||
                                  has(w->state.seconds, cluster_of(w, cache - clusters)));
}

static void visit(walk *w, uint32_t size, uint32_t last);

/* MESI has no way from no cache to one that shares: the sets of one cache are entered from those
 * with the first cache besides. */
static void visit_single(walk *w, uint32_t cache) {
    if (w->space->inclusive && cache >= w->space->clusters)
        return;
    step_cache(w, false, 0);
    visit(w, 1, cache);
    step_cache(w, true, 0);
}

static void visit(walk *w, uint32_t size, uint32_t last) {
    const bool has_stores = w->space->protocol != TOUR_SI;
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

/* ---- What a cluster has for itself, and nobody: few states; each operation, and the way back. */

static void do_all(walk *w, const tour_levels_state *here) {
    for (uint32_t number = 0; number < tour_levels_operation_count(w->space) && !w->is_enough;
         number++) {
        const tour_operation operation = tour_levels_numbered_operation(w->space, number);
        if (!tour_levels_is_possible(w->space, here, operation))
            continue;
        go_to(w, here);
        step(w, operation.kind, operation.core);
    }
}

col_status tour_levels_euler_check(const tour_levels_space *space, col_problem *problem) {
    if (!tour_levels_has_owned(space))
        return COL_OK;
    return base_refuse(problem, "two levels of %s have tours by postman, not by euler",
                       tour_protocols[space->protocol]);
}

bool tour_levels_euler(const tour_levels_space *space, tour_sink sink) {
    walk w = {.space = space,
              .sink = sink,
              .state = TOUR_LEVELS_INITIAL,
              .width = space->cores / space->clusters};
    if (space->protocol == TOUR_SI) {
        visit(&w, 0, 0);
        return !w.is_enough;
    }
    do_all(&w, &TOUR_LEVELS_INITIAL);
    const tour_levels_state first = {.seconds = 1};
    go_to(&w, &first);
    visit(&w, 1, 0);
    const tour_levels_space shared = {TOUR_SI, space->clusters, space->cores, space->inclusive};
    for (uint64_t number = tour_levels_state_count(&shared);
         number < tour_levels_state_count(space) && !w.is_enough; number++) {
        const tour_levels_state here = tour_levels_numbered_state(space, number);
        do_all(&w, &here);
    }
    return !w.is_enough;
}
