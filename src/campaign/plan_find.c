/* SPDX-License-Identifier: MIT */
/* Plans by name: see plan_find.h. */
#include "campaign/plan_find.h"

#include "base/nearest.h"
#include "base/path.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_path(const char *what) {
    return strchr(what, '/') != NULL || base_path_ends(what, ".yaml") ||
           base_path_ends(what, ".yml") || access(what, F_OK) == 0;
}

static col_status make_list(base_library *list, col_problem *problem) {
    static const base_library_place place = {
        .variable = "COLLIDER_PLANS", .source = COLLIDER_SOURCE_PLANS, .kind = "plans"};
    const col_status status = base_library_add_files(list, &place, problem);
    base_library_sort(list);
    base_library_keep_first(list);
    return status;
}

static col_status refuse_name(const base_library *list, const char *what, col_problem *problem) {
    base_nearest nearest = {.text = what};
    for (size_t i = 0; i < list->count; i++)
        base_nearest_try(&nearest, list->entries[i].name);
    if (nearest.word != NULL)
        return base_refuse(problem, "there is no plan '%.100s'; did you mean '%s'?", what,
                           nearest.word);
    base_text names = {0};
    for (size_t i = 0; i < list->count; i++)
        base_text_print(&names, "%s%s", i == 0 ? ", or one of " : ", ", list->entries[i].name);
    const col_status status =
        base_refuse(problem, "there is no plan '%.100s'; give a plan file (.yaml)%.600s", what,
                    names.length == 0 ? "" : names.data);
    base_text_free(&names);
    return status;
}

static col_status copy(char path[PATH_MAX], const char *from, col_problem *problem) {
    const int length = snprintf(path, PATH_MAX, "%s", from);
    return length >= 0 && length < PATH_MAX
               ? COL_OK
               : base_refuse(problem, "the path of the plan is too long");
}

col_status cam_plan_find(char path[PATH_MAX], const char *what, col_problem *problem) {
    if (is_path(what))
        return copy(path, what, problem);
    base_library list = {0};
    col_status status = make_list(&list, problem);
    const base_library_file *file = base_library_find(&list, what);
    if (status == COL_OK)
        status = file == NULL ? refuse_name(&list, what, problem) : copy(path, file->path, problem);
    base_library_free(&list);
    return status;
}
