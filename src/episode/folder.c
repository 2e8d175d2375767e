/* SPDX-License-Identifier: MIT */
/* The folder of an episode: see folder.h. */
#include "episode/folder.h"

#include "base/path.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const records[] = {"coverage.txt", "episode.json", NULL};
static const char *const saved = "resume.json";

enum { ROOM = 64 }; /* for names below the folder */

/* ---- Whose it is. */

/* Where a failure was, by the name of its folder. */
typedef struct failed {
    unsigned long long test;
    unsigned instance;
} failed;

static bool is_failure(const char *name, failed *where) {
    int end = 0;
    return sscanf(name, "failure-%llu-%u%n", &where->test, &where->instance, &end) == 2 &&
           name[end] == '\0';
}

bool epi_folder_failure(const char *path, char name[NAME_MAX + 1]) {
    DIR *entries = opendir(path);
    failed where, first = {0};
    bool found = false;
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (!is_failure(entry->d_name, &where))
            continue;
        const bool is_first =
            where.test == first.test ? where.instance < first.instance : where.test < first.test;
        if (found && !is_first)
            continue;
        found = true;
        first = where;
        (void)snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
    }
    if (entries != NULL)
        (void)closedir(entries);
    return found;
}

static bool has_episode(const char *path) {
    return base_folder_has(path, records[0]) || base_folder_has(path, records[1]) ||
           base_folder_has(path, saved);
}

static col_status check_place(const epi_folder *folder, bool replace, col_problem *problem) {
    if (folder->goes_on || replace || !has_episode(folder->path))
        return COL_OK;
    return base_refuse(
        problem,
        "%.300s holds another episode; use --out FOLDER for a new one, or --force to "
        "replace it",
        folder->path);
}

col_status epi_folder_claim(epi_folder *folder, const char *path, const char *resume, bool replace,
                            col_problem *problem) {
    struct stat about;
    *folder = (epi_folder){.path = path, .lock = BASE_LOCK_NONE};
    if (strlen(path) + ROOM > sizeof((col_failure *)0)->folder)
        return base_refuse(problem, "the path of the folder %.100s... is too long", path);
    folder->is_new = stat(path, &about) != 0;
    if (folder->is_new && resume != NULL && strcmp(path, resume) == 0)
        return base_refuse(problem, "%.300s has no saved episode; collider run --save leaves one",
                           path);
    col_status status = base_folder_make(path, problem);
    if (status == COL_OK)
        status = base_folder_lock(&folder->lock, path, problem);
    if (status == COL_OK) {
        base_stage_sweep(path);
        folder->goes_on = resume != NULL && base_path_same(path, resume);
        status = check_place(folder, replace, problem);
    }
    if (status != COL_OK)
        epi_folder_release(folder);
    return status;
}

void epi_folder_release(epi_folder *folder) {
    if (folder->lock.descriptor < 0)
        return;
    base_folder_unlock(&folder->lock);
    if (folder->is_new && !folder->is_used)
        (void)rmdir(folder->path);
}

/* ---- What is in it. */

static col_status stage_records(const base_stage *stage, const col_episode_settings *settings,
                                const col_episode *episode, col_problem *problem) {
    char path[PATH_MAX];
    col_status status = base_path_in(path, stage->path, "coverage.txt", problem);
    if (status == COL_OK)
        status = col_coverage_write_file(episode->coverage, path, problem);
    if (status == COL_OK)
        status = base_path_in(path, stage->path, "episode.json", problem);
    if (status == COL_OK)
        status = col_episode_write(settings, episode, path, problem);
    return status;
}

col_status epi_folder_record(epi_folder *folder, const col_episode_settings *settings,
                             const col_episode *episode, col_problem *problem) {
    base_stage stage;
    col_status status = base_stage_begin(&stage, folder->path, problem);
    if (status != COL_OK)
        return status;
    status = stage_records(&stage, settings, episode, problem);
    const col_status ended = base_stage_end(&stage, status == COL_OK, records, problem);
    status = status == COL_OK ? ended : status;
    folder->is_used = folder->is_used || status == COL_OK;
    return status;
}

static void remove_failures(const char *path) {
    DIR *entries = opendir(path);
    failed where;
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        if (is_failure(entry->d_name, &where))
            base_folder_remove(path, entry->d_name);
    if (entries != NULL)
        (void)closedir(entries);
}

col_status epi_folder_begin(epi_folder *folder, const col_episode_settings *settings,
                            const col_episode *episode, col_problem *problem) {
    col_episode first = *episode;
    if (folder->goes_on)
        return COL_OK;
    first.outcome = COL_INCOMPLETE; /* what a process that is killed leaves */
    first.ending = COL_ENDED_BY_FAILURE;
    const col_status status = epi_folder_record(folder, settings, &first, problem);
    if (status != COL_OK)
        return status;
    base_folder_remove(folder->path, saved);
    remove_failures(folder->path);
    return COL_OK;
}
