/* SPDX-License-Identifier: MIT */
/*
 * Runs of the simulator that try out a test: on a network like the design's or a slower one, with
 * seed after seed, within what the caller allows.
 */
#ifndef EXPLORE_EMIT_RUN_H
#define EXPLORE_EMIT_RUN_H

#include "explore/emit.h"
#include "explore/emit_plan.h"

enum { EXP_FIRST_TRIAL_SEED = 1000 }; /* trials; the first seeds are for the final count */

typedef struct exp_runner {
    sim_system *system;    /* which runs */
    const sim_wiring *own; /* of the design */
    const exp_aims *aims;
    uint64_t runs; /* so far */
} exp_runner;

/* What a program came to. */
typedef struct exp_score {
    uint32_t hits, progress;
} exp_score;

/* No more runs are allowed. */
bool exp_runner_is_over(const exp_runner *runner);

/* From now on. */
void exp_runner_wire(exp_runner *runner, const exp_network *network);

/* How often the controllers have taken the transition, in all runs. */
uint64_t exp_runner_times(const exp_runner *runner, const exp_cell *cell);

/* In how many of the seeds the program takes the transition, and how far runs get along the plan's
 * witness. Without a plan, or if it has several rounds, that is 0. */
col_status exp_runner_count(exp_runner *runner, const col_program *program, const exp_cell *cell,
                            exp_plan *plan, uint64_t first, uint32_t seeds, exp_score *score,
                            col_problem *problem);

#endif
