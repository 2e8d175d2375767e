/* SPDX-License-Identifier: MIT */
/* Used while Collider is built: writes the manual pages and completions that are installed.
 * manual FOLDER, with the layout of share/. */
#include "manual.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "cli/command_line.h"
#include "protocol/simulate/simulated_design.h"

#include <stdio.h>
#include <string.h>

static col_status write_in(const char *folder, const char *below, const char *name,
                           const base_text *text, col_problem *problem) {
    char place[PATH_MAX], path[PATH_MAX];
    col_status status = base_text_status(text, problem);
    if (status == COL_OK)
        status = base_path_in(place, folder, below, problem);
    if (status == COL_OK)
        status = base_folder_make(place, problem);
    if (status == COL_OK)
        status = base_path_in(path, place, name, problem);
    return status == COL_OK ? base_file_write(path, text->data, text->length, problem) : status;
}

static col_status write_page(const char *folder, const cli_command *command, col_problem *problem) {
    base_text text = {0};
    char name[64];
    (void)snprintf(name, sizeof name, "collider%s%s.1", command == NULL ? "" : "-",
                   command == NULL ? "" : command->name);
    manual_page(command, &text);
    const col_status status = write_in(folder, "man/man1", name, &text, problem);
    base_text_free(&text);
    return status;
}

static col_status list_designs(base_text *designs, col_problem *problem) {
    base_library list;
    col_status status = sim_design_list_make(&list, problem);
    if (status != COL_OK)
        return status;
    for (size_t i = 0; i < list.count; i++)
        base_text_print(designs, "%s%s", i == 0 ? "" : " ", list.entries[i].name);
    base_library_free(&list);
    return base_text_status(designs, problem);
}

static col_status write_completions(const char *folder, col_problem *problem) {
    static const struct {
        const char *below, *name;
        void (*write)(const char *designs, base_text *text);
    } shells[] = {{"bash-completion/completions", "collider", completion_bash},
                  {"zsh/site-functions", "_collider", completion_zsh},
                  {"fish/vendor_completions.d", "collider.fish", completion_fish}};
    base_text designs = {0};
    col_status status = list_designs(&designs, problem);
    for (size_t i = 0; i < sizeof shells / sizeof shells[0] && status == COL_OK; i++) {
        base_text text = {0};
        shells[i].write(designs.data == NULL ? "" : designs.data, &text);
        status = write_in(folder, shells[i].below, shells[i].name, &text, problem);
        base_text_free(&text);
    }
    base_text_free(&designs);
    return status;
}

int main(int count, char **words) {
    col_problem problem = {0};
    if (count != 2) {
        (void)fprintf(stderr, "usage: manual FOLDER\n");
        return COL_BAD_INPUT;
    }
    col_status status = write_page(words[1], NULL, &problem);
    for (const cli_command *const *c = cli_commands; *c != NULL && status == COL_OK; c++)
        status = write_page(words[1], *c, &problem);
    if (status == COL_OK)
        status = write_completions(words[1], &problem);
    if (status != COL_OK)
        (void)fprintf(stderr, "manual: %s\n", problem.message);
    return (int)status;
}
