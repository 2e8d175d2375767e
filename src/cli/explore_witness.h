/* SPDX-License-Identifier: MIT */
/* What collider explore says of single transitions: how they are reached, and tests that take them.
 */
#ifndef CLI_EXPLORE_WITNESS_H
#define CLI_EXPLORE_WITNESS_H

#include "cli/explore_results.h"
#include "explore/explore.h"

#include <stdio.h>

/* "L1Cache IS_I Data_Exclusive" */
col_status cli_witness_parse(const sl_protocol *protocol, const char *text, exp_cell *cell,
                             col_problem *problem);

/* Every transition with its verdict, and with a path if it is reachable. */
col_status cli_witness_write(const sim_system *system, uint32_t blocks,
                             const exp_exploration *found, const char *file, col_problem *problem);

/* Prints how the transition is reached; writes a test for it unless `file` is NULL, or `stop` ends
 * the search for one. */
col_status cli_witness_reach(const sim_system *system, const exp_exploration *found,
                             const cli_explore_request *request, const char *file,
                             const volatile int *stop, col_problem *problem);

/* Writes a test for every transition that has no test in the folder and that one can be found for,
 * and says how often it takes it. */
col_status cli_witness_emit_all(const sim_system *system, const exp_exploration *found,
                                const cli_explore_request *request, const char *folder, FILE *out,
                                const volatile int *stop, col_problem *problem);

#endif
