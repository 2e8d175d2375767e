/* SPDX-License-Identifier: MIT */
/*
 * Leaving out operations of a failure that hardly any seed shows. There is one instance to go by,
 * so what remains has to happen when it happened there: what is left out becomes a delay that is as
 * long as it took. Where the rest comes earlier or later than before, delays are corrected and it
 * is run again, always with the same seed.
 */
#ifndef EPISODE_SHRINK_TIME_H
#define EPISODE_SHRINK_TIME_H

#include "episode/shrink_trial.h"

typedef struct epi_time {
    epi_trial *trial; /* what is looked for, and the seed */
    epi_worker worker;
    uint64_t *before; /* by operation of the best program: the cycle in which it performed */
    uint64_t *now;    /* the same, of the program that ran last */
    size_t before_capacity, now_capacity;
    /* What a candidate is made of, by operation of the best program. */
    col_program timed; /* it, with the first operation of each gap as a delay */
    int64_t *lengths;  /* of the delay that begins here */
    bool *keeps;
    size_t lengths_capacity, keeps_capacity;
} epi_time;

/* Start from {.trial = …}. */
col_status epi_time_open(epi_time *time, const col_setting *setting, col_problem *problem);
void epi_time_close(epi_time *time);

/* `ask` and `keep` of a search whose context is an epi_time. The first program that is asked about
 * must be the one that the search begins with. */
epi_answer epi_time_ask(void *time, const col_program *program);
bool epi_time_keep(epi_search *search, const bool *keeps);

/* The search's candidate becomes its best program with all delays at the start of threads shorter,
 * until one has none. False: there is nothing to gain. */
bool epi_time_advance(epi_search *search);

#endif
