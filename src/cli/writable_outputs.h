/* SPDX-License-Identifier: MIT */
/*
 * Outputs that cannot be written are refused before the work, which may take hours, and not after
 * it. The check creates and changes nothing, so it cannot foresee a disk that fills up.
 */
#ifndef CLI_WRITABLE_OUTPUTS_H
#define CLI_WRITABLE_OUTPUTS_H

#include "cli/command_line.h"

/* Refuses the file that an option names if it clearly cannot be written. */
col_status cli_writable_check(const cli_arguments *arguments, uint32_t option,
                              col_problem *problem);
/* The same for every FILE that was named. Whether a PATH is a file, only its command knows. */
col_status cli_writable_check_all(const cli_arguments *arguments, col_problem *problem);

#endif
