/* SPDX-License-Identifier: MIT */
/*
 * Is a failure of a known bug? By its kind or its cell, that is seen at once. By a mend, the
 * instance is run again in the design with the mends of all known bugs, and so are others of its
 * program: if nothing unknown goes wrong, one of the mends is enough for it.
 */
#pragma once

#include "base/clock.h"
#include "episode/failure/known_bugs.h"
#include "episode/worker_pool.h"

typedef struct epi_waiver epi_waiver;

/* All of these must outlive it; with the design's own description. Refuses cells that the design
 * does not have, and mends that cannot be made in it. */
typedef struct epi_waiver_of {
    epi_known *known;
    const col_setting *setting; /* with the text of its model */
    const col_duv_description *design;
    uint32_t jobs;
    base_timer *timer;
} epi_waiver_of;
col_status epi_waiver_new(epi_waiver **waiver, const epi_waiver_of *of, col_problem *problem);
void epi_waiver_free(epi_waiver *waiver);

typedef enum epi_ruling { EPI_NEW, EPI_KNOWN, EPI_TOO_LATE } epi_ruling;

/* What a failure is. */
typedef struct epi_judged {
    epi_ruling answer;  /* EPI_TOO_LATE: there was no time to see */
    epi_known_bug *bug; /* if it is known */
    /* Of a new one, how it shows with all mends, until the next is judged: without them, whoever
     * shrinks it may well end at a known one. NULL: there are no mends. */
    const col_setting *setting;
    const epi_instance *instance;
} epi_judged;

col_status epi_waiver_judge(epi_waiver *waiver, const col_program *program,
                            const epi_instance *failed, epi_judged *judged, col_problem *problem);
