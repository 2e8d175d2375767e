/* SPDX-License-Identifier: MIT */
/* collider lsp: a language server, for editors that start it. */
#include "cli/command_line.h"
#include "cli/lsp/lsp_server.h"

#include <signal.h>

#define LSP_OPTIONS(X)                                                                             \
    X(STDIO, "stdio", NULL, NULL, "speak over standard input and output (the only way)")           \
    X(HELP, "help", NULL, NULL, "print this help")                                                 \
    X(VERSION, "version", NULL, NULL, "print the version")

CLI_TABLE(LSP_OPTIONS);

static int run_lsp(const cli_arguments *arguments, col_problem *problem) {
    int exit = 1;
    (void)arguments;
    (void)signal(SIGPIPE, SIG_IGN); /* write reports an editor that went away */
    const col_status status = lsp_serve(stdin, stdout, &exit, problem);
    return status == COL_OK ? exit : (int)status;
}

const cli_command cli_lsp_command = {
    .name = "lsp",
    .summary = "a language server for editors: SLICC and litmus tests",
    .example = "collider lsp",
    .notes = "Diagnostics, go to definition, hover and symbols for SLICC (.sm, .slicc) and "
             "litmus tests (.litmus).\nEditors start it themselves: docs/editors.md says how. "
             "It writes no file and runs nothing.\n",
    .usage = "  collider lsp\n",
    .options = options,
    .done = "the editor shut it down",
    .found = "the editor went away without shutting it down",
    .run = run_lsp,
};
