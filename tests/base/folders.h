/* SPDX-License-Identifier: MIT */
/* Tests that work in an empty folder of their own each. */
#pragma once

#include "base/folder.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* A path in the folder; at most four at a time. */
static const char *in_folder(const char *name) {
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/collider-base-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    (void)state;
    base_folder_remove("/tmp", folder + strlen("/tmp/"));
    return access(folder, F_OK) == 0;
}

#define IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

static int count_entries(const char *path) {
    DIR *entries = opendir(path);
    assert_non_null(entries);
    int count = -2; /* "." and ".." */
    while (readdir(entries) != NULL)
        count++;
    (void)closedir(entries);
    return count;
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
