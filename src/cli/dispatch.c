/* SPDX-License-Identifier: MIT */
/* Finds the subcommand, gives it its arguments, reports its error in one sentence. */
#include "base/nearest.h"
#include "base/outputs.h"
#include "cli/commands.h"
#include "cli/diagnose.h"
#include "cli/writable.h"

#include <stdio.h>
#include <string.h>

static void print_overview(FILE *out) {
    (void)fprintf(out,
                  "Collider %s finds design errors in the shared memory of multicore chips.\n\n"
                  "Usage: collider COMMAND [options]\n\nCommands:\n",
                  col_version());
    for (const cli_command *const *command = cli_commands; *command != NULL; command++)
        (void)fprintf(out, "  %-12s %s\n", (*command)->name, (*command)->summary);
    (void)fprintf(out, "\n'collider help COMMAND' explains a command; -- ends its options.\n");
}

static bool is_one_of(const char *word, const char *name, const char *letter) {
    return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

static bool has(int count, char **words, const char *name, const char *letter) {
    for (int i = 0; i < count && !cli_ends_options(words[i]); i++)
        if (is_one_of(words[i], name, letter))
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

static int print_version(void) {
    (void)printf("collider %s\n", col_version());
    return COL_OK;
}

static int refuse_command(const char *name, col_problem *problem) {
    base_nearest nearest = {.text = name};
    for (const cli_command *const *command = cli_commands; *command != NULL; command++)
        base_nearest_try(&nearest, (*command)->name);
    if (nearest.word != NULL)
        return (int)base_refuse(problem, "unknown command '%.60s'; did you mean '%s'?", name,
                                nearest.word);
    return (int)base_refuse(problem, "unknown command '%.60s'; see collider --help", name);
}

/* collider help, or collider help COMMAND. */
static int help(int count, char **words, col_problem *problem) {
    if (count == 0) {
        print_overview(stdout);
        return COL_OK;
    }
    const cli_command *command = cli_command_find(words[0]);
    if (command == NULL)
        return refuse_command(words[0], problem);
    return print_help(command, problem);
}

static int run(const cli_command *command, int count, char **words, col_problem *problem) {
    cli_arguments arguments;
    col_status status = cli_arguments_parse(&arguments, command, count, words, problem);
    if (status == COL_OK)
        status = cli_arguments_check_outputs(&arguments, problem);
    if (status == COL_OK)
        status = cli_writable_check_all(&arguments, problem);
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
    if (status == COL_BAD_INPUT || status == COL_FAILURE)
        cli_diagnose(problem);
    else if (status > COL_FAILURE) /* a signal */
        base_print(stderr, "collider: %s\n", problem->message);
    return status;
}

static int dispatch(int count, char **words, col_problem *problem) {
    if (strcmp(words[0], "help") == 0)
        return help(count - 1, words + 1, problem);
    if (is_one_of(words[0], "--help", "-h"))
        return help(0, NULL, problem);
    if (is_one_of(words[0], "--version", "-V"))
        return print_version();
    const cli_command *command = cli_command_find(words[0]);
    if (command == NULL)
        return refuse_command(words[0], problem);
    if (has(count - 1, words + 1, "--help", "-h"))
        return print_help(command, problem);
    if (has(count - 1, words + 1, "--version", "-V"))
        return print_version();
    return run(command, count - 1, words + 1, problem);
}

int cli_main(int count, char **words) {
    if (count < 2) {
        print_overview(stderr);
        return COL_BAD_INPUT;
    }
    col_problem problem = {0};
    const int status = finish(dispatch(count - 1, words + 1, &problem), &problem);
    base_outputs_forget();
    return status;
}
