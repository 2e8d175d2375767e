/* SPDX-License-Identifier: MIT */
/*
 * The designs that have a name: see design.h. The first file of a name counts (library.h says where
 * they are looked for); a file goes before the built-in protocol of the same name.
 */
#include "sim/design.h"

#include <string.h>

static const base_library_place place = {
    .variable = "COLLIDER_DESIGNS", .source = COLLIDER_SOURCE_DESIGNS, .kind = "designs"};

bool sim_design_list_path(const char *name, char *path, size_t size) {
    return base_library_path(&place, name, path, size);
}

col_status sim_design_list_make(sim_design_list *list, col_problem *problem) {
    *list = (sim_design_list){0};
    col_status status = base_library_add_files(list, &place, problem);
    for (const sl_protocol *const *p = sim_built_in; status == COL_OK && *p != NULL; p++)
        status = base_library_add(list, (*p)->name, strlen((*p)->name), "", problem);
    if (status != COL_OK) {
        base_library_free(list);
        return status;
    }
    base_library_sort(list);
    base_library_keep_first(list);
    return COL_OK;
}

void sim_design_list_free(sim_design_list *list) {
    base_library_free(list);
}

const sim_design_entry *sim_design_list_find(const sim_design_list *list, const char *name) {
    return base_library_find(list, name);
}
