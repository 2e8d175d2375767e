/* SPDX-License-Identifier: MIT */
/* Designs that are plug-ins: shared objects that define col_duv_plugin. */
#include "base/path.h"
#include "duv/kind.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool duv_plugin_opens(const char *what) {
    return base_path_ends(what, ".so");
}

void duv_plugin_identify(duv_hasher *hasher, const char *what, const char *error_name,
                         duv_identity *identity) {
    (void)error_name; /* it takes none */
    duv_hash_file(hasher, what);
    duv_hash_end(hasher, identity->file);
}

/* A file, not a name that the system's loader knows: without a slash it would be looked for in the
 * folders of libraries. */
col_status duv_plugin_load(const char *what, const col_duv_interface **interface, void **code,
                           col_problem *problem) {
    char file[PATH_MAX];
    const char *folder = strchr(what, '/') == NULL ? "./" : "";
    if ((size_t)snprintf(file, sizeof file, "%s%s", folder, what) >= sizeof file)
        return base_refuse(problem, "the path of the plug-in is too long");
    void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL)
        return base_refuse(problem, "cannot load the plug-in: %s", dlerror());
    *interface = dlsym(plugin, "col_duv_plugin");
    if (*interface == NULL) {
        (void)dlclose(plugin);
        return base_refuse(problem, "%.200s is not a plug-in: it does not define col_duv_plugin",
                           what);
    }
    *code = plugin;
    return COL_OK;
}

void duv_plugin_unload(void *code) {
    (void)dlclose(code);
}
