/* SPDX-License-Identifier: MIT */
/*
 * Memory systems and chips in Verilog as designs. Every design that is opened has a copy of the
 * code to itself: Verilator's runtime has variables that all models of a process would share, such
 * as the state of $urandom.
 */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): memfd_create */
#include "design/verilog/verilog_build.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/plugin.h"
#include "design/design_kind.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

bool duv_is_verilog(const char *what) {
    return duv_file_has_kind(what, "verilog");
}

bool duv_is_named_verilog(const char *what) {
    char path[PATH_MAX];
    return duv_find_listed(what, "verilog", path);
}

/* The design's own file: of the list, or itself. */
static const char *file_of(const char *what, char path[PATH_MAX]) {
    return duv_find_listed(what, "verilog", path) ? path : what;
}

/* The files that a list names, one in a line, beside the list. */
static void hash_list(duv_hasher *hasher, const char *path) {
    base_text text = {0};
    col_problem problem = {0};
    if (duv_hash_done(hasher, base_file_read_regular(path, &text, &problem), &problem) &&
        text.data != NULL)
        for (char *rest = text.data, *word; (word = strtok_r(rest, " \t\r\n", &rest)) != NULL;) {
            char file[PATH_MAX];
            if (strchr("-+/", word[0]) == NULL &&
                base_path_beside(file, path, word, NULL) == COL_OK)
                duv_hash_file(hasher, file);
        }
    base_text_free(&text);
}

/* All that is in the folder: any of it may be included. */
static void hash_folder(duv_hasher *hasher, const duv_verilog_file *file, const char *name) {
    char path[PATH_MAX], pattern[PATH_MAX];
    glob_t found;
    if (base_path_expand(path, file->path, name, "folder", NULL) != COL_OK ||
        base_path_in(pattern, path, "*", NULL) != COL_OK || glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        duv_hash_file(hasher, found.gl_pathv[i]);
    globfree(&found);
}

static void hash_sources(duv_hasher *hasher, const duv_verilog_file *file) {
    duv_words *paths = calloc(1, sizeof *paths);
    col_problem problem = {0};
    if (paths == NULL) {
        (void)duv_hash_done(hasher, base_out_of_memory(&problem), &problem);
        return;
    }
    if (duv_hash_done(hasher, duv_verilog_sources(file, paths, &problem), &problem))
        for (uint32_t i = 0; i < paths->count; i++) {
            duv_hash_file(hasher, paths->texts[i]);
            if (base_path_ends(paths->texts[i], ".f"))
                hash_list(hasher, paths->texts[i]);
        }
    for (uint32_t i = 0; i < file->includes.count; i++)
        hash_folder(hasher, file, file->includes.texts[i]);
    duv_words_free(paths);
    free(paths);
}

void duv_verilog_identify(duv_hasher *hasher, const char *what, const char *error_name,
                          duv_identity *identity) {
    duv_verilog_file *file = calloc(1, sizeof *file);
    col_problem problem = {0};
    char path[PATH_MAX];
    what = file_of(what, path);
    (void)error_name; /* it takes none */
    duv_hash_file(hasher, what);
    duv_hash_end(hasher, identity->file);
    duv_hash_begin(hasher);
    if (file == NULL) {
        (void)duv_hash_done(hasher, base_out_of_memory(&problem), &problem);
        return;
    }
    if (duv_hash_done(hasher, duv_verilog_file_read(file, what, &problem), &problem)) {
        hash_sources(hasher, file);
        if (duv_is_chip(file) && duv_chip_open_platform(file, NULL) == COL_OK)
            duv_hash_bytes(hasher, file->chip.platform_text.data, file->chip.platform_text.length);
    }
    duv_hash_end(hasher, identity->protocol);
    duv_verilog_file_free(file);
    free(file);
}

/* ---- Loading. */

static bool copy(int from, int to) {
    struct stat about;
    off_t at = 0;
    if (fstat(from, &about) != 0)
        return false;
    while (at < about.st_size)
        if (sendfile(to, from, &at, (size_t)(about.st_size - at)) <= 0 && errno != EINTR)
            return false;
    return true;
}

static col_status open_copy(const char *path, int object, void **code, col_problem *problem) {
    static atomic_uint_least64_t opened = 0;
    const int own = memfd_create("collider-verilog", MFD_CLOEXEC);
    if (own < 0 || !copy(object, own)) {
        const int reason = errno;
        if (own >= 0)
            (void)close(own);
        return base_fail(problem, "cannot copy %.400s: %s", path, strerror(reason));
    }
    const col_status status =
        base_plugin_open(path, own, atomic_fetch_add(&opened, 1), code, problem);
    (void)close(own);
    return status;
}

static col_status build_and_open(const char *what, bool traces, duv_verilog_file *file, void **code,
                                 col_problem *problem) {
    char path[PATH_MAX];
    int object = -1;
    col_status status = duv_verilog_file_read(file, file_of(what, path), problem);
    file->traces = traces;
    if (status == COL_OK)
        status = duv_chip_open_platform(file, problem);
    if (status == COL_OK)
        status = duv_verilog_build(file, path, &object, problem);
    if (status == COL_OK)
        status = open_copy(path, object, code, problem);
    if (status == COL_OK && !duv_verilog_configure(file, *code)) {
        base_plugin_unload(*code);
        status =
            base_fail(problem, "the compiled design %.200s defines no collider_configure", what);
    }
    if (object >= 0)
        (void)close(object);
    return status;
}

col_status duv_verilog_load(const char *what, bool traces, const col_duv_interface **interface,
                            void **code, col_problem *problem) {
    duv_verilog_file *file = NULL;
    BASE_TRY(base_new(&file, 1, sizeof *file, problem));
    const col_status status = build_and_open(what, traces, file, code, problem);
    duv_verilog_file_free(file);
    free(file);
    if (status != COL_OK)
        return status;
    *interface = dlsym(*code, "col_duv_plugin");
    if (*interface != NULL)
        return COL_OK;
    base_plugin_unload(*code);
    return base_fail(problem, "the compiled design %.200s defines no col_duv_plugin", what);
}

/* Verilog designs of a simulator whose guest we are. */

static const col_duv_interface *simulator; /* set before any design is opened */

void duv_guest_set(const col_duv_interface *interface) {
    simulator = interface;
}

bool duv_is_guest(const char *what) {
    return simulator != NULL && duv_is_verilog(what);
}

col_status duv_guest_load(const char *what, bool traces, const col_duv_interface **interface,
                          void **code, col_problem *problem) {
    (void)what;
    (void)traces;
    (void)problem;
    *interface = simulator;
    *code = NULL;
    return COL_OK;
}
