/* SPDX-License-Identifier: MIT */
/* The subcommands, one file each, and the list of them, in the order in which they are shown. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command.h"

extern const cli_command cli_run_command;
extern const cli_command cli_generate_command;
extern const cli_command cli_design_command;
extern const cli_command cli_explore_command;
extern const cli_command cli_tour_command;
extern const cli_command cli_campaign_command;
extern const cli_command cli_report_command;
extern const cli_command cli_serve_command;
extern const cli_command cli_lsp_command;
extern const cli_command cli_coverage_command;
extern const cli_command cli_check_command;
extern const cli_command cli_litmus_command;
extern const cli_command cli_image_command;
extern const cli_command cli_replay_command;
extern const cli_command cli_shrink_command;

extern const cli_command *const cli_commands[]; /* ended by NULL */
/* All of the command but its process: returns its exit status. `words` as main has them. */
int cli_main(int count, char **words);

/* NULL: there is none. */
const cli_command *cli_command_find(const char *name);

#endif
