/* SPDX-License-Identifier: MIT */
/*
 * Which cell of a transition table is wrong? The one that, changed in one place, makes a failure
 * disappear: every cell that all failing runs took is changed in every small way, one at a time,
 * and what stops failing with all seeds is a suspect. docs/triage.md explains.
 */
#pragma once

#include "base/text.h"
#include "design/duv.h"
#include "episode/worker_pool.h"

typedef struct epi_suspect {
    duv_change change;
    /* What tells a mend from a detour: cells that runs without this failure took before the change,
     * and none takes after, aside those of the state that the changed cell led to. */
    uint32_t lost;
    uint64_t after; /* events of the failing run from the cell's first turn to the failure */
    size_t number;  /* in the order in which they were found */
} epi_suspect;

typedef struct epi_suspects {
    epi_suspect *list; /* best first */
    size_t count, capacity;
    uint32_t failing, passing; /* seeds that were looked at */
    uint32_t cells, changes;   /* that were tried */
    uint64_t look;             /* how it fails, by epi_look */
    bool is_complete;          /* no stop ended it */
} epi_suspects;

/* A failure by its program and seed, and a larger one of the same bug, such as that before
 * shrinking: a change must not take from it what it could do. */
typedef struct epi_symptom {
    const col_program *program;
    uint64_t seed;
    col_outcome outcome;
    const col_program *larger; /* NULL: none */
    uint64_t larger_seed;
    /* How all failures of the design look, by epi_look: other bugs may show in this program, too.
     */
    const uint64_t *looks;
    size_t look_count;
    bool allows_others; /* a suspect is a change with which no run fails like this one any more, and
                         * none in a way that was not known; otherwise all runs pass with it */
} epi_symptom;

/* What went wrong in the instance, without numbers; 0: it passed. */
uint64_t epi_look(const epi_instance *instance);

/* The worker's design is open; afterwards it is as before, with another program loaded. No suspects
 * are found in designs without tables that can be changed, and where hardly any seed fails. Start
 * from {0}; free the list also after an error. */
col_status epi_suspects_find(epi_suspects *suspects, epi_worker *worker, const epi_symptom *symptom,
                             col_problem *problem);
/* Best first again. */
void epi_suspects_sort(epi_suspects *suspects);
void epi_suspects_free(epi_suspects *suspects);
