/* SPDX-License-Identifier: MIT */
/* From a failure's folder to a pack, and from a pack to a folder: see pack.h. */
#include "episode/failure/pack.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/path.h"
#include "design/design_files.h"
#include "design/design_kind.h"
#include "episode/failure/failure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Names in the pack. */

static bool is_of(const duv_files *files, size_t i, uint32_t part) {
    return files->list[i].part == part;
}

/* How long the path is of the folder that all files of the part are in, the last slash included. */
static size_t common_folder(const duv_files *files, uint32_t part) {
    const char *first = duv_files_first(files, part)->path;
    size_t same = (size_t)(base_path_name(first) - first);
    for (size_t i = 0; i < files->count; i++) {
        size_t length = 0;
        while (is_of(files, i, part) && length < same &&
               files->list[i].path[length] == first[length])
            length++;
        while (is_of(files, i, part) && length > 0 && first[length - 1] != '/')
            length--;
        same = is_of(files, i, part) ? length : same;
    }
    return same;
}

/* "parts/design/mine.yaml" */
static col_status name_file(const duv_files *files, const duv_file *file, char name[PATH_MAX],
                            col_problem *problem) {
    char part[32] = "design";
    if (file->part == DUV_PART_PROTOCOL)
        (void)snprintf(part, sizeof part, "protocol");
    else if (file->part >= DUV_PART_ERROR)
        (void)snprintf(part, sizeof part, "error-%u", file->part - DUV_PART_ERROR + 1);
    const int length = snprintf(name, PATH_MAX, EPI_PARTS "/%s/%s", part,
                                file->path + common_folder(files, file->part));
    return length < PATH_MAX ? COL_OK
                             : base_refuse(problem, "the path %.300s... is too long", file->path);
}

/* ---- The files of a design. */

/* The design file is alone in its folder; so this is where the protocol is from there. */
static col_status add_reference(const duv_files *files, base_text *text, col_problem *problem) {
    char name[PATH_MAX];
    BASE_TRY(name_file(files, duv_files_first(files, DUV_PART_PROTOCOL), name, problem));
    base_text_add(text, "'..");
    for (const char *at = name + strlen(EPI_PARTS); *at != '\0'; at++)
        base_text_add(text, *at == '\'' ? "''" : (const char[]){*at, '\0'});
    base_text_add(text, "'");
    return COL_OK;
}

static col_status add_part(epi_pack *pack, const duv_files *files, const duv_file *file,
                           col_problem *problem) {
    char name[PATH_MAX];
    base_text text = {0};
    BASE_TRY(name_file(files, file, name, problem));
    base_text_add_bytes(&text, file->text, file->name_at);
    const col_status status = file->name_length > 0 ? add_reference(files, &text, problem) : COL_OK;
    if (status != COL_OK) {
        base_text_free(&text);
        return status;
    }
    const size_t rest = file->name_at + file->name_length;
    base_text_add_bytes(&text, file->text + rest, file->length - rest);
    return epi_pack_add(pack, name, &text, problem);
}

/* ---- failure.json with names in the pack. */

/* Which error is next, of the files. */
typedef struct naming {
    const duv_files *files;
    uint32_t *part;
} naming;

static col_status name_error(const void *context, char **name, col_problem *problem) {
    const naming *n = context;
    char packed[PATH_MAX];
    const duv_file *file = duv_files_first(n->files, (*n->part)++);
    if (file == NULL)
        return COL_OK;
    BASE_TRY(name_file(n->files, file, packed, problem));
    free(*name);
    *name = strdup(packed);
    return *name == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* NULL: no memory. */
static json_t *text_or_null(const char *text) {
    return text == NULL ? json_null() : json_string(text);
}

static col_status add_json(epi_pack *pack, json_t *root, col_problem *problem) {
    base_text text = {0};
    base_json_print(root, BASE_JSON_LAYOUT, &text);
    base_text_add(&text, "\n");
    return epi_pack_add(pack, "failure.json", &text, problem);
}

static col_status add_failure(epi_pack *pack, const char *folder, const epi_recorded *recorded,
                              const duv_files *files, col_problem *problem) {
    uint32_t part = DUV_PART_ERROR;
    const naming context = {files, &part};
    char design[PATH_MAX], *errors = NULL;
    json_t *root = NULL;
    (void)snprintf(design, sizeof design, "%s", recorded->design);
    if (files->count > 0 && files->list[0].part < DUV_PART_ERROR)
        BASE_TRY(name_file(files, &files->list[0], design, problem));
    BASE_TRY(epi_errors_rename(recorded->error, name_error, &context, &errors, problem));
    col_status status = base_json_read_in(folder, "failure.json", &root, problem);
    if (status == COL_OK) {
        (void)json_object_del(root, "design_bytes");
        (void)json_object_del(root, "error_bytes");
        base_json_set(&root, "design", text_or_null(design));
        base_json_set(&root, "error", text_or_null(errors));
        status = root == NULL ? base_out_of_memory(problem) : add_json(pack, root, problem);
    }
    json_decref(root);
    free(errors);
    return status;
}

static col_status make(epi_pack *pack, const char *folder, const epi_recorded *recorded,
                       const duv_files *files, col_problem *problem) {
    base_text program = {0};
    BASE_TRY(add_failure(pack, folder, recorded, files, problem));
    col_status status = base_file_read_in(folder, "program.txt", &program, problem);
    if (status != COL_OK) {
        base_text_free(&program);
        return status;
    }
    BASE_TRY(epi_pack_add(pack, "program.txt", &program, problem));
    for (size_t i = 0; i < files->count; i++)
        BASE_TRY(add_part(pack, files, &files->list[i], problem));
    return COL_OK;
}

col_status epi_pack_make(epi_pack *pack, const char *folder, col_problem *problem) {
    epi_recorded recorded = {.program = COL_PROGRAM_EMPTY};
    col_failure was = {0};
    duv_files files = {0};
    /* Nothing is run: a design that is native code is refused, or its sources are copied. */
    col_status status = epi_failure_read(folder, true, &recorded, &was, problem);
    BASE_THEN(status, duv_files_gather(&files, recorded.design, recorded.error, problem));
    BASE_THEN(status, make(pack, folder, &recorded, &files, problem));
    duv_files_free(&files);
    epi_recorded_free(&recorded);
    return status;
}

/* ---- Unpacking. */

static col_status write_file(const char *folder, const char *name, const epi_pack_file *file,
                             col_problem *problem) {
    char path[PATH_MAX], above[PATH_MAX];
    BASE_TRY(base_path_in(path, folder, name, problem));
    (void)snprintf(above, sizeof above, "%.*s", (int)(base_path_name(path) - path - 1), path);
    BASE_TRY(base_folder_make(above, problem));
    return base_file_write(path, file->bytes, file->length, problem);
}

static col_status write_parts(const epi_pack *pack, const char *parts, col_problem *problem) {
    for (size_t i = EPI_PACK_FILES; i < pack->count; i++)
        BASE_TRY(
            write_file(parts, pack->files[i].name + sizeof EPI_PARTS, &pack->files[i], problem));
    return COL_OK;
}

/* A name in the pack becomes the path that its file has now. */
static col_status place_name(const void *parts, char **name, col_problem *problem) {
    char path[PATH_MAX];
    if (strncmp(*name, EPI_PARTS "/", sizeof EPI_PARTS) != 0)
        return COL_OK;
    BASE_TRY(base_path_in(path, parts, *name + sizeof EPI_PARTS, problem));
    free(*name);
    *name = strdup(path);
    return *name == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* failure.json, with paths below `parts`. */
static col_status write_placed(const epi_pack *pack, const char *folder, const char *parts,
                               col_problem *problem) {
    char path[PATH_MAX], *errors = NULL, *design;
    json_t *root = NULL;
    BASE_TRY(base_path_in(path, folder, "failure.json", problem));
    BASE_TRY(base_json_parse(pack->files[0].bytes, pack->files[0].length, path, &root, problem));
    const json_t *error = json_object_get(root, "error");
    design = strdup(json_string_value(json_object_get(root, "design")));
    col_status status =
        design == NULL ? base_out_of_memory(problem) : place_name(parts, &design, problem);
    BASE_THEN(status,
              epi_errors_rename(json_string_value(error), place_name, parts, &errors, problem));
    if (status == COL_OK) {
        base_json_set(&root, "design", text_or_null(design));
        if (errors != NULL)
            base_json_set(&root, "error", text_or_null(errors));
        status = base_json_write(path, root, problem);
        root = NULL;
    }
    json_decref(root);
    free(design);
    free(errors);
    return status;
}

/* The design of the pack is made of files of the pack: those that its files name, too. */
static col_status check_closed(const char *folder, const char *parts, col_problem *problem) {
    epi_recorded recorded = {.program = COL_PROGRAM_EMPTY};
    col_failure was = {0};
    duv_files files = {0};
    const size_t length = strlen(parts);
    char design[PATH_MAX];
    col_status status = epi_failure_read(folder, true, &recorded, &was, problem);
    if (status == COL_OK && realpath(recorded.design, design) != NULL &&
        strncmp(design, parts, length) == 0 && duv_kind_of(recorded.design)->gather != NULL)
        status = duv_files_gather(&files, recorded.design, NULL, problem);
    for (size_t i = 0; i < files.count && status == COL_OK; i++)
        if (strncmp(files.list[i].path, parts, length) != 0 || files.list[i].path[length] != '/')
            status = base_refuse(problem,
                                 "the design names the file %.300s, which is not in the pack: only "
                                 "relative names of its own files can be packed",
                                 files.list[i].path);
    duv_files_free(&files);
    epi_recorded_free(&recorded);
    return status;
}

col_status epi_pack_unpack(const epi_pack *pack, const char *folder, const char *parts,
                           col_problem *problem) {
    char own[PATH_MAX], real[PATH_MAX];
    BASE_TRY(base_path_in(own, folder, EPI_PARTS, problem));
    const bool is_apart = parts != NULL;
    const bool is_there = is_apart && base_folder_has(parts, ".");
    if (!is_there) {
        BASE_TRY(base_folder_make(is_apart ? parts : own, problem));
        BASE_TRY(write_parts(pack, is_apart ? parts : own, problem));
    }
    if (realpath(is_apart ? parts : own, real) == NULL)
        return base_fail(problem, "the folder %.300s is gone", is_apart ? parts : own);
    BASE_TRY(write_file(folder, "program.txt", &pack->files[1], problem));
    BASE_TRY(is_apart ? write_placed(pack, folder, real, problem)
                      : write_file(folder, "failure.json", &pack->files[0], problem));
    return check_closed(folder, real, problem);
}

/* A file, and the folders above it that are empty then, up to `folder` itself. */
static void remove_up(const char *folder, const char *name) {
    char path[PATH_MAX];
    const size_t least = strlen(folder);
    if (base_path_in(path, folder, name, NULL) != COL_OK)
        return;
    (void)remove(path);
    for (char *slash = strrchr(path, '/'); slash != NULL && slash >= path + least;
         slash = strrchr(path, '/')) {
        *slash = '\0';
        if (rmdir(path) != 0)
            return;
    }
}

void epi_pack_remove(const epi_pack *pack, const char *folder, const char *parts) {
    for (size_t i = 0; i < pack->count; i++) {
        const char *name = pack->files[i].name;
        const bool is_apart = parts != NULL && i >= EPI_PACK_FILES;
        remove_up(is_apart ? parts : folder, is_apart ? name + sizeof EPI_PARTS : name);
    }
}

/* ---- A failure with all that it needs. */

static col_status copy_files(const char *from, const char *to, col_problem *problem) {
    for (const char *const *name = epi_failure_names; *name != NULL; name++) {
        char path[PATH_MAX];
        base_text text = {0};
        if (strcmp(*name, EPI_PARTS) == 0 || strcmp(*name, "failure.json") == 0 ||
            !base_folder_has(from, *name))
            continue;
        BASE_TRY(base_path_in(path, to, *name, problem));
        col_status status = base_file_read_in(from, *name, &text, problem);
        if (status == COL_OK)
            status = base_file_write_text(path, &text, problem);
        else
            base_text_free(&text);
        BASE_TRY(status);
    }
    return COL_OK;
}

col_status epi_failure_move(const char *from, const char *to, col_problem *problem) {
    epi_pack pack = {0};
    base_stage stage = {0};
    col_status status = epi_pack_make(&pack, from, problem);
    BASE_THEN(status, epi_failure_stage(&stage, to, problem));
    BASE_THEN(status, copy_files(from, stage.path, problem));
    BASE_THEN(status, epi_pack_unpack(&pack, stage.path, NULL, problem));
    if (stage.path[0] != '\0' && status != COL_OK)
        epi_pack_remove(&pack, stage.path, NULL);
    if (stage.path[0] != '\0')
        status = epi_failure_keep(&stage, status, problem);
    epi_pack_free(&pack);
    return status;
}
