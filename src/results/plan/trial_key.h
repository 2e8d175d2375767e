/* SPDX-License-Identifier: MIT */
/*
 * What a trial is, as 128 bits: its kind, its settings, what its design is, and what a model in cat
 * says. A design is its protocol (of a built-in one, the source it was compiled from), its design
 * file, the error or mutant put in, its options and its number of cores; a plug-in is its bytes.
 * The tool's version is not part of it: it is where a result comes from, not what was asked.
 */
#ifndef RESULTS_PLAN_TRIAL_KEY_H
#define RESULTS_PLAN_TRIAL_KEY_H

#include "base/hash.h"
#include "results/plan/plan.h"

enum { CAM_HASH = 33 }; /* hexadecimal, with its end */
void cam_hash_print(XXH128_hash_t digest, char hash[CAM_HASH]);

/* What has been found out about designs and models, so that each file is read once. Start from {0}.
 */
typedef struct cam_identities {
    struct cam_identity *list;
    size_t count, capacity;
    struct cam_model *models;
    size_t model_count, model_capacity;
} cam_identities;
void cam_identities_free(cam_identities *identities);

/* Of a trial's design; empty if it has none, such as tours. A design that cannot be read has a hash
 * too: the trial will be refused, and be another once the design is there. */
col_status cam_design_hash(const cam_trial *trial, cam_identities *identities, char hash[CAM_HASH],
                           col_problem *problem);

col_status cam_key(const cam_trial *trial, const char *design_hash, cam_identities *identities,
                   char key[CAM_HASH], col_problem *problem);

/* Of all trials of a plan: keys[i] and design_hashes[i] are those of trial i. */
typedef struct cam_keys {
    char (*keys)[CAM_HASH];
    char (*designs)[CAM_HASH];
    size_t count;
} cam_keys;
col_status cam_keys_make(cam_keys *keys, const cam_plan *plan, col_problem *problem);
void cam_keys_free(cam_keys *keys);

#endif
