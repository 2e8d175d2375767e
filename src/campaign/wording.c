/* SPDX-License-Identifier: MIT */
/* Trials in a few words: see wording.h. */
#include "campaign/wording.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_known(const struct cam_varying *varying, const char *name) {
    for (size_t i = 0; i < varying->count; i++)
        if (strcmp(varying->names[i], name) == 0)
            return true;
    return false;
}

static col_status add_name(struct cam_varying *varying, const char *name, col_problem *problem) {
    if (is_known(varying, name))
        return COL_OK;
    const col_status status = base_reserve(&varying->names, &varying->capacity, varying->count + 1,
                                           sizeof *varying->names, problem);
    if (status == COL_OK)
        varying->names[varying->count++] = name;
    return status;
}

/* Settings of one trial that are otherwise, or not given, in the other. */
static col_status add_differences(struct cam_varying *varying, const cam_trial *trial,
                                  const cam_trial *other, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < trial->pair_count && status == COL_OK; i++) {
        const cam_pair *pair = &trial->pairs[i];
        const bool is_there =
            i < other->pair_count && strcmp(other->pairs[i].name, pair->name) == 0;
        const char *value = is_there ? other->pairs[i].value : cam_trial_value(other, pair->name);
        if (!is_same(pair->value, value))
            status = add_name(varying, pair->name, problem);
    }
    return status;
}

col_status cam_wording_begin(cam_wording *wording, const cam_plan *plan, col_problem *problem) {
    const cam_trial *last[CAM_KIND_COUNT] = {NULL};
    col_status status = COL_OK;
    *wording = (cam_wording){.plan = plan};
    for (size_t i = 0; i < plan->trial_count && status == COL_OK; i++) {
        const cam_trial *trial = &plan->trials[i], *before = last[trial->kind];
        struct cam_varying *varying = &wording->varying[trial->kind];
        last[trial->kind] = trial;
        if (before != NULL)
            status = add_differences(varying, trial, before, problem);
        if (before != NULL && status == COL_OK)
            status = add_differences(varying, before, trial, problem);
    }
    return status;
}

const char *cam_wording_of(cam_wording *wording, size_t position) {
    base_text text = {0};
    const cam_trial *trial = &wording->plan->trials[position];
    for (uint32_t i = 0; i < trial->pair_count; i++)
        if (is_known(&wording->varying[trial->kind], trial->pairs[i].name))
            base_text_print(&text, "%s%s", text.length == 0 ? "" : " ", trial->pairs[i].value);
    const char *copy =
        text.data == NULL ? "" : base_arena_text(&wording->texts, text.data, text.length);
    base_text_free(&text);
    return copy == NULL ? "" : copy;
}

void cam_wording_forget(cam_wording *wording) {
    base_arena_free(&wording->texts);
}

void cam_wording_end(cam_wording *wording) {
    base_arena_free(&wording->texts);
    for (int kind = 0; kind < CAM_KIND_COUNT; kind++)
        free(wording->varying[kind].names);
    *wording = (cam_wording){0};
}

/* ---- Groups. */

typedef struct member {
    uint64_t group; /* a hash of all but the seed */
    size_t position;
} member;

static uint64_t group_of(const cam_trial *trial) {
    uint64_t hash = trial->kind;
    for (uint32_t i = 0; i < trial->pair_count; i++) {
        const cam_pair *pair = &trial->pairs[i];
        if (strcmp(pair->name, "seed") == 0)
            continue;
        hash = XXH3_64bits_withSeed(pair->name, strlen(pair->name) + 1, hash);
        hash = XXH3_64bits_withSeed(pair->value, strlen(pair->value) + 1, hash);
    }
    return hash;
}

static int compare(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

col_status cam_choose_kept(const cam_plan *plan, bool *kept, col_problem *problem) {
    member *members = calloc(plan->trial_count + 1, sizeof *members);
    if (members == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < plan->trial_count; i++)
        members[i] = (member){group_of(&plan->trials[i]), i};
    qsort(members, plan->trial_count, sizeof *members, compare);
    for (size_t i = 0; i < plan->trial_count; i++) {
        const bool is_late = i >= CAM_STORIES && members[i - CAM_STORIES].group == members[i].group;
        const cam_trial *trial = &plan->trials[members[i].position];
        kept[members[i].position] = !is_late || trial->shrink > 0;
    }
    free(members);
    return COL_OK;
}
