/* SPDX-License-Identifier: MIT */
/*
 * Test generation by the structure of the space (CreateTestsSI, CreateTestsMSI and what they become
 * for MESI, MOSI and MOESI). Loads and evictions of the shared states form a hypercube, those of
 * each owner's states another one; the modified states form a clique. Each has an Euler tour. The
 * other transitions only lead away, to a modified state or out of an owner's hypercube: they are
 * taken one by one, with a shortest walk to where the next one begins.
 */
#include "engine/tour/tour.h"

enum { NOBODY = TOUR_MOST_CORES };

typedef struct walker {
    tour_space space;
    tour_sink sink;
    bool is_over;            /* the sink had enough */
    uint32_t holders;        /* where the tour stands, as far as it matters */
    col_tour_operation last; /* a store: in the modified state of its core */
} walker;

static void take(walker *w, col_tour_kind kind, uint32_t core) {
    const uint32_t one = tour_set_of(core);
    const col_tour_operation operation = {(uint8_t)kind, (uint8_t)core};
    if (w->is_over)
        return;
    const uint32_t rest = kind == COL_TOUR_STORE ? 0 : w->holders & ~one;
    w->holders = kind == COL_TOUR_EVICT ? rest : rest | one;
    w->last = operation;
    w->is_over = !w->sink.take(w->sink.context, operation);
}

static void load_all(walker *w, uint32_t set) {
    for (uint32_t core = 0; set >> core != 0; core++)
        if (tour_set_has(set, core))
            take(w, COL_TOUR_LOAD, core);
}

static uint32_t another_core(uint32_t core) {
    return core == 0 ? 1 : 0;
}

/* ---- Hypercubes. */

/* The cores along whose axes a hypercube lies: all, or all but the owner. */
typedef struct axes {
    uint32_t count;
    uint32_t owner; /* or NOBODY */
} axes;

static uint32_t core_of(const axes *a, uint32_t axis) {
    const uint32_t core = axis % a->count;
    return core >= a->owner ? core + 1 : core;
}

/* Loads that change nothing, in the one tree of those that come through a state. */
static void load_held(walker *w, const axes *a, uint32_t root) {
    const uint32_t owner = a->owner == NOBODY ? 0 : tour_set_of(a->owner);
    const uint32_t others = w->holders & ~owner;
    if (others >> core_of(a, root) << core_of(a, root) == others)
        load_all(w, w->holders);
}

/* VisitHypercube: there and back along each edge of the tree that hangs under a root. Its nodes, in
 * the order of the walk, are the numbers of a binary counter: a carry leaves, a new one enters. */
static void visit_tree(walker *w, const axes *a, uint32_t root) {
    const uint32_t end = UINT32_C(1) << (a->count - 1);
    for (uint32_t node = 0; node < end && !w->is_over; node++) {
        uint32_t axis = 1;
        for (; (node >> (axis - 1) & 1) != 0; axis++)
            take(w, COL_TOUR_EVICT, core_of(a, root + axis));
        if (node + 1 == end)
            return;
        take(w, COL_TOUR_LOAD, core_of(a, root + axis));
        load_held(w, a, root);
    }
}

/* Everything that a load from the global invalid state to an exclusive one opens; ends in the
 * shared state of the same core. */
static void visit_exclusive(walker *w, uint32_t core) {
    take(w, COL_TOUR_LOAD, core);
    take(w, COL_TOUR_LOAD, core);
    take(w, COL_TOUR_EVICT, core);
    for (uint32_t writer = 0; writer < w->space.cores; writer++) {
        take(w, COL_TOUR_LOAD, core);
        take(w, COL_TOUR_STORE, writer);
        take(w, COL_TOUR_EVICT, writer);
    }
    for (uint32_t reader = 0; reader < w->space.cores; reader++) {
        if (reader == core)
            continue;
        if (tour_set_has(w->holders, core))
            take(w, COL_TOUR_EVICT, core);
        take(w, COL_TOUR_LOAD, core);
        take(w, COL_TOUR_LOAD, reader);
        take(w, COL_TOUR_EVICT, reader);
    }
}

/* CreateTestsSI: the hypercube is one tree for each axis, no edge in two of them. */
static void visit_hypercube(walker *w, uint32_t owner) {
    const axes a = {owner == NOBODY ? w->space.cores : w->space.cores - 1, owner};
    for (uint32_t root = 0; root < a.count && !w->is_over; root++) {
        if (owner == NOBODY && tour_has_exclusive(&w->space))
            visit_exclusive(w, root);
        else
            take(w, COL_TOUR_LOAD, core_of(&a, root));
        load_held(w, &a, root);
        visit_tree(w, &a, root);
        take(w, COL_TOUR_EVICT, core_of(&a, root));
    }
}

/* The hypercube of an owner, from its modified state. */
static void visit_owned(walker *w, uint32_t owner) {
    take(w, COL_TOUR_LOAD, another_core(owner));
    take(w, COL_TOUR_EVICT, another_core(owner));
    take(w, COL_TOUR_LOAD, owner);
    visit_hypercube(w, owner);
    take(w, COL_TOUR_STORE, owner);
}

/* ---- The clique. */

/* VisitClique: an Euler tour of the modified states. */
static void visit_clique(walker *w) {
    const uint32_t cores = w->space.cores;
    for (uint32_t first = 0; first < cores && !w->is_over; first++) {
        take(w, COL_TOUR_STORE, first);
        /* What leads from a modified state and back in two steps, and to itself. */
        take(w, COL_TOUR_LOAD, first);
        take(w, COL_TOUR_STORE, first);
        take(w, COL_TOUR_EVICT, first);
        take(w, COL_TOUR_STORE, first);
        for (uint32_t reader = 0; reader < w->space.cores; reader++) {
            if (reader == first)
                continue;
            take(w, COL_TOUR_LOAD, reader);
            take(w, COL_TOUR_STORE, first);
        }
        if (tour_has_owned(&w->space))
            visit_owned(w, first);
    }
    for (uint32_t done = 1; done < cores; done++) {
        const uint32_t first = cores - 1 - done;
        take(w, COL_TOUR_STORE, first);
        for (uint32_t second = first + 2; second < cores; second++) {
            take(w, COL_TOUR_STORE, second);
            take(w, COL_TOUR_STORE, first);
        }
    }
}

/* ---- What only leads away. */

/* From a modified state to the same core as the only sharer. Where a lone load would make it
 * exclusive, another core must come by. */
static void walk_to_lone_sharer(walker *w, uint32_t core) {
    const uint32_t passer = another_core(core);
    const bool leaves = tour_has_owned(&w->space) || !tour_has_exclusive(&w->space);
    if (tour_has_exclusive(&w->space))
        take(w, COL_TOUR_LOAD, passer);
    if (leaves)
        take(w, COL_TOUR_EVICT, core);
    if (leaves)
        take(w, COL_TOUR_LOAD, core);
    if (tour_has_exclusive(&w->space))
        take(w, COL_TOUR_EVICT, passer);
}

/* From a modified state to a set of sharers. */
static void walk_to_shared(walker *w, uint32_t set) {
    const uint8_t writer = w->last.core;
    const bool stays = tour_set_has(set, writer);
    const uint32_t others = set & ~tour_set_of(writer);
    if (stays && others == 0) {
        walk_to_lone_sharer(w, writer);
        return;
    }
    load_all(w, others);
    if (!stays || tour_has_owned(&w->space))
        take(w, COL_TOUR_EVICT, writer);
    if (stays && tour_has_owned(&w->space))
        take(w, COL_TOUR_LOAD, writer);
}

static void walk_to_owned(walker *w, uint32_t set, uint32_t owner) {
    if (w->last.kind != COL_TOUR_STORE || w->last.core != owner)
        take(w, COL_TOUR_STORE, owner);
    const uint32_t others = set & ~tour_set_of(owner);
    load_all(w, others);
    if (others != 0)
        return;
    take(w, COL_TOUR_LOAD, another_core(owner));
    take(w, COL_TOUR_EVICT, another_core(owner));
}

static void leave_all_owned(walker *w) {
    for (uint32_t owner = 0; owner < w->space.cores; owner++)
        for (uint32_t set = 0; set >> w->space.cores == 0 && !w->is_over; set++)
            if (tour_set_has(set, owner)) {
                for (uint32_t writer = 0; writer < w->space.cores; writer++) {
                    walk_to_owned(w, set, owner);
                    take(w, COL_TOUR_STORE, writer);
                }
                walk_to_owned(w, set, owner);
                take(w, COL_TOUR_EVICT, owner);
            }
}

bool tour_euler(const tour_space *space, tour_sink sink) {
    walker w = {.space = *space, .sink = sink};
    visit_hypercube(&w, NOBODY);
    if (!tour_has_stores(space))
        return !w.is_over;
    visit_clique(&w);
    for (uint32_t set = 0; set >> w.space.cores == 0; set++)
        for (uint32_t writer = 0; writer < w.space.cores && !w.is_over; writer++) {
            walk_to_shared(&w, set);
            take(&w, COL_TOUR_STORE, writer);
        }
    if (tour_has_owned(space))
        leave_all_owned(&w);
    return !w.is_over;
}
