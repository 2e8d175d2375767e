/* SPDX-License-Identifier: MIT */
/* Failures by kind: "30 failures, 4 kinds", with the command that shows the smallest of each. */
#ifndef REPORT_KINDS_H
#define REPORT_KINDS_H

#include "report/maker.h"

/* The command that replays a failure, as it is typed into a shell. A store is named without its
 * folder, so that the report does not depend on where it is; an episode's folder as it was given.
 */
const char *rep_command(rep_maker *maker, uint32_t store, const char *failure);

/* The report's kinds, the most frequent first, from those that were counted; failures get their
 * places. */
col_status rep_settle_kinds(rep_maker *maker, col_problem *problem);

#endif
