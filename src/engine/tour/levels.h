/* SPDX-License-Identifier: MIT */
/*
 * The global state space of two levels of caches: what one block is in each core's first level and
 * in the second level that the cores of a cluster share. A core is in cluster core / (cores /
 * clusters). Where the levels are inclusive, a cluster's second level holds what its cores hold.
 */
#ifndef ENGINE_TOUR_LEVELS_H
#define ENGINE_TOUR_LEVELS_H

#include "base/problem.h"
#include "engine/tour/state_space.h"

enum { TOUR_LEVELS_MOST_CLUSTERS = 8 };

/* More kinds of a tour_operation, of the second level; its `core` is then the cluster. */
enum { TOUR_LEVELS_LOAD2 = TOUR_KIND_COUNT, TOUR_LEVELS_EVICT2, TOUR_LEVELS_KIND_COUNT };

typedef struct tour_levels_space {
    tour_protocol protocol; /* in both levels */
    uint32_t clusters;
    uint32_t cores; /* of all clusters */
    bool inclusive;
} tour_levels_space;

typedef struct tour_levels_state {
    uint32_t holders; /* cores whose first level holds the block */
    uint32_t seconds; /* clusters whose second level holds it */
    uint8_t holding;  /* tour_holding of the first levels: one holder if not shared or owned */
    uint8_t second_holding; /* of the second levels, in the same way */
    uint8_t owner;          /* the core that owns the block, if holding is TOUR_OWNED; else 0 */
    uint8_t second_owner;   /* the cluster whose second level does, in the same way */
} tour_levels_state;

/* Sets of cores or of clusters. */
static inline bool tour_set_has(uint32_t set, uint32_t item) {
    return (set >> item & 1) != 0;
}
static inline uint32_t tour_set_of(uint32_t item) {
    return UINT32_C(1) << item;
}
static inline uint32_t tour_set_first(uint32_t set) { /* not of the empty one */
    uint32_t item = 0;
    while (!tour_set_has(set, item))
        item++;
    return item;
}

uint32_t tour_levels_cluster(const tour_levels_space *space, uint32_t core);
uint32_t tour_levels_cores(const tour_levels_space *space, uint32_t cluster); /* a set */

/* No cache holds the block: where every tour begins. */
#define TOUR_LEVELS_INITIAL ((tour_levels_state){0, 0, TOUR_SHARED, TOUR_SHARED, 0, 0})

bool tour_levels_has_owned(const tour_levels_space *space);

/* Is this a space we know? */
col_status tour_levels_check(const tour_levels_space *space, col_problem *problem);

bool tour_levels_is_possible(const tour_levels_space *space, const tour_levels_state *state,
                             tour_operation operation);
tour_levels_state tour_levels_after(const tour_levels_space *space, const tour_levels_state *state,
                                    tour_operation operation);

/* How many there are (reachable). */
uint64_t tour_levels_state_count(const tour_levels_space *space);
uint64_t tour_levels_transition_count(const tour_levels_space *space);

/* Reachable states are numbered from 0, the initial one first. */
uint64_t tour_levels_state_number(const tour_levels_space *space, const tour_levels_state *state);
tour_levels_state tour_levels_numbered_state(const tour_levels_space *space, uint64_t number);

bool tour_levels_is_same(const tour_levels_state *a, const tour_levels_state *b);

/* All operations, possible or not in a state, are numbered, too. */
uint32_t tour_levels_operation_count(const tour_levels_space *space);
tour_operation tour_levels_numbered_operation(const tour_levels_space *space, uint32_t number);
uint32_t tour_levels_operation_number(const tour_levels_space *space, tour_operation operation);

/* The executor: it takes a tour, does it from the initial state, and counts what is covered. */
typedef struct tour_levels_count {
    tour_levels_space space;
    tour_levels_state state;
    uint64_t cost;    /* operations done */
    uint64_t covered; /* transitions, each once */
    bool is_wrong;    /* an impossible operation was asked for; nothing is taken behind it */
    uint64_t *seen;   /* by state and operation */
} tour_levels_count;

col_status tour_levels_count_open(tour_levels_count *count, const tour_levels_space *space,
                                  col_problem *problem);
bool tour_levels_count_take(void *count, tour_operation operation); /* a tour_sink's */
void tour_levels_count_close(tour_levels_count *count);

#endif
