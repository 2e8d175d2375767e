/* SPDX-License-Identifier: MIT */
/* The files of a model: see source.h. */
#include "cat/source.h"
#include "base/file.h"
#include "base/path.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Our own. */

typedef struct own_file {
    const char *name;
    const unsigned char *bytes;
    const size_t *size;
} own_file;

#include "cat_own_files.h" /* generated from models/ */

const char *cat_own_file(const char *name, size_t *length) {
    for (size_t i = 0; i < sizeof own_files / sizeof own_files[0]; i++) {
        if (strcmp(own_files[i].name, name) == 0) {
            *length = *own_files[i].size;
            return (const char *)own_files[i].bytes;
        }
    }
    return NULL;
}

static void take_own(cat_source *source, const char *name) {
    source->bytes = cat_own_file(name, &source->length);
    source->path = name;
}

/* ---- The user's. */

/* COL_OK, and nothing found, if there is no such file. */
static col_status try_file(const char *path, cat_source *source, col_problem *problem) {
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return COL_OK;
    const col_status status = base_file_read(path, &source->text, problem);
    if (status != COL_OK)
        return status;
    source->path = path;
    source->bytes = source->text.data != NULL ? source->text.data : "";
    source->length = source->text.length;
    return COL_OK;
}

/* Found by the name that a file has for it. */
static col_status try_found(cat_source *source, col_problem *problem) {
    const col_status status = base_file_check_regular(source->found, true, problem);
    return status == COL_OK ? try_file(source->found, source, problem) : status;
}

static col_status try_in(const char *folder, size_t length, const char *name, cat_source *source,
                         col_problem *problem) {
    char copy[PATH_MAX];
    if (length == 0 || length >= sizeof copy)
        return COL_OK;
    memcpy(copy, folder, length);
    copy[length] = '\0';
    const col_status status = base_path_in(source->found, copy, name, problem);
    return status == COL_OK ? try_found(source, problem) : status;
}

/* Folders between colons. */
static col_status search_list(const char *list, const char *name, cat_source *source,
                              col_problem *problem) {
    col_status status = COL_OK;
    while (list != NULL && status == COL_OK && source->bytes == NULL) {
        const size_t length = strcspn(list, ":");
        status = try_in(list, length, name, source, problem);
        list = list[length] == ':' ? list + length + 1 : NULL;
    }
    return status;
}

static col_status search_lists(const cat_sources *sources, const char *name, cat_source *source,
                               col_problem *problem) {
    col_status status = search_list(sources->path, name, source, problem);
    if (status == COL_OK && source->bytes == NULL)
        status = search_list(getenv("COLLIDER_CATPATH"), name, source, problem);
    return status;
}

bool cat_leaves_folder(const char *name) {
    const char *dots = strstr(name, "..");
    return name[0] == '/' || name[0] == '\0' ||
           (dots != NULL && (dots == name || dots[-1] == '/') &&
            (dots[2] == '/' || dots[2] == '\0'));
}

/* Beside the file that includes it, in the folders that were named, in COLLIDER_CATPATH. */
col_status cat_source_include(cat_source *source, const char *includer, const char *name,
                              const cat_sources *sources, col_problem *problem) {
    col_status status = COL_OK;
    *source = (cat_source){0};
    if (!sources->is_whole) {
        status = base_path_beside(source->found, includer, name, problem);
        if (status == COL_OK)
            status = try_found(source, problem);
        if (status == COL_OK && source->bytes == NULL)
            status = search_lists(sources, name, source, problem);
    }
    if (status == COL_OK && source->bytes == NULL)
        take_own(source, name);
    return status;
}

col_status cat_source_open(cat_source *source, const char *path, const cat_sources *sources,
                           col_problem *problem) {
    *source = (cat_source){0};
    col_status status = try_file(path, source, problem);
    if (status == COL_OK && source->bytes == NULL && strchr(path, '/') == NULL)
        status = search_lists(sources, path, source, problem);
    if (status != COL_OK || source->bytes != NULL)
        return status;
    take_own(source, path);
    return source->bytes != NULL ? COL_OK : base_cannot_read(path, ENOENT, problem);
}

static bool is_of_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

bool cat_is_old_library(const cat_source *library) {
    const bool is_own = library->text.length == 0;
    for (size_t i = 0; !is_own && i + 2 <= library->length; i++)
        if (memcmp(library->bytes + i, "EX", 2) == 0 &&
            (i == 0 || !is_of_word(library->bytes[i - 1])) &&
            (i + 2 == library->length || !is_of_word(library->bytes[i + 2])))
            return false;
    return !is_own;
}

void cat_source_close(cat_source *source) {
    base_text_free(&source->text);
    *source = (cat_source){0};
}
