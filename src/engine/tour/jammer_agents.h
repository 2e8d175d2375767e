/* SPDX-License-Identifier: MIT */
/*
 * MCjammer on the abstract protocols: one agent for each core, which sees the block through a
 * dichotomic FSM: what the block is in its own cache, and an aggregate of what it is in all others.
 * An agent counts how often it has seen each transition of this little machine, makes one that it
 * has seen too seldom its goal, and asks other agents for what only they can do.
 */
#pragma once

#include "base/random.h"
#include "engine/tour/tour.h"

/* What a block is in the agent's own cache, and in the others together. */
typedef enum tour_own { TOUR_OWN_I, TOUR_OWN_S, TOUR_OWN_E, TOUR_OWN_M, TOUR_OWN_O } tour_own;
typedef enum tour_others {
    TOUR_NO_OTHER,
    TOUR_ONE_SHARES,
    TOUR_SOME_SHARE, /* two or more, but not all */
    TOUR_ALL_SHARE,  /* two or more */
    TOUR_ANOTHER_E,
    TOUR_ANOTHER_M,
    TOUR_ANOTHER_O, /* and no one else */
    TOUR_O_AND_SOME,
    TOUR_O_AND_ALL
} tour_others;

/* Views are numbered: own * TOUR_OTHERS_COUNT + others. Events: the kinds of operations of the
 * agent's own core, then those of any other core. */
enum {
    TOUR_OWN_COUNT = TOUR_OWN_O + 1,
    TOUR_OTHERS_COUNT = TOUR_O_AND_ALL + 1,
    TOUR_VIEW_COUNT = TOUR_OWN_COUNT * TOUR_OTHERS_COUNT,
    TOUR_EVENT_COUNT = 2 * TOUR_KIND_COUNT
};

/* The dichotomic FSM of a protocol. From one view an event may lead to several: when one of those
 * that share evicts, the agent cannot tell from its view whether others are left. */
typedef struct tour_dichotomy {
    uint64_t after[TOUR_VIEW_COUNT][TOUR_EVENT_COUNT];        /* sets of views; 0: impossible */
    uint8_t distance[TOUR_VIEW_COUNT][TOUR_VIEW_COUNT];       /* events, if they go as wished */
    uint16_t transitions[TOUR_VIEW_COUNT * TOUR_EVENT_COUNT]; /* those possible: view * 6 + event */
    uint32_t transition_count;
} tour_dichotomy;

enum { TOUR_FAR = UINT8_MAX, TOUR_NO_GOAL = UINT16_MAX };

/* What an agent remembers: how often it saw each transition, or gave it up, by
 * view * TOUR_EVENT_COUNT + event. */
typedef struct tour_agent {
    uint32_t visits[TOUR_VIEW_COUNT * TOUR_EVENT_COUNT];
} tour_agent;

/* A block that agents jam: who they are, its state, and what each wants of it. */
typedef struct tour_jam_block {
    tour_state state;
    uint32_t agents[TOUR_MOST_CORES]; /* by core of the space: their numbers */
    uint16_t goals[TOUR_MOST_CORES];  /* transitions of the dichotomic FSM */
    uint8_t leader;                   /* the core whose agent is in the lead, */
    uint32_t lead;                    /* for this many operations now */
} tour_jam_block;

void tour_dichotomy_of(const tour_space *space, tour_dichotomy *dichotomy);
uint32_t tour_view(const tour_space *space, const tour_state *state, uint32_t core);

/* Nobody holds it, nobody wants anything of it; core i is that of agent i. */
void tour_jam_block_reset(tour_jam_block *block);

/* One operation on the block: of the agent in the lead, of one that it asked, or now and then of
 * one that follows a goal of its own. Afterwards the block and what the agents remember are as
 * after the operation. */
col_tour_operation tour_jam_step(const tour_space *space, const tour_dichotomy *dichotomy,
                                 tour_agent *agents, tour_jam_block *block, base_rng *rng);

/* This many operations. False: the sink had enough, or there is no memory for the agents. */
bool tour_jam(const tour_space *space, uint64_t seed, uint64_t most_operations, tour_sink sink);
/* The same with operations drawn uniformly from those that are possible. */
bool tour_random(const tour_space *space, uint64_t seed, uint64_t most_operations, tour_sink sink);
