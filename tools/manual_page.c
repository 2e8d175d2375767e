/* SPDX-License-Identifier: MIT */
/* Manual pages, in the macros of man(7): see manual.h. */
#include "manual.h"

#include "cli/command_line.h"

#include <string.h>

/* Text that roff takes as it is: no escapes, no hyphens that are dashes, no requests. */
static void add_text(base_text *text, const char *words, bool starts_line) {
    for (const char *at = words; *at != '\0'; at++) {
        if ((*at == '.' || *at == '\'') && (at == words ? starts_line : at[-1] == '\n'))
            base_text_add(text, "\\&");
        if (*at == '\\')
            base_text_add(text, "\\e");
        else if (*at == '-')
            base_text_add(text, "\\-");
        else
            base_text_add_bytes(text, at, 1);
    }
}

static void add_heading(base_text *text, const char *name) {
    base_text_print(text, "COLLIDER%s", name == NULL ? "" : "\\-");
    for (const char *at = name == NULL ? "" : name; *at != '\0'; at++) {
        const char upper = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
        base_text_add_bytes(text, &upper, 1);
    }
}

static void begin(base_text *text, const char *name, const char *summary) {
    base_text_add(text, ".\\\" Made from the tables of options: do not edit.\n.TH ");
    add_heading(text, name);
    base_text_print(text, " 1 \"\" \"Collider %s\" \"Collider\"\n.SH NAME\ncollider%s%s \\- ",
                    col_version(), name == NULL ? "" : "\\-", name == NULL ? "" : name);
    add_text(text, summary, false);
    base_text_add(text, "\n");
}

static void add_literal(base_text *text, const char *words) {
    base_text_add(text, ".nf\n");
    add_text(text, words, true);
    base_text_print(text, "%s.fi\n", words[strlen(words) - 1] == '\n' ? "" : "\n");
}

static void add_option(base_text *text, const base_field *option) {
    const char letter = cli_option_letter(option);
    base_text help = {0};
    base_text_add(text, ".TP\n");
    if (letter != '\0')
        base_text_print(text, "\\fB\\-%c\\fR, ", letter);
    base_text_add(text, "\\fB");
    add_text(text, "--", false);
    add_text(text, option->name, false);
    base_text_print(text, "\\fR%s\\fI%s\\fR\n", option->argument == NULL ? "" : " ",
                    option->argument == NULL ? "" : option->argument);
    base_field_help(option, &help);
    if (help.data != NULL)
        add_text(text, help.data, true);
    base_text_add(text, "\n");
    base_text_free_part(&help, text);
}

static void add_statuses(base_text *text, const cli_command *command) {
    const char *status = NULL;
    base_text meaning = {0};
    base_text_add(text, ".SH \"EXIT STATUS\"\n");
    for (uint32_t row = 0; cli_command_status(command, row, &status, &meaning); row++) {
        base_text_print(text, ".TP\n%s\n", status);
        if (meaning.data != NULL)
            add_text(text, meaning.data, true);
        base_text_add(text, "\n");
        base_text_free_part(&meaning, text);
    }
}

static void add_command(base_text *text, const cli_command *command) {
    begin(text, command->name, command->summary);
    base_text_add(text, ".SH SYNOPSIS\n");
    if (command->usage != NULL)
        add_literal(text, command->usage);
    else
        base_text_print(text, "collider %s\n[\\fIoptions\\fR]\n", command->name);
    base_text_add(text, ".SH OPTIONS\n");
    for (uint32_t i = 0; command->options[i] != NULL; i++)
        add_option(text, command->options[i]);
    base_text notes = {0};
    cli_command_notes(command, &notes);
    if (notes.data != NULL) {
        base_text_add(text, ".SH NOTES\n");
        add_literal(text, notes.data);
    }
    base_text_free_part(&notes, text);
    add_statuses(text, command);
    base_text_add(text, ".SH EXAMPLE\n");
    add_literal(text, command->example);
    base_text_add(text, ".SH \"SEE ALSO\"\n.BR collider (1)\n");
}

static void add_overview(base_text *text) {
    begin(text, NULL, "find design errors in the shared memory of multicore chips");
    base_text_add(text, ".SH SYNOPSIS\n\\fBcollider\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
                        ".br\n\\fBcollider help\\fR [\\fICOMMAND\\fR]\n"
                        ".br\n\\fBcollider \\-\\-version\\fR\n.SH COMMANDS\n");
    for (const cli_command *const *c = cli_commands; *c != NULL; c++) {
        base_text_print(text, ".TP\n.BR collider\\-%s (1)\n", (*c)->name);
        add_text(text, (*c)->summary, true);
        base_text_add(text, "\n");
    }
    base_text_add(
        text, ".SH ENVIRONMENT\n"
              ".TP\nCOLLIDER_DESIGNS, COLLIDER_ERRORS, COLLIDER_PLANS, COLLIDER_PROTOCOLS\n"
              "folders that are looked into before the installed ones\n"
              ".TP\nGEM5\nthe source tree of gem5, for the designs that run its protocols\n"
              ".TP\nVEXRISCV\na copy of pythondata-cpu-vexriscv_smp, for the design vexriscv-smp\n"
              ".TP\nNO_COLOR\nno colours on a terminal\n"
              ".TP\nXDG_CACHE_HOME\nwhere compiled protocols are kept\n");
}

void manual_page(const cli_command *command, base_text *text) {
    if (command == NULL)
        add_overview(text);
    else
        add_command(text, command);
}
