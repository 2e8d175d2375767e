/* SPDX-License-Identifier: MIT */
/* Where stores are: see places.h. */
#include "watch/places.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/problem.h"
#include "base/text.h"
#include "campaign/episode_row.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_STORES = 100000 };

/* ---- Their state. */

static uint64_t mix(uint64_t state, const void *data, size_t size) {
    return XXH3_64bits_withSeed(data, size, state);
}

static uint64_t state_of(uint64_t state, const char *path, const char *ending) {
    char file[PATH_MAX];
    struct stat about;
    const int length = snprintf(file, sizeof file, "%s%s", path, ending);
    state = mix(state, path, strlen(path));
    if (length >= (int)sizeof file || lstat(file, &about) != 0)
        return state;
    const int64_t facts[] = {(int64_t)about.st_ino, (int64_t)about.st_size,
                             (int64_t)about.st_mtim.tv_sec, (int64_t)about.st_mtim.tv_nsec};
    return mix(state, facts, sizeof facts);
}

bool wch_is_written(const char *store) {
    char file[PATH_MAX];
    struct stat about;
    return snprintf(file, sizeof file, "%s-wal", store) < (int)sizeof file &&
           lstat(file, &about) == 0 && about.st_size > 0;
}

/* ---- Finding them. */

static col_status add(wch_places *p, const char *path, col_problem *problem) {
    const char *kept = base_arena_text(&p->arena, path, strlen(path));
    if (kept == NULL)
        return base_out_of_memory(problem);
    const col_status status =
        base_reserve(&p->stores, &p->capacity, (size_t)p->count + 1, sizeof *p->stores, problem);
    if (status != COL_OK)
        return status;
    p->stores[p->count++] = kept;
    return COL_OK;
}

/* Not of links: a folder names what is in it. */
static bool is_store(const char *path) {
    struct stat about;
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".db") == 0 && lstat(path, &about) == 0 &&
           S_ISREG(about.st_mode) && about.st_size > 0;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static col_status add_folder(wch_places *p, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    col_status status = COL_OK;
    DIR *list = opendir(folder);
    if (list == NULL)
        return base_refuse(problem, "cannot read the folder %.300s", folder);
    for (const struct dirent *entry;
         status == COL_OK && p->count < MOST_STORES && (entry = base_folder_next(list)) != NULL;)
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path &&
            is_store(path))
            status = add(p, path, problem);
    if (status == COL_OK && p->count < MOST_STORES && errno != 0)
        status = base_cannot_read(folder, errno, problem);
    (void)closedir(list);
    return status;
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The folder of a campaign on a cluster has the stores that its tasks have published. */
static col_status add_place(wch_places *p, const char *place, col_problem *problem) {
    char results[PATH_MAX];
    if (!is_folder(place) || cam_is_episode(place))
        return add(p, place, problem);
    if (snprintf(results, sizeof results, "%s/results", place) < (int)sizeof results &&
        is_folder(results))
        return add_folder(p, results, problem);
    return add_folder(p, place, problem);
}

/* In an order that does not depend on the file system. */
col_status wch_places_find(wch_places *p, const char *const *named, uint32_t count,
                           col_problem *problem) {
    col_status status = COL_OK;
    *p = (wch_places){0};
    for (uint32_t i = 0; i < count && status == COL_OK; i++) {
        const uint32_t first = p->count;
        status = add_place(p, named[i], problem);
        if (p->count > first)
            qsort(p->stores + first, p->count - first, sizeof *p->stores, by_text);
    }
    for (uint32_t i = 0; i < p->count; i++)
        p->state = state_of(state_of(p->state, p->stores[i], ""), p->stores[i], "-wal");
    return status;
}

void wch_places_free(wch_places *p) {
    free(p->stores);
    base_arena_free(&p->arena);
    *p = (wch_places){0};
}
