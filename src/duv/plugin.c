/* SPDX-License-Identifier: MIT */
/* Designs that are plug-ins: shared objects that define col_duv_plugin. */
#include "base/plugin.h"
#include "duv/kind.h"

void duv_plugin_identify(duv_hasher *hasher, const char *what, const char *error_name,
                         duv_identity *identity) {
    (void)error_name; /* it takes none */
    duv_hash_file(hasher, what);
    duv_hash_end(hasher, identity->file);
}

col_status duv_plugin_load(const char *what, const col_duv_interface **interface, void **code,
                           col_problem *problem) {
    const void *found = NULL;
    const col_status status = base_plugin_load(what, "col_duv_plugin", &found, code, problem);
    *interface = found;
    return status;
}
