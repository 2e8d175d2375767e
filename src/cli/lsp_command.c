/* SPDX-License-Identifier: MIT */
/* collider lsp: a language server, for editors that start it. */
#include "base/problem.h"
#include "cli/command_line.h"
#include "cli/lsp/lsp_server.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#define LSP_OPTIONS(X)                                                                             \
    X(STDIO, "stdio", NULL, NULL, "speak over standard input and output (the only way)")           \
    X(HELP, "help", NULL, NULL, "print this help")                                                 \
    X(VERSION, "version", NULL, NULL, "print the version")

enum { LSP_OPTIONS(CLI_OPTION_PLACE) };
static const base_field *const options[] = {LSP_OPTIONS(CLI_OPTION_ROW) NULL};

static ssize_t read_some(void *context, char *bytes, size_t size) {
    ssize_t count;
    (void)context;
    do
        count = read(STDIN_FILENO, bytes, size);
    while (count < 0 && errno == EINTR);
    return count;
}

static bool write_all(void *context, const char *bytes, size_t size) {
    (void)context;
    while (size > 0) {
        const ssize_t count = write(STDOUT_FILENO, bytes, size);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            bytes += count;
            size -= (size_t)count;
        }
    }
    return true;
}

static int run_lsp(const cli_arguments *arguments, col_problem *problem) {
    lsp_input input = {.read = read_some};
    int exit = 1;
    (void)arguments;
    (void)signal(SIGPIPE, SIG_IGN); /* write reports an editor that went away */
    const lsp_streams streams = {.input = &input, .write = write_all};
    const col_status status = lsp_serve(&streams, &exit, problem);
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
