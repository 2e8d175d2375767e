/* SPDX-License-Identifier: MIT */
/* Plug-ins: see plugin.h. */
#include "base/plugin.h"

#include "base/path.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool base_is_plugin(const char *what) {
    return base_path_ends(what, ".so");
}

/* Without a slash it would be looked for in the folders of libraries. */
col_status base_plugin_load(const char *what, const char *symbol, const void **found, void **code,
                            col_problem *problem) {
    char file[PATH_MAX];
    const char *folder = strchr(what, '/') == NULL ? "./" : "";
    if ((size_t)snprintf(file, sizeof file, "%s%s", folder, what) >= sizeof file)
        return base_refuse(problem, "the path of the plug-in is too long");
    void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL)
        return base_refuse(problem, "cannot load the plug-in: %s", dlerror());
    *found = dlsym(plugin, symbol);
    if (*found == NULL) {
        (void)dlclose(plugin);
        return base_refuse(problem, "%.200s is not a plug-in: it does not define %s", what, symbol);
    }
    *code = plugin;
    return COL_OK;
}

void base_plugin_unload(void *code) {
    (void)dlclose(code);
}

/* The path of an open file. The loader takes files whose paths are spelled alike for one and the
 * same, so the number is part of the spelling: a "." more or less for each of its bits. */
static void spell_path(char path[256], int file, uint64_t number) {
    char *at = path + sprintf(path, "/proc/self/fd");
    for (int bit = 0; bit < 64; bit++)
        at += sprintf(at, (number >> bit & 1) != 0 ? "/." : "/");
    (void)sprintf(at, "/%d", file);
}

col_status base_plugin_open(const char *path, int file, uint64_t number, void **code,
                            col_problem *problem) {
    char spelled[256];
    spell_path(spelled, file, number);
    *code = dlopen(spelled, RTLD_NOW | RTLD_LOCAL);
    if (*code != NULL)
        return COL_OK;
    const char *reason = dlerror(), *colon = strstr(reason, ": ");
    return base_fail(problem, "cannot load %.400s: %.400s", path,
                     colon == NULL ? reason : colon + 2);
}
