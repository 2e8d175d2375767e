/* SPDX-License-Identifier: MIT */
/* Manual pages and completions of shells, made from the tables of options that --help is made from.
 */
#ifndef TOOLS_MANUAL_H
#define TOOLS_MANUAL_H

#include "cli/command_line.h"

/* collider(1), with NULL, or the page of a command. */
void manual_page(const cli_command *command, base_text *text);

/* What the words behind an option, or without one, may be. `designs` is a list of names with blanks
 * between. */
void completion_bash(const char *designs, base_text *text);
void completion_zsh(const char *designs, base_text *text);
void completion_fish(const char *designs, base_text *text);

#endif
