/* SPDX-License-Identifier: MIT */
/* What groups differ in: the axes of a report, who contends, and in which scenarios. */
#ifndef REPORT_GROUPS_H
#define REPORT_GROUPS_H

#include "report/maker.h"

/* Settings that have more than one value over all groups. */
col_status rep_find_axes(rep_maker *maker, col_problem *problem);
/* Names the groups and puts those that are to be compared together. */
col_status rep_find_scenarios(rep_maker *maker, col_problem *problem);

#endif
