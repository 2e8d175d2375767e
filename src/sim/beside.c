/* SPDX-License-Identifier: MIT */
/* Files of protocols by name: see beside.h. */
#include "sim/beside.h"

#include "base/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_in(const char *folder, const char *name, const char *ending,
                  char path[SIM_MOST_PATH]) {
    const int length = snprintf(path, SIM_MOST_PATH, "%s/%s/%s.%s", folder, name, name, ending);
    return length > 0 && length < SIM_MOST_PATH && access(path, R_OK) == 0;
}

bool sim_find_beside(const char *name, const char *ending, char path[SIM_MOST_PATH]) {
    const char *folder = getenv("COLLIDER_PROTOCOLS");
    char installed[SIM_MOST_PATH];
    return (folder != NULL && folder[0] != '\0' && is_in(folder, name, ending, path)) ||
           (base_installed_folder("protocols", installed, sizeof installed) &&
            is_in(installed, name, ending, path)) ||
           is_in(COLLIDER_SOURCE_PROTOCOLS, name, ending, path);
}
