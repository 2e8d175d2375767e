/* SPDX-License-Identifier: MIT */
/* What the files of collider design share. */
#pragma once

#include "cli/command_line.h"
#include "protocol/simulate/simulated_design.h"

#include <jansson.h>

#define DESIGN_OPTIONS(X)                                                                          \
    X(CORES, "cores", "N", NULL, "cores of the design (show; as the design says unless given)",    \
      CLI_LONE_NUMBER(1, 1024))                                                                    \
    X(FORMAT, "format", "NAME", "text",                                                            \
      "%s (show): tables of state x event, or states as a graph", formats, CLI_LONE_WORD)          \
    X(MACHINE, "machine", "NAME", NULL, "only this machine (show, mutants)")                       \
    X(LIST, "list", NULL, NULL, "a line for each (mutants)")                                       \
    CLI_COMMON_OPTIONS(X)

enum { DESIGN_OPTIONS(CLI_OPTION_PLACE) };

/* ---- Of an open design. */

/* Lists the design errors that fit it, or explains the one of the ID or file that the third operand
 * is. */
col_status cli_design_errors_show(const cli_arguments *arguments, sim_design *design,
                                  col_problem *problem);
/* Mutants: counts, a list, or the one explained that has the number of the third operand. */
col_status cli_design_mutants_show(const cli_arguments *arguments, sim_design *design,
                                   col_problem *problem);
