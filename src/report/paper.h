/* SPDX-License-Identifier: MIT */
/* A published table beside ours, cell by cell, under way. */
#ifndef REPORT_PAPER_H
#define REPORT_PAPER_H

#include "report/tables.h"

typedef struct rep_figures {
    cam_answer ours; /* in the paper's unit */
    cam_cell theirs;
    uint32_t group; /* of our first trial; REP_NO_GROUP: there is none */
} rep_figures;

typedef struct rep_comparison {
    uint32_t plan;
    const cam_published *published;
    rep_figures *figures; /* by rows */
} rep_comparison;

/* How much alike they are. */
col_status rep_paper_summarise(rep_maker *maker, const rep_comparison *comparison, rep_paper *paper,
                               col_problem *problem);
/* A row for each cell. */
col_status rep_paper_table(rep_maker *maker, const rep_comparison *comparison, rep_paper *paper,
                           col_problem *problem);

#endif
