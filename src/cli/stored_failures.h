/* SPDX-License-Identifier: MIT */
/* Failures of campaigns, as lists and by kind. */
#pragma once

#include "cli/command_line.h"

/* Prints the failures of a store by their numbers, or writes them as JSON. */
col_status cli_stored_list(const cli_arguments *arguments, const char *store, col_problem *problem);

/* What a campaign that has ended says of a plan, by its hash: "30 failures, 4 kinds", and the lines
 * of its bugs, or (NULL) each kind with its smallest example that was not to be expected, in a
 * design without an injected error; nothing if there was no failure. */
typedef struct cli_kinds_told {
    uint64_t failures;
    size_t kinds;
} cli_kinds_told;
col_status cli_stored_tell_kinds(const char *store, const char *plan, bool prints, const char *bugs,
                                 cli_kinds_told *told, col_problem *problem);
