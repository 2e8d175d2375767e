/* SPDX-License-Identifier: MIT */
/* Designs that are commands: see design_commands.h. */
#include "cli/design_commands.h"

#include "base/json.h"
#include "base/plural.h"

#include <stdio.h>

bool cli_design_command_find(const char *what, char path[PATH_MAX]) {
    if (!duv_is_command_file(what))
        return duv_find_command(what, path);
    (void)snprintf(path, PATH_MAX, "%s", what);
    return true;
}

/* What keeps it from being run; false: nothing. */
static bool say_why_not(const duv_command_file *file, const char *inner, char *sentence,
                        size_t size) {
    char path[PATH_MAX];
    if (inner != NULL)
        (void)snprintf(sentence, size, "%s", inner);
    else if (!duv_command_find_program(file, path))
        duv_command_say_missing(file, sentence, size);
    else
        return false;
    return true;
}

static void print_machine(const duv_command_file *file) {
    base_print(stdout, "  platform %s (%s), %llu hart%s unless given, memory model %s\n",
               file->platform.name, file->platform.target->name, (unsigned long long)file->harts,
               base_plural(file->harts), col_models[file->model]);
}

void cli_design_command_list(const duv_command_file *file, const char *inner) {
    char sentence[400];
    base_print(stdout, "%s: %s\n", file->name,
               file->description[0] != '\0' ? file->description : "a command");
    if (say_why_not(file, inner, sentence, sizeof sentence))
        base_print(stdout, "  not here: %s\n", sentence);
    else
        print_machine(file);
}

void cli_design_command_show(const duv_command_file *file) {
    char sentence[400];
    base_print(stdout, "%s: %s\n", file->name,
               file->description[0] != '\0' ? file->description : "a command");
    print_machine(file);
    char programs[60] = "";
    if (file->programs > 1)
        (void)snprintf(programs, sizeof programs, " of up to %llu programs",
                       (unsigned long long)file->programs);
    base_print(stdout, "  %llu round%s%s for each start, %s; results come back by %s, log %s\n",
               (unsigned long long)file->rounds, base_plural(file->rounds), programs,
               file->repeats ? "which repeat" : "which do not repeat",
               duv_returns_words[file->returns], isa_log_words[file->log]);
    base_print(stdout, "  run %s\n", file->run);
    if (say_why_not(file, NULL, sentence, sizeof sentence))
        base_print(stdout, "  not here: %s\n", sentence);
}

json_t *cli_design_command_results(const duv_command_file *file, const char *inner) {
    char sentence[400];
    const bool is_absent = say_why_not(file, inner, sentence, sizeof sentence);
    const bool is_read = inner == NULL;
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:s?, s:o}", "design",
                     base_json_text(file->name), "description", base_json_text(file->description),
                     "kind", "command", "source", base_json_text(file->path), "run",
                     base_json_text(file->run), "platform",
                     is_read ? base_json_text(file->platform.name) : json_null(), "cores",
                     is_read ? json_integer((json_int_t)file->harts) : json_null(), "model",
                     is_read ? col_models[file->model] : NULL, "problem",
                     is_absent ? base_json_text(sentence) : json_null());
}
