/* SPDX-License-Identifier: MIT */
/* The files of a design in Verilog, as far as its design file and the lists of sources name them.
 * What a source reads when it runs, such as by $readmemh, is not known. */
#include "design/design_files.h"
#include "design/design_kind.h"
#include "design/isa/platform.h"
#include "design/verilog/verilog_build.h"

#include "base/memory.h"
#include "base/path.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 8 }; /* of lists that name lists */

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* All files that are in it: any of them may be included. */
static col_status add_folder(duv_files *files, const char *folder, col_problem *problem) {
    char pattern[PATH_MAX];
    struct stat about;
    glob_t found;
    BASE_TRY(base_path_in(pattern, folder, "*", problem));
    const int end = glob(pattern, 0, NULL, &found);
    if (end != 0)
        return end == GLOB_NOSPACE ? base_out_of_memory(problem) : COL_OK;
    col_status status = COL_OK;
    for (size_t i = 0; i < found.gl_pathc && status == COL_OK; i++)
        if (stat(found.gl_pathv[i], &about) == 0 && S_ISREG(about.st_mode))
            status = duv_files_add(files, DUV_PART_DESIGN, found.gl_pathv[i], problem);
    globfree(&found);
    return status;
}

static col_status add_source(duv_files *files, const char *path, int depth, col_problem *problem);

/* "+incdir+FOLDER", with more folders behind further plus signs. */
static col_status add_included(duv_files *files, const char *list, char *words,
                               col_problem *problem) {
    char path[PATH_MAX];
    for (char *name; (name = strtok_r(words, "+", &words)) != NULL;) {
        BASE_TRY(base_path_beside(path, list, name, problem));
        BASE_TRY(add_folder(files, path, problem));
    }
    return COL_OK;
}

/* What a list of sources says (Verilator's -F): files and folders beside it, and options. */
static col_status add_word(duv_files *files, const char *list, char *word, int depth,
                           col_problem *problem) {
    static const char include[] = "+incdir+";
    char path[PATH_MAX];
    if (strcmp(word, "-f") == 0)
        return base_refuse(problem,
                           "%.300s has -f, whose names start at the current folder, which cannot "
                           "be copied; use -F",
                           list);
    if (strncmp(word, include, sizeof include - 1) == 0)
        return add_included(files, list, word + sizeof include - 1, problem);
    if (word[0] == '-' || word[0] == '+')
        return COL_OK;
    BASE_TRY(base_path_beside(path, list, word, problem));
    return is_folder(path) ? add_folder(files, path, problem)
                           : add_source(files, path, depth, problem);
}

static col_status add_list(duv_files *files, const char *path, const char *text, int depth,
                           col_problem *problem) {
    char *copy = strdup(text);
    col_status status = copy == NULL ? base_out_of_memory(problem) : COL_OK;
    for (char *line, *lines = copy;
         status == COL_OK && (line = strtok_r(lines, "\r\n", &lines)) != NULL;) {
        char *comment = strstr(line, "//");
        if (comment != NULL)
            *comment = '\0';
        for (char *word; status == COL_OK && (word = strtok_r(line, " \t", &line)) != NULL;)
            status = add_word(files, path, word, depth, problem);
    }
    free(copy);
    return status;
}

static col_status add_source(duv_files *files, const char *path, int depth, col_problem *problem) {
    const size_t before = files->count;
    BASE_TRY(duv_files_add(files, DUV_PART_DESIGN, path, problem));
    if (files->count == before || !base_path_ends(path, ".f"))
        return COL_OK;
    if (depth == DEEPEST)
        return base_refuse(problem, "%.300s: lists name each other too deeply: %d at most", path,
                           DEEPEST);
    return add_list(files, path, files->list[before].text, depth + 1, problem);
}

static col_status add_sources(duv_files *files, duv_verilog_file *file, col_problem *problem) {
    duv_words *paths = NULL;
    BASE_TRY(base_new(&paths, 1, sizeof *paths, problem));
    file->adapter.bus = DUV_NATIVE; /* its sources are ours */
    col_status status = duv_verilog_sources(file, paths, problem);
    for (uint32_t i = 0; i < paths->count && status == COL_OK; i++)
        status = add_source(files, paths->texts[i], 0, problem);
    duv_words_free(paths);
    free(paths);
    return status;
}

/* A copy would look for these in the environment, too. */
static col_status check_places(const duv_verilog_file *file, const duv_words *words,
                               col_problem *problem) {
    for (uint32_t i = 0; i < words->count; i++)
        if (strncmp(words->texts[i], "${", 2) == 0)
            return DUV_REFUSE_AT(file, words->places[i], problem,
                                 "a design whose files are in a tree that the environment names "
                                 "cannot be packed");
    return COL_OK;
}

static col_status add_named(duv_files *files, duv_verilog_file *file, col_problem *problem) {
    char path[PATH_MAX];
    BASE_TRY(check_places(file, &file->sources, problem));
    BASE_TRY(check_places(file, &file->includes, problem));
    BASE_TRY(add_sources(files, file, problem));
    for (uint32_t i = 0; i < file->includes.count; i++) {
        BASE_TRY(base_path_beside(path, file->path, file->includes.texts[i], problem));
        BASE_TRY(add_folder(files, path, problem));
    }
    if (!duv_is_chip(file) || file->chip.has_platform || !isa_platform_is_file(file->chip.platform))
        return COL_OK;
    BASE_TRY(base_path_beside(path, file->path, file->chip.platform, problem));
    return duv_files_add(files, DUV_PART_DESIGN, path, problem);
}

col_status duv_verilog_gather(duv_files *files, const char *what, const char *errors,
                              col_problem *problem) {
    duv_verilog_file *file = NULL;
    (void)errors; /* it takes none */
    BASE_TRY(base_new(&file, 1, sizeof *file, problem));
    col_status status = duv_files_add(files, DUV_PART_DESIGN, what, problem);
    BASE_THEN(status, duv_verilog_file_read(file, what, problem));
    BASE_THEN(status, add_named(files, file, problem));
    duv_verilog_file_free(file);
    free(file);
    return status;
}
