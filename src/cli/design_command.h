/* SPDX-License-Identifier: MIT */
/* What the files of collider design share. */
#ifndef CLI_DESIGN_COMMAND_H
#define CLI_DESIGN_COMMAND_H

#include "cli/command_line.h"
#include "design/command/command_file.h"
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

/* ---- Designs that are commands (docs/command.md). */

/* The file of a design that is a command; false: it is none. */
bool cli_design_command_find(const char *what, char path[PATH_MAX]);

/* All that is known of it, or a line or two for the list; the file could not be read: `inner` says
 * why. */
void cli_design_command_print(const duv_command_file *file, const char *inner, bool is_list);
json_t *cli_design_command_results(const duv_command_file *file, const char *inner);

/* ---- Designs in Verilog (docs/rtl.md): what Verilator makes of them. */

/* Builds the design that the second operand names, unless that was done before, and says what it
 * has: ports, machines, points. */
col_status cli_design_verilog_show(const cli_arguments *arguments, col_problem *problem);

/* ---- Of an open design. */

/* Lists the design errors that fit it, or explains the one of the ID or file that the third operand
 * is. */
col_status cli_design_errors_show(const cli_arguments *arguments, sim_design *design,
                                  col_problem *problem);
/* Mutants: counts, a list, or the one explained that has the number of the third operand. */
col_status cli_design_mutants_show(const cli_arguments *arguments, sim_design *design,
                                   col_problem *problem);

#endif
