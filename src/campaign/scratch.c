/* SPDX-License-Identifier: MIT */
/* Temporary folders: see scratch.h. */
#include "campaign/scratch.h"

#include "base/folder.h"
#include "campaign/running.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK ".trial-"
#define RUNNING_MARK ".running-"

void cam_scratch_name(char *path, size_t size, const char *store, int64_t campaign,
                      uint32_t worker) {
    (void)snprintf(path, size, "%s" MARK "%lld-%u", store, (long long)campaign, worker);
}

/* The campaign whose file of running trials this is; 0: it is none. */
static int64_t publisher_of(const char *name, const char *store) {
    char same[PATH_MAX];
    const size_t length = strlen(store), mark = strlen(RUNNING_MARK);
    if (strncmp(name, store, length) != 0 || strncmp(name + length, RUNNING_MARK, mark) != 0)
        return 0;
    const int64_t campaign = strtoll(name + length + mark, NULL, 10);
    cam_running_name(same, sizeof same, store, campaign);
    return campaign > 0 && strcmp(name, same) == 0 ? campaign : 0;
}

/* The campaign that a name in the store's folder belongs to; 0: it is something else. Folders are
 * removed for it: it must be such a name to the letter. */
static int64_t campaign_of(const char *name, const char *store) {
    char same[PATH_MAX];
    const size_t length = strlen(store), mark = strlen(MARK);
    if (strncmp(name, store, length) != 0 || strncmp(name + length, MARK, mark) != 0)
        return publisher_of(name, store);
    char *end = NULL;
    const int64_t campaign = strtoll(name + length + mark, &end, 10);
    if (*end != '-' || campaign <= 0)
        return 0;
    cam_scratch_name(same, sizeof same, store, campaign, (uint32_t)strtoul(end + 1, NULL, 10));
    return strcmp(name, same) == 0 ? campaign : 0;
}

static col_status sweep(cam_store *store, const char *folder, const char *name, int64_t campaign,
                        const cam_process *self, col_problem *problem) {
    char path[PATH_MAX];
    col_status status = COL_OK;
    DIR *list = opendir(folder);
    if (list == NULL)
        return COL_OK;
    for (struct dirent *entry = readdir(list); entry != NULL && status == COL_OK;
         entry = readdir(list)) {
        bool is_alive = false;
        const int64_t owner = campaign_of(entry->d_name, name);
        if (owner == 0)
            continue;
        if (owner != campaign)
            status = cam_is_alive(store, owner, self, &is_alive, problem);
        if (status == COL_OK && !is_alive &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            base_folder_remove_path(path);
    }
    (void)closedir(list);
    return status;
}

col_status cam_scratch_sweep(cam_store *store, const char *path, int64_t campaign,
                             const cam_process *self, col_problem *problem) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return sweep(store, ".", path, campaign, self, problem);
    if (snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path) >=
        (int)sizeof folder)
        return COL_OK;
    return sweep(store, folder, slash + 1, campaign, self, problem);
}
