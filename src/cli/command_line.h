/* SPDX-License-Identifier: MIT */
/*
 * Subcommands and their options, declared once in tables: the parser and the help text are
 * made from them. A command reads its options by their place in its table.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/text.h"

#include <stdbool.h>

enum { CLI_MOST_OPTIONS = 40 };
#define CLI_MOST_OPERANDS UINT32_MAX /* as many as are given */

/* What a word of the line names. */
typedef enum cli_input {
    CLI_NO_INPUT,
    CLI_INPUT,         /* a file or a folder that the command reads */
    CLI_INPUT_OR_NAME, /* such a file by its path, or something by its name, such as a design */
} cli_input;

typedef struct cli_option {
    const char *name; /* without the dashes */
    /* What follows it; NULL: nothing, it is a flag. FILE and PATH are written to, so they must not
     * be inputs of the command. FILE... is a list of inputs: all words up to the next option, and
     * it may be given again. A command has one such. */
    const char *argument;
    const char *initial;        /* its default, as a user would type it; NULL: none */
    const char *help;           /* %s in it: the choices, "a, b or c" */
    const char *const *choices; /* the words it may be, ended by NULL; NULL: any */
    bool adds;                  /* to its FILE, which is read for that */
    bool writes;                /* as FILE and PATH are: a FOLDER, for instance */
    cli_input input;            /* whether it is read */
} cli_option;

struct cli_arguments;

typedef struct cli_command {
    const char *name, *summary;
    const char *example;                /* one worked example */
    void (*add_notes)(base_text *text); /* after the options in the help text; may be NULL */
    const char *usage;       /* of the operands, a line for each way; NULL: there are none */
    uint32_t most_operands;  /* words without dashes, "-" by itself, and all words after "--" */
    cli_input first, others; /* what the first operand names, and what those after it do */
    const cli_option *options;
    uint32_t option_count;
    /* Of the exit status, for the help text. */
    const char *done;       /* 0; NULL: "done"; empty: it never is */
    const char *found;      /* 1; NULL: it never is */
    const char *incomplete; /* 3, beside a machine that failed; NULL: nothing else */
    /* Returns the exit status; what is wrong is in the error. */
    int (*run)(const struct cli_arguments *arguments, col_problem *problem);
} cli_command;

/* What a user gave: a text for each option of the command, its default or NULL where none. */
typedef struct cli_arguments {
    const cli_command *command;
    const char *values[CLI_MOST_OPTIONS];
    bool typed[CLI_MOST_OPTIONS]; /* not a default */
    char **operands;              /* in the place of the first words */
    uint32_t operand_count;
    char **list; /* of the option that has one, behind the operands */
    uint32_t list_count;
} cli_arguments;

/* The letter of an option that has a short form, such as -o for --out; 0: it has none. */
char cli_option_letter(const cli_option *option);
/* Its help: with its choices, and its default in brackets. */
void cli_option_help(const cli_option *option, base_text *help);

/* One row for each exit status that the command may have, as "128 + N" and what it means; false:
 * there is no further. */
bool cli_command_status(const cli_command *command, uint32_t row, const char **status,
                        base_text *meaning);

/* Is it "--", behind which all words are operands? */
bool cli_ends_options(const char *word);
col_status cli_arguments_parse(cli_arguments *arguments, const cli_command *command, int count,
                               char **words, col_problem *problem);
/* No output may be one of the inputs, nor another output. */
col_status cli_arguments_check_outputs(const cli_arguments *arguments, col_problem *problem);
/* The same for a file that the command makes though no option names it: an operand or a default. */
col_status cli_arguments_check_output(const cli_arguments *arguments, const char *path,
                                      col_problem *problem);
void cli_command_help(const cli_command *command, base_text *text);

/* Typed access; errors name the option. */
col_status cli_argument_number(const cli_arguments *arguments, uint32_t option, uint64_t least,
                               uint64_t most, uint64_t *number, col_problem *problem);
/* Seconds; 0 is refused unless the command takes it. */
col_status cli_argument_duration(const cli_arguments *arguments, uint32_t option, double most,
                                 bool takes_zero, double *seconds, col_problem *problem);
/* The place of the value among the option's choices. */
col_status cli_argument_choice(const cli_arguments *arguments, uint32_t option, uint32_t *choice,
                               col_problem *problem);

/* Writes to standard output what may be somebody else's words; nothing if there was no memory for
 * all of them. */
col_status cli_write(base_text *text, col_problem *problem);

/* Lists the kinds of designs, a line for each; or those alone whose protocol can be shown. */
void cli_add_designs(base_text *text, bool with_protocol);

/* Of commands that open what a file of somebody else names. */
#define CLI_ALLOW_CODE_OPTION(X)                                                                   \
    X(ALLOW_CODE, "allow-code", NULL, NULL, "run a design that is native code")

/* The options of every command that produces results. Options are rows X(PLACE, name, argument,
 * initial, help) or X(PLACE, name, argument, initial, help, choices). */
#define CLI_COMMON_OPTIONS(X)                                                                      \
    X(JSON, "json", "FILE", NULL, "write the results as JSON; - is standard output")               \
    X(QUIET, "quiet", NULL, NULL, "print results and errors only")                                 \
    X(HELP, "help", NULL, NULL, "print this help")                                                 \
    X(VERSION, "version", NULL, NULL, "print the version")

/* For making the places and the table of a command from its list of options. After the help may
 * come the choices. */
#define CLI_OPTION_PLACE(place, ...) OPTION_##place,
#define CLI_OPTION_ROW(place, word, value, otherwise, ...)                                         \
    {.name = (word), .argument = (value), .initial = (otherwise), .help = __VA_ARGS__},

#endif
