/* SPDX-License-Identifier: MIT */
/* The failures that a triage is about, read from their folders. */
#include "base/folder.h"
#include "base/memory.h"
#include "base/path.h"
#include "episode/triage/triage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_same_design(const epi_recorded *a, const epi_recorded *b) {
    return is_same_text(a->design, b->design) && is_same_text(a->options, b->options) &&
           is_same_text(a->error, b->error) && is_same_text(a->model_text, b->model_text) &&
           a->setting.design.cores == b->setting.design.cores &&
           a->setting.design.mutant == b->setting.design.mutant &&
           a->setting.design.reads_only == b->setting.design.reads_only &&
           a->setting.design.own_process == b->setting.design.own_process &&
           a->setting.limit == b->setting.limit && a->setting.model == b->setting.model;
}

static col_status add_case(const epi_triage_settings *settings, epi_triage *t, const char *folder,
                           col_problem *problem) {
    BASE_TRY(
        base_reserve(&t->cases, &t->case_capacity, t->case_count + 1, sizeof *t->cases, problem));
    epi_case *c = &t->cases[t->case_count];
    *c = (epi_case){.recorded = {.program = COL_PROGRAM_EMPTY}, .bug = EPI_NO_BUG};
    if (snprintf(c->folder, sizeof c->folder, "%s", folder) >= (int)sizeof c->folder)
        return base_refuse(problem, "the path %.400s is too long", folder);
    const col_status status =
        epi_failure_read(folder, settings->allow_code, &c->recorded, &c->was, problem);
    if (status != COL_OK) {
        epi_recorded_free(&c->recorded);
        return status;
    }
    c->was.operations = col_program_operations(&c->recorded.program);
    t->case_count++;
    return COL_OK;
}

/* All failures directly below the folder, in the order that they were found in. */
static col_status add_below(const epi_triage_settings *settings, epi_triage *t, const char *folder,
                            col_problem *problem) {
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return base_refuse(problem, "cannot read the folder %.400s: %s", folder, strerror(errno));
    col_status status = COL_OK;
    for (const struct dirent *e; status == COL_OK && (e = base_folder_next(entries)) != NULL;) {
        char path[PATH_MAX];
        if (strncmp(e->d_name, "failure-", strlen("failure-")) != 0)
            continue;
        status = base_path_in(path, folder, e->d_name, problem);
        if (status == COL_OK && base_folder_has(path, "failure.json"))
            status = add_case(settings, t, path, problem);
    }
    (void)closedir(entries);
    return status;
}

static int by_test(const void *left, const void *right) {
    const epi_case *a = left, *b = right;
    if (a->was.test != b->was.test)
        return a->was.test < b->was.test ? -1 : 1;
    if (a->was.instance != b->was.instance)
        return a->was.instance < b->was.instance ? -1 : 1;
    return strcmp(a->folder, b->folder);
}

col_status epi_triage_read(const epi_triage_settings *settings, epi_triage *t,
                           col_problem *problem) {
    for (size_t i = 0; i < settings->folder_count; i++) {
        const char *folder = settings->folders[i];
        const size_t before = t->case_count;
        BASE_TRY(base_folder_has(folder, "failure.json") ? add_case(settings, t, folder, problem)
                                                         : add_below(settings, t, folder, problem));
        if (t->case_count == before)
            return base_refuse(problem, "there are no failures in %.400s", folder);
    }
    if (t->case_count > 1)
        qsort(t->cases, t->case_count, sizeof *t->cases, by_test);
    for (size_t i = 0; i < t->case_count; i++)
        for (t->cases[i].design = 0;
             !is_same_design(&t->cases[t->cases[i].design].recorded, &t->cases[i].recorded);)
            t->cases[i].design++;
    return COL_OK;
}
