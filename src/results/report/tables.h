/* SPDX-License-Identifier: MIT */
/* The tables of a report, by subject. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/table.h"

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

#endif
