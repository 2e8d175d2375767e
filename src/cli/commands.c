/* SPDX-License-Identifier: MIT */
/* The list of subcommands: see commands.h. */
#include "cli/commands.h"

#include <string.h>

const cli_command *const cli_commands[] = {
    &cli_run_command,    &cli_generate_command, &cli_check_command,    &cli_replay_command,
    &cli_shrink_command, &cli_design_command,   &cli_explore_command,  &cli_tour_command,
    &cli_litmus_command, &cli_image_command,    &cli_campaign_command, &cli_report_command,
    &cli_serve_command,  &cli_coverage_command, &cli_lsp_command,      NULL};

const cli_command *cli_command_find(const char *name) {
    for (const cli_command *const *command = cli_commands; *command != NULL; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}
