/* SPDX-License-Identifier: MIT */
/* A folder that a group of tests works in, for cmocka's group functions. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char own_folder[64];

/* Makes it, and it is the working folder. */
static int make_own_folder(void **state) {
    (void)state;
    (void)snprintf(own_folder, sizeof own_folder, "/tmp/collider-cli-XXXXXX");
    return mkdtemp(own_folder) == NULL || chdir(own_folder) != 0;
}

static int remove_own_folder(void **state) {
    char command[80];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", own_folder);
    return chdir("/") != 0 || system(command) != 0; /* NOLINT: a folder of our own */
}
