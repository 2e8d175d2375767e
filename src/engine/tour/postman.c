/* SPDX-License-Identifier: MIT */
/*
 * The Chinese postman's tour by structure. Loads and evictions among shared states form a hypercube
 * with an Euler tour; stores lead out of it, to one modified state per core, and the price of a
 * tour is the way back from there. From M(i) it is short to the states in which i is a holder, so
 * after a store by a core outside the set of holders the tour goes on in the same set turned around
 * the ring of cores until it has the core in it: all turns of a set are left and entered alike,
 * and one Euler circuit over the turns takes all their stores. README.md has the argument.
 */
#include "engine/tour/tour.h"

typedef struct walk {
    tour_sink sink;
    uint32_t cores;
    bool has_stores, has_exclusive, has_owned;
    bool is_over; /* the sink had enough */
} walk;

static void take(walk *w, col_tour_kind kind, uint32_t core) {
    if (!w->is_over)
        w->is_over =
            !w->sink.take(w->sink.context, (col_tour_operation){(uint8_t)kind, (uint8_t)core});
}

static void load(walk *w, uint32_t core) {
    take(w, COL_TOUR_LOAD, core);
}

static void store(walk *w, uint32_t core) {
    take(w, COL_TOUR_STORE, core);
}

static void evict(walk *w, uint32_t core) {
    take(w, COL_TOUR_EVICT, core);
}

static void load_all(walk *w, uint32_t set) {
    for (uint32_t core = 0; core < w->cores; core++)
        if (tour_set_has(set, core))
            load(w, core);
}

/* ---- Sets of cores. */

static bool is_single(uint32_t set) {
    return (set & (set - 1)) == 0;
}

static uint32_t another(const walk *w, uint32_t core) {
    return (core + 1) % w->cores;
}

/* Each core of the set replaced by the one this many further. */
static uint32_t turned(const walk *w, uint32_t set, uint32_t by) {
    return (set << by | set >> (w->cores - by)) & (tour_set_of(w->cores) - 1);
}

/* After how many steps a set is itself again; 0 if it is not the least of its turns. */
static uint32_t period_of_least(const walk *w, uint32_t set) {
    for (uint32_t by = 1; by < w->cores; by++) {
        const uint32_t other = turned(w, set, by);
        if (other <= set)
            return other == set ? by : 0;
    }
    return w->cores;
}

/* ---- Rings: an Euler circuit over the turns of a state. Each turn has the same stores to make,
 * each named by its core before the turn and leading some steps further around the ring. */

typedef struct ring {
    uint32_t set; /* of holders before the turn; of an owned state, without the owner, core 0 */
    uint32_t turns;
    uint32_t count;
    uint8_t cores[TOUR_MOST_CORES]; /* that store, */
    uint8_t steps[TOUR_MOST_CORES]; /* and where that leads; the last one is 1 */
    void (*arrive)(walk *w, const struct ring *r, uint32_t store, uint32_t core, uint32_t turn);
} ring;

static void add_store(ring *r, uint32_t core, uint32_t steps) {
    r->cores[r->count] = (uint8_t)core;
    r->steps[r->count++] = (uint8_t)steps;
}

/* As the last exit from each turn leads to the next one, and so to the start, the walk cannot come
 * to its end before all exits of all turns were taken. */
static void go_round(walk *w, const ring *r) {
    uint8_t taken[TOUR_MOST_CORES] = {0};
    for (uint32_t turn = 0; taken[turn] < r->count && !w->is_over;) {
        const uint32_t next = taken[turn]++;
        const uint32_t core = (r->cores[next] + turn) % w->cores;
        turn = (turn + r->steps[next]) % r->turns;
        store(w, core);
        r->arrive(w, r, next, core, turn);
    }
}

/* ---- Shared states. */

/* From M(core) to a set without the core, or with it. */
static void arrive_without(walk *w, uint32_t core, uint32_t set) {
    load_all(w, set);
    evict(w, core);
}

/* Does the tour come straight back after a store of this core? With an owned state it always can:
 * an owner that leaves is a transition to take anyway. One holder in S is an exception with E: it
 * is reached only from others. */
static bool comes_back(const walk *w, uint32_t set, uint32_t core) {
    if (is_single(set))
        return !(w->has_exclusive && tour_set_has(set, core));
    return w->has_owned || tour_set_has(set, core);
}

static void arrive_in_turn(walk *w, const ring *r, uint32_t index, uint32_t core, uint32_t turn) {
    const uint32_t set = turned(w, r->set, turn);
    if (is_single(set)) {
        arrive_without(w, core, set);
        return;
    }
    /* The loads that lead from E to a pair are taken on two of the ways to it. */
    if (w->has_exclusive && !is_single(set) && is_single(set & (set - 1)) && index < 2) {
        const uint32_t low = turn, high = (turn + (uint32_t)__builtin_ctz(r->set & ~1U)) % w->cores;
        evict(w, core);
        load(w, index == 0 ? high : low);
        load(w, index == 0 ? low : high);
        return;
    }
    load_all(w, set & ~tour_set_of(core));
}

static void visit_shared(walk *w, uint32_t set) {
    load_all(w, set);
    if (!w->has_stores)
        return;
    for (uint32_t core = 0; core < w->cores; core++) {
        /* The last operation of the tour is a store of core 0 as the only holder. */
        if (!comes_back(w, set, core) || (!w->has_exclusive && set == tour_set_of(0) && core == 0))
            continue;
        store(w, core);
        if (tour_set_has(set, core)) {
            if (w->has_owned || is_single(set)) { /* a reader would leave the core an owner */
                evict(w, core);
                load(w, core);
            }
            load_all(w, set & ~tour_set_of(core));
        } else
            arrive_without(w, core, set);
    }
    const uint32_t turns = period_of_least(w, set);
    if (turns != 0) {
        /* A store leads to the nearest turn that has its core among the holders; a holder's, to the
         * next. `set` is the least of its turns, so core 0 is in it, and the first core that is not
         * comes right behind one that is: its step is 1. */
        ring r = {.set = set, .turns = turns, .arrive = arrive_in_turn};
        for (uint32_t core = w->cores; core-- > 0;) {
            if (comes_back(w, set, core))
                continue;
            uint32_t steps = 1;
            while (steps <= core && !tour_set_has(set, core) && !tour_set_has(set, core - steps))
                steps++;
            add_store(&r, core, steps);
        }
        go_round(w, &r);
    }
}

/* ---- Owned states. */

static void arrive_owned(walk *w, uint32_t owner, uint32_t sharers) {
    load_all(w, sharers);
    if (sharers != 0)
        return;
    load(w, another(w, owner));
    evict(w, another(w, owner));
}

static void arrive_at_owner(walk *w, const ring *r, uint32_t index, uint32_t core, uint32_t turn) {
    (void)index;
    arrive_owned(w, core, turned(w, r->set, turn));
}

/* A store of any core makes it the owner of the same set turned. */
static void visit_owned(walk *w, uint32_t owner, uint32_t sharers) {
    load_all(w, turned(w, sharers, owner) | tour_set_of(owner));
    if (owner != 0)
        return;
    ring r = {.set = sharers, .turns = w->cores, .arrive = arrive_at_owner};
    add_store(&r, 0, 0);
    for (uint32_t core = w->cores - 1; core > 0; core--)
        add_store(&r, core, core);
    go_round(w, &r);
}

/* ---- Hypercubes: an edge from a set to the one without a core lies in the tree whose root is the
 * core's predecessor in the set. Each tree is walked there and back along each edge. */

typedef struct cube {
    uint32_t axes;
    uint32_t first; /* core of axis 0; the others follow around the ring */
    bool is_owned;  /* by the core before the first */
} cube;

static uint32_t core_of(const walk *w, const cube *c, uint32_t axis) {
    return (c->first + axis % c->axes) % w->cores;
}

/* A set is seen in the tree of each of its axes, and visited in that of the lowest. */
static void visit(walk *w, const cube *c, uint32_t root, uint32_t node) {
    const uint64_t set = (uint64_t)node << (root + 1) | tour_set_of(root);
    if (set >> c->axes != 0)
        return;
    if (c->is_owned)
        visit_owned(w, c->first - 1, (uint32_t)set << 1);
    else
        visit_shared(w, (uint32_t)set);
}

/* A node is the set of axes after the root's, as a number; the walk meets them in counting order: a
 * carry leaves, the new one enters. */
static void visit_tree(walk *w, const cube *c, uint32_t root) {
    visit(w, c, root, 0);
    for (uint32_t node = 1; node <= tour_set_of(c->axes - 1) && !w->is_over; node++) {
        uint32_t axis = 1;
        for (; !tour_set_has(node, axis - 1); axis++)
            evict(w, core_of(w, c, root + axis));
        if (node == tour_set_of(c->axes - 1))
            return;
        load(w, core_of(w, c, root + axis));
        visit(w, c, root, node);
    }
}

static void visit_cube(walk *w, const cube *c) {
    for (uint32_t root = 0; root < c->axes; root++) {
        load(w, core_of(w, c, root));
        visit_tree(w, c, root);
        evict(w, core_of(w, c, root));
    }
}

/* ---- The whole. */

/* The clique of modified states: there and back between each two, from M(0) to M(0). */
static void visit_clique(walk *w) {
    for (uint32_t core = 0; core < w->cores; core++) {
        load(w, core);
        store(w, core);
        for (uint32_t other = core + 2; other < w->cores; other++) {
            store(w, other);
            store(w, core);
        }
        if (core + 1 < w->cores)
            store(w, core + 1);
    }
    for (uint32_t core = w->cores - 1; core-- > 0;)
        store(w, core);
}

/* Loads of exclusive blocks lead to pairs. Where two or three cores store less often in a pair than
 * it is entered, a load must lead on from there. */
static bool has_pairs_to_leave(const walk *w) {
    return w->cores < 4 && !w->has_owned;
}

static uint32_t core_before(const walk *w, uint32_t core) {
    return (core + w->cores - 1) % w->cores;
}

/* One holder in S: with E, only reached when others leave. */
static void arrive_at_single(walk *w, uint32_t core) {
    load(w, core);
    if (has_pairs_to_leave(w)) {
        load(w, another(w, core));
        evict(w, another(w, core));
        return;
    }
    store(w, core_before(w, core));
    arrive_without(w, core_before(w, core), tour_set_of(core));
}

bool tour_postman(const tour_space *space, tour_sink sink) {
    walk w = {.sink = sink,
              .cores = space->cores,
              .has_stores = tour_has_stores(space),
              .has_exclusive = tour_has_exclusive(space),
              .has_owned = tour_has_owned(space)};
    if (w.has_exclusive) {
        const cube c = {.axes = w.cores};
        for (uint32_t core = 0; core < w.cores; core++) {
            load(&w, core);
            load(&w, core);
            evict(&w, core);
            for (uint32_t other = 0; other < w.cores; other++) {
                const bool is_elsewhere = other == core_before(&w, core) && !has_pairs_to_leave(&w);
                if (is_elsewhere || (core == 0 && other == 0))
                    continue; /* on the way to the single holder, or at the end of the tour */
                load(&w, core);
                store(&w, other);
                evict(&w, other);
            }
            arrive_at_single(&w, core);
            visit_tree(&w, &c, core);
            evict(&w, core);
        }
    } else
        visit_cube(&w, &(cube){.axes = w.cores});
    if (w.has_stores) {
        for (uint32_t core = 0; core < w.cores; core++) {
            store(&w, core);
            if (core == 0)
                visit_clique(&w);
            if (w.has_owned) {
                const cube c = {.axes = w.cores - 1, .first = core + 1, .is_owned = true};
                arrive_owned(&w, core, 0);
                visit_owned(&w, core, 0);
                visit_cube(&w, &c);
            }
            evict(&w, core);
        }
        load(&w, 0);
        store(&w, 0);
    }
    return !w.is_over;
}
