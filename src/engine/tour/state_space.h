/* SPDX-License-Identifier: MIT */
/*
 * The global state space of an abstract coherence protocol: what one block is in each of n private
 * caches. Operations are atomic: a core loads, stores, or evicts a block that it holds; every
 * operation that is possible in a state is a transition, those that change nothing, too.
 */
#ifndef ENGINE_TOUR_STATE_SPACE_H
#define ENGINE_TOUR_STATE_SPACE_H

#include "base/problem.h"

#include <collider/tour.h>

/* With a single core nothing is shared, and some states could not be reached. */
enum { TOUR_LEAST_CORES = 2, TOUR_MOST_CORES = 24 };

typedef enum tour_protocol {
    TOUR_SI, /* no stores */
    TOUR_MSI,
    TOUR_MESI,
    TOUR_MOSI,
    TOUR_MOESI,
    TOUR_PROTOCOL_COUNT
} tour_protocol;
#define tour_protocols col_tour_protocols /* their words, ended by NULL */

typedef enum tour_kind { TOUR_LOAD, TOUR_STORE, TOUR_EVICT, TOUR_KIND_COUNT } tour_kind;

typedef struct tour_operation {
    uint8_t kind; /* tour_kind */
    uint8_t core;
} tour_operation;

/* How the block is held. */
typedef enum tour_holding {
    TOUR_SHARED,    /* all holders, if any, in S */
    TOUR_EXCLUSIVE, /* one holder, in E */
    TOUR_MODIFIED,  /* one holder, in M */
    TOUR_OWNED      /* the owner in O, the other holders in S */
} tour_holding;

typedef struct tour_state {
    uint32_t holders; /* a set of cores */
    uint8_t holding;  /* tour_holding */
    uint8_t owner;    /* of an exclusive, modified or owned block; else 0 */
} tour_state;

typedef struct tour_space {
    tour_protocol protocol;
    uint32_t cores;
} tour_space;

/* All cores in I: where every tour begins. */
#define TOUR_INITIAL ((tour_state){0, TOUR_SHARED, 0})

bool tour_has_stores(const tour_space *space);
bool tour_has_exclusive(const tour_space *space); /* states in E */
bool tour_has_owned(const tour_space *space);     /* in O */

/* Can the operation be done? An eviction only by a holder, a store not with SI. */
bool tour_is_possible(const tour_space *space, const tour_state *state, tour_operation operation);
/* The state after it. */
tour_state tour_after(const tour_space *space, const tour_state *state, tour_operation operation);

/* How many there are (reachable). */
uint64_t tour_state_count(const tour_space *space);
uint64_t tour_transition_count(const tour_space *space);

/* Reachable states are numbered from 0, the initial one first. */
uint64_t tour_state_number(const tour_space *space, const tour_state *state);
tour_state tour_numbered_state(const tour_space *space, uint64_t number);

/* Ways to choose this many of them: sizes of classes of states. */
uint64_t tour_choices(uint64_t of, uint64_t count);

/* Who takes a tour, operation by operation, as it is made; false: enough. */
typedef struct tour_sink {
    bool (*take)(void *context, tour_operation operation);
    void *context;
} tour_sink;

/*
 * The baseline: for each transition a shortest test from the global invalid state, found by breadth
 * first search, then a reset. A store and its eviction reset any state; without stores all holders
 * evict. Memory grows with the number of states.
 */

/* Ends early, without an error, when the sink has enough. `bytes` is the memory it took. */
col_status tour_bfs(const tour_space *space, tour_sink sink, uint64_t *bytes, col_problem *problem);

/* A tour of all transitions out of parts that have Euler tours of their own: hypercubes and a
 * clique. It is made as it goes, in memory that does not depend on the number of states. */

/* False: the sink had enough. */
bool tour_euler(const tour_space *space, tour_sink sink);

/*
 * A shortest tour: every transition of the space at least once, from the initial state on, in as
 * few operations as any walk needs that may end where it likes (see levels_tour.h). It is made
 * on the fly, in memory linear in the cores: no state is remembered.
 */

/* False: the sink had enough. */
bool tour_postman(const tour_space *space, tour_sink sink);

#endif
