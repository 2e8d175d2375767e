/* SPDX-License-Identifier: MIT */
/* Finding the failures that operands name: see named_failures.h. Stores and packs may be somebody
 * else's: what is taken out of them is read as any failure's folder is, which runs no code unless
 * --allow-code is given. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): strverscmp */
#include "cli/named_failures.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "cli/stored_failures.h"
#include "results/store/store.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ALL "all"

/* ---- The list. */

static const char *keep(cli_failures *f, const char *text) {
    return base_arena_text(&f->arena, text, strlen(text));
}

static bool is_listed_already(const cli_failures *f, const cli_failure *new) {
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].device == new->device &&
            f->list[i].inode == new->inode &&strcmp(f->list[i].short_name, new->short_name) == 0)
            return true;
    return false;
}

/* A failure that is named twice is one failure. */
static col_status add(cli_failures *f, cli_failure *new, col_problem *problem) {
    if (new->name == NULL || new->short_name == NULL || new->path == NULL)
        return base_out_of_memory(problem);
    f->named++;
    if (is_listed_already(f, new))
        return COL_OK;
    BASE_TRY(base_reserve(&f->list, &f->capacity, f->count + 1, sizeof *f->list, problem));
    f->list[f->count++] = *new;
    return COL_OK;
}

/* The last part of a path, without slashes at its end. */
static const char *last_part(cli_failures *f, const char *path, size_t without) {
    size_t end = strlen(path), start;
    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/';)
        start--;
    return base_arena_text(&f->arena, path + start, end - start - without);
}

static col_status add_path(cli_failures *f, const char *path, bool is_pack, col_problem *problem) {
    static const char ending[] = ".pack";
    struct stat about = {0};
    (void)stat(path, &about);
    const size_t without = is_pack && base_path_ends(path, ending) ? sizeof ending - 1 : 0;
    const char *kept = keep(f, path);
    cli_failure new = {.name = kept,
                       .short_name = last_part(f, path, without),
                       .path = kept,
                       .folder = is_pack ? NULL : kept,
                       .is_pack = is_pack,
                       .device = about.st_dev,
                       .inode = about.st_ino};
    return add(f, &new, problem);
}

/* ---- Folders. */

static bool is_failure_folder(const char *path) {
    return base_folder_has(path, "failure.json");
}

/* By the numbers of the test and the instance. */
static int by_numbers(const void *left, const void *right) {
    return strverscmp(*(const char *const *)left, *(const char *const *)right);
}

/* The names of failures in an episode's folder. */
typedef struct found {
    const char **names;
    size_t count, capacity;
} found;

static col_status note(cli_failures *f, found *names, const char *folder, const char *name,
                       col_problem *problem) {
    char path[PATH_MAX], above[PATH_MAX];
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (strncmp(name, "failure-", strlen("failure-")) != 0)
        return COL_OK;
    (void)snprintf(above, sizeof above, "%.*s", (int)length, folder);
    BASE_TRY(base_path_in(path, above, name, problem));
    if (!is_failure_folder(path))
        return COL_OK;
    BASE_TRY(base_reserve(&names->names, &names->capacity, names->count + 1, sizeof(const char *),
                          problem));
    names->names[names->count] = keep(f, path);
    return names->names[names->count++] == NULL ? base_out_of_memory(problem) : COL_OK;
}

static col_status add_episode(cli_failures *f, const char *folder, col_problem *problem) {
    found names = {0};
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return base_refuse(problem, "cannot read the folder %.400s: %s", folder, strerror(errno));
    col_status status = COL_OK;
    for (const struct dirent *e; status == COL_OK && (e = base_folder_next(entries)) != NULL;)
        status = note(f, &names, folder, e->d_name, problem);
    if (status == COL_OK && errno != 0)
        status = base_fail(problem, "cannot read the folder %.400s: %s", folder, strerror(errno));
    (void)closedir(entries);
    if (names.count > 1)
        qsort(names.names, names.count, sizeof *names.names, by_numbers);
    for (size_t i = 0; i < names.count && status == COL_OK; i++)
        status = add_path(f, names.names[i], false, problem);
    free(names.names);
    if (status == COL_OK)
        status = base_reserve(&f->episodes, &f->episode_capacity, f->episode_count + 1,
                              sizeof(const char *), problem);
    if (status != COL_OK)
        return status;
    f->episodes[f->episode_count] = keep(f, folder);
    return f->episodes[f->episode_count++] == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* ---- Stores. */

/* What is taken out of a store. */
typedef struct taking {
    cli_failures *failures;
    const char *store;
    struct stat about;
} taking;

static col_status write_record(const char *folder, const cam_failure_row *row,
                               col_problem *problem) {
    const char *const files[][2] = {{"failure.json", row->record}, {"program.txt", row->program}};
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        BASE_TRY(base_path_in(path, folder, files[i][0], problem));
        BASE_TRY(base_file_write(path, files[i][1], strlen(files[i][1]), problem));
    }
    return COL_OK;
}

/* A folder of the failure's number below the temporary one. */
static col_status make_folder(cli_failures *f, const char *name, char path[PATH_MAX],
                              col_problem *problem) {
    if (f->temporary[0] == '\0')
        BASE_TRY(base_folder_make_temporary(f->temporary, &f->listed, problem));
    BASE_TRY(base_path_in(path, f->temporary, name, problem));
    return base_folder_make(path, problem);
}

col_status cli_failures_make_room(cli_failures *f, const char *name, char path[PATH_MAX],
                                  col_problem *problem) {
    return make_folder(f, name, path, problem);
}

static col_status make_numbered(cli_failures *f, size_t number, char path[PATH_MAX],
                                col_problem *problem) {
    char name[32];
    (void)snprintf(name, sizeof name, "%zu", number);
    return make_folder(f, name, path, problem);
}

static cli_failure describe_stored(cli_failures *f, const taking *t, const char *number) {
    char name[PATH_MAX + 64], folder[64];
    (void)snprintf(name, sizeof name, "%s --failure %s", t->store, number);
    (void)snprintf(folder, sizeof folder, "failure-%s", number);
    return (cli_failure){.name = keep(f, name),
                         .short_name = keep(f, folder),
                         .path = keep(f, t->store),
                         .is_of_store = true,
                         .device = t->about.st_dev,
                         .inode = t->about.st_ino};
}

static col_status take(void *context, const cam_failure_row *row, col_problem *problem) {
    taking *t = context;
    cli_failures *f = t->failures;
    char number[CAM_FAILURE_NAME], folder[PATH_MAX];
    if (row->number == 0) /* of another version of a design: no plan has it any more */
        return COL_OK;
    if (row->record == NULL || row->program == NULL) {
        f->lost++;
        return COL_OK;
    }
    cam_failure_name(row, number);
    cli_failure new = describe_stored(f, t, number);
    BASE_TRY(make_numbered(f, f->count, folder, problem));
    BASE_TRY(write_record(folder, row, problem));
    new.folder = keep(f, folder);
    return new.folder == NULL ? base_out_of_memory(problem) : add(f, &new, problem);
}

static col_status take_one(cam_store *store, taking *t, const char *number, col_problem *problem) {
    char folder[PATH_MAX];
    cli_failure new = describe_stored(t->failures, t, number);
    BASE_TRY(make_numbered(t->failures, t->failures->count, folder, problem));
    BASE_TRY(cam_store_extract(store, number, folder, problem));
    new.folder = keep(t->failures, folder);
    return new.folder == NULL ? base_out_of_memory(problem) : add(t->failures, &new, problem);
}

static col_status add_store(cli_failures *f, const char *path, const char *failure,
                            col_problem *problem) {
    taking t = {.failures = f, .store = path};
    cam_store *store = NULL;
    (void)stat(path, &t.about);
    col_status status = cam_store_open(&store, path, problem);
    if (status == COL_OK && failure != NULL && strcmp(failure, ALL) != 0)
        status = cam_store_check_unchanged(store, take_one(store, &t, failure, problem), problem);
    else if (status == COL_OK)
        status = cam_store_check_unchanged(
            store, cam_store_failures(store, NULL, take, &t, problem), problem);
    cam_store_close(store);
    return status;
}

/* ---- Operands. */

static bool is_store(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode) && !epi_is_pack(path);
}

static bool is_pattern(const char *operand) {
    struct stat about;
    return lstat(operand, &about) != 0 && strpbrk(operand, "*?[") != NULL;
}

static col_status add_named(cli_failures *f, const char *path, const char *failure,
                            col_problem *problem) {
    struct stat about;
    const bool is_there = stat(path, &about) == 0;
    if (is_there && !S_ISDIR(about.st_mode))
        return epi_is_pack(path) ? add_path(f, path, true, problem)
                                 : add_store(f, path, failure, problem);
    if (is_there && !is_failure_folder(path)) {
        const size_t before = f->named;
        BASE_TRY(add_episode(f, path, problem));
        if (f->named > before)
            return COL_OK;
        if (base_folder_has(path, "episode.json"))
            return base_refuse(problem, "the episode %.400s has no failures", path);
    }
    return is_failure_folder(path)
               ? add_path(f, path, false, problem)
               : base_refuse(problem, "%.400s is not a failure folder: it has no failure.json",
                             path);
}

/* Of what a pattern matches, what is no failure is passed over. */
static bool may_be_failure(const char *path) {
    static const char *const endings[] = {".pack", ".db"};
    struct stat about;
    if (stat(path, &about) != 0)
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && S_ISREG(about.st_mode); i++)
        if (base_path_ends(path, endings[i]))
            return true;
    return S_ISDIR(about.st_mode);
}

static col_status add_match(cli_failures *f, const char *path, const char *failure,
                            col_problem *problem) {
    struct stat about;
    if (!may_be_failure(path))
        return COL_OK;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode) && !is_failure_folder(path))
        return add_episode(f, path, problem);
    return add_named(f, path, failure, problem);
}

static col_status add_pattern(cli_failures *f, const char *pattern, const char *failure,
                              col_problem *problem) {
    glob_t matches;
    const size_t before = f->named;
    const int end = glob(pattern, 0, NULL, &matches);
    if (end == GLOB_NOSPACE)
        return base_out_of_memory(problem);
    if (end != 0)
        return base_refuse(problem, "nothing matches %.400s", pattern);
    col_status status = COL_OK;
    for (size_t i = 0; i < matches.gl_pathc && status == COL_OK; i++)
        status = add_match(f, matches.gl_pathv[i], failure, problem);
    globfree(&matches);
    if (status == COL_OK && f->named == before)
        return base_refuse(problem, "no failure matches %.400s", pattern);
    return status;
}

/* ---- All of it. */

static col_status check_listing(const cli_arguments *arguments, col_problem *problem) {
    for (uint32_t i = 0; arguments->command->options[i] != NULL; i++) {
        const char *name = arguments->command->options[i]->name;
        if (arguments->typed[i] && strcmp(name, "json") != 0 && strcmp(name, "quiet") != 0)
            return base_refuse(problem, "--%s needs --failure N, one of the store's failures",
                               name);
    }
    return COL_OK;
}

static col_status check_failure(const cli_arguments *a, const char *failure, col_problem *problem) {
    struct stat about;
    bool has_store = false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        has_store |= is_store(a->operands[i]) || is_pattern(a->operands[i]);
    if (failure == NULL || (strcmp(failure, ALL) == 0 && has_store))
        return COL_OK;
    if (a->operand_count > 1)
        return base_refuse(problem, "--failure %.40s needs one results store alone", failure);
    if (has_store)
        return COL_OK;
    const bool is_there = stat(a->operands[0], &about) == 0;
    return base_refuse(problem, "--failure is for a results store; %.300s is %s", a->operands[0],
                       !is_there                ? "not there"
                       : S_ISDIR(about.st_mode) ? "a folder"
                                                : "a pack");
}

col_status cli_failures_find(cli_failures *f, const cli_arguments *a, const char *failure,
                             bool lists, col_problem *problem) {
    *f = (cli_failures){.listed = -1};
    BASE_TRY(check_failure(a, failure, problem));
    const bool is_lone = a->operand_count == 1, is_of_store = is_store(a->operands[0]);
    if (lists && is_lone && failure == NULL && is_of_store) {
        BASE_TRY(check_listing(a, problem));
        f->is_listed = true;
        return cli_stored_list(a, a->operands[0], problem);
    }
    for (uint32_t i = 0; i < a->operand_count; i++)
        BASE_TRY(is_pattern(a->operands[i]) ? add_pattern(f, a->operands[i], failure, problem)
                                            : add_named(f, a->operands[i], failure, problem));
    f->is_one = is_lone && f->count == 1 &&
                (is_of_store ? failure != NULL && strcmp(failure, ALL) != 0
                             : strcmp(f->list[0].path, a->operands[0]) == 0);
    return f->count > 0
               ? COL_OK
               : base_refuse(problem, "there are no failures%s in %.400s",
                             f->lost > 0 ? " whose programs were kept" : "", a->operands[0]);
}

/* ---- One of them. */

/* Into a folder of its number; the design goes to one that packs of the same design share. */
static col_status unpack(cli_failures *f, cli_failure *failure, col_problem *problem) {
    char folder[PATH_MAX], parts[PATH_MAX], name[EPI_PARTS_HASH + 8] = "parts-";
    BASE_TRY(epi_pack_read(&failure->pack, failure->path, problem));
    BASE_TRY(make_numbered(f, (size_t)(failure - f->list), folder, problem));
    epi_pack_parts_hash(&failure->pack, name + strlen(name));
    BASE_TRY(base_path_in(parts, f->temporary, name, problem));
    failure->folder = keep(f, folder);
    failure->parts = keep(f, parts);
    if (failure->folder == NULL || failure->parts == NULL)
        return base_out_of_memory(problem);
    return epi_pack_unpack(&failure->pack, folder, parts, problem);
}

col_status cli_failure_open(cli_failures *f, cli_failure *failure, col_problem *problem) {
    if (failure->folder != NULL)
        return COL_OK;
    const col_status status = unpack(f, failure, problem);
    epi_pack_empty(&failure->pack);
    return status;
}

static const char *const records[] = {"failure.json", "program.txt", NULL};

void cli_failure_close(const cli_failure *failure) {
    if ((failure->is_pack || failure->is_of_store) && failure->folder != NULL)
        base_folder_remove_files(failure->folder, records);
}

/* By name, for there may be no descriptor left. */
static void remove_unpacked(const cli_failure *failure) {
    cli_failure_close(failure);
    if (failure->parts != NULL)
        epi_pack_remove(&failure->pack, failure->folder, failure->parts);
}

/* Paths in the temporary folder become those of files in the pack. */
static void rename_packed(const cli_failures *f, const cli_failure *failure, char *field,
                          size_t size) {
    base_text text = {0};
    const size_t length = strlen(f->temporary);
    const char *at = field;
    for (const char *inside; (inside = strstr(at, f->temporary)) != NULL;) {
        const char *below = inside + length + (inside[length] == '/');
        base_text_add_bytes(&text, at, (size_t)(inside - at));
        base_text_add(&text, failure->path);
        at = below + strcspn(below, "/ ");
    }
    base_text_add(&text, at);
    if (!text.failed)
        (void)snprintf(field, size, "%.*s", (int)size - 1, text.data);
    base_text_free(&text);
}

void cli_failure_blame(const cli_failures *f, const cli_failure *failure, col_problem *problem) {
    const size_t length = strlen(f->temporary);
    if (length > 0 && failure->is_pack) {
        rename_packed(f, failure, problem->file, sizeof problem->file);
        rename_packed(f, failure, problem->message, sizeof problem->message);
    } else if (length > 0 && strncmp(problem->file, f->temporary, length) == 0) {
        (void)snprintf(problem->file, sizeof problem->file, "%.200s, failure %.40s", failure->path,
                       failure->short_name + strlen("failure-"));
        problem->line = 0;
    }
}

void cli_failures_blame(const cli_failures *f, col_problem *problem) {
    for (size_t i = 0; i < f->count; i++) {
        const cli_failure *failure = &f->list[i];
        const size_t length = failure->folder == NULL ? 0 : strlen(failure->folder);
        if (failure->folder != failure->path && length > 0 &&
            strncmp(problem->file, failure->folder, length) == 0 && problem->file[length] == '/')
            cli_failure_blame(f, failure, problem);
    }
}

const char *cli_failures_name(const cli_failures *f, const char *folder) {
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].folder != NULL && strcmp(f->list[i].folder, folder) == 0)
            return f->list[i].name;
    return folder;
}

void cli_failures_free(cli_failures *f) {
    for (size_t i = 0; i < f->count; i++) {
        remove_unpacked(&f->list[i]);
        epi_pack_free(&f->list[i].pack);
    }
    base_folder_remove_temporary(f->temporary, f->listed);
    free(f->list);
    free(f->episodes);
    base_arena_free(&f->arena);
}
