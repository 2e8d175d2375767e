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

static col_status add_source(duv_files *files, const char *path, bool is_list, int depth,
                             col_problem *problem);

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

/* Options of Verilator whose value is the next word. */
static bool has_value(const char *option) {
    static const char valued[] =
        " CFLAGS LDFLAGS MAKEFLAGS Mdir build-dep-bin build-jobs clk compiler converge-limit "
        "coverage-max-width debugi default-language error-limit expand-limit gate-stmts "
        "get-supported getenv if-depth inline-mult instr-count-dpi j l2-name language lib-create "
        "make max-num-width mod-prefix no-clk o output-split output-split-cfuncs "
        "output-split-ctrace pins-bv pipe-filter prefix protect-key protect-lib threads "
        "threads-dpi threads-max-mtasks timescale timescale-override top top-module trace-depth "
        "trace-max-array trace-max-width trace-threads unroll-count unroll-stmts unused-regexp "
        "waiver-output x-assign x-initial ";
    const char *name = option + strspn(option, "-");
    const size_t length = strlen(name);
    for (const char *at = valued; length > 0 && (at = strstr(at, name)) != NULL; at += length)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return strncmp(name, "debugi-", 7) == 0 || strncmp(name, "dumpi-", 6) == 0;
}

/* The next word, without its quotes; NULL: there is none. */
static char *next_word(char **line) {
    char *from = *line + strspn(*line, " \t\r"), *to = from, *const word = from;
    char quote = '\0';
    if (*from == '\0')
        return NULL;
    for (; *from != '\0' && (quote != '\0' || strchr(" \t\r", *from) == NULL); from++) {
        if (*from == '\\' && from[1] != '\0' && quote != '\'')
            *to++ = *++from;
        else if (quote == '\0' && (*from == '"' || *from == '\''))
            quote = *from;
        else if (quote != '\0' && *from == quote)
            quote = '\0';
        else
            *to++ = *from;
    }
    *line = from + (*from != '\0');
    *to = '\0';
    return word;
}

/* What a list of sources says (Verilator's -F): files and folders beside it, and options. */
static col_status add_word(duv_files *files, const char *list, char *word, char **line, int depth,
                           col_problem *problem) {
    static const char include[] = "+incdir+";
    char path[PATH_MAX];
    const bool is_list = strcmp(word, "-F") == 0;
    if (strcmp(word, "-f") == 0)
        return base_refuse(problem,
                           "%.300s has -f, whose names start at the current folder, which cannot "
                           "be copied; use -F",
                           list);
    if (strncmp(word, include, sizeof include - 1) == 0)
        return add_included(files, list, word + sizeof include - 1, problem);
    if (strncmp(word, "-I", 2) == 0 && word[2] != '\0') {
        word += 2;
    } else if (is_list || strcmp(word, "-FI") == 0 || strcmp(word, "-v") == 0 ||
               strcmp(word, "-y") == 0) {
        word = next_word(line);
    } else if (word[0] == '-' || word[0] == '+') {
        if (has_value(word))
            (void)next_word(line);
        return COL_OK;
    }
    if (word == NULL)
        return COL_OK;
    BASE_TRY(base_path_beside(path, list, word, problem));
    return is_folder(path) ? add_folder(files, path, problem)
                           : add_source(files, path, is_list, depth, problem);
}

/* As Verilator takes them: a # that begins a line, a // that begins a word (a path may have it
 * inside), and what is between the two marks of C. Blanks them. */
static void blank_comments(char *text) {
    bool is_line = false, is_block = false, begins = true;
    for (char *c = text; *c != '\0'; c++) {
        const bool ends = is_block && c[0] == '*' && c[1] == '/';
        const bool is_word = c == text || strchr(" \t\r\n", c[-1]) != NULL;
        if (*c == '\n') {
            is_line = false;
            begins = true;
            continue;
        }
        if (!is_line && !is_block) {
            is_line = (begins && *c == '#') || (is_word && c[0] == '/' && c[1] == '/');
            is_block = !is_line && c[0] == '/' && c[1] == '*';
            if (is_block)
                *c++ = ' ';
        }
        begins = begins && strchr(" \t\r", *c) != NULL;
        if (is_line || is_block)
            *c = ' ';
        if (ends) {
            *++c = ' ';
            is_block = false;
        }
    }
}

static col_status add_list(duv_files *files, const char *path, const char *text, int depth,
                           col_problem *problem) {
    char *copy = strdup(text);
    col_status status = copy == NULL ? base_out_of_memory(problem) : COL_OK;
    if (copy != NULL)
        blank_comments(copy);
    for (char *line, *lines = copy;
         status == COL_OK && (line = strtok_r(lines, "\r\n", &lines)) != NULL;) {
        for (char *word; status == COL_OK && (word = next_word(&line)) != NULL;)
            status = add_word(files, path, word, &line, depth, problem);
    }
    free(copy);
    return status;
}

static col_status add_source(duv_files *files, const char *path, bool is_list, int depth,
                             col_problem *problem) {
    const size_t before = files->count;
    BASE_TRY(duv_files_add(files, DUV_PART_DESIGN, path, problem));
    if (files->count == before || (!is_list && !base_path_ends(path, ".f")))
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
        status = add_source(files, paths->texts[i], false, 0, problem);
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
