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
} exp_emission;

/* The system is like those that the program is for; it is not changed. */
col_status exp_emit(const sim_system *system, const exp_witness *witness, uint64_t seed,
                    exp_emission *emission, col_problem *problem);

#endif
