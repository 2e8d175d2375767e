/* SPDX-License-Identifier: MIT */
/* The command: finds the subcommand, gives it its arguments, reports its error in one sentence. */
#include "cli/commands.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const cli_command *const commands[] = {
    &cli_run_command,      &cli_generate_command, &cli_check_command,   &cli_replay_command,
    &cli_shrink_command,   &cli_design_command,   &cli_explore_command, &cli_tour_command,
    &cli_campaign_command, &cli_report_command};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_overview(FILE *out) {
    (void)fprintf(out,
                  "Collider %s finds design errors in the shared memory of multicore chips.\n\n"
                  "Usage: collider COMMAND [options]\n\nCommands:\n",
                  col_version());
    for (int i = 0; i < COMMAND_COUNT; i++)
        (void)fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    (void)fprintf(out, "\n'collider COMMAND --help' explains a command.\n");
}

static const cli_command *find_command(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static bool asks_for_help(int count, char **words) {
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "--help") == 0)
            return true;
    return false;
}

static int print_help(const cli_command *command, col_problem *problem) {
    base_text text = {0};
    cli_command_help(command, &text);
    const col_status status = base_text_status(&text, problem);
    if (status == COL_OK)
        (void)fputs(text.data, stdout); /* the end sees if it failed */
    base_text_free(&text);
    return (int)status;
}

static int run(const cli_command *command, int count, char **words, col_problem *problem) {
    cli_arguments arguments;
    col_status status = cli_arguments_parse(&arguments, command, count, words, problem);
    if (status == COL_OK)
        status = cli_arguments_check_outputs(&arguments, problem);
    return status == COL_OK ? command->run(&arguments, problem) : (int)status;
}

/* Results that did not reach their reader are not done. What went wrong is said last, in one
 * sentence. */
static int finish(int status, col_problem *problem) {
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && status < COL_BAD_INPUT) {
        status = COL_FAILURE;
        (void)snprintf(problem->message, sizeof problem->message,
                       "cannot write to standard output");
    }
    if (base_print_failed() && status < COL_BAD_INPUT)
        status = (int)base_out_of_memory(problem);
    if (status >= COL_BAD_INPUT) {
        char sentence[1024];
        (void)fprintf(stderr, "collider: %s\n",
                      col_problem_text(problem, sentence, sizeof sentence));
    }
    return status;
}

static int dispatch(int count, char **words, col_problem *problem) {
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "help") == 0) {
        print_overview(stdout);
        return COL_OK;
    }
    if (strcmp(words[0], "--version") == 0) {
        (void)printf("collider %s\n", col_version());
        return COL_OK;
    }
    const cli_command *command = find_command(words[0]);
    if (command == NULL)
        return (int)base_refuse(problem, "there is no command '%s'; see collider --help", words[0]);
    if (asks_for_help(count - 1, words + 1))
        return print_help(command, problem);
    return run(command, count - 1, words + 1, problem);
}

/* A file that is opened while a standard stream is closed would take its place, and get what is
 * printed. The place is taken by a stream that cannot be read or written, as a closed one. */
static col_status keep_places(col_problem *problem) {
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 &&
            open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) != i)
            return base_fail(problem, "cannot open /dev/null: %s", strerror(errno));
    return COL_OK;
}

int main(int count, char **words) {
    if (count < 2) {
        print_overview(stderr);
        return COL_BAD_INPUT;
    }
    col_problem problem = {0};
    if (keep_places(&problem) != COL_OK)
        return finish(COL_FAILURE, &problem);
    cli_clean_up_at_signals();
    return finish(dispatch(count - 1, words + 1, &problem), &problem);
}
