/* SPDX-License-Identifier: MIT */
/*
 * The designs that have a name: see design.h. Files are looked for in the folder that
 * COLLIDER_DESIGNS names, in the source tree that this was built from, and where they are installed
 * beside the command. The first of a name counts; a file goes before the built-in protocol of the
 * same name.
 */
#include "base/memory.h"
#include "sim/design.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const sim_design_entry *sim_design_list_find(const sim_design_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entries[i].name, name) == 0)
            return &list->entries[i];
    return NULL;
}

static col_status add(sim_design_list *list, const char *name, size_t length, const char *path,
                      col_error *error) {
    sim_design_entry entry = {0};
    if (length == 0 || length >= sizeof entry.name || strlen(path) >= sizeof entry.path)
        return COL_OK; /* no name for a design */
    memcpy(entry.name, name, length);
    memcpy(entry.path, path, strlen(path));
    if (sim_design_list_find(list, entry.name) != NULL)
        return COL_OK;
    const col_status status =
        col_reserve(&list->entries, &list->capacity, list->count + 1, sizeof entry, error);
    if (status == COL_OK)
        list->entries[list->count++] = entry;
    return status;
}

/* A folder that is not there has no designs. */
static col_status add_folder(sim_design_list *list, const char *path, col_error *error) {
    static const char ending[] = ".yaml";
    const size_t ending_length = sizeof ending - 1;
    col_status status = COL_OK;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return COL_OK;
    for (const struct dirent *entry; status == COL_OK && (entry = readdir(folder)) != NULL;) {
        char file[1024];
        const size_t length = strlen(entry->d_name);
        if (length <= ending_length ||
            strcmp(entry->d_name + length - ending_length, ending) != 0 || entry->d_name[0] == '.')
            continue;
        const int written = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (written > 0 && (size_t)written < sizeof file)
            status = add(list, entry->d_name, length - ending_length, file, error);
    }
    (void)closedir(folder);
    return status;
}

/* <prefix>/share/collider/designs of a command that is <prefix>/bin/collider. */
static col_status add_installed(sim_design_list *list, col_error *error) {
    static const char place[] = "/share/collider/designs";
    char path[1024];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof place);
    if (length <= 0)
        return COL_OK;
    path[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return COL_OK;
        *slash = '\0';
    }
    memcpy(path + strlen(path), place, sizeof place);
    return add_folder(list, path, error);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const sim_design_entry *)a)->name, ((const sim_design_entry *)b)->name);
}

col_status sim_design_list_make(sim_design_list *list, col_error *error) {
    const char *folder = getenv("COLLIDER_DESIGNS");
    *list = (sim_design_list){0};
    col_status status =
        folder == NULL || folder[0] == '\0' ? COL_OK : add_folder(list, folder, error);
    if (status == COL_OK)
        status = add_folder(list, COLLIDER_SOURCE_DESIGNS, error);
    if (status == COL_OK)
        status = add_installed(list, error);
    for (const sl_protocol *const *p = sim_built_in; status == COL_OK && *p != NULL; p++)
        status = add(list, (*p)->name, strlen((*p)->name), "", error);
    if (status != COL_OK)
        sim_design_list_free(list);
    else if (list->count > 0)
        qsort(list->entries, list->count, sizeof *list->entries, by_name);
    return status;
}

void sim_design_list_free(sim_design_list *list) {
    free(list->entries);
    *list = (sim_design_list){0};
}
