/* SPDX-License-Identifier: MIT */
/* The files of a design of the built-in simulator: its design file, the SLICC files of a protocol
 * that is not built in, and its design errors. */
#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"
#include "design/design_files.h"
#include "design/design_kind.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/simulated_design.h"
#include "protocol/slicc/parser.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The design file. */

/* Places count bytes, from behind a byte order mark. */
static size_t find_byte(const duv_file *file, base_place place) {
    size_t at = strncmp(file->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (uint32_t line = 1; line < place.line && at < file->length; at++)
        line += file->text[at] == '\n';
    return at + place.column - 1 < file->length ? at + place.column - 1 : file->length;
}

/* Where the file names its protocol, quotes included. */
static col_status find_name(duv_file *file, const sim_design_file *parsed, col_problem *problem) {
    const size_t start = find_byte(file, parsed->protocol_place), length = strlen(parsed->protocol);
    const char quote = file->text[start];
    const bool is_quoted = quote == '"' || quote == '\'';
    const size_t whole = length + (is_quoted ? 2 : 0);
    if (start + whole > file->length ||
        memcmp(file->text + start + is_quoted, parsed->protocol, length) != 0 ||
        (is_quoted && file->text[start + whole - 1] != quote))
        return base_refuse_at(problem, file->path, parsed->protocol_place.line,
                              parsed->protocol_place.column,
                              "write the protocol's path in one line and without escapes");
    file->name_at = start;
    file->name_length = whole;
    return COL_OK;
}

static col_status add_design_file(duv_files *files, const sim_design *design,
                                  col_problem *problem) {
    const bool names_protocol = design->plugin.source[0] != '\0';
    if (design->path[0] == '\0')
        return COL_OK;
    BASE_TRY(duv_files_add(files, DUV_PART_DESIGN, design->path, problem));
    if (!names_protocol)
        return COL_OK;
    duv_file *file = &files->list[files->count - 1];
    sim_design_file *parsed = NULL;
    BASE_TRY(base_new(&parsed, 1, sizeof *parsed, problem));
    col_status status =
        sim_design_file_parse(parsed, file->text, file->length, file->path, problem);
    BASE_THEN(status, find_name(file, parsed, problem));
    free(parsed);
    return status;
}

/* ---- The protocol. */

/* Takes each file as the parser asks for it. */
typedef struct taking {
    duv_files *files;
    col_status status;
    col_problem *problem;
} taking;

static const char *take(void *context, const char *path, size_t *length) {
    taking *t = context;
    (void)length;
    if (t->status == COL_OK)
        t->status = duv_files_add(t->files, DUV_PART_PROTOCOL, path, t->problem);
    return NULL;
}

/* The list of cells that are known to be reachable, which lies beside a protocol. */
static col_status add_reached(duv_files *files, const char *source, col_problem *problem) {
    char path[PATH_MAX];
    const char *name = base_path_name(source);
    const int length = (int)((size_t)(name - source) + base_path_stem(name));
    if (snprintf(path, sizeof path, "%.*s.reached", length, source) >= PATH_MAX ||
        access(path, F_OK) != 0)
        return COL_OK;
    return duv_files_add(files, DUV_PART_PROTOCOL, path, problem);
}

static col_status add_protocol(duv_files *files, const char *source, col_problem *problem) {
    taking t = {.files = files, .problem = problem};
    const slicc_overlay overlay = {.find = take, .context = &t};
    slicc_tree tree = {.overlay = &overlay};
    slicc_report report = {0};
    if (source[0] == '\0')
        return COL_OK;
    const col_status status = slicc_parse_file(&tree, source, &report, problem);
    slicc_tree_free(&tree);
    slicc_report_free(&report);
    if (t.status == COL_OK && status == COL_OK)
        t.status = add_reached(files, source, problem);
    return t.status != COL_OK ? t.status : status;
}

/* ---- Its errors. */

static col_status add_errors(duv_files *files, const sim_design *design, const char *errors,
                             col_problem *problem) {
    sim_design_error *wrong = NULL;
    uint32_t part = DUV_PART_ERROR;
    if (errors == NULL)
        return COL_OK;
    col_status status = sim_design_error_open(&wrong, errors, design->protocol, problem);
    for (const sim_design_error *e = wrong; e != NULL && status == COL_OK; e = e->next, part++)
        if (e->has_file)
            status = duv_files_add(files, part, e->path, problem);
    sim_design_error_free(wrong);
    return status;
}

col_status duv_simulator_gather(duv_files *files, const char *what, const char *errors,
                                col_problem *problem) {
    sim_design *design = NULL;
    BASE_TRY(base_new(&design, 1, sizeof *design, problem));
    col_status status = sim_design_open(design, what, 0, NULL, problem);
    if (status == COL_OK) {
        status = add_design_file(files, design, problem);
        BASE_THEN(status, add_protocol(files, design->plugin.source, problem));
        BASE_THEN(status, add_errors(files, design, errors, problem));
        sim_design_close(design);
    }
    free(design);
    return status;
}
