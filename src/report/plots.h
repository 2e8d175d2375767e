/* SPDX-License-Identifier: MIT */
/* What makes plots, in parts. */
#ifndef REPORT_PLOTS_H
#define REPORT_PLOTS_H

#include "campaign/evolution.h"
#include "report/maker.h"

/* One more plot of the report; NULL: out of memory. */
rep_plot *rep_add_plot(rep_maker *maker, size_t *capacity);
/* Words for a scenario, with its plan where there are several. */
const char *rep_scenario_title(rep_maker *maker, const rep_scenario *scenario);

/* When the last trial of a scenario ended that has a curve; 0: none has. */
double rep_longest(const rep_maker *maker, const rep_scenario *scenario, cam_axis axis);

/* What engines logged while they learned: rewards and losses over tests, of each scenario. */
col_status rep_draw_learning(rep_maker *maker, size_t *capacity, col_problem *problem);

#endif
