/* SPDX-License-Identifier: MIT */
/* The tables of a report, by subject. */
#ifndef RESULTS_REPORT_TABLES_H
#define RESULTS_REPORT_TABLES_H

#include "results/report/table.h"

col_status rep_tables_of_errors(rep_maker *maker, col_problem *problem); /* times to them */
col_status rep_tables_of_mutants(rep_maker *maker, col_problem *problem);
col_status rep_tables_of_coverage(rep_maker *maker,
                                  col_problem *problem); /* times to it, at the end */
col_status rep_tables_of_comparisons(rep_maker *maker, col_problem *problem);
col_status rep_tables_of_tours(rep_maker *maker,
                               col_problem *problem); /* and studies of locations */
col_status rep_tables_of_papers(rep_maker *maker, col_problem *problem);
col_status rep_tables_of_failures(rep_maker *maker, col_problem *problem); /* by kind */
col_status rep_tables_of_trials(rep_maker *maker, col_problem *problem);   /* failed; provenance */

/* Answers for one group; intervals are left out of large reports. */
col_status rep_ask(rep_maker *maker, const cam_question *question, uint32_t group,
                   cam_answer *answer, col_problem *problem);

/* An answer for each contender of the scenario, in cells of the contenders' columns. */
col_status rep_fill_contenders(rep_maker *maker, const rep_pivot *pivot,
                               const rep_scenario *scenario, const cam_question *question,
                               rep_cell *cells, col_problem *problem);

/* What a scenario covers means something; what its trials that were done covered. */
bool rep_tells_of_coverage(const rep_maker *maker, const rep_scenario *scenario);
size_t rep_covered(const rep_maker *maker, uint32_t group, col_metric metric, double *values);

/* ---- A published table beside ours, cell by cell, under way. */

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
