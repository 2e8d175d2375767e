/* SPDX-License-Identifier: MIT */
/*
 * The designs that have a name: see design.h. The first file of a name counts (library.h says where
 * they are looked for); a file goes before the built-in protocol of the same name.
 */
#include "sim/design.h"

#include <string.h>

/* Sorted, so that those of a name are together. */
static void keep_first(sim_design_list *list) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || strcmp(list->entries[kept - 1].name, list->entries[i].name) != 0)
            list->entries[kept++] = list->entries[i];
    list->count = kept;
}

col_status sim_design_list_make(sim_design_list *list, col_problem *problem) {
    static const sim_library_place place = {
        .variable = "COLLIDER_DESIGNS", .source = COLLIDER_SOURCE_DESIGNS, .kind = "designs"};
    *list = (sim_design_list){0};
    col_status status = sim_library_add_files(list, &place, problem);
    for (const sl_protocol *const *p = sim_built_in; status == COL_OK && *p != NULL; p++)
        status = sim_library_add(list, (*p)->name, strlen((*p)->name), "", problem);
    if (status != COL_OK) {
        sim_library_free(list);
        return status;
    }
    sim_library_sort(list);
    keep_first(list);
    return COL_OK;
}

void sim_design_list_free(sim_design_list *list) {
    sim_library_free(list);
}

const sim_design_entry *sim_design_list_find(const sim_design_list *list, const char *name) {
    return sim_library_find(list, name);
}
