/* SPDX-License-Identifier: MIT */
/* Keys of trials: see key.h. Parts of what is hashed are told apart by their lengths. */
#include "campaign/key.h"

#include "base/file.h"
#include "base/memory.h"
#include "campaign/trial.h"
#include "sim/design.h"
#include "sim/design_error.h"
#include "slicc/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A design with an error, without cores, options and mutant. */
typedef struct cam_identity {
    char *design, *error;
    char hash[CAM_HASH];
} cam_identity;

/* ---- Hashing. */

static void add_bytes(XXH3_state_t *state, const char *bytes, size_t length) {
    const uint64_t size = length;
    (void)XXH3_128bits_update(state, &size, sizeof size);
    (void)XXH3_128bits_update(state, bytes, length);
}

static void add_word(XXH3_state_t *state, const char *word) {
    add_bytes(state, word == NULL ? "" : word, word == NULL ? 0 : strlen(word));
}

static void finish(const XXH3_state_t *state, char hash[CAM_HASH]) {
    const XXH128_hash_t digest = XXH3_128bits_digest(state);
    (void)snprintf(hash, CAM_HASH, "%016llx%016llx", (unsigned long long)digest.high64,
                   (unsigned long long)digest.low64);
}

static void add_file(XXH3_state_t *state, const char *path) {
    col_text text = {0};
    if (col_file_read(path, &text, NULL) == COL_OK)
        add_bytes(state, text.data, text.length);
    else
        add_word(state, "cannot be read");
    col_text_free(&text);
}

/* ---- What a design is. */

static bool ends_with(const char *text, const char *ending) {
    const size_t length = strlen(text), size = strlen(ending);
    return length > size && strcmp(text + length - size, ending) == 0;
}

/* The design's own file, if it has one. */
static void add_design_file(XXH3_state_t *state, const char *what) {
    sim_design_list list;
    if (ends_with(what, ".yaml") || ends_with(what, ".yml")) {
        add_file(state, what);
        return;
    }
    if (sim_design_list_make(&list, NULL) != COL_OK)
        return;
    const sim_design_entry *entry = sim_design_list_find(&list, what);
    if (entry != NULL && entry->path[0] != '\0')
        add_file(state, entry->path);
    sim_design_list_free(&list);
}

/* Of a user's protocol: the C that it becomes, which follows from its files. */
static void add_protocol(XXH3_state_t *state, const sim_design *design) {
    col_text c = {0}, complaints = {0};
    char name[SLICC_MOST_NAME];
    if (design->plugin.source[0] == '\0')
        add_word(state, sim_built_in_hash(design->protocol));
    else if (slicc_translate(design->plugin.source, &c, name, &complaints, NULL) == COL_OK)
        add_bytes(state, c.data, c.length);
    col_text_free(&c);
    col_text_free(&complaints);
}

static void add_error(XXH3_state_t *state, const char *error, const sl_protocol *protocol) {
    sim_design_error *wrong = NULL;
    if (sim_design_error_open(&wrong, error, protocol, NULL) == COL_OK)
        add_file(state, wrong->path);
    else
        add_word(state, "no such error");
    sim_design_error_free(wrong);
}

static void add_simulated(XXH3_state_t *state, const char *what, const char *error) {
    sim_design design;
    col_text complaints = {0};
    add_design_file(state, what);
    /* The number of cores matters to the wiring alone, which is the file's and the protocol's. */
    if (sim_design_open(&design, what, 0, &complaints, NULL) != COL_OK) {
        add_word(state, "cannot be opened");
    } else {
        add_protocol(state, &design);
        if (error != NULL)
            add_error(state, error, design.protocol);
        sim_design_close(&design);
    }
    col_text_free(&complaints);
}

static bool is_same(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static cam_identity *find(const cam_identities *identities, const char *design, const char *error) {
    for (size_t i = 0; i < identities->count; i++)
        if (is_same(identities->list[i].design, design) &&
            is_same(identities->list[i].error, error))
            return &identities->list[i];
    return NULL;
}

static col_status identify(cam_identities *identities, const char *design, const char *error_name,
                           const cam_identity **identity, col_error *error) {
    XXH3_state_t state;
    *identity = find(identities, design, error_name);
    if (*identity != NULL)
        return COL_OK;
    const col_status status = col_reserve(&identities->list, &identities->capacity,
                                          identities->count + 1, sizeof *identities->list, error);
    if (status != COL_OK)
        return status;
    cam_identity *new = &identities->list[identities->count];
    *new = (cam_identity){.design = strdup(design),
                          .error = error_name == NULL ? NULL : strdup(error_name)};
    identities->count++;
    if (new->design == NULL || (error_name != NULL && new->error == NULL))
        return col_out_of_memory(error);
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    if (ends_with(design, ".so"))
        add_file(&state, design);
    else
        add_simulated(&state, design, error_name);
    finish(&state, new->hash);
    *identity = new;
    return COL_OK;
}

void cam_identities_free(cam_identities *identities) {
    for (size_t i = 0; i < identities->count; i++) {
        free(identities->list[i].design);
        free(identities->list[i].error);
    }
    free(identities->list);
    *identities = (cam_identities){0};
}

col_status cam_design_hash(const cam_trial *trial, cam_identities *identities, char hash[CAM_HASH],
                           col_error *error) {
    col_episode_settings settings;
    const cam_identity *identity = NULL;
    XXH3_state_t state;
    hash[0] = '\0';
    if (trial->kind == CAM_TOUR || cam_trial_value(trial, "design") == NULL)
        return COL_OK;
    if (cam_trial_episode(trial, &settings, NULL) != COL_OK)
        return COL_OK; /* it will be refused when its turn comes */
    const col_setting *s = &settings.setting;
    const col_status status = identify(identities, s->design, s->error, &identity, error);
    if (status != COL_OK)
        return status;
    const uint32_t numbers[] = {s->cores, s->mutant};
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    add_word(&state, identity->hash);
    add_word(&state, s->options);
    (void)XXH3_128bits_update(&state, numbers, sizeof numbers);
    finish(&state, hash);
    return COL_OK;
}

/* ---- Keys. */

void cam_key(const cam_trial *trial, const char *design_hash, char key[CAM_HASH]) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    add_word(&state, cam_kinds[trial->kind]);
    for (uint32_t i = 0; i < trial->pair_count; i++) {
        add_word(&state, trial->pairs[i].name);
        add_word(&state, trial->pairs[i].value);
    }
    add_word(&state, design_hash);
    finish(&state, key);
}

col_status cam_keys_make(cam_keys *keys, const cam_plan *plan, col_error *error) {
    cam_identities identities = {0};
    col_status status = COL_OK;
    *keys = (cam_keys){.keys = calloc(plan->trial_count + 1, CAM_HASH),
                       .designs = calloc(plan->trial_count + 1, CAM_HASH),
                       .count = plan->trial_count};
    if (keys->keys == NULL || keys->designs == NULL)
        return col_out_of_memory(error);
    for (size_t i = 0; i < plan->trial_count && status == COL_OK; i++) {
        status = cam_design_hash(&plan->trials[i], &identities, keys->designs[i], error);
        if (status == COL_OK)
            cam_key(&plan->trials[i], keys->designs[i], keys->keys[i]);
    }
    cam_identities_free(&identities);
    return status;
}

void cam_keys_free(cam_keys *keys) {
    free(keys->keys);
    free(keys->designs);
    *keys = (cam_keys){0};
}
