/* SPDX-License-Identifier: MIT */
/* A trial and the settings that its pairs stand for: see trial.h. */
#include "results/plan/trial.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/problem.h"
#include "base/text.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- The settings of each kind. */

const base_field cam_tour_fields[] = {
#define ROW(place, word, form, member, ...)                                                        \
    [CAM_TOUR_##place] = {BASE_FIELD(word, form, col_tour_settings, member), __VA_ARGS__},
    CAM_TOUR_SETTINGS(ROW)
#undef ROW
        [CAM_TOUR_SETTING_COUNT] = {.name = NULL}};

/* Of the trial, not of its episode: the target is a bool. */
static const base_field learning_field = {
    .name = "learning", .kind = BASE_FLAG, .size = sizeof(bool)};

static const char *const location_names[] = {"design", "cores",     "options", "engine",
                                             "ops",    "locations", "sets",    "mix",
                                             "tests",  "instances", "seed",    NULL};

static bool has(cam_kind kind, const char *name) {
    if (kind == CAM_LOCATIONS)
        return base_choice_find(location_names, name, strlen(name), &(uint32_t){0});
    return kind == CAM_TOUR || strcmp(name, "jobs") != 0; /* jobs are the campaign's */
}

const base_field *cam_field_find(cam_kind kind, const char *name, uint32_t *place) {
    const base_field *fields = kind == CAM_TOUR ? cam_tour_fields : epi_fields;
    const base_field *field = base_field_find(fields, name);
    if (kind == CAM_EPISODE && strcmp(name, learning_field.name) == 0) {
        *place = UINT32_MAX;
        return &learning_field;
    }
    if (field == NULL || !has(kind, name))
        return NULL;
    *place = (uint32_t)(field - fields);
    return field;
}

const base_field *cam_field_at(cam_kind kind, uint32_t index) {
    const base_field *fields = kind == CAM_TOUR ? cam_tour_fields : epi_fields;
    for (const base_field *field = fields; field->name != NULL; field++)
        if (has(kind, field->name) && index-- == 0)
            return field;
    return kind == CAM_EPISODE && index == 0 ? &learning_field : NULL;
}

void cam_field_list(cam_kind kind, base_text *list) {
    const base_field *field = NULL;
    for (uint32_t i = 0; (field = cam_field_at(kind, i)) != NULL; i++)
        base_text_print(list, "%s%s", i == 0 ? "" : ", ", field->name);
    if (kind == CAM_EPISODE)
        base_text_add(list, ", shrink");
}

col_status cam_field_try(const base_field *field, const char *text, col_problem *problem) {
    union {
        bool learns;
        col_tour_settings tour;
        col_episode_settings episode;
    } any;
    memset(&any, 0, sizeof any);
    return base_field_read(field, text, "", &any, problem);
}

/* ---- Of a trial. */

static col_status read_pairs(const cam_trial *trial, const base_field *fields, void *settings,
                             col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < trial->pair_count && status == COL_OK; i++) {
        const base_field *field = base_field_find(fields, trial->pairs[i].name);
        const cam_pair *pair = &trial->pairs[i];
        if (field != NULL)
            status = base_field_read(field, pair->path != NULL ? pair->path : pair->value, "",
                                     settings, problem);
    }
    return status;
}

col_status cam_trial_episode(const cam_trial *trial, col_episode_settings *settings,
                             col_problem *problem) {
    epi_settings_begin(settings);
    settings->repeat = false; /* in a plan a trial ends with its engine unless it says otherwise */
    const col_status status = read_pairs(trial, epi_fields, settings, problem);
    epi_settings_end(settings);
    return status;
}

col_status cam_trial_tour(const cam_trial *trial, col_tour_settings *settings,
                          col_problem *problem) {
    col_tour_default(settings);
    base_fields_default(cam_tour_fields, settings);
    return read_pairs(trial, cam_tour_fields, settings, problem);
}

bool cam_trial_learns(const cam_trial *trial) {
    return cam_trial_value(trial, learning_field.name) != NULL;
}

void cam_trial_print(const cam_trial *trial, base_text *text) {
    if (trial->kind != CAM_EPISODE)
        base_text_add(text, cam_kinds[trial->kind]);
    for (uint32_t i = 0; i < trial->pair_count; i++)
        base_text_print(text, "%s%s=%s", text->length == 0 ? "" : " ", trial->pairs[i].name,
                        trial->pairs[i].value);
}

/* Trials in a few words. */

static bool is_same(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_known(const struct cam_varying *varying, const char *name) {
    for (size_t i = 0; i < varying->count; i++)
        if (strcmp(varying->names[i], name) == 0)
            return true;
    return false;
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
        if (is_same(pair->value, value) || is_known(varying, pair->name))
            continue;
        status = base_reserve(&varying->names, &varying->capacity, varying->count + 1,
                              sizeof *varying->names, problem);
        if (status == COL_OK)
            varying->names[varying->count++] = pair->name;
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
    for (size_t i = 0; i < plan->trial_count; i++) {
        const cam_trial *trial = &plan->trials[i];
        members[i] = (member){trial->kind, i};
        for (uint32_t k = 0; k < trial->pair_count; k++) {
            const cam_pair *pair = &trial->pairs[k];
            uint64_t *hash = &members[i].group;
            if (strcmp(pair->name, "seed") == 0)
                continue;
            *hash = XXH3_64bits_withSeed(pair->name, strlen(pair->name) + 1, *hash);
            *hash = XXH3_64bits_withSeed(pair->value, strlen(pair->value) + 1, *hash);
        }
    }
    qsort(members, plan->trial_count, sizeof *members, compare);
    for (size_t i = 0; i < plan->trial_count; i++) {
        const bool is_late = i >= CAM_STORIES && members[i - CAM_STORIES].group == members[i].group;
        const cam_trial *trial = &plan->trials[members[i].position];
        kept[members[i].position] = !is_late || trial->shrink > 0;
    }
    free(members);
    return COL_OK;
}

/* Shards of a plan. */

/* A number without sign or blanks; false: there is none. */
static bool take_number(const char **at, uint32_t *number) {
    uint64_t value = 0;
    const char *start = *at;
    while (**at >= '0' && **at <= '9' && value <= CAM_MOST_SHARDS)
        value = value * 10 + (uint64_t)(*(*at)++ - '0');
    *number = (uint32_t)value;
    return *at != start && value >= 1 && value <= CAM_MOST_SHARDS;
}

col_status cam_shard_read(cam_shard *shard, const char *text, col_problem *problem) {
    const char *at = text;
    if (take_number(&at, &shard->number) && *at++ == '/' && take_number(&at, &shard->count) &&
        *at == '\0' && shard->number <= shard->count)
        return COL_OK;
    return base_refuse(problem,
                       "--shard takes K/N with K from 1 to N and N at most %d, such as 3/8, not "
                       "'%.40s'",
                       CAM_MOST_SHARDS, text);
}

/* Keys are hashes: their first bits spread evenly. */
bool cam_shard_has(const cam_shard *shard, const char *key) {
    enum { DIGITS = 15 };
    char first[DIGITS + 1] = "";
    memcpy(first, key, strnlen(key, DIGITS));
    return shard->count == 0 || strtoull(first, NULL, 16) % shard->count == shard->number - 1;
}

void cam_shard_choose(const cam_shard *shard, const cam_keys *keys, bool *chosen) {
    for (size_t i = 0; i < keys->count; i++)
        chosen[i] = chosen[i] && cam_shard_has(shard, keys->keys[i]);
}
