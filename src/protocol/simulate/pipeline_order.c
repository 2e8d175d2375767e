/* SPDX-License-Identifier: MIT */
/*
 * What must wait for what in an out-of-order core. When an operation enters, everything that it
 * must follow and that has not performed goes into its set `before`; it performs when that is
 * empty. The modes differ in the pairs of accesses that are always in order; fences, acquire and
 * release, dependencies and accesses to one location add to that. `hold` is the part of it that a
 * load does not speculate past, and for a store what its address and value depend on.
 *
 * Invariants of the sets of places, between any two calls:
 *  1. Only pending places are in the sets, but for `loads`. What has performed is waited for by
 *     nobody, and its place is free for another operation.
 *  2. `ordered` are the places with an empty `before`, `held` those with something in `hold`,
 *     `supplied` those with a supplier: the sets are what the core looks at, and must not lag
 *     behind.
 *  3. `hold` is part of `before`: an operation whose turn it is may ask the caches.
 *  4. What a place waits for entered earlier. So the oldest operation waits for nothing, and a core
 *     never waits for itself.
 *  5. Whoever waits for a place stands among its `followers`: when it leaves, all of them are told.
 *  6. An operation performs when it is ordered, not before: this is the memory model of the core.
 *  7. The operations of a block are all in its set of `at_block`: none misses the block's data, or
 *     its loss.
 *  8. Reads that are pending are in the load queue; `stores` counts the pending writes, flushes and
 *     fences that ask the caches. Else queues would grow beyond their sizes, or fill up for good.
 *  9. Whoever waits for the places in `fenced` waits for those in `behind`: a few stand for all.
 */
#include "base/problem.h"
#include "protocol/simulate/pipeline.h"

/* 1, 8 */
bool sim_order_sets_agree(const sim_pipeline *p) {
    const sim_places queued = p->writes | p->flushes;
    const sim_places all = p->reads | queued | p->held | p->early | p->started | p->bound |
                           p->supplied | p->squashed | p->ordered | p->fenced[0] | p->fenced[1] |
                           p->fenced[2] | p->fenced[3] | p->behind[0] | p->behind[1] |
                           p->behind[2] | p->behind[3] | p->acquires | p->releases |
                           p->address_sources | p->control_sources;
    return (all & ~p->pending) == 0 && (p->pending & ~queued & ~p->loads) == 0 &&
           p->stores == (uint32_t)__builtin_popcountll(queued);
}

/* 2 to 5 and 7, of one place. */
static bool place_agrees(const sim_pipeline *p, uint32_t place, uint32_t next) {
    const sim_places bit = sim_place_bit(place);
    const bool has_supplier = p->supplier[place] != SIM_NOWHERE;
    const sim_places before = p->before[place], hold = p->hold[place];
    const sim_places supplier = has_supplier ? sim_place_bit(p->supplier[place]) : 0;
    const uint32_t age = (place - next) % SIM_PLACES;
    bool agrees =
        ((p->ordered & bit) != 0) == (before == 0) && ((p->held & bit) != 0) == (hold != 0) &&
        ((p->supplied & bit) != 0) == has_supplier && (hold & ~before) == 0 &&
        ((before | supplier) & ~p->pending) == 0 && sim_turn(before | supplier, next) >> age == 0 &&
        (p->at_block[sim_block_set(p->block[place])] & bit) != 0;
    for (sim_places rest = before | supplier; rest != 0;)
        agrees = agrees && (p->followers[sim_take_place(&rest)] & bit) != 0;
    return agrees;
}

/* 9, of one pair. */
static bool fence_agrees(const sim_pipeline *p, uint32_t pair) {
    sim_places waited_for = 0;
    for (sim_places rest = p->fenced[pair]; rest != 0;) {
        const uint32_t place = sim_take_place(&rest);
        waited_for |= sim_place_bit(place);
        rest |= p->before[place] & ~waited_for;
    }
    return (p->behind[pair] & ~waited_for) == 0;
}

bool sim_order_agrees(const sim_pipeline *p, uint32_t next) {
    bool agrees = sim_order_sets_agree(p);
    for (uint32_t i = 0; i < 4; i++)
        agrees = fence_agrees(p, i) && agrees;
    for (sim_places rest = p->pending; rest != 0;)
        agrees = place_agrees(p, sim_take_place(&rest), next) && agrees;
    for (uint32_t i = 0; i < SIM_PLACES; i++)
        agrees = agrees && (p->at_block[i] & ~p->pending) == 0;
    return agrees;
}

uint32_t sim_order_always(sim_mode mode, uint32_t without) {
    static const uint8_t pairs[SIM_MODE_COUNT] = {
        [SIM_SC] = COL_FULL_FENCE,
        [SIM_TSO] = COL_READ_READ | COL_READ_WRITE | COL_WRITE_WRITE,
        [SIM_WEAK] = 0,
    };
    const bool fifo = (without >> SIM_FIFO & 1) == 0;
    return pairs[mode] & (fifo ? COL_FULL_FENCE : COL_FULL_FENCE & ~COL_WRITE_WRITE);
}

/* The youngest of a set of operations that entered before `index`. */
static uint32_t youngest(sim_places set, uint32_t index) {
    const sim_places by_age = sim_turn(set, index);
    const uint32_t last = SIM_PLACES - 1 - (uint32_t)__builtin_clzll(by_age);
    return (last + index) % SIM_PLACES;
}

/* Those of a set that entered after the operation at the place. */
static sim_places younger_than(uint32_t place, sim_places set, uint32_t index) {
    const uint32_t age = (place - index) % SIM_PLACES;
    const sim_places older = (UINT64_C(2) << age) - 1; /* and itself */
    return sim_turn(sim_turn(set, index) & ~older, SIM_PLACES - index % SIM_PLACES);
}

/* Accesses that are in order among themselves: the youngest stands for all. */
static sim_places in_turn(sim_places set, bool are_ordered, uint32_t index) {
    return are_ordered && set != 0 ? sim_place_bit(youngest(set, index)) : set;
}

/* Of the accesses before the fence, the pair's later ones follow those that came since the last
 * such fence and those that stand for the others; where one waits for another, it stands for that
 * too. */
static void fence_pair(sim_pipeline *p, uint32_t i, uint32_t index) {
    const bool of_reads = (UINT32_C(1) << i & (COL_READ_READ | COL_READ_WRITE)) != 0;
    const sim_places earlier = of_reads ? p->reads : p->writes;
    const sim_places fenced = p->fenced[i] | (earlier & ~p->behind[i]);
    p->behind[i] |= earlier;
    if (fenced == 0)
        return;
    const bool are_ordered = (p->always & (of_reads ? COL_READ_READ : COL_WRITE_WRITE)) != 0;
    const sim_places set = in_turn(fenced & earlier, are_ordered, index) | (fenced & ~earlier);
    p->fenced[i] = set & ~p->before[youngest(set, index)];
}

void sim_order_fence(sim_pipeline *p, uint32_t pairs, uint32_t index) {
    if (sim_lacks(p, SIM_FENCE))
        return;
    for (uint32_t i = 0; i < 4; i++)
        if ((pairs >> i & 1) != 0)
            fence_pair(p, i, index);
}

/* What an access follows because the mode says so. */
static sim_places by_mode(const sim_pipeline *p, uint32_t index, bool reads, bool writes) {
    const uint32_t always = p->always;
    const uint32_t pairs = always & ((reads ? (uint32_t)COL_READ_READ | COL_WRITE_READ : 0) |
                                     (writes ? (uint32_t)COL_READ_WRITE | COL_WRITE_WRITE : 0));
    sim_places set = 0;
    if ((pairs & (COL_READ_READ | COL_READ_WRITE)) != 0)
        set |= in_turn(p->reads, (always & COL_READ_READ) != 0, index);
    if ((pairs & (COL_WRITE_READ | COL_WRITE_WRITE)) != 0)
        set |= in_turn(p->writes, (always & COL_WRITE_WRITE) != 0, index);
    return set;
}

/* Earlier accesses that by_mode has one stand for. */
static sim_places stood_for(const sim_pipeline *p, bool reads, bool writes) {
    const uint32_t always = p->always;
    const uint32_t reads_first = (reads ? COL_READ_READ : 0U) | (writes ? COL_READ_WRITE : 0U);
    const uint32_t writes_first = (reads ? COL_WRITE_READ : 0U) | (writes ? COL_WRITE_WRITE : 0U);
    sim_places set = 0;
    if ((always & COL_READ_READ) != 0 && (always & reads_first) != 0)
        set |= p->reads;
    if ((always & COL_WRITE_WRITE) != 0 && (always & writes_first) != 0)
        set |= p->writes;
    return set;
}

/* What an access follows because the program says so: fences, acquire, release. */
static sim_places by_program(const sim_pipeline *p, const col_operation *o, bool reads,
                             bool writes) {
    sim_places set = p->acquires;
    if (reads)
        set |= p->fenced[0] | p->fenced[2];
    if (writes)
        set |= p->fenced[1] | p->fenced[3];
    if ((o->order & COL_RELEASE) != 0 && !sim_lacks(p, SIM_RELEASE))
        set |= p->reads | p->writes;
    if ((o->order & COL_ACQUIRE) != 0)
        set |= p->releases;
    return set;
}

/* The read that the operation depends on, if it has not performed. */
static sim_places source_of(const sim_pipeline *p, uint32_t index, const col_operation *o) {
    if (o->dependency == COL_NO_DEPENDENCY || o->distance >= SIM_PLACES ||
        sim_lacks(p, SIM_DEPENDENCY))
        return 0;
    return sim_place_bit(index - o->distance) & p->pending;
}

/* What an access follows of the earlier ones to its location. A load behind a store that waits need
 * not follow what is before that store. */
static sim_places by_location(const sim_pipeline *p, sim_places same, uint32_t index, bool writes) {
    if (writes)
        return same & (p->reads | p->writes);
    const sim_places stores = same & p->writes;
    return stores == 0 ? same & p->reads
                       : younger_than(youngest(stores, index), same & p->reads, index);
}

static sim_places same_block(const sim_pipeline *p, sim_places among, sl_address block) {
    sim_places set = 0;
    while (among != 0) {
        const uint32_t place = sim_take_place(&among);
        if (p->block[place] == block)
            set |= sim_place_bit(place);
    }
    return set;
}

/* The read that the operation depends on; later writes wait for addresses and branches. */
static sim_places note_dependency(sim_pipeline *p, uint32_t index, const col_operation *o) {
    const sim_places source = source_of(p, index, o);
    if (o->dependency == COL_ADDRESS)
        p->address_sources |= source;
    if (o->dependency == COL_CONTROL)
        p->control_sources |= source;
    return o->dependency == COL_CONTROL ? 0 : source;
}

static void enter_access(sim_pipeline *p, uint32_t index, const col_operation *o) {
    const uint32_t place = index % SIM_PLACES;
    const sim_places bit = sim_place_bit(place);
    const bool reads = col_kinds[o->kind].reads, writes = col_kinds[o->kind].writes;
    sim_places same = 0; /* pending accesses to the location */
    for (sim_places rest = *sim_at_block(p, p->block[place]); rest != 0;) {
        const uint32_t other = sim_take_place(&rest);
        if (p->location[other] == o->location)
            same |= sim_place_bit(other);
    }
    const sim_places inputs = note_dependency(p, index, o);
    sim_places by_order = by_program(p, o, reads, writes);
    if (p->flushes != 0)
        by_order |= same_block(p, p->flushes, p->block[place]);
    sim_places others = writes ? p->address_sources | p->control_sources : 0;
    if (!sim_lacks(p, SIM_SAME_ADDRESS))
        others |= by_location(p, same, index, writes);
    p->before[place] = by_order | inputs | by_mode(p, index, reads, writes) |
                       (others & ~stood_for(p, reads, writes));
    p->hold[place] = writes ? inputs : inputs | by_order;
    p->supplier[place] = SIM_NOWHERE;
    if (!writes && (same & p->writes) != 0 && !sim_lacks(p, SIM_FORWARD)) {
        p->supplier[place] = (uint8_t)youngest(same & p->writes, index);
        p->supplied |= bit;
    }
    p->reads |= reads ? bit : 0;
    p->writes |= writes ? bit : 0;
    if ((o->order & COL_ACQUIRE) != 0 && !sim_lacks(p, SIM_ACQUIRE))
        p->acquires |= bit;
    if ((o->order & COL_RELEASE) != 0 && !sim_lacks(p, SIM_RELEASE))
        p->releases |= bit;
    if (o->kind == COL_AWAIT && !sim_lacks(p, SIM_DEPENDENCY))
        p->control_sources |= bit; /* a loop: what follows depends on its branch */
}

/* A flush follows and is followed by the accesses to its block, nothing else. A fetch follows
 * nothing: instructions are fetched ahead; later accesses to its block come after it. A fence that
 * asks the caches follows the earlier writes, and later reads follow it: the caches drop what may
 * be stale after the last of those writes and before the first of these reads. All stand among the
 * flushes, as they start in the same way. */
static void enter_flush(sim_pipeline *p, uint32_t index, const col_operation *o) {
    const uint32_t place = index % SIM_PLACES;
    const bool is_fence = o->kind == COL_FENCE;
    p->before[place] = is_fence ? p->writes : note_dependency(p, index, o);
    if (o->kind == COL_FLUSH)
        p->before[place] |= same_block(p, *sim_at_block(p, p->block[place]), p->block[place]);
    p->hold[place] = 0;
    p->supplier[place] = SIM_NOWHERE;
    p->flushes |= sim_place_bit(place);
    if (is_fence)
        sim_order_fence(p, o->fence, index);
    if (is_fence && !sim_lacks(p, SIM_FENCE))
        p->fenced[2] |= sim_place_bit(place); /* write -> read */
}

void sim_order_enter(sim_pipeline *p, uint32_t index, const col_operation *operation) {
    const uint32_t place = index % SIM_PLACES;
    const sim_places bit = sim_place_bit(place);
    base_invariant((p->pending & bit) == 0); /* 1 */
    if (operation->kind == COL_FLUSH || operation->kind == COL_FETCH ||
        operation->kind == COL_FENCE)
        enter_flush(p, index, operation);
    else
        enter_access(p, index, operation);
    sim_places followed = p->before[place] | p->hold[place];
    if (p->supplier[place] != SIM_NOWHERE)
        followed |= sim_place_bit(p->supplier[place]);
    while (followed != 0)
        p->followers[sim_take_place(&followed)] |= bit;
    p->followers[place] = 0;
    p->pending |= bit;
    *sim_at_block(p, p->block[place]) |= bit;
    if (p->hold[place] != 0)
        p->held |= bit;
    if (p->before[place] == 0)
        p->ordered |= bit;
    base_costly_invariant(place_agrees(p, place, index + 1));
}

void sim_order_leave(sim_pipeline *p, uint32_t place, uint64_t now) {
    const sim_places bit = sim_place_bit(place), others = ~bit;
    base_invariant((p->pending & bit) != 0 && (p->ordered & bit) != 0); /* 6 */
    base_invariant(((p->held | p->early | p->started) & bit) == 0);     /* 1 */
    p->pending &= others;
    p->reads &= others;
    p->writes &= others;
    p->flushes &= others;
    p->bound &= others;
    p->supplied &= others;
    p->squashed &= others;
    p->ordered &= others;
    p->acquires &= others;
    p->releases &= others;
    p->address_sources &= others;
    p->control_sources &= others;
    for (uint32_t i = 0; i < 4; i++) {
        p->fenced[i] &= others;
        p->behind[i] &= others;
    }
    *sim_at_block(p, p->block[place]) &= others;
    for (sim_places rest = p->followers[place] & p->pending; rest != 0;) {
        const uint32_t other = sim_take_place(&rest);
        p->hold[other] &= others;
        p->before[other] &= others;
        if (p->hold[other] == 0)
            p->held &= ~sim_place_bit(other);
        if (p->supplier[other] == place) {
            p->supplier[other] = SIM_NOWHERE;
            p->supplied &= ~sim_place_bit(other);
        }
        if (p->before[other] == 0 && (p->ordered & sim_place_bit(other)) == 0) {
            p->ordered |= sim_place_bit(other);
            p->ordered_since[other] = now;
        }
    }
}
