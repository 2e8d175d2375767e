/* SPDX-License-Identifier: MIT */
/*
 * Subcommands and their options, declared once in tables: the parser and the help text are
 * made from them. A command reads its options by their place in its table.
 */
#pragma once

#include "base/field.h"

enum { CLI_MOST_OPTIONS = 64 };
#define CLI_MOST_OPERANDS UINT32_MAX /* as many as are given */

struct cli_arguments;

typedef struct cli_command {
    const char *name, *summary;
    const char *example; /* one worked example */
    /* Lines after the options in the help text, and then those made of tables; both may be NULL. */
    const char *notes;
    void (*add_notes)(base_text *text);
    const char *usage;      /* of the operands, a line for each way; NULL: there are none */
    const char *missing;    /* refuses a line without an operand; NULL: none is needed */
    uint32_t most_operands; /* words without dashes, "-" by itself, and all words after "--" */
    base_input first;       /* what the first operand names */
    base_input others;      /* and those after it; not said: files */
    /* Of an option that writes, FILE or PATH follows, which must not be an input of the command.
     * FILE... is a list of inputs: all words up to the next option, and it may be given again. A
     * command has one such. */
    const base_field *const *options; /* ended by NULL */
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
    char joined[1 << 13]; /* the values of an option that was given several times */
    char **list;          /* of the option that has one, behind the operands */
    uint32_t list_count;
    const char *json; /* the file of --json; NULL: none */
    bool prints;      /* standard output is not for JSON */
    bool quiet;
} cli_arguments;

/* The letter of an option that has a short form, such as -o for --out; 0: it has none. */
char cli_option_letter(const base_field *option);

/* One row for each exit status that the command may have, as "128 + N" and what it means; false:
 * there is no further. */
bool cli_command_status(const cli_command *command, uint32_t row, const char **status,
                        base_text *meaning);

void cli_command_notes(const cli_command *command, base_text *notes);

/* No output may be one of the inputs, nor another output; and it must be possible to write it.
 * Whether a PATH is a file, only the command knows. */
col_status cli_outputs_check(const cli_arguments *arguments, col_problem *problem);
/* Refuses the file that an option names if it clearly cannot be written. */
col_status cli_writable_check(const cli_arguments *arguments, uint32_t option,
                              col_problem *problem);
/* No option may name a file that the command makes without one: an operand or a default. */
col_status cli_arguments_check_output(const cli_arguments *arguments, const char *path,
                                      col_problem *problem);

/* The name of the first of these options, ended by CLI_NO_OPTION, that was typed; NULL: none was.
 */
const char *cli_first_typed(const cli_arguments *arguments, const uint32_t *options);
#define CLI_FIRST_TYPED(arguments, ...)                                                            \
    cli_first_typed((arguments), (const uint32_t[]){__VA_ARGS__, CLI_NO_OPTION})
enum { CLI_NO_OPTION = UINT32_MAX };

/* Sets the member of `target` for each option that has a value and a member. */
col_status cli_arguments_read(const cli_arguments *arguments, void *target, col_problem *problem);
/* One of them; the option's value must not be NULL. */
col_status cli_argument_read(const cli_arguments *arguments, uint32_t option, void *target,
                             col_problem *problem);
/* Prints what may be somebody else's words, and frees it; nothing if there was no memory for all of
 * them. */
col_status cli_print(base_text *text, col_problem *problem);
/* The same, but at once: refuses a standard output that takes no more. */
col_status cli_write(base_text *text, col_problem *problem);

/* Writes the results where --json wants them, unless something has failed, and releases them. NULL:
 * they could not be made. */
struct json_t;
col_status cli_write_json(const cli_arguments *arguments, col_status status, struct json_t *results,
                          col_problem *problem);

/* Lists the kinds of designs, a line for each; or those alone whose protocol can be shown. */
void cli_add_designs(base_text *text, bool with_protocol);

/* Of commands that open what a file of somebody else names. */
#define CLI_ALLOW_CODE_OPTION(X)                                                                   \
    X(ALLOW_CODE, "allow-code", NULL, NULL, "run a design that is native code")

/* The options of every command that produces results. Options are rows X(PLACE, name, argument,
 * initial, help, the rest of a base_field). */
#define CLI_COMMON_OPTIONS(X)                                                                      \
    X(JSON, "json", "FILE", NULL, "write the results as JSON; - is standard output")               \
    X(QUIET, "quiet", NULL, NULL, "print results and errors only")                                 \
    X(HELP, "help", NULL, NULL, "print this help")                                                 \
    X(VERSION, "version", NULL, NULL, "print the version")

/* For making the places and the table of a command from its list of options. */
#define CLI_OPTION_PLACE(place, ...) OPTION_##place,
#define CLI_OPTION_ROW(place, word, value, otherwise, ...)                                         \
    &(const base_field){                                                                           \
        .name = (word), .argument = (value), .initial = (otherwise), .help = __VA_ARGS__},

#define CLI_TABLE(list)                                                                            \
    enum { list(CLI_OPTION_PLACE) };                                                               \
    static const base_field *const options[] = {list(CLI_OPTION_ROW) NULL};                        \
    _Static_assert(sizeof options / sizeof options[0] <= CLI_MOST_OPTIONS + 1, "too many options")

/* The rest of a row: what its value is, and the member that it is read into. */
#define CLI_NUMBER(type, member, from, to)                                                         \
    .kind = BASE_NUMBER, BASE_MEMBER(type, member), .least = (from), .most = (to)
#define CLI_WORD(type, member) .kind = BASE_WORD, BASE_MEMBER(type, member)
#define CLI_FLAG(type, member) .kind = BASE_FLAG, BASE_MEMBER(type, member)
#define CLI_TIME(form, type, member, to) .kind = (form), BASE_MEMBER(type, member), .high = (to)
/* The same of a value that cli_argument_read puts into a variable by itself. */
#define CLI_LONE_WORD .kind = BASE_WORD, .size = sizeof(uint32_t)
#define CLI_LONE_NUMBER(from, to)                                                                  \
    .kind = BASE_NUMBER, .size = sizeof(uint32_t), .least = (from), .most = (to)

/* The subcommands, one file each, in the order in which they are shown. */
#define CLI_COMMANDS(X)                                                                            \
    X(run)                                                                                         \
    X(generate)                                                                                    \
    X(check)                                                                                       \
    X(replay)                                                                                      \
    X(shrink)                                                                                      \
    X(triage)                                                                                      \
    X(pack)                                                                                        \
    X(distil)                                                                                      \
    X(design)                                                                                      \
    X(explore) X(tour) X(litmus) X(image) X(campaign) X(report) X(serve) X(coverage) X(lsp)
#define CLI_DECLARE_COMMAND(name) extern const cli_command cli_##name##_command;
CLI_COMMANDS(CLI_DECLARE_COMMAND)

extern const cli_command *const cli_commands[]; /* ended by NULL */
/* All of the command but its process: returns its exit status. `words` as main has them. */
int cli_main(int count, char **words);
