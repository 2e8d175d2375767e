/* SPDX-License-Identifier: MIT */
/* Completions of bash, zsh and fish: see manual.h. */
#include "manual.h"

#include "cli/command_line.h"

#include <string.h>

/* ---- What can be completed. */

static bool is_path(const base_field *option) {
    static const char *const paths[] = {"FILE", "FOLDER", "PATH"};
    if (option->input != BASE_NO_INPUT)
        return true;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (option->argument != NULL && strcmp(option->argument, paths[i]) == 0)
            return true;
    return false;
}

static void add_choices(base_text *text, const base_field *option) {
    for (size_t i = 0; option->words != NULL && option->words[i] != NULL; i++)
        base_text_print(text, "%s%s", i == 0 ? "" : " ", option->words[i]);
}

/* Of "  collider design show NAME": "show"; nothing if the third word is not one to type. */
static void add_actions(base_text *text, const cli_command *command) {
    for (const char *line = command->usage; line != NULL && *line != '\0';) {
        const char *at = line + strspn(line, " ");
        for (int word = 0; word < 2; word++) {
            at += strcspn(at, " \n");
            at += strspn(at, " ");
        }
        const size_t length = strcspn(at, " \n");
        if (at[0] >= 'a' && at[0] <= 'z') {
            base_text_add_bytes(text, at, length);
            base_text_add(text, " ");
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

static bool takes_designs(const cli_command *command) {
    return command->usage != NULL &&
           (strstr(command->usage, " DESIGN") != NULL || strstr(command->usage, " NAME") != NULL);
}

static void add_words(base_text *text, const cli_command *command, const char *designs) {
    add_actions(text, command);
    if (takes_designs(command))
        base_text_add(text, designs);
}

static void add_commands(base_text *text) {
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        base_text_print(text, "%s ", (*c)->name);
}

/* Help in one line, with what the shell's quotes would end left out. */
static void add_help(base_text *text, const char *help, const char *without) {
    for (; *help != '\0'; help++)
        base_text_add_bytes(text, strchr(without, *help) != NULL ? " " : help, 1);
}

static void add_option_help(base_text *text, const base_field *option, const char *without) {
    base_text help = {0};
    base_field_help(option, &help);
    add_help(text, help.data == NULL ? "" : help.data, without);
    base_text_free_part(&help, text);
}

/* ---- bash */

static void add_bash_names(base_text *text, const cli_command *command) {
    for (uint32_t i = 0; command->options[i] != NULL; i++) {
        const char letter = cli_option_letter(command->options[i]);
        if (letter != '\0')
            base_text_print(text, "-%c ", letter);
        base_text_print(text, "--%s ", command->options[i]->name);
    }
}

static void add_bash_values(base_text *text, const cli_command *command) {
    for (uint32_t i = 0; command->options[i] != NULL; i++) {
        const base_field *option = command->options[i];
        const char letter = cli_option_letter(option);
        if (option->argument == NULL)
            continue;
        base_text_print(text, "        '%s --%s'", command->name, option->name);
        if (letter != '\0')
            base_text_print(text, " | '%s -%c'", command->name, letter);
        base_text_add(text, ") words='");
        add_choices(text, option);
        base_text_print(text, "' files=%d ;;\n", is_path(option));
    }
}

void completion_bash(const char *designs, base_text *text) {
    base_text_add(text, "# Completion of collider for bash, made from its tables of options.\n"
                        "_collider() {\n"
                        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                        "    local command=${COMP_WORDS[1]} words='' files=1\n"
                        "    COMPREPLY=()\n"
                        "    if [ \"$COMP_CWORD\" -eq 1 ] || { [ \"$command\" = help ] && "
                        "[ \"$COMP_CWORD\" -eq 2 ]; }; then\n"
                        "        COMPREPLY=($(compgen -W '");
    add_commands(text);
    base_text_add(text, "help --help --version' -- \"$cur\"))\n        return\n    fi\n"
                        "    case \"$command $prev\" in\n");
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        add_bash_values(text, *c);
    base_text_add(text, "        *)\n            case \"$command $cur\" in\n");
    for (const cli_command *const *c = cli_commands; *c != NULL; c++) {
        base_text_print(text, "            '%s -'*) files=0 words='", (*c)->name);
        add_bash_names(text, *c);
        base_text_print(text, "' ;;\n            '%s '*) words='", (*c)->name);
        add_words(text, *c, designs);
        base_text_add(text, "' ;;\n");
    }
    base_text_add(text, "            esac ;;\n    esac\n"
                        "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                        "    if [ \"$files\" = 1 ]; then\n"
                        "        COMPREPLY+=($(compgen -f -- \"$cur\"))\n    fi\n}\n"
                        "complete -o filenames -F _collider collider\n");
}

/* ---- zsh */

static void add_zsh_command(base_text *text, const cli_command *command, const char *designs) {
    base_text_print(text, "    %s)\n      _arguments \\\n", command->name);
    for (uint32_t i = 0; command->options[i] != NULL; i++) {
        const base_field *option = command->options[i];
        const char letter = cli_option_letter(option);
        base_text_add(text, "        ");
        if (letter != '\0')
            base_text_print(text, "'(-%c --%s)'{-%c,--%s}'", letter, option->name, letter,
                            option->name);
        else
            base_text_print(text, "'--%s", option->name);
        base_text_add(text, "[");
        add_option_help(text, option, "'[]:\\");
        base_text_add(text, "]");
        if (option->argument != NULL)
            base_text_print(text, ":%s:", option->argument);
        if (option->words != NULL) {
            base_text_add(text, "(");
            add_choices(text, option);
            base_text_add(text, ")");
        } else if (is_path(option)) {
            base_text_add(text, "_files");
        }
        base_text_add(text, "' \\\n");
    }
    base_text_add(text, "        '*: :{ _alternative \"words:word:(");
    add_words(text, command, designs);
    base_text_add(text, ")\" \"files:file:_files\" }' ;;\n");
}

void completion_zsh(const char *designs, base_text *text) {
    base_text_add(text, "#compdef collider\n# Made from the tables of options.\n_collider() {\n"
                        "  local -a commands\n  commands=(\n");
    for (const cli_command *const *c = cli_commands; *c != NULL; c++) {
        base_text_print(text, "    '%s:", (*c)->name);
        add_help(text, (*c)->summary, "'[]:\\");
        base_text_add(text, "'\n");
    }
    base_text_add(text,
                  "    'help:explain a command'\n  )\n"
                  "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n"
                  "  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
                  "  case $command in\n"
                  "    help) _describe command commands ;;\n");
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        add_zsh_command(text, *c, designs);
    base_text_add(text, "  esac\n}\n_collider \"$@\"\n");
}

/* ---- fish */

static void add_fish_command(base_text *text, const cli_command *command, const char *designs) {
    const char *seen = "__fish_seen_subcommand_from";
    base_text_print(text, "complete -c collider -n __fish_use_subcommand -f -a %s -d '",
                    command->name);
    add_help(text, command->summary, "'\\");
    base_text_add(text, "'\n");
    for (uint32_t i = 0; command->options[i] != NULL; i++) {
        const base_field *option = command->options[i];
        const char letter = cli_option_letter(option);
        base_text_print(text, "complete -c collider -n '%s %s' -l %s", seen, command->name,
                        option->name);
        if (letter != '\0')
            base_text_print(text, " -s %c", letter);
        if (option->words != NULL) {
            base_text_add(text, " -x -a '");
            add_choices(text, option);
            base_text_add(text, "'");
        } else if (option->argument != NULL) {
            base_text_add(text, is_path(option) ? " -r -F" : " -x");
        }
        base_text_add(text, " -d '");
        add_option_help(text, option, "'\\");
        base_text_add(text, "'\n");
    }
    base_text words = {0};
    add_words(&words, command, designs);
    if (words.length > 0)
        base_text_print(text, "complete -c collider -n '%s %s' -a '%s'\n", seen, command->name,
                        words.data);
    base_text_free_part(&words, text);
}

void completion_fish(const char *designs, base_text *text) {
    base_text_add(text, "# Completion of collider for fish, made from its tables of options.\n"
                        "complete -c collider -n __fish_use_subcommand -f -a help -d 'explain a "
                        "command'\n");
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        add_fish_command(text, *c, designs);
}
