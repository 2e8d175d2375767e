/* SPDX-License-Identifier: MIT */
/*
 * From a witness to a test: a program whose threads make the accesses of the witness, with delays
 * in between, for the simulator with its clocks. The search leaves the time of messages open, the
 * simulator does not; so delays are tried until the transition is taken often. What no such test
 * takes, random programs are tried for.
 */
#pragma once

#include "collider/program.h"
#include "protocol/explore/search.h"

enum { EXP_EMISSION_SEEDS = 100 };

/* How a test's network differs from the design's. */
typedef struct exp_network {
    int32_t number;           /* the virtual network that alone differs; -1: all do */
    uint32_t latency, jitter; /* SIM_AS_OTHERS: the design's */
} exp_network;
extern const exp_network exp_own_network;
bool exp_network_is_own(const exp_network *network);

typedef struct exp_emission {
    col_program program; /* free it */
    uint32_t hits;       /* of EXP_EMISSION_SEEDS seeds: in how many the transition was taken */
    exp_network network; /* with which it was taken */
    bool is_random;      /* the program was found by chance, and has nothing of a witness */
} exp_emission;

/* For tests of many transitions, such as those that a running design has not taken yet. */
typedef struct exp_aims {
    uint64_t seed;
    uint64_t most_runs;       /* of the simulator, for all tests; 0: no limit. No clock decides, so
                               * that the same aims give the same tests on any machine */
    bool keeps_network;       /* do not try networks other than the design's */
    uint32_t random_programs; /* at most, for what no test along a witness takes; 0: none */
    uint32_t accesses;        /* kinds that they make (exp_accesses_parse); 0: all */
    const volatile int *stop; /* not 0: end. May be NULL */
    /* Is a test for the transition wanted? Asked once of each that has a witness; then of the
     * others, if there are random programs. NULL: all are. */
    bool (*wants)(void *context, const exp_cell *cell);
    /* Gets what was found, for a transition with a witness also if no seed takes it; may take the
     * program out of it. */
    col_status (*take)(void *context, const exp_cell *cell, bool has_witness,
                       exp_emission *emission, col_problem *problem);
    void *context;
} exp_aims;

/* The system is like those that the programs are for; it is not changed. */
col_status exp_emit_all(const sim_system *system, const exp_witnesses *witnesses,
                        const exp_aims *aims, col_problem *problem);
/* For `random_programs`: seconds of them, with protocols such as mesi3. */
enum { EXP_RANDOM_PROGRAMS = 20000 };

/* One transition's test; random programs only if no other takes it. As with aims, `stop` may be
 * NULL. */
col_status exp_emit(const sim_system *system, const exp_witness *witness, uint64_t seed,
                    uint32_t accesses, const volatile int *stop, exp_emission *emission,
                    col_problem *problem);
