/* SPDX-License-Identifier: MIT */
/* The verdict of a search: what was found, in which system, and what was checked. */
#ifndef CLI_EXPLORE_VERDICT_H
#define CLI_EXPLORE_VERDICT_H

#include "cli/explore_results.h"

/* A word of col_outcomes. */
const char *cli_explore_outcome(const sim_system *system, const exp_exploration *found);

/* What the search looked for, or what it did not: word by word. */
typedef void cli_explore_visit(void *context, const char *what);
void cli_explore_each_checked(const sim_system *system, const cli_explore_request *request,
                              bool is_checked, cli_explore_visit *visit, void *context);

/* One line, not ended. */
void cli_explore_say_verdict(const sim_design *design, const sim_system *system,
                             const cli_explore_request *request, const exp_exploration *found,
                             base_text *text);

#endif
