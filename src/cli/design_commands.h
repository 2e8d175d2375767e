/* SPDX-License-Identifier: MIT */
/* Designs that are commands (docs/command.md), as collider design lists and shows them. */
#ifndef CLI_DESIGN_COMMANDS_H
#define CLI_DESIGN_COMMANDS_H

#include "duv/command_file.h"

#include <jansson.h>

/* The file of a design that is a command; false: it is none. */
bool cli_design_command_find(const char *what, char path[PATH_MAX]);

/* A line or two for the list; the file could not be read: `inner` says why. */
void cli_design_command_list(const duv_command_file *file, const char *inner);

/* All that is known of it. */
void cli_design_command_show(const duv_command_file *file);

json_t *cli_design_command_results(const duv_command_file *file, const char *inner);

#endif
