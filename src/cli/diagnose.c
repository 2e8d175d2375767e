/* SPDX-License-Identifier: MIT */
/* Errors and warnings on standard error: see diagnose.h. */
#include "cli/diagnose.h"

#include "base/excerpt.h"
#include "base/file.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 64 << 20 };

/* The beginning of a JSON document stands for all of it. */
static bool is_about_all(const col_problem *problem, const base_text *text) {
    return problem->line == 1 && problem->column == 1 && text->data != NULL && text->data[0] == '{';
}

/* What was read from a pipe cannot be read again. */
static bool can_be_read_again(const char *file) {
    struct stat about;
    return stat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES;
}

/* It has become worse since? Then there is no excerpt. */
static void print_excerpt(const col_problem *problem) {
    base_text text = {0}, excerpt = {0};
    if (can_be_read_again(problem->file) && base_file_read(problem->file, &text, NULL) == COL_OK &&
        !is_about_all(problem, &text)) {
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

void cli_print_diagnostics(const base_text *diagnostics) {
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
