/* SPDX-License-Identifier: MIT */
/* Errors and warnings on standard error: see diagnose.h. */
#include "cli/diagnose.h"

#include "base/file.h"
#include "base/lines.h"
#include "protocol/simulate/simulated_design.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Colours. */

static bool is_set(const char *variable) {
    const char *value = getenv(variable); /* NOLINT(concurrency-mt-unsafe): nobody sets it */
    return value != NULL && value[0] != '\0';
}

bool cli_has_colours(FILE *stream) {
    const char *terminal = getenv("TERM"); /* NOLINT(concurrency-mt-unsafe) */
    return isatty(fileno(stream)) == 1 && !is_set("NO_COLOR") &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

void cli_paint(FILE *stream, cli_colour colour, const char *text) {
    static const char *const codes[CLI_COLOUR_COUNT] = {
        [CLI_RED] = "\033[1;31m", [CLI_GREEN] = "\033[1;32m", [CLI_MAGENTA] = "\033[1;35m"};
    const bool has_colours = cli_has_colours(stream);
    if (has_colours)
        (void)fputs(codes[colour], stream);
    base_print(stream, "%s", text);
    if (has_colours)
        (void)fputs("\033[0m", stream);
}

/* ---- Excerpts. */

enum { MOST_BYTES = 64 << 20 };

/* What was read from a pipe cannot be read again. */
static bool can_be_read_again(const char *file) {
    struct stat about;
    return stat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES;
}

/* It has become worse since? Then there is no excerpt. */
static void print_excerpt(const col_problem *problem) {
    base_text text = {0}, excerpt = {0};
    /* The beginning of a JSON document stands for all of it. */
    if (can_be_read_again(problem->file) && base_file_read(problem->file, &text, NULL) == COL_OK &&
        !(problem->line == 1 && problem->column == 1 && text.data != NULL && text.data[0] == '{')) {
        base_excerpt_add(&excerpt, text.data, text.length, problem->line, problem->column);
        if (excerpt.data != NULL && !excerpt.failed)
            base_print(stderr, "%s", excerpt.data);
    }
    base_text_free(&excerpt);
    base_text_free(&text);
}

static void print_tag(const char *tag) {
    cli_paint(stderr, strncmp(tag, "error", 5) == 0 ? CLI_RED : CLI_MAGENTA, tag);
}

static void tell(const col_problem *problem, const char *tag) {
    if (problem->file[0] != '\0' && problem->line > 0) {
        print_excerpt(problem);
        base_print(stderr, "%s:%u:%u: ", problem->file, problem->line, problem->column);
    } else {
        base_print(stderr, "%s: ", problem->file[0] != '\0' ? problem->file : "collider");
    }
    print_tag(tag);
    base_print(stderr, "%s\n", problem->message);
}

void cli_diagnose(const col_problem *problem) {
    tell(problem, "error: ");
}

void cli_warn(const col_problem *problem) {
    tell(problem, "warning: ");
}

/* Several diagnostics as the SLICC front end writes them, with the tags in colour. */
static void print_diagnostics(const base_text *diagnostics) {
    static const char *const tags[] = {": error: ", ": warning: "};
    for (const char *at = diagnostics->length == 0 ? "" : diagnostics->data; *at != '\0';) {
        const int length = (int)strcspn(at, "\n");
        const char *tag = NULL;
        size_t size = 0;
        for (size_t i = 0; i < 2; i++) {
            const char *found = at[0] == ' ' ? NULL : strstr(at, tags[i]);
            if (found != NULL && found < at + length && (tag == NULL || found < tag)) {
                tag = found + 2;
                size = strlen(tags[i]) - 2;
            }
        }
        if (tag == NULL) {
            base_print(stderr, "%.*s\n", length, at);
        } else {
            char word[16];
            (void)snprintf(word, sizeof word, "%.*s", (int)size, tag);
            base_print(stderr, "%.*s", (int)(tag - at), at);
            print_tag(word);
            base_print(stderr, "%.*s\n", (int)(at + length - tag) - (int)size, tag + size);
        }
        at += length + (at[length] == '\n');
    }
}

/* Errors of protocols. */

static bool has_several(const base_text *complaints) {
    const char *first = complaints->length == 0 ? NULL : strstr(complaints->data, ": error: ");
    return first != NULL && strstr(first + 1, ": error: ") != NULL;
}

void cli_complaints_tell(const char *what, const base_text *complaints, col_status status,
                         col_problem *problem) {
    if (status == COL_OK)
        print_diagnostics(complaints); /* warnings */
    if (status != COL_BAD_INPUT || !has_several(complaints))
        return;
    print_diagnostics(complaints);
    const col_problem first = *problem;
    (void)base_refuse(problem, "%.200s has several errors; start with the first, %.200s:%u:%u",
                      what, first.file, first.line, first.column);
}

void cli_complaints_find(const char *design, col_status status, col_problem *problem) {
    if (status != COL_BAD_INPUT ||
        !(base_path_ends(problem->file, ".sm") || base_path_ends(problem->file, ".slicc")))
        return;
    sim_design *opened = calloc(1, sizeof *opened);
    base_text complaints = {0};
    col_problem again;
    if (opened == NULL)
        return; /* the first error is known */
    const col_status found = sim_design_open(opened, design, 0, &complaints, &again);
    if (found == COL_OK)
        sim_design_close(opened);
    else
        cli_complaints_tell(design, &complaints, status, problem);
    base_text_free(&complaints);
    free(opened);
}
