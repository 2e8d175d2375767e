/* SPDX-License-Identifier: MIT */
/* Parsing the words after a subcommand by its table, and its help text: see command_line.h. */
#include "cli/command_line.h"

#include "base/file.h"
#include "base/json.h"
#include "base/names.h"
#include "cli/diagnose.h"
#include "design/design_kind.h"

#include <string.h>

/* ---- Options. */

static const struct {
    char letter;
    const char *name;
} letters[] = {{'h', "help"}, {'j', "jobs"}, {'o', "out"}, {'q', "quiet"}, {'V', "version"}};
enum { LETTER_COUNT = sizeof letters / sizeof letters[0] };

char cli_option_letter(const base_field *option) {
    for (size_t i = 0; i < LETTER_COUNT; i++)
        if (strcmp(letters[i].name, option->name) == 0)
            return letters[i].letter;
    return '\0';
}

static const base_field *find_option(const cli_command *command, const char *name, size_t length,
                                     uint32_t *place) {
    for (*place = 0; command->options[*place] != NULL; (*place)++)
        if (strlen(command->options[*place]->name) == length &&
            memcmp(command->options[*place]->name, name, length) == 0)
            break;
    return command->options[*place];
}

static const base_field *find_letter(const cli_command *command, char letter, uint32_t *place) {
    for (size_t i = 0; i < LETTER_COUNT; i++)
        if (letters[i].letter == letter)
            return find_option(command, letters[i].name, strlen(letters[i].name), place);
    return NULL;
}

static col_status refuse_option(const cli_command *command, const char *word,
                                col_problem *problem) {
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    base_nearest nearest = {.text = name};
    for (uint32_t i = 0; command->options[i] != NULL; i++)
        base_nearest_try(&nearest, command->options[i]->name);
    if (word[1] == '-' && nearest.word != NULL)
        return base_refuse(problem, "%s has no option --%s; did you mean --%s?", command->name,
                           name, nearest.word);
    return base_refuse(problem, "%s has no option %.*s; see collider %s --help", command->name,
                       (int)strcspn(word, "="), word, command->name);
}

static bool is_operand(const char *word) {
    return word[0] != '-' || word[1] == '\0';
}

/* All words behind it are operands. */
static bool ends_options(const char *word) {
    return strcmp(word, "--") == 0;
}

static bool is_list(const base_field *option) {
    return option->argument != NULL && strstr(option->argument, "...") != NULL;
}

static void take_items(cli_arguments *arguments, char **words, int count) {
    char **end = arguments->operands + arguments->operand_count + arguments->list_count;
    for (int i = 0; i < count; i++)
        end[i] = words[i];
    arguments->list_count += (uint32_t)count;
}

/* What was given before, and what is given now. */
static col_status join_values(cli_arguments *arguments, uint32_t place, const char *before,
                              col_problem *problem) {
    char both[sizeof arguments->joined];
    const int length = snprintf(both, sizeof both, "%s;%s", before, arguments->values[place]);
    if (length < 0 || (size_t)length >= sizeof both)
        return base_refuse(problem, "the values of --%s are too long together (%zu bytes at most)",
                           arguments->command->options[place]->name, sizeof both - 1);
    memcpy(arguments->joined, both, (size_t)length + 1);
    arguments->values[place] = arguments->joined;
    return COL_OK;
}

/* One option, with its argument behind '=', behind its letter, or in the next word. Returns how
 * many words it took. */
static col_status parse_option(cli_arguments *arguments, int count, char **words, int *taken,
                               col_problem *problem) {
    const cli_command *command = arguments->command;
    const char *word = words[0];
    const bool is_long = word[1] == '-';
    const size_t length = is_long ? 2 + strcspn(word + 2, "=") : 2;
    uint32_t place;
    const base_field *option = is_long ? find_option(command, word + 2, length - 2, &place)
                                       : find_letter(command, word[1], &place);
    const char *rest = word[length] == '\0' ? NULL : word + length + is_long;
    if (option == NULL)
        return refuse_option(command, word, problem);
    *taken = 1;
    const char *before =
        option->several && arguments->typed[place] ? arguments->values[place] : NULL;
    arguments->typed[place] = true;
    if (option->argument == NULL) {
        if (rest != NULL && is_long)
            return base_refuse(problem, "--%s takes no value", option->name);
        if (rest != NULL)
            return base_refuse(problem, "-%c takes no value; write '%s' as separate options",
                               word[1], word);
        arguments->values[place] = "yes";
    } else if (rest != NULL) {
        arguments->values[place] = rest;
    } else {
        if (count < 2)
            return base_refuse(problem, "--%s needs a value: --%s %s", option->name, option->name,
                               option->argument);
        arguments->values[place] = words[1];
        *taken = 2;
        while (is_list(option) && *taken < count && is_operand(words[*taken]))
            ++*taken;
    }
    if (before != NULL)
        return join_values(arguments, place, before, problem);
    if (!is_list(option))
        return COL_OK;
    if (*taken > 1) {
        take_items(arguments, words + 1, *taken - 1);
        return COL_OK;
    }
    char *value = words[0] + (arguments->values[place] - words[0]); /* behind '=' */
    take_items(arguments, &value, 1);
    return COL_OK;
}

static col_status parse(cli_arguments *arguments, const cli_command *command, int count,
                        char **words, col_problem *problem) {
    *arguments = (cli_arguments){.command = command, .operands = words};
    for (uint32_t i = 0; command->options[i] != NULL; i++)
        arguments->values[i] = command->options[i]->initial;
    bool is_rest = false; /* "--" was there */
    for (int i = 0; i < count;) {
        int taken = 0;
        if (!is_rest && ends_options(words[i])) {
            is_rest = true;
            i++;
            continue;
        }
        const bool is_one = is_rest || is_operand(words[i]);
        if (is_one && arguments->operand_count < command->most_operands) {
            /* Operands come first, then the list: both take the places of words that have been
             * read. */
            char *word = words[i++], **end = arguments->operands + arguments->operand_count++;
            memmove(end + 1, end, arguments->list_count * sizeof *end);
            *end = word;
            continue;
        }
        if (is_one)
            return base_refuse(problem, "unexpected '%s'; see collider %s --help", words[i],
                               command->name);
        BASE_TRY(parse_option(arguments, count - i, words + i, &taken, problem));
        i += taken;
    }
    arguments->list = arguments->operands + arguments->operand_count;
    for (uint32_t i = 0; command->options[i] != NULL; i++)
        if (strcmp(command->options[i]->name, "json") == 0)
            arguments->json = arguments->values[i];
        else if (strcmp(command->options[i]->name, "quiet") == 0)
            arguments->quiet = arguments->typed[i];
    arguments->prints = arguments->json == NULL || strcmp(arguments->json, "-") != 0;
    return COL_OK;
}

/* ---- Help. */

/* Wraps the help of an option behind its column. */
static void add_wrapped(base_text *text, const char *help, size_t indent, size_t width) {
    size_t column = 0;
    for (const char *at = help; *at != '\0';) {
        const size_t word = strcspn(at, " ");
        if (column > 0 && column + 1 + word > width) {
            base_text_print(text, "\n%*s", (int)indent, "");
            column = 0;
        }
        base_text_print(text, "%s%.*s", column > 0 ? " " : "", (int)word, at);
        column += word + (column > 0);
        at += word + (at[word] == ' ');
    }
}

bool cli_command_status(const cli_command *command, uint32_t row, const char **status,
                        base_text *meaning) {
    static const char *const numbers[] = {"0", "1", "2", "3", "128 + N"};
    row += command->done != NULL && command->done[0] == '\0'; /* without 0 */
    row += row > 0 && command->found == NULL;                 /* without 1 */
    if (row >= sizeof numbers / sizeof numbers[0])
        return false;
    *status = numbers[row];
    if (row == 0)
        base_text_add(meaning, command->done == NULL ? "done" : command->done);
    else if (row == 1)
        base_text_add(meaning, command->found);
    else if (row == 2)
        base_text_add(meaning, "the command line or an input is wrong");
    else if (row == 3)
        base_text_print(meaning, "the machine failed (disk, memory)%s%s",
                        command->incomplete == NULL ? "" : ", or ",
                        command->incomplete == NULL ? "" : command->incomplete);
    else
        base_text_add(meaning, "signal N ended it");
    return true;
}

enum { INDENT = 26, WIDTH = 72, STATUS_INDENT = 11 };

static void add_options(const cli_command *command, base_text *text) {
    const base_field *option;
    base_text_add(text, "Options:\n");
    for (uint32_t i = 0; (option = command->options[i]) != NULL; i++) {
        const char letter = cli_option_letter(option);
        const size_t start = text->length;
        if (letter != '\0')
            base_text_print(text, "  -%c, ", letter);
        base_text_print(text, "%s--%s%s%s ", letter != '\0' ? "" : "      ", option->name,
                        option->argument ? " " : "", option->argument ? option->argument : "");
        const size_t used = text->length - start;
        base_text_print(text, "%*s", used < INDENT ? (int)(INDENT - used) : 1, "");
        base_text help = {0};
        base_field_help(option, &help);
        add_wrapped(text, help.failed ? "" : help.data, INDENT, WIDTH);
        base_text_add(text, "\n");
        base_text_free_part(&help, text);
    }
}

static void add_statuses(const cli_command *command, base_text *text) {
    const char *status = NULL;
    base_text meaning = {0};
    base_text_add(text, "\nExit status:\n");
    for (uint32_t row = 0; cli_command_status(command, row, &status, &meaning); row++) {
        base_text_print(text, "  %-7s  ", status);
        add_wrapped(text, meaning.failed ? "" : meaning.data, STATUS_INDENT,
                    INDENT + WIDTH - STATUS_INDENT);
        base_text_add(text, "\n");
        base_text_free_part(&meaning, text);
    }
}

void cli_command_notes(const cli_command *command, base_text *notes) {
    if (command->notes != NULL)
        base_text_add(notes, command->notes);
    if (command->add_notes != NULL)
        command->add_notes(notes);
}

/* Lines that are too long go on below, a little further in. */
static void add_notes(const cli_command *command, base_text *text) {
    enum { MOST = INDENT + WIDTH, FURTHER = 2 };
    base_text notes = {0};
    cli_command_notes(command, &notes);
    base_text_add(text, notes.length > 0 ? "\n" : "");
    for (char *at = notes.failed ? NULL : notes.data, *end; at != NULL && *at != '\0'; at = end) {
        end = at + strcspn(at, "\n");
        const bool is_long = end - at > MOST, has_end = *end == '\n';
        const size_t blanks = is_long ? strspn(at, " ") : 0;
        *end = '\0';
        base_text_print(text, "%*s", (int)blanks, "");
        if (is_long)
            add_wrapped(text, at + blanks, blanks + FURTHER, MOST - blanks - FURTHER);
        else
            base_text_add(text, at);
        base_text_add(text, "\n");
        end += has_end;
    }
    base_text_free_part(&notes, text);
}

/* From the last kind, the plain names, to the first. */
void cli_add_designs(base_text *text, bool with_protocol) {
    size_t count = 0;
    while (duv_kinds[count].name != NULL)
        count++;
    base_text_add(text, "A design is one of\n");
    while (count-- > 0)
        if (!with_protocol || duv_kinds[count].has_protocol)
            base_text_print(text, "  %-20s %s\n", duv_kinds[count].form, duv_kinds[count].summary);
}

const char *cli_first_typed(const cli_arguments *arguments, const uint32_t *options) {
    for (; *options != CLI_NO_OPTION; options++)
        if (arguments->typed[*options])
            return arguments->command->options[*options]->name;
    return NULL;
}

col_status cli_argument_read(const cli_arguments *arguments, uint32_t option, void *target,
                             col_problem *problem) {
    return base_field_read(arguments->command->options[option], arguments->values[option], "--",
                           target, problem);
}

col_status cli_arguments_read(const cli_arguments *arguments, void *target, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; arguments->command->options[i] != NULL && status == COL_OK; i++)
        if (arguments->command->options[i]->size > 0 && arguments->values[i] != NULL)
            status = cli_argument_read(arguments, i, target, problem);
    return status;
}

col_status cli_print(base_text *text, col_problem *problem) {
    const col_status status = base_text_status(text, problem);
    if (status == COL_OK && text->data != NULL)
        base_print(stdout, "%s", text->data); /* the end sees if it failed */
    base_text_free(text);
    return status;
}

col_status cli_write(base_text *text, col_problem *problem) {
    if (text->data == NULL) /* an empty one needs no output */
        return base_text_status(text, problem);
    base_make_printable(text->data, true);
    return base_file_write_text("-", text, problem);
}

col_status cli_write_json(const cli_arguments *arguments, col_status status, json_t *results,
                          col_problem *problem) {
    if (status == COL_OK && arguments->json != NULL)
        return base_json_write(arguments->json, results, problem);
    json_decref(results);
    return status;
}

/* ---- Subcommands. */

#define COMMAND_ROW(name) &cli_##name##_command,
const cli_command *const cli_commands[] = {CLI_COMMANDS(COMMAND_ROW) NULL};

static const cli_command *find_command(const char *name) {
    for (const cli_command *const *command = cli_commands; *command != NULL; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

/* Finds the subcommand, gives it its arguments, reports its error in one sentence. */

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
    for (int i = 0; i < count && !ends_options(words[i]); i++)
        if (is_one_of(words[i], name, letter))
            return true;
    return false;
}

static int print_help(const cli_command *command, col_problem *problem) {
    base_text text = {0};
    base_text_print(&text, "collider %s: %s\n\n", command->name, command->summary);
    if (command->usage != NULL)
        base_text_print(&text, "Usage:\n%s\n", command->usage);
    add_options(command, &text);
    add_notes(command, &text);
    add_statuses(command, &text);
    base_text_print(&text, "\nExample:\n  %s\n", command->example);
    return (int)cli_print(&text, problem);
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
    const cli_command *command = find_command(words[0]);
    return command == NULL ? refuse_command(words[0], problem) : print_help(command, problem);
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
    const cli_command *command = find_command(words[0]);
    if (command == NULL)
        return refuse_command(words[0], problem);
    if (has(count - 1, words + 1, "--help", "-h"))
        return print_help(command, problem);
    if (has(count - 1, words + 1, "--version", "-V"))
        return print_version();
    cli_arguments arguments;
    col_status status = parse(&arguments, command, count - 1, words + 1, problem);
    BASE_THEN(status, cli_outputs_check(&arguments, problem));
    if (status == COL_OK && arguments.operand_count == 0 && command->missing != NULL)
        status = base_refuse(problem, "%s", command->missing);
    return status == COL_OK ? command->run(&arguments, problem) : (int)status;
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
