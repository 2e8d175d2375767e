/* SPDX-License-Identifier: MIT */
/* Designs in Verilog (docs/rtl.md), as collider design shows them: what Verilator makes of them. */
#ifndef CLI_DESIGN_VERILOG_H
#define CLI_DESIGN_VERILOG_H

#include "base/problem.h"

#include <stdbool.h>

/* Builds the design, unless that was done before, and says what it has: ports, machines, points.
 * `json` is a file for the same, or NULL; `prints`: also as text. */
col_status cli_design_verilog_show(const char *path, const char *json, bool prints,
                                   col_problem *problem);

#endif
