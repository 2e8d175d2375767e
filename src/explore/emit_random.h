/* SPDX-License-Identifier: MIT */
/*
 * Tests by chance, for transitions that no test along a witness takes: because the simulator's
 * clocks do not allow the witness's order, or because the search has not got there and there is no
 * witness. Random programs run on random networks; what takes one of the transitions is kept.
 */
#ifndef EXPLORE_EMIT_RANDOM_H
#define EXPLORE_EMIT_RANDOM_H

#include "base/rng.h"
#include "explore/emit_run.h"

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

#endif
