/* SPDX-License-Identifier: MIT */
/*
 * A closer look at one failing instance: which operations performed, in which order, with which
 * words, and which of them the failure is about.
 */
#ifndef EPISODE_SHRINK_LOOK_H
#define EPISODE_SHRINK_LOOK_H

#include "episode/worker.h"

typedef struct epi_look {
    epi_worker worker;
    epi_instance instance; /* with its events */
    bool *mentioned;       /* by operation: the violation names it */
    bool has_mentions;
    uint64_t block; /* an address in the block that a protocol error or an invariant is about */
    bool has_block;
    size_t capacity;
} epi_look;

/* The last run is looked at until the next one. */
col_status epi_look_open(epi_look *look, const col_setting *setting, col_problem *problem);
void epi_look_close(epi_look *look);
col_status epi_look_run(epi_look *look, const col_program *program, uint64_t seed,
                        col_problem *problem);

/* What an event says that a read returned. */
bool epi_event_reads(const col_program *program, const epi_event *event, uint64_t *word);

#endif
