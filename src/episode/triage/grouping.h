/* SPDX-License-Identifier: MIT */
/* What the steps of a triage share: the design under triage, with the mends of the bugs so far. */
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "episode/triage/triage.h"

typedef struct epi_grouping {
    const epi_triage_settings *settings;
    epi_triage *triage;
    base_timer *timer;
    double began;
    uint32_t design;     /* whose cases are grouped: a case of it */
    base_text wrong;     /* its errors, with the mends of bugs behind them */
    col_setting setting; /* its own, with these */
    epi_worker worker;
    bool is_open;
    base_index looks; /* how cases fail in the design as it was (suspect.h) */
    bool has_looks;   /* these are all */
    uint64_t look; /* of the bug that is looked at; and runs that look like it, or like nothing */
    uint32_t like, unknown; /* that was known */
} epi_grouping;

enum { EPI_CASE_RUNS = 6 }; /* of a case: with its own seed, and with others */

bool epi_grouping_is_over(const epi_grouping *g);

/* Is the bug one of the design, with a mend? */
bool epi_grouping_mends(const epi_grouping *g, size_t bug);

/* Opens the design with the mends of all its bugs but one, or EPI_NO_BUG. */
col_status epi_grouping_open(epi_grouping *g, size_t without, col_problem *problem);
void epi_grouping_close(epi_grouping *g);

/* Adds to `like` and `unknown`, too.
 *
 * How many of a few runs of the case fail, as the design is now. The first that does is noted in
 * the case, and whether it is the failure that was recorded. */
col_status epi_grouping_count(epi_grouping *g, epi_case *c, uint32_t *failing,
                              col_problem *problem);

/* Not known to be of a bug, and still there. */
bool epi_grouping_has(const epi_grouping *g, const epi_case *c);

/* ---- Which of the suspects is the mend (mend.c). */

/* The first of the bug's suspects becomes the one to believe, and gives the bug its mend, if there
 * is one. The design is open without it. */
col_status epi_mend_choose(epi_grouping *g, size_t bug, col_problem *problem);

/* With the mends of all other bugs, each is chosen again; and those that nothing needs any more are
 * taken away. */
col_status epi_mends_refine(epi_grouping *g, col_problem *problem);
