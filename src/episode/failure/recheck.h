/* SPDX-License-Identifier: MIT */
/* A recorded failure on a design that was changed since: is it gone? docs/replay.md explains. */
#pragma once

#include "collider/episode.h"

/* What is other than it was recorded; NULL or 0: as recorded. Another design has no error but the
 * one that is given here. Empty texts: none. */
typedef struct epi_change {
    const char *design, *error, *options;
    uint32_t cores;
    uint32_t runs; /* with fresh seeds */
    uint32_t jobs;
} epi_change;

typedef enum epi_verdict { EPI_GONE, EPI_STILL_FAILS, EPI_FAILS_DIFFERENTLY } epi_verdict;

typedef struct epi_rechecked {
    col_failure was;
    epi_verdict verdict;
    bool is_by_seed;        /* the recorded seed fails, so no others were tried */
    uint32_t failing, runs; /* with fresh seeds */
    col_outcome outcome;    /* of the run that shows it; COL_PASS: none fails */
    uint64_t seed, cycles;
    char reason[512];
} epi_rechecked;

/* The recorded seed first: as long as the program takes the same course, it shows the same again.
 * If it passes, fresh seeds. A failure is another one if its verdict is, or if the protocol failed
 * in another cell. */
col_status epi_recheck(const char *folder, bool allow_code, const epi_change *change,
                       epi_rechecked *found, col_problem *problem);
