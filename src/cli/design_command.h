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
    X(VERILOG, "verilog", "FILE...", NULL, "sources, patterns of them, and lists, FILE.f (new)")   \
    X(TOP, "top", "MODULE", NULL, "the top module (new)")                                          \
    X(INCLUDE, "include", "FOLDERS", NULL, "folders for `include, with commas between them (new)") \
    X(DEFINE, "define", "NAME=VALUE", NULL, "macros, with commas between them (new)")              \
    X(PARAMETER, "parameter", "NAME=VALUE", NULL, "parameters of the top module, likewise (new)")  \
    X(OUT, "out", "FILE", NULL, "the design file to write (new; MODULE.yaml unless given)")        \
    X(FORCE, "force", NULL, NULL, "replace the file if it is there (new)")                         \
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

/* ---- Of designs in Verilog (docs/rtl.md). */

/* Writes a design file for the RTL that the options name. */
col_status cli_design_new(const cli_arguments *arguments, sim_design *design, col_problem *problem);
/* Lists what is wrong with a design file, and what is missing in it. */
col_status cli_design_check(const cli_arguments *arguments, sim_design *design,
                            col_problem *problem);
/* Opens a design; what its protocol's compiler complains of is shown. */
col_status cli_design_open(sim_design *design, const char *what, col_problem *problem);
