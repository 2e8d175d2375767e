/* SPDX-License-Identifier: MIT */
/* A folder for files: see folder.h. */
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>

char folder[] = "/tmp/collider-episode-XXXXXX";

int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

int remove_folder(void **state) {
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}
