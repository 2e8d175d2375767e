/* SPDX-License-Identifier: MIT */
/* Searches of collider explore that are saved and resumed. */
#ifndef CLI_EXPLORE_SAVE_H
#define CLI_EXPLORE_SAVE_H

#include "cli/explore_results.h"

#include <limits.h>

enum { CLI_IDENTITY_BYTES = 1024 };

/* What a saved search is of: the design, and the options that change what is searched. */
col_status cli_explore_identify(const char *what, const sim_design *design,
                                const cli_explore_request *request,
                                char identity[CLI_IDENTITY_BYTES], col_problem *problem);

/* Where states wait that do not fit into memory: beside the file of --save, else where temporary
 * files go. */
const char *cli_explore_folder(const char *save, char folder[PATH_MAX]);

#endif
