/* SPDX-License-Identifier: MIT */
/* collider coverage who: which tests covered a point, and the command that shows it. */
#pragma once

#include "cli/command_line.h"
#include "collider/cover.h"

/* Something that was read: where from, and what it covers. */
typedef struct cli_covered {
    const char *path;
    const col_coverage *set;
    bool is_store;
} cli_covered;

/* `pattern` is MACHINE STATE EVENT; each may have the wildcards of a shell. Prints, or writes what
 * --json wants. A pattern that no point matches is refused. */
col_status cli_coverage_who(const cli_arguments *arguments, const char *pattern,
                            const cli_covered *inputs, uint32_t count, col_problem *problem);
