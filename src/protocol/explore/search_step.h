/* SPDX-License-Identifier: MIT */
/*
 * Steps from state to state, and what is checked on the way. A step is one access that a core
 * makes, one message that arrives, or a time that comes; each takes at most one transition. A
 * request that the protocol does not take now is forgotten: the core may make it again at any time.
 * A mistake leaves by the system's escape.
 */
#pragma once

#include "protocol/explore/search_state.h"

enum {
    EXP_KINDS = 5, /* of accesses */
    EXP_MOST_CHOICES = EXP_MOST_CORES * EXP_MOST_BLOCKS * EXP_KINDS + MOST_FLIGHTS + MOST_ALARMS,
    /* Where any member of a set is taken for the smallest, a choice is a number below that, and the
     * number of the member times that. */
    EXP_MOST_LISTED = EXP_MOST_CHOICES * SL_PICKABLE
};

enum { EXP_MOST_MARKS = 32 }; /* two for each core and block, and one, in 64 bits */
enum { EXP_MOST_TAKEN = 8 };  /* transitions of a step that are noted; most take one or none */

/* Marks of a state, for livelocks: what its steps complete, and that no message is under way. */
static inline uint64_t exp_mark(uint32_t blocks, uint32_t core, uint32_t block, bool is_store) {
    return UINT64_C(1) << ((core * blocks + block) * 2 + is_store);
}
static inline uint64_t exp_mark_quiet(uint32_t cores, uint32_t blocks) {
    return UINT64_C(1) << cores * blocks * 2;
}

/* Who takes steps: one system, one state. */
typedef struct stepper {
    world world;
    sl_services services;
    const sl_services *usual;
    uint32_t outstanding;
    uint8_t kinds[EXP_MOST_CORES]; /* of accesses that each core makes, as bits */
    bool takes_any;                /* member of a set where the smallest is asked for */
    sl_picker picker;              /* of the last step */
    uint32_t slots;   /* of each queue, for what is in it and under way to it; 0: no limit */
    base_text *trace; /* steps are written into it; NULL: they are not */
    bool notes_cells; /* transitions that steps take are noted in `taken` */
    exp_cell taken[EXP_MOST_TAKEN];
    uint32_t *counted[EXP_MOST_TAKEN]; /* where the system counts them */
    uint32_t taken_count;
    /* Of the step under way. */
    flight parked[MOST_FLIGHTS]; /* messages that stand in their bounded queue meanwhile */
    uint32_t parked_count;
    uint32_t core, block;
    int32_t request; /* RubyRequestType; -1: a message */
    bool completed;  /* the request of this step */
    bool blocked;    /* a message that it sends finds no room */
    bool refused;    /* exp_step_refuse was called */
    uint32_t stores; /* that it completes */
    uint64_t orders; /* queues that keep the order of all messages, and get one: bits, by number */
    bool touches_core;     /* what is known of its controller's core changes or counts */
    uint8_t reads, writes; /* blocks whose last word counts, or changes: bits */
    uint64_t done;         /* accesses that it completes, as marks */
} stepper;

typedef struct exp_access {
    uint32_t core, block;
    int32_t kind; /* RubyRequestType */
} exp_access;

/* The stepper must not move until it is closed. */
void exp_step_open(stepper *x, sim_system *system, const exp_exploration_settings *settings);
void exp_step_close(stepper *x);

/* May the cache read or write the block? 0: neither, 1: read, 2: write. */
uint32_t exp_permission_of(const sl_cache *cache, sl_address address);

/* Does the protocol give stale words by design? What loads return is then for the memory model to
 * judge, not for a search of single accesses. */
bool exp_is_lazy(const sl_controller *c);

/* To the initial state. */
void exp_step_begin(stepper *x);

/* The choices of the present state: accesses, then messages, then times. How many: at most
 * EXP_MOST_LISTED. Members that are not the smallest come after it; there may be fewer: such a step
 * is not taken. */
uint32_t exp_step_list(stepper *x, uint16_t *choices);
/* Choices below this are accesses, whether a core may make them now or not. */
uint32_t exp_step_accesses(const stepper *x);
/* Is it one of them? Those of a saved search are somebody's word. */
bool exp_step_may(stepper *x, uint32_t choice);
/* Is it an access that the core need not make? */
bool exp_step_is_free(const stepper *x, uint32_t choice);
exp_access exp_access_of(const stepper *x, uint32_t choice);

/* False: the protocol does not take the request, or there is no room for what the step sends; all
 * is as before then. */
bool exp_step_take(stepper *x, uint32_t choice);

/* The request of the choice was not taken, but the protocol has begun with it: the core makes no
 * other one before. */
void exp_step_remember(stepper *x, uint32_t choice);

/* Is nothing under way? */
bool exp_step_is_quiet(stepper *x);
/* The request of the last step should have been taken. */
_Noreturn void exp_step_refuse(stepper *x);
