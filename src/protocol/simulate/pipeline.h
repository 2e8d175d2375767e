/* SPDX-License-Identifier: MIT */
/*
 * The inside of an out-of-order core: the window of operations that have entered and not performed,
 * as sets of places (docs/cores.md). An operation's place is its index modulo 64; at most 64
 * operations lie between the oldest that has not performed and the youngest that has entered.
 */
#pragma once

#include "protocol/simulate/core.h"

enum { SIM_PLACES = 64, SIM_NOWHERE = SIM_PLACES };

typedef uint64_t sim_places; /* a set of places */

typedef struct sim_pipeline {
    /* Operations that have not performed. */
    sim_places pending;
    sim_places reads, writes; /* of those; a swap or add is both */
    sim_places flushes;
    sim_places held;     /* may not ask the caches yet: `hold` is not empty */
    sim_places early;    /* wait for `start_at` */
    sim_places started;  /* with an access under way */
    sim_places bound;    /* have a word, which they may lose again before they perform */
    sim_places supplied; /* loads with a supplier */
    sim_places squashed; /* lost their words once: they ask again when it is their turn */
    sim_places ordered;  /* all that they must follow has performed: `before` is empty */
    sim_places loads;    /* in the load queue: entered, not left the window, performed or not */

    /* What operations that enter must follow, besides what their mode says. */
    sim_places fenced[4]; /* by fences, for each pair: those that stand for the earlier accesses */
    sim_places behind[4]; /* all earlier accesses: what follows `fenced` follows them too */
    sim_places acquires, releases;
    sim_places address_sources, control_sources; /* reads that addresses and branches depend on */

    uint32_t stores;  /* in the store queue: writes and flushes */
    uint32_t always;  /* the pairs that the mode keeps in order */
    uint32_t without; /* mechanisms that are missing */
    uint64_t stepped, wake_at;
    sim_places at_block[SIM_PLACES]; /* pending ones, by a hash of their blocks */

    /* Of each place; set when an operation enters. */
    sim_places before[SIM_PLACES];    /* performs after these */
    sim_places followers[SIM_PLACES]; /* those in whose sets or as whose supplier it stands */
    sim_places hold[SIM_PLACES];      /* asks the caches, or gives its word to loads, after these */
    uint64_t word[SIM_PLACES];
    uint64_t ordered_since[SIM_PLACES];
    uint64_t issued[SIM_PLACES]; /* of the access that brought the word */
    uint64_t start_at[SIM_PLACES];
    sl_address block[SIM_PLACES];
    uint32_t location[SIM_PLACES];
    uint8_t supplier[SIM_PLACES]; /* the youngest earlier write to a load's location that waits */
    uint8_t source[SIM_PLACES];   /* col_source of the word */
} sim_pipeline;

static inline sim_places sim_place_bit(uint32_t place) {
    return UINT64_C(1) << (place % SIM_PLACES);
}

/* Pending operations among which are all those of the block. */
static inline uint32_t sim_block_set(sl_address block) {
    return (uint32_t)(block * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

static inline sim_places *sim_at_block(sim_pipeline *p, sl_address block) {
    return &p->at_block[sim_block_set(block)];
}

/* Takes one place, any, out of a set that is not empty. */
static inline uint32_t sim_take_place(sim_places *set) {
    const uint32_t place = (uint32_t)__builtin_ctzll(*set);
    *set &= *set - 1;
    return place;
}

/* Turns the set, as a ring, so that the place of index `by` comes to 0. */
static inline sim_places sim_turn(sim_places set, uint32_t by) {
    const uint32_t turn = by % SIM_PLACES;
    return turn == 0 ? set : set >> turn | set << (SIM_PLACES - turn);
}

/* Is the core without this mechanism? */
static inline bool sim_lacks(const sim_pipeline *p, sim_mechanism mechanism) {
    return (p->without >> mechanism & 1) != 0;
}

/* ---- What must wait for what (pipeline_order.c). */

/* The pairs of accesses that the mode always keeps in order. */
uint32_t sim_order_always(sim_mode mode, uint32_t without);
/* Accesses from `index` on follow the pending earlier ones by these pairs. */
void sim_order_fence(sim_pipeline *p, uint32_t pairs, uint32_t index);
/* An operation enters at `index`; its location and block are set. */
void sim_order_enter(sim_pipeline *p, uint32_t index, const col_operation *operation);
/* The operation at the place has performed: nothing waits for it any more. */
void sim_order_leave(sim_pipeline *p, uint32_t place, uint64_t now);
/* Do the invariants of pipeline_order.c hold: those of the sets; all, if `next` enters next? */
bool sim_order_sets_agree(const sim_pipeline *p);
bool sim_order_agrees(const sim_pipeline *p, uint32_t next);
