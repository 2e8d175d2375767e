/* SPDX-License-Identifier: MIT */
/* collider design new and check: design files, those of RTL above all. See design_command.h. */
#include "cli/design_command.h"

#include "base/file.h"
#include "design/command/command_file.h"
#include "design/design_kind.h"
#include "design/verilog/verilog_new.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static col_status write_new(const cli_arguments *arguments, const duv_new_request *asked,
                            col_problem *problem) {
    base_text text = {0};
    col_status status = duv_verilog_new(asked, &text, problem);
    BASE_THEN(status, base_file_write(asked->path, text.data, text.length, problem));
    base_text_free(&text);
    if (status == COL_OK && !arguments->quiet)
        base_print(stdout, "wrote %s; next: collider design check %s\n", asked->path, asked->path);
    return status;
}

col_status cli_design_new(const cli_arguments *arguments, sim_design *design,
                          col_problem *problem) {
    char path[PATH_MAX];
    const char *top = arguments->values[OPTION_TOP], *out = arguments->values[OPTION_OUT];
    (void)design;
    if (arguments->list_count == 0 || top == NULL)
        return base_refuse(problem, "design new needs the sources and the top module: collider "
                                    "design new --verilog FILE... --top MODULE");
    (void)snprintf(path, sizeof path, "%.200s.yaml", top);
    const duv_new_request asked = {.sources = (const char *const *)arguments->list,
                                   .count = arguments->list_count,
                                   .top = top,
                                   .path = out != NULL ? out : path,
                                   .includes = arguments->values[OPTION_INCLUDE],
                                   .defines = arguments->values[OPTION_DEFINE],
                                   .parameters = arguments->values[OPTION_PARAMETER]};
    if (!arguments->typed[OPTION_FORCE] && access(asked.path, F_OK) == 0)
        return base_refuse(problem, "%.400s is there already; --force replaces it", asked.path);
    return write_new(arguments, &asked, problem);
}

/* ---- check */

static col_status check_verilog(const char *path, duv_notes *notes, col_problem *problem) {
    const col_status status = duv_verilog_check(path, notes, problem);
    if (status != COL_OK || notes->lines.length == 0)
        return status;
    base_print(stdout, "%s", notes->lines.data);
    if (notes->errors == 0)
        return COL_OK;
    return base_refuse(problem, "%.300s cannot be run: %u error%s", path, notes->errors,
                       base_plural(notes->errors));
}

static col_status check_command(const char *path, col_problem *problem) {
    duv_command_file *file = NULL;
    BASE_TRY(base_new(&file, 1, sizeof *file, problem));
    col_status status = duv_command_file_read(file, path, problem);
    char program[PATH_MAX], sentence[400];
    if (status == COL_OK && !duv_command_find_program(file, program)) {
        duv_command_say_missing(file, sentence, sizeof sentence);
        status = base_refuse(problem, "%s", sentence);
    }
    duv_command_file_free(file);
    free(file);
    return status;
}

col_status cli_design_check(const cli_arguments *arguments, sim_design *design,
                            col_problem *problem) {
    const char *path = arguments->operands[1];
    duv_notes notes = {.errors = 0};
    char listed[PATH_MAX], command[PATH_MAX];
    col_status status;
    if (duv_is_verilog(path) || duv_find_listed(path, "verilog", listed)) {
        status = check_verilog(duv_is_verilog(path) ? path : listed, &notes, problem);
    } else if (duv_is_command_file(path)) {
        status = check_command(path, problem);
    } else if (duv_find_command(path, command)) {
        status = check_command(command, problem);
    } else {
        status = cli_design_open(design, path, problem);
        if (status == COL_OK)
            sim_design_close(design);
    }
    base_text_free(&notes.lines);
    if (status == COL_OK && !arguments->quiet)
        base_print(stdout, "%s: nothing is missing\n", path);
    return status;
}
