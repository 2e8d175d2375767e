/* SPDX-License-Identifier: MIT */
/* collider serve: the results of a campaign in a browser, while it runs. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): getrandom
#include "base/file.h"
#include "cli/command_line.h"
#include "cli/signals.h"
#include "results/watch/watch.h"

#include <signal.h>
#include <string.h>
#include <sys/random.h>

#define SERVE_OPTIONS(X)                                                                           \
    X(ADDRESS, "address", "ADDRESS", "127.0.0.1",                                                  \
      "where to listen; at an address that other machines reach, a token is needed")               \
    X(PORT, "port", "N", "8080", "the port; 0: any that is free", CLI_LONE_NUMBER(0, UINT16_MAX))  \
    X(TOKEN, "token", "TOKEN-FILE", NULL,                                                          \
      "a file with the token that every request must have (a new one, where one is needed)",       \
      .input = BASE_INPUT)                                                                         \
    X(PLAN, "plan", "NAME", NULL, "only the trials of this plan")                                  \
    X(TITLE, "title", "TEXT", NULL, "the page's title (the plan's)")                               \
    X(QUIET, "quiet", NULL, NULL, "print the address only")                                        \
    X(HELP, "help", NULL, NULL, "print this help")                                                 \
    X(VERSION, "version", NULL, NULL, "print the version")

CLI_TABLE(SERVE_OPTIONS);

enum { LEAST_TOKEN = 16, MOST_TOKEN = 64, RANDOM_BYTES = 16 };

/* ---- The token. */

static col_status make_token(char token[MOST_TOKEN + 1], col_problem *problem) {
    unsigned char bytes[RANDOM_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return base_fail(problem, "the system gives no random numbers for a token");
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(token + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return COL_OK;
}

/* It goes into addresses: letters and digits, nothing that would have to be escaped there. */
static col_status read_token(const char *path, char token[MOST_TOKEN + 1], col_problem *problem) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    const char *said = text.data == NULL ? "" : text.data;
    const size_t length = strspn(said, letters);
    if (status == COL_OK && (length < LEAST_TOKEN || length > MOST_TOKEN ||
                             strspn(said + length, "\r\n") + length != text.length))
        status = base_refuse(problem,
                             "%.200s is not a token: %d to %d letters, digits, dashes or "
                             "underscores in one line",
                             path, LEAST_TOKEN, MOST_TOKEN);
    if (status == COL_OK)
        (void)snprintf(token, MOST_TOKEN + 1, "%.*s", (int)length, said);
    base_text_free(&text);
    return status;
}

static col_status choose_token(const cli_arguments *a, char token[MOST_TOKEN + 1],
                               col_problem *problem) {
    token[0] = '\0';
    if (a->values[OPTION_TOKEN] != NULL)
        return read_token(a->values[OPTION_TOKEN], token, problem);
    return wch_is_loopback(a->values[OPTION_ADDRESS]) ? COL_OK : make_token(token, problem);
}

/* ---- The command. */

static void print_address(void *context, const char *address) {
    const cli_arguments *a = context;
    base_print(stdout, "%s\n", address);
    if (!a->quiet)
        base_print(stdout, "Ctrl-C ends it.\n");
    (void)fflush(stdout);
}

static int run_serve(const cli_arguments *arguments, col_problem *problem) {
    uint32_t port = 0;
    char token[MOST_TOKEN + 1];
    col_status status = cli_argument_read(arguments, OPTION_PORT, &port, problem);
    BASE_THEN(status, choose_token(arguments, token, problem));
    if (status != COL_OK)
        return (int)status;
    cli_catch_signals();
    (void)signal(SIGPIPE, SIG_IGN); /* a browser that goes away is no reason to end */
    const wch_settings settings = {.places = (const char *const *)arguments->operands,
                                   .place_count = arguments->operand_count,
                                   .plan = arguments->values[OPTION_PLAN],
                                   .title = arguments->values[OPTION_TITLE],
                                   .address = arguments->values[OPTION_ADDRESS],
                                   .port = (uint16_t)port,
                                   .token = token[0] == '\0' ? NULL : token,
                                   .stop = &cli_stop,
                                   .ready = print_address,
                                   .context = (void *)arguments};
    return (int)wch_serve(&settings, problem);
}

const cli_command cli_serve_command = {
    .name = "serve",
    .summary = "watch a campaign in a browser: the report's page, live",
    .example = "collider serve results.db",
    .notes = "The page is the report's. New results appear without a reload, and it shows "
             "which trials are running and\nhow much they have covered. Stores are only "
             "read, and a browser can change nothing.\n",
    .usage = "  collider serve RESULTS.db...\n"
             "  collider serve FOLDER-OF-STORES...\n",
    .missing = "serve needs results: collider serve results.db, or a folder of stores",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .options = options,
    .done = "a signal ended it",
    .run = run_serve,
};
