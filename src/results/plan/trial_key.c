/* SPDX-License-Identifier: MIT */
/* Keys of trials: see trial_key.h. Parts of what is hashed are told apart by their lengths. */
#include "results/plan/trial_key.h"

#include "base/file.h"
#include "base/memory.h"
#include "design/design_kind.h"
#include "episode/episode_judge.h"
#include "results/plan/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A design with an error, without cores, options and mutant. */
typedef struct cam_identity {
    char *design, *error;
    duv_identity is;
} cam_identity;

/* A model in cat. */
typedef struct cam_model {
    char *file, *include;
    char hash[EPI_MODEL_HASH];
} cam_model;

/* ---- Hashing. */

static void add_bytes(XXH3_state_t *state, const char *bytes, size_t length) {
    const uint64_t size = length;
    (void)XXH3_128bits_update(state, &size, sizeof size);
    (void)XXH3_128bits_update(state, bytes, length);
}

static void add_word(XXH3_state_t *state, const char *word) {
    add_bytes(state, word == NULL ? "" : word, word == NULL ? 0 : strlen(word));
}

void cam_hash_print(XXH128_hash_t digest, char hash[CAM_HASH]) {
    (void)snprintf(hash, CAM_HASH, "%016llx%016llx", (unsigned long long)digest.high64,
                   (unsigned long long)digest.low64);
}

/* ---- What a design is. */

static bool is_same(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static col_status identify(cam_identities *identities, const char *design, const char *error_name,
                           const cam_identity **identity, col_problem *problem) {
    for (size_t i = 0; i < identities->count; i++) {
        *identity = &identities->list[i];
        if (is_same((*identity)->design, design) && is_same((*identity)->error, error_name))
            return COL_OK;
    }
    col_status status = base_reserve(&identities->list, &identities->capacity,
                                     identities->count + 1, sizeof *identities->list, problem);
    if (status != COL_OK)
        return status;
    cam_identity *new = &identities->list[identities->count];
    *new = (cam_identity){.design = strdup(design),
                          .error = error_name == NULL ? NULL : strdup(error_name)};
    status = new->design == NULL || (error_name != NULL && new->error == NULL)
                 ? base_out_of_memory(problem)
                 : duv_identify(&new->is, design, error_name, problem);
    if (status != COL_OK) {
        free(new->design);
        free(new->error);
        return status;
    }
    identities->count++;
    *identity = new;
    return COL_OK;
}

void cam_identities_free(cam_identities *identities) {
    for (size_t i = 0; i < identities->count; i++) {
        free(identities->list[i].design);
        free(identities->list[i].error);
    }
    free(identities->list);
    for (size_t i = 0; i < identities->model_count; i++) {
        free(identities->models[i].file);
        free(identities->models[i].include);
    }
    free(identities->models);
    *identities = (cam_identities){0};
}

col_status cam_design_hash(const cam_trial *trial, cam_identities *identities, char hash[CAM_HASH],
                           col_problem *problem) {
    col_episode_settings settings;
    const cam_identity *identity = NULL;
    XXH3_state_t state;
    hash[0] = '\0';
    if (trial->kind == CAM_TOUR || cam_trial_value(trial, "design") == NULL)
        return COL_OK;
    if (cam_trial_episode(trial, &settings, NULL) != COL_OK)
        return COL_OK; /* it will be refused when its turn comes */
    const col_setting *s = &settings.setting;
    const col_status status =
        identify(identities, s->design.name, s->design.error, &identity, problem);
    if (status != COL_OK)
        return status;
    const uint32_t cores = s->design.cores != 0 ? s->design.cores : identity->is.cores;
    const uint32_t numbers[] = {cores, s->design.mutant};
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    add_word(&state, identity->is.whole);
    add_word(&state, s->design.options);
    (void)XXH3_128bits_update(&state, numbers, sizeof numbers);
    cam_hash_print(XXH3_128bits_digest(&state), hash);
    return COL_OK;
}

/* ---- What a model is. */

static col_status hash_model(cam_identities *identities, const col_setting *setting,
                             const char **hash, col_problem *problem) {
    const char *include = setting->model_include != NULL ? setting->model_include : "";
    for (size_t i = 0; i < identities->model_count; i++) {
        *hash = identities->models[i].hash;
        if (strcmp(identities->models[i].file, setting->model_file) == 0 &&
            strcmp(identities->models[i].include, include) == 0)
            return COL_OK;
    }
    col_status status =
        base_reserve(&identities->models, &identities->model_capacity, identities->model_count + 1,
                     sizeof *identities->models, problem);
    if (status != COL_OK)
        return status;
    cam_model *new = &identities->models[identities->model_count];
    status = epi_model_hash_file(setting, new->hash, problem);
    if (status == COL_FAILURE)
        return status;
    if (status != COL_OK)
        new->hash[0] = '\0'; /* it is refused when its turn comes */
    new->file = strdup(setting->model_file);
    new->include = strdup(include);
    if (new->file == NULL || new->include == NULL) {
        free(new->file);
        free(new->include);
        return base_out_of_memory(problem);
    }
    identities->model_count++;
    *hash = new->hash;
    return COL_OK;
}

static col_status add_model(XXH3_state_t *state, const cam_trial *trial, cam_identities *identities,
                            col_problem *problem) {
    col_episode_settings settings;
    const char *hash = NULL;
    if (trial->kind != CAM_EPISODE || cam_trial_episode(trial, &settings, NULL) != COL_OK ||
        !epi_model_is_cat(&settings.setting))
        return COL_OK;
    const col_status status = hash_model(identities, &settings.setting, &hash, problem);
    if (status == COL_OK)
        add_word(state, hash);
    return status;
}

/* ---- Keys. */

/* An engine that is a plug-in is what is in its file, as a design is. */
static col_status add_engine(XXH3_state_t *state, const cam_trial *trial, col_problem *problem) {
    col_episode_settings settings;
    base_text bytes = {0};
    if (trial->kind != CAM_EPISODE || cam_trial_episode(trial, &settings, NULL) != COL_OK ||
        !epi_engine_is_code(settings.engine))
        return COL_OK;
    const col_status status = base_file_read(settings.engine, &bytes, problem);
    if (status == COL_OK)
        add_bytes(state, bytes.data == NULL ? "" : bytes.data, bytes.length);
    base_text_free(&bytes);
    return status == COL_BAD_INPUT ? COL_OK : status; /* it is refused when its turn comes */
}

col_status cam_key(const cam_trial *trial, const char *design_hash, cam_identities *identities,
                   char key[CAM_HASH], col_problem *problem) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    add_word(&state, cam_kinds[trial->kind]);
    for (uint32_t i = 0; i < trial->pair_count; i++) {
        add_word(&state, trial->pairs[i].name);
        add_word(&state, trial->pairs[i].value);
    }
    add_word(&state, design_hash);
    col_status status = add_engine(&state, trial, problem);
    if (status == COL_OK)
        status = add_model(&state, trial, identities, problem);
    cam_hash_print(XXH3_128bits_digest(&state), key);
    return status;
}

col_status cam_keys_make(cam_keys *keys, const cam_plan *plan, col_problem *problem) {
    cam_identities identities = {0};
    col_status status = COL_OK;
    *keys = (cam_keys){.keys = calloc(plan->trial_count + 1, CAM_HASH),
                       .designs = calloc(plan->trial_count + 1, CAM_HASH),
                       .count = plan->trial_count};
    if (keys->keys == NULL || keys->designs == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < plan->trial_count && status == COL_OK; i++) {
        status = cam_design_hash(&plan->trials[i], &identities, keys->designs[i], problem);
        if (status == COL_OK)
            status =
                cam_key(&plan->trials[i], keys->designs[i], &identities, keys->keys[i], problem);
    }
    cam_identities_free(&identities);
    return status;
}

void cam_keys_free(cam_keys *keys) {
    free(keys->keys);
    free(keys->designs);
    *keys = (cam_keys){0};
}
