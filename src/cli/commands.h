/* SPDX-License-Identifier: MIT */
/* The subcommands, one file each. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command.h"

extern const col_command col_run_command;
extern const col_command col_generate_command;
extern const col_command col_design_command;
extern const col_command col_explore_command;
extern const col_command col_tour_command;
extern const col_command col_campaign_command;
extern const col_command col_report_command;
extern const col_command col_check_command;
extern const col_command col_replay_command;
extern const col_command col_shrink_command;

#endif
