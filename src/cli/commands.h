/* SPDX-License-Identifier: MIT */
/* The subcommands, one file each. */
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
extern const cli_command cli_check_command;
extern const cli_command cli_replay_command;
extern const cli_command cli_shrink_command;

#endif
