/* SPDX-License-Identifier: MIT */
/*
 * What a witness asks of a test: the accesses of its cores in order, and how far a run of the
 * simulator gets along it. A test makes the accesses once, or in rounds, with a delay before each.
 */
#ifndef EXPLORE_EMIT_PLAN_H
#define EXPLORE_EMIT_PLAN_H

#include "collider/program.h"
#include "explore/explore.h"

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

/* The transitions of the witness by controller, in the order in which it takes them. */
typedef struct exp_track {
    uint32_t machine, number;
    const exp_cell **cells;
    uint32_t count;
    uint32_t next;   /* of these, in the run under way: all before have been taken in order */
    uint32_t prefix; /* as far as it took no others */
    bool has_left;   /* it took another */
} exp_track;

typedef struct exp_plan {
    const exp_witness *witness;
    exp_act *acts;
    uint32_t count, cores, blocks;
    exp_track *tracks;
    const exp_cell **cells; /* of all tracks */
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

/* An observer of a run, and how far that came: the more, the farther. */
col_observer exp_plan_watch(exp_plan *plan);
uint32_t exp_plan_progress(const exp_plan *plan);

#endif
