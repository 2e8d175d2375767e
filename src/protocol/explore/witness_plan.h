/* SPDX-License-Identifier: MIT */
/*
 * What a witness asks of a test: the accesses of its cores in order, and how far a run of the
 * simulator gets along it. A test makes the accesses once, or in rounds, with a delay before each.
 */
#pragma once

#include "base/random.h"
#include "collider/program.h"
#include "protocol/explore/search.h"
#include "protocol/explore/witness_test.h"

typedef struct exp_act {
    uint32_t core, block;
    uint8_t kind;      /* of the operation */
    uint32_t step;     /* of the witness */
    bool follows_soon; /* the core's access before it is under way: nothing may come in between */
} exp_act;

/* How the rounds of a test differ. */
typedef enum exp_rounds {
    EXP_ALIKE,   /* the same blocks, as the last round left them */
    EXP_FLUSHED, /* the same blocks, flushed by all cores */
    EXP_FRESH    /* other blocks, which no round before has used */
} exp_rounds;

/* A controller of the witness, and how far a run has taken its transitions in their order. */
typedef struct exp_track {
    uint32_t machine, number;
    uint32_t step;   /* of the witness, which takes the next one; the end: all were taken */
    uint32_t taken;  /* in this order */
    uint32_t prefix; /* as far as it took no others */
    bool has_left;   /* it took another */
} exp_track;

typedef struct exp_plan {
    const exp_witness *witness;
    exp_act *acts;
    uint32_t count, cores, blocks;
    exp_track *tracks;
    uint32_t track_count;
    exp_rounds rounds_are;
    uint32_t rounds;
} exp_plan;

/* False: no memory. */
bool exp_plan_open(exp_plan *plan, const exp_witness *witness, uint32_t cores);
void exp_plan_close(exp_plan *plan);

/* The program, with these delays before the acts of each round. */
col_status exp_plan_write(const exp_plan *plan, const uint32_t *delays, col_program *program,
                          col_problem *problem);

/* What the witness suggests: this many cycles for each step since the core's last access ended. */
void exp_plan_guess(const exp_plan *plan, uint32_t cycles, uint32_t *delays);

/*
 * Runs of the simulator that try out a test: on a network like the design's or a slower one, with
 * seed after seed, within what the caller allows.
 */

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

/* In how many of the seeds the program takes the transition of the plan's witness, and how far runs
 * get along that; if the plan has several rounds, this is 0. */
col_status exp_runner_count(exp_runner *runner, const col_program *program, exp_plan *plan,
                            uint64_t first, uint32_t seeds, exp_score *score, col_problem *problem);

/*
 * Tests by chance, for transitions that no test along a witness takes: because the simulator's
 * clocks do not allow the witness's order, or because the search has not got there and there is no
 * witness. Random programs run on random networks; what takes one of the transitions is kept.
 */

/* A transition that has no test, and the best for it so far. */
typedef struct exp_open_cell {
    exp_cell cell;
    bool has_witness;
    uint64_t before;       /* how often it had been taken before the run under way */
    uint32_t hits;         /* of the seeds of the program under way: those that took it */
    uint32_t first_hits;   /* of its first few seeds */
    bool is_promising;     /* by those: the program may be better than the best */
    uint32_t promise;      /* of the best program's first few seeds: those that took it */
    base_rng rng;          /* which the best program and its network are drawn with */
    exp_emission emission; /* without that program */
} exp_open_cell;

typedef struct exp_open_cells {
    exp_open_cell *list;
    uint32_t count;
} exp_open_cells;

/* Fills in the programs that take one of the cells, and their hits. */
col_status exp_emit_random(exp_runner *runner, exp_open_cells *cells, col_problem *problem);
