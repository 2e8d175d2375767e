/* SPDX-License-Identifier: MIT */
/* A folder that a group of tests works in: see own_folder.h. */
#include "cli/own_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char own_folder[64];

int make_own_folder(void **state) {
    (void)state;
    (void)snprintf(own_folder, sizeof own_folder, "/tmp/collider-cli-XXXXXX");
    return mkdtemp(own_folder) == NULL || chdir(own_folder) != 0;
}

int remove_own_folder(void **state) {
    char command[80];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", own_folder);
    return chdir("/") != 0 || system(command) != 0; /* NOLINT: a folder of our own */
}
