/* SPDX-License-Identifier: MIT */
/*
 * Files: where included ones are looked for, and that each is read once. A file is known by its
 * device and inode, whatever the path to it.
 */
#include "slicc/parse.h"

#include "base/file.h"
#include "base/path.h"
#include "slicc/parser.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct slicc_file {
    dev_t device;
    ino_t inode;
    const slicc_declaration *machine; /* that it was included in */
    struct slicc_file *next;
};

/* The text and the name are copied: the tree and the report refer to them. */
static slicc_declaration **parse(slicc_parser *parser, const char *text, size_t length,
                                 const char *file, slicc_declaration **end) {
    text = base_skip_bom(text, &length);
    base_arena *arena = &parser->tree->arena;
    const char *name = base_arena_text(arena, file, strlen(file));
    const char *copy = length == 0 ? "" : base_arena_text(arena, text, length);
    if (name == NULL || copy == NULL) {
        parser->out_of_memory = true;
        return end;
    }
    if (parser->main_file == NULL)
        parser->main_file = name;
    slicc_report_source(parser->report, name, copy, length);
    slicc_parser_start(parser, copy, length, name);
    return slicc_parse_declarations(parser, end);
}

static slicc_declaration **end_of(slicc_tree *tree) {
    slicc_declaration **end = &tree->declarations;
    while (*end != NULL)
        end = &(*end)->next;
    return end;
}

/* ---- Included files. */

static const struct slicc_file *find_file(const slicc_tree *tree, const struct stat *status) {
    const struct slicc_file *file = tree->files;
    while (file != NULL && (file->device != status->st_dev || file->inode != status->st_ino))
        file = file->next;
    return file;
}

static bool remember_file(slicc_tree *tree, const struct stat *status,
                          const slicc_declaration *machine) {
    struct slicc_file *file = base_arena_take(&tree->arena, sizeof *file);
    if (file == NULL)
        return false;
    *file = (struct slicc_file){
        .device = status->st_dev, .inode = status->st_ino, .machine = machine, .next = tree->files};
    tree->files = file;
    return true;
}

/* The compiler has its own prelude in the place of these. */
static bool is_prelude(const char *name) {
    static const char prefix[] = "RubySlicc_";
    return strncmp(base_path_name(name), prefix, sizeof prefix - 1) == 0;
}

/* `name` as seen from the folder of `file`. */
static bool find_beside(const char *file, const char *name, char path[PATH_MAX],
                        struct stat *status) {
    if (base_path_beside(path, file, name, NULL) != COL_OK) {
        errno = ENAMETOOLONG;
        return false;
    }
    return stat(path, status) == 0;
}

/* The file, or the text that stands for it. */
static col_status read_text(const slicc_tree *tree, const char *path, base_text *text,
                            col_problem *problem) {
    size_t length = 0;
    const char *given =
        tree->overlay == NULL ? NULL : tree->overlay->find(tree->overlay->context, path, &length);
    if (given == NULL)
        return base_file_read(path, text, problem);
    base_text_add_bytes(text, given, length);
    return base_text_status(text, problem);
}

static slicc_declaration **read_included(slicc_parser *parser, slicc_declaration **end,
                                         const char *path, slicc_place place) {
    base_text text = {0};
    col_problem problem;
    const col_status status = read_text(parser->tree, path, &text, &problem);
    slicc_parser inner = {.tree = parser->tree,
                          .report = parser->report,
                          .machine = parser->machine,
                          .main_file = parser->main_file,
                          .include_depth = parser->include_depth + 1};
    if (status == COL_BAD_INPUT)
        slicc_complain(parser->report, place, "%s", problem.message);
    else if (status == COL_OK)
        end = parse(&inner, text.data, text.length, path, end);
    parser->out_of_memory |= status == COL_FAILURE || inner.out_of_memory;
    base_text_free(&text);
    return end;
}

slicc_declaration **slicc_include(slicc_parser *parser, slicc_declaration **end, const char *name,
                                  slicc_place place) {
    char path[PATH_MAX];
    struct stat status;
    if (is_prelude(name))
        return end;
    const bool found = find_beside(parser->scanner.file, name, path, &status) ||
                       find_beside(parser->main_file, name, path, &status);
    const struct slicc_file *known = found ? find_file(parser->tree, &status) : NULL;
    if (!found)
        slicc_complain(parser->report, place, "cannot read the file '%.200s': %s", name,
                       strerror(errno));
    else if (!S_ISREG(status.st_mode) || status.st_size > SLICC_MOST_BYTES)
        slicc_complain(parser->report, place, "'%.200s' is not a file of at most %d MiB", name,
                       SLICC_MOST_BYTES >> 20);
    else if (known != NULL && known->machine != parser->machine)
        slicc_complain(parser->report, place,
                       "'%.200s' was included elsewhere: a file is read once", name);
    else if (known == NULL && parser->include_depth >= SLICC_MOST_INCLUDES)
        slicc_complain(parser->report, place, "files include each other too deeply: %d at most",
                       SLICC_MOST_INCLUDES);
    else if (known == NULL && !remember_file(parser->tree, &status, parser->machine))
        parser->out_of_memory = true;
    else if (known == NULL)
        return read_included(parser, end, path, place);
    return end;
}

/* ---- The entrances. */

static col_status parse_main(slicc_tree *tree, const char *text, size_t length, const char *file,
                             slicc_report *report, col_problem *problem) {
    if (length > SLICC_MOST_BYTES)
        return base_refuse(problem, "%s is larger than %d MiB", file, SLICC_MOST_BYTES >> 20);
    slicc_parser parser = {.tree = tree, .report = report};
    (void)parse(&parser, text, length, file, end_of(tree));
    return parser.out_of_memory ? base_out_of_memory(problem) : COL_OK;
}

col_status slicc_parse_text(slicc_tree *tree, const char *text, size_t length, const char *file,
                            slicc_report *report, col_problem *problem) {
    return parse_main(tree, text, length, file, report, problem);
}

col_status slicc_parse_file(slicc_tree *tree, const char *path, slicc_report *report,
                            col_problem *problem) {
    struct stat file;
    if (stat(path, &file) == 0) {
        if (find_file(tree, &file) != NULL)
            return COL_OK;
        if (!remember_file(tree, &file, NULL))
            return base_out_of_memory(problem);
    }
    base_text text = {0};
    col_status status = read_text(tree, path, &text, problem);
    if (status == COL_OK)
        status = parse_main(tree, text.data, text.length, path, report, problem);
    base_text_free(&text);
    return status;
}

void slicc_tree_free(slicc_tree *tree) {
    base_names_free(&tree->names);
    base_arena_free(&tree->arena);
    *tree = (slicc_tree){0};
}
