/* SPDX-License-Identifier: MIT */
/*
 * The state of a small system between two steps of the search: what its controllers hold, messages
 * under way, and what the search itself remembers of the cores. It can be packed into few words,
 * equal for equal states, and put back.
 */
#ifndef EXPLORE_STATE_H
#define EXPLORE_STATE_H

#include "explore/explore.h"

enum {
    MOST_FLIGHTS = 64,
    NEVER = 1 << 30 /* a time that does not come while time stands still */
};

/* A message under way to a buffer. */
typedef struct flight {
    uint32_t buffer;  /* which of the search's list */
    uint32_t channel; /* of those with one channel (not 0) the first comes first */
    sl_message *message;
} flight;

/* An access of a core that the protocol has taken and not completed. */
enum { NO_ACCESS, LOADING, STORING, FLUSHING };

/* What the search knows of a core and a block. */
typedef struct knowledge {
    uint8_t access;   /* NO_ACCESS, … */
    uint8_t possible; /* words that were current since the load was taken, a set */
    bool lost;        /* the core was told that it lost the block since the access was taken */
    bool believes;    /* a load has its word and the core was not told of a loss since */
    uint8_t word;     /* that it has */
} knowledge;

typedef struct world {
    sim_system *system;
    uint32_t blocks;
    sl_buffer **buffers; /* all that are read by controllers */
    uint32_t buffer_count;
    flight flights[MOST_FLIGHTS];
    uint32_t flight_count;
    knowledge known[EXP_MOST_CORES][EXP_MOST_BLOCKS];
    uint8_t current[EXP_MOST_BLOCKS]; /* the word that the last store left */
    uint64_t *words;                  /* room for a state, packed and not */
    size_t word_count, word_capacity;
    uint64_t *packed;
    size_t packed_count;
    const char *limit; /* of the search that was met; NULL: none */
} world;

sl_address exp_world_block(uint32_t block);

/* Ends the search, by the system's escape: it has no room for what comes. */
_Noreturn void exp_world_meet_limit(world *w, const char *limit);

/* Something with a time that has not come: it may come at any time. */
typedef struct alarm_clock {
    sl_timer *timer;
    uint32_t item;
} alarm_clock;

/* How many there are; the one of this number if it is not NULL. */
uint32_t exp_world_alarms(const world *w, uint32_t number, alarm_clock *alarm);

/* Into `packed`. */
void exp_world_pack(world *w);
void exp_world_unpack(world *w, const uint64_t *packed, size_t count);

#endif
