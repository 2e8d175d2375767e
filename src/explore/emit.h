/* SPDX-License-Identifier: MIT */
/*
 * From a witness to a test: a program whose threads make the accesses of the witness, with delays
 * in between, for the simulator with its clocks. The search leaves the time of messages open, the
 * simulator does not; so delays are tried until the transition is taken often.
 */
#ifndef EXPLORE_EMIT_H
#define EXPLORE_EMIT_H

#include "collider/program.h"
#include "explore/explore.h"

enum { EXP_EMISSION_SEEDS = 100 };

typedef struct exp_emission {
    col_program program; /* free it */
    uint32_t hits;       /* of EXP_EMISSION_SEEDS seeds: in how many the transition was taken */
    uint32_t jitter;     /* of the network, with which it was taken: the design's, or more */
    int32_t network;     /* the virtual network that alone has this jitter; -1: all have it */
} exp_emission;

/* For tests of many transitions, such as those that a running design has not taken yet. */
typedef struct exp_aims {
    uint64_t seed;
    uint64_t most_runs;       /* of the simulator, for all tests; 0: no limit. No clock decides, so
                               * that the same aims give the same tests on any machine */
    bool keeps_network;       /* do not try networks with more jitter than the design's */
    const volatile int *stop; /* not 0: end. May be NULL */
    /* Is a test for the transition wanted now? NULL: all are. */
    bool (*wants)(void *context, const exp_cell *cell);
    /* Gets what was found, also if no seed takes the transition; may take the program out of it. */
    col_status (*take)(void *context, const exp_witness *witness, exp_emission *emission,
                       col_problem *problem);
    void *context;
} exp_aims;

/* The system is like those that the programs are for; it is not changed. */
col_status exp_emit_all(const sim_system *system, const exp_witnesses *witnesses,
                        const exp_aims *aims, col_problem *problem);
col_status exp_emit(const sim_system *system, const exp_witness *witness, uint64_t seed,
                    exp_emission *emission, col_problem *problem);

#endif
