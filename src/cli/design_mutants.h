/* SPDX-License-Identifier: MIT */
/* collider design mutants: counts, a list, one explained. */
#ifndef CLI_DESIGN_MUTANTS_H
#define CLI_DESIGN_MUTANTS_H

#include "sim/design.h"

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
