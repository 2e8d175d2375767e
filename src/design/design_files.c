/* SPDX-License-Identifier: MIT */
/* The files of a design: see design_files.h. What they are, each kind of designs says. */
#include "design/design_files.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "design/design_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void duv_files_free(duv_files *files) {
    for (size_t i = 0; i < files->count; i++) {
        free(files->list[i].path);
        free(files->list[i].text);
    }
    free(files->list);
    *files = (duv_files){0};
}

const duv_file *duv_files_first(const duv_files *files, uint32_t part) {
    for (size_t i = 0; i < files->count; i++)
        if (files->list[i].part == part)
            return &files->list[i];
    return NULL;
}

/* Links on the way are followed: names with ".." in them start where these lead. The name itself
 * stays, for it says where files beside it are. */
static col_status find_place(const char *path, char place[PATH_MAX], col_problem *problem) {
    char folder[PATH_MAX], real[PATH_MAX];
    const char *name = base_path_name(path);
    const int length = (int)(name - path);
    if (length >= PATH_MAX)
        return base_refuse(problem, "the path %.300s... is too long", path);
    (void)snprintf(folder, sizeof folder, "%.*s", length == 0 ? 1 : length,
                   length == 0 ? "." : path);
    if (realpath(folder, real) == NULL)
        return base_cannot_read(path, errno, problem);
    return base_path_in(place, real, name, problem);
}

static bool has(const duv_files *files, uint32_t part, const char *place) {
    for (size_t i = 0; i < files->count; i++)
        if (files->list[i].part == part && strcmp(files->list[i].path, place) == 0)
            return true;
    return false;
}

col_status duv_files_add(duv_files *files, uint32_t part, const char *path, col_problem *problem) {
    char place[PATH_MAX];
    base_text text = {0};
    BASE_TRY(find_place(path, place, problem));
    if (has(files, part, place))
        return COL_OK;
    if (files->count == DUV_MOST_FILES)
        return base_refuse(problem, "the design consists of more than %d files", DUV_MOST_FILES);
    BASE_TRY(base_reserve(&files->list, &files->capacity, files->count + 1, sizeof *files->list,
                          problem));
    col_status status = base_file_read_regular(path, &text, problem);
    if (status == COL_OK)
        base_text_add_bytes(&text, "", 1);
    BASE_THEN(status, base_text_status(&text, problem));
    if (status == COL_OK && files->bytes + text.length > DUV_MOST_BYTES)
        status = base_refuse(problem, "the files of the design have more than %d MiB",
                             DUV_MOST_BYTES >> 20);
    char *kept = status == COL_OK ? strdup(place) : NULL;
    if (status == COL_OK && kept == NULL)
        status = base_out_of_memory(problem);
    if (status != COL_OK) {
        base_text_free(&text);
        return status;
    }
    const size_t length = text.length - 1;
    files->bytes += length;
    files->list[files->count++] =
        (duv_file){.part = part, .path = kept, .text = text.data, .length = length};
    return COL_OK;
}

col_status duv_files_gather(duv_files *files, const char *design, const char *errors,
                            col_problem *problem) {
    const duv_kind *kind = duv_kind_of(design);
    if (kind->gather == NULL)
        return base_refuse(problem, "the design %.300s is %s, which cannot be packed", design,
                           kind->name);
    return kind->gather(files, design, errors, problem);
}
