/* SPDX-License-Identifier: MIT */
/* What the files of collider design share. */
#ifndef CLI_DESIGN_COMMAND_H
#define CLI_DESIGN_COMMAND_H

#include "base/problem.h"
#include "design/command/command_file.h"
#include "protocol/simulate/simulated_design.h"

#include <jansson.h>
#include <stdbool.h>

/* ---- Designs that are commands (docs/command.md). */

/* The file of a design that is a command; false: it is none. */
bool cli_design_command_find(const char *what, char path[PATH_MAX]);

/* A line or two for the list; the file could not be read: `inner` says why. */
void cli_design_command_list(const duv_command_file *file, const char *inner);

/* All that is known of it. */
void cli_design_command_show(const duv_command_file *file);

json_t *cli_design_command_results(const duv_command_file *file, const char *inner);

/* ---- Designs in Verilog (docs/rtl.md): what Verilator makes of them. */

/* Builds the design, unless that was done before, and says what it has: ports, machines, points.
 * `json` is a file for the same, or NULL; `prints`: also as text. */
col_status cli_design_verilog_show(const char *path, const char *json, bool prints,
                                   col_problem *problem);

/* ---- Design errors that fit a design. */

/* Lists them, or explains the one of that ID or file; NULL: list. `json` is a file for the results,
 * or NULL; `prints`: for people too. */
col_status cli_design_errors_show(const sim_design *design, const char *id, const char *json,
                                  bool prints, col_problem *problem);

/* ---- Mutants: counts, a list, one explained. */

typedef struct cli_design_mutants_request {
    const char *name;    /* what the user calls the design */
    const char *number;  /* of one mutant, as it was typed; NULL: all */
    const char *machine; /* only its mutants; NULL: all */
    const char *json;    /* a file for the results; NULL: none */
    bool list;
} cli_design_mutants_request;

col_status cli_design_mutants_show(const cli_design_mutants_request *request,
                                   const sim_design *design, col_problem *problem);

#endif
