/* SPDX-License-Identifier: MIT */
/*
 * The global state space of an abstract coherence protocol: what one block is in each core's cache
 * and, where there are clusters, in the second level that the cores of a cluster share. A core is
 * in cluster core / (cores / clusters). Operations are atomic: a cache loads, stores, or evicts a
 * block that it holds; every operation that is possible in a state is a transition, those that
 * change nothing, too.
 */
#pragma once

#include "base/number.h"
#include "base/problem.h"

#include <collider/tour.h>

/* With a single core nothing is shared, and some states could not be reached. */
enum { TOUR_LEAST_CORES = 2, TOUR_MOST_CORES = 24, TOUR_MOST_CLUSTERS = 8 };

/* Of the kinds of operations, those of a core; the rest are of a second level, by cluster. */
enum { TOUR_KIND_COUNT = COL_TOUR_LOAD2 };

/* How the block is held. */
typedef enum tour_holding {
    TOUR_SHARED,    /* all holders, if any, in S */
    TOUR_EXCLUSIVE, /* one holder, in E */
    TOUR_MODIFIED,  /* one holder, in M */
    TOUR_OWNED      /* the owner in O, the other holders in S */
} tour_holding;

/* All zero, no cache holds the block: where every tour begins. */
typedef struct tour_state {
    uint32_t holders;       /* a set: cores whose cache holds the block */
    uint8_t holding;        /* tour_holding of these */
    uint8_t owner;          /* the core that owns the block, if holding is TOUR_OWNED; else 0 */
    uint8_t second_holding; /* of the second levels, in the same way */
    uint8_t second_owner;   /* the cluster whose second level does, in the same way */
    uint32_t seconds;       /* clusters whose second level holds it */
} tour_state;
#define TOUR_INITIAL ((tour_state){0})

typedef struct tour_space {
    col_tour_protocol protocol; /* in both levels */
    uint32_t cores;             /* of all clusters */
    uint32_t clusters;          /* 0: there is no second level */
    bool inclusive;             /* a cluster's second level holds what its cores hold */
} tour_space;
#define TOUR_ONE_LEVEL(protocol, cores)                                                            \
    { protocol, cores, 0, false }

/* Sets of cores or of clusters. */
static inline bool tour_set_has(uint32_t set, uint32_t item) {
    return (set >> item & 1) != 0;
}
static inline uint32_t tour_set_of(uint32_t item) {
    return UINT32_C(1) << item;
}
static inline uint32_t tour_set_first(uint32_t set) { /* not of the empty one */
    return base_lowest_bit(set);
}

uint32_t tour_cluster_count(const tour_space *space); /* one, if there is no second level */
uint32_t tour_width(const tour_space *space);         /* cores of a cluster */
uint32_t tour_cluster(const tour_space *space, uint32_t core);
uint32_t tour_cores_of(const tour_space *space, uint32_t cluster); /* a set */

bool tour_has_stores(const tour_space *space);
bool tour_has_exclusive(const tour_space *space); /* states in E */
bool tour_has_owned(const tour_space *space);     /* in O */

/* Can the operation be done? */
bool tour_is_possible(const tour_space *space, const tour_state *state,
                      col_tour_operation operation);
/* The state after it. */
tour_state tour_after(const tour_space *space, const tour_state *state,
                      col_tour_operation operation);
bool tour_is_same(const tour_state *a, const tour_state *b);

/* How many there are (reachable). */
uint64_t tour_state_count(const tour_space *space);
uint64_t tour_transition_count(const tour_space *space);

/* Reachable states are numbered from 0, the initial one first. */
uint64_t tour_state_number(const tour_space *space, const tour_state *state);
tour_state tour_numbered_state(const tour_space *space, uint64_t number);

/* All operations, possible or not in a state, are numbered, too. */
uint32_t tour_operation_count(const tour_space *space);
col_tour_operation tour_numbered_operation(const tour_space *space, uint32_t number);
uint32_t tour_operation_number(const tour_space *space, col_tour_operation operation);

/* The executor that judges tours: it runs a stream of operations from the initial state on, refuses
 * what cannot be done, and counts the transitions that were taken. It knows nothing of how a tour
 * is made. */
typedef struct tour_count {
    tour_space space;
    tour_state state;       /* where the tour stands */
    uint64_t cost, covered; /* operations taken; different transitions among them */
    uint64_t *taken;        /* a bit for each state and operation */
} tour_count;

/* Bytes that counting takes. */
uint64_t tour_count_bytes(const tour_space *space);
col_status tour_count_begin(tour_count *count, const tour_space *space, col_problem *problem);
void tour_count_end(tour_count *count);

/* False, and nothing changes: the operation is not possible here. */
bool tour_count_take(tour_count *count, col_tour_operation operation);
