/* SPDX-License-Identifier: MIT */
/* `collider design errors`: the design errors that fit a design, and one of them explained. */
#ifndef CLI_DESIGN_ERRORS_H
#define CLI_DESIGN_ERRORS_H

#include "sim/design.h"

#include <stdbool.h>

/* Lists them, or explains the one of that ID or file; NULL: list. `json` is a file for the results,
 * or NULL; `prints`: for people too. */
col_status cli_design_errors_show(const sim_design *design, const char *id, const char *json,
                                  bool prints, col_problem *problem);

#endif
