/* SPDX-License-Identifier: MIT */
/* Failures of campaigns, for the commands that take a failure's folder: they take a store and
 * --failure N as well. */
#pragma once

#include "cli/command_line.h"

#include <limits.h>

/* Of commands that take a failure. */
#define CLI_FAILURE_OPTION(X)                                                                      \
    X(FAILURE, "failure", "N", NULL, "the failure of a results store to use; without it, list them")

/* Where a failure is: in the folder that the user named, or in a temporary one. */
typedef struct cli_stored {
    const char *folder;
    const char *store;           /* as it was given */
    bool is_of_store, is_listed; /* listed: there is no folder, the store's failures were printed */
    char temporary[PATH_MAX];
    int listed; /* in base/file.h */
} cli_stored;

/* Finds the failure that the operand and --failure name, and uses it. Without --failure, those of a
 * store are listed, where options about one of them are refused. Returns the exit status. */
int cli_stored_use(const cli_arguments *arguments, const char *failure,
                   int (*use)(const cli_arguments *, const cli_stored *, col_problem *),
                   col_problem *problem);

/* What a campaign that has ended says of a plan, by its hash: "30 failures, 4 kinds", and the lines
 * of its bugs, or (NULL) each kind with its smallest example that was not to be expected, in a
 * design without an injected error; nothing if there was no failure. */
typedef struct cli_kinds_told {
    uint64_t failures;
    size_t kinds;
} cli_kinds_told;
col_status cli_stored_tell_kinds(const char *store, const char *plan, bool prints, const char *bugs,
                                 cli_kinds_told *told, col_problem *problem);
