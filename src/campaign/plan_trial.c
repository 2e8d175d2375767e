/* SPDX-License-Identifier: MIT */
/* What the pairs of a trial say as they are, without the settings that they stand for. */
#include "campaign/plan.h"

#include "duv/options.h"

#include <string.h>

const char *const cam_kinds[CAM_KIND_COUNT + 1] = {"episode", "tour", "locations", NULL};

const char *cam_trial_value(const cam_trial *trial, const char *name) {
    for (uint32_t i = 0; i < trial->pair_count; i++) /* a million trials are asked often */
        if (trial->pairs[i].name[0] == name[0] && strcmp(trial->pairs[i].name, name) == 0)
            return trial->pairs[i].value;
    return NULL;
}

/* A mechanism that cores are told to do without is an error, too. */
bool cam_trial_hunts(const cam_trial *trial) {
    const char *design = cam_trial_value(trial, "design");
    return cam_trial_value(trial, "error") != NULL || cam_trial_value(trial, "mutant") != NULL ||
           (design != NULL && duv_options_inject(design, cam_trial_value(trial, "options")));
}

bool cam_selects(const cam_selector *selector, cam_kind kind, const cam_pair *pairs,
                 uint32_t count) {
    const cam_trial trial = {.kind = kind, .pairs = pairs, .pair_count = count};
    for (uint32_t i = 0; i < selector->count; i++) {
        const cam_pair *wanted = &selector->pairs[i];
        const char *value = strcmp(wanted->name, "kind") == 0
                                ? cam_kinds[kind]
                                : cam_trial_value(&trial, wanted->name);
        if (strcmp(value == NULL ? CAM_NONE : value, wanted->value) != 0)
            return false;
    }
    return true;
}
