/* SPDX-License-Identifier: MIT */
/* A trial and the settings that its pairs stand for: see trial.h. */
#include "campaign/trial.h"

#include "base/problem.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* ---- The settings of each kind. */

static_assert(sizeof(col_tour_protocol) == sizeof(int), "enums are read as int");

#define TOUR(name, form, member, least, most, words)                                               \
    { name, form, offsetof(col_tour_settings, member), least, most, words, 0 }

static const epi_field tour_fields[] = {
    TOUR("protocol", EPI_CHOICE, protocol, 0, 0, col_tour_protocols),
    TOUR("cores", EPI_NUMBER, cores, 2, 24, NULL),
    TOUR("method", EPI_CHOICE, method, 0, 0, col_tour_methods),
    TOUR("clusters", EPI_NUMBER, clusters, 2, 8, NULL),
    TOUR("inclusive", EPI_FLAG, inclusive, 0, 0, NULL),
    TOUR("most-operations", EPI_LARGE, most_operations, 1, INT64_MAX, NULL),
    TOUR("memory", EPI_LARGE, most_bytes, 0, INT64_MAX, NULL),
    TOUR("seed", EPI_LARGE, seed, 0, INT64_MAX, NULL),
    {NULL, EPI_TEXT, 0, 0, 0, NULL, 0},
};

/* Of the trial, not of its episode: the target is a bool. */
static const epi_field learning_field = {"learning", EPI_FLAG, 0, 0, 0, NULL, 0};

static const char *const location_names[] = {"design", "cores",     "options", "engine",
                                             "ops",    "locations", "sets",    "mix",
                                             "tests",  "instances", "seed",    NULL};

static bool is_among(const char *name, const char *const *names) {
    for (; *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static bool has(cam_kind kind, const char *name) {
    if (kind == CAM_LOCATIONS)
        return is_among(name, location_names);
    return kind == CAM_TOUR || strcmp(name, "jobs") != 0; /* jobs are the campaign's */
}

const epi_field *cam_field_find(cam_kind kind, const char *name, uint32_t *place) {
    const epi_field *fields = kind == CAM_TOUR ? tour_fields : epi_fields;
    const epi_field *field = epi_field_find(fields, name);
    if (kind == CAM_EPISODE && strcmp(name, learning_field.name) == 0) {
        *place = UINT32_MAX;
        return &learning_field;
    }
    if (field == NULL || !has(kind, name))
        return NULL;
    *place = (uint32_t)(field - fields);
    return field;
}

const epi_field *cam_field_at(cam_kind kind, uint32_t index) {
    const epi_field *fields = kind == CAM_TOUR ? tour_fields : epi_fields;
    for (const epi_field *field = fields; field->name != NULL; field++)
        if (has(kind, field->name) && index-- == 0)
            return field;
    return kind == CAM_EPISODE && index == 0 ? &learning_field : NULL;
}

void cam_field_list(cam_kind kind, base_text *list) {
    const epi_field *field = NULL;
    for (uint32_t i = 0; (field = cam_field_at(kind, i)) != NULL; i++)
        base_text_print(list, "%s%s", i == 0 ? "" : ", ", field->name);
    if (kind == CAM_EPISODE)
        base_text_add(list, ", shrink");
}

col_status cam_field_try(const epi_field *field, const char *text, col_problem *problem) {
    union {
        bool learns;
        col_tour_settings tour;
        col_episode_settings episode;
    } any;
    memset(&any, 0, sizeof any);
    return epi_field_read(field, text, "", &any, problem);
}

/* ---- Of a trial. */

static col_status read_pairs(const cam_trial *trial, const epi_field *fields, void *settings,
                             col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < trial->pair_count && status == COL_OK; i++) {
        const epi_field *field = epi_field_find(fields, trial->pairs[i].name);
        const cam_pair *pair = &trial->pairs[i];
        if (field != NULL)
            status = epi_field_read(field, pair->path != NULL ? pair->path : pair->value, "",
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
    settings->method = COL_TOUR_POSTMAN; /* as the command */
    return read_pairs(trial, tour_fields, settings, problem);
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
