/* SPDX-License-Identifier: MIT */
/*
 * Climbing: among programs of one size, those that fail more often leave more to be left out. What
 * fails with one seed in a thousand cannot be made smaller by trial, because all that is smaller
 * seems to pass. So operations move, change, and are delayed while that makes the program fail more
 * often, then the one goes that is missed least, and so on.
 */
#ifndef EPISODE_SHRINK_CLIMB_H
#define EPISODE_SHRINK_CLIMB_H

#include "base/rng.h"
#include "collider/program.h"

/* How often a program fails. */
typedef struct epi_rate {
    uint32_t failing, tried; /* seeds */
} epi_rate;

typedef struct epi_climb {
    /* With how many seeds of a batch the program fails; a batch has always the same ones. One that
     * fails is `shown`. Negative: nothing can be said any more. */
    int64_t (*count)(void *context, const col_program *program, uint64_t batch, uint32_t seeds,
                     uint64_t *shown);
    void *context;
    uint32_t seeds;     /* that a program is judged by; four times as many if few fail */
    uint64_t most_work; /* operations of all instances */
    uint64_t seed;
    col_program best;
    epi_rate rate;  /* of the best program */
    uint64_t shown; /* a seed that it fails with, if it is another one than at the beginning */
    bool over;
    col_status status; /* memory */
    col_problem problem;
    /* the climb's own */
    col_program candidate, second;
    bool *keeps;
    size_t keeps_capacity;
    base_rng rng;
    uint64_t set, work, failed; /* the seed that failed last */
} epi_climb;

/* Set the first group, the rest to 0, and begin with a program that fails. */
col_status epi_climb_begin(epi_climb *climb, const col_program *program, col_problem *problem);
void epi_climb_free(epi_climb *climb);

/* Ends when nothing was found for a while, or with the work. True: the best program is another one
 * now. Programs with awaits are left as they are: in another order these may wait for ever. */
bool epi_climb_run(epi_climb *climb);

#endif
