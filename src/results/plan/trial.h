/* SPDX-License-Identifier: MIT */
/*
 * A trial and the settings that its pairs stand for. Which settings there are is a matter of the
 * trial's kind: an episode has those of collider run, a tour those of collider tour, a study of
 * locations a few of an episode's.
 */
#pragma once

#include "base/hash.h"
#include "collider/tour.h"
#include "episode/episode_settings.h"
#include "results/plan/plan.h"

/* The settings of a tour, as plans and collider tour have them. X(PLACE, name, kind, member of
 * col_tour_settings, the rest of a base_field). */
#define CAM_TOUR_SETTINGS(X)                                                                       \
    X(PROTOCOL, "protocol", BASE_WORD, protocol, .argument = "NAME", .initial = "mesi",            \
      .words = col_tour_protocols, .help = "%s")                                                   \
    X(CORES, "cores", BASE_NUMBER, cores, .argument = "N", .initial = "8", .least = 2, .most = 24, \
      .help = "cores, each with a private cache: 2 to 24")                                         \
    X(METHOD, "method", BASE_WORD, method, .argument = "NAME", .initial = "postman",               \
      .words = col_tour_methods, .help = "%s; see below")                                          \
    X(CLUSTERS, "clusters", BASE_NUMBER, clusters, .argument = "C", .least = 2, .most = 8,         \
      .help = "the cores of each of C clusters share a second-level cache (euler, postman)")       \
    X(INCLUSIVE, "inclusive", BASE_FLAG, inclusive,                                                \
      .help = "the second level holds what its cores hold")                                        \
    X(OPERATIONS, "most-operations", BASE_NUMBER, most_operations, .initial = "1Mi", .least = 1,   \
      .most = INT64_MAX)                                                                           \
    X(MEMORY, "memory", BASE_NUMBER, most_bytes, .argument = "N", .initial = "2048Mi",             \
      .most = INT64_MAX, .help = "bytes that counting the coverage may take")                      \
    X(SEED, "seed", BASE_NUMBER, seed, .argument = "N", .initial = "1", .most = INT64_MAX,         \
      .help = "the seed of random and jammer")

typedef enum cam_tour_setting {
#define CAM_TOUR_PLACE(place, ...) CAM_TOUR_##place,
    CAM_TOUR_SETTINGS(CAM_TOUR_PLACE)
#undef CAM_TOUR_PLACE
        CAM_TOUR_SETTING_COUNT
} cam_tour_setting;

extern const base_field cam_tour_fields[CAM_TOUR_SETTING_COUNT + 1]; /* ended by a NULL name */

/* The setting of this name and its place in the order of pairs; NULL: the kind has no such setting.
 */
const base_field *cam_field_find(cam_kind kind, const char *name, uint32_t *place);

/* The settings of a kind in their order; NULL behind the last. */
const base_field *cam_field_at(cam_kind kind, uint32_t index);

/* Adds the names of a kind's settings, with commas between them. */
void cam_field_list(cam_kind kind, base_text *list);

/* Is it the file of known bugs? */
bool cam_field_is_known(const base_field *field);

/* Is this a value of the setting? Says in the error what it takes. */
col_status cam_field_try(const base_field *field, const char *text, col_problem *problem);

/* The path of its file of known bugs; NULL: it has none. */
const char *cam_trial_known(const cam_trial *trial);

/* The settings of an episode, or of a study of locations; texts belong to the trial. */
col_status cam_trial_episode(const cam_trial *trial, col_episode_settings *settings,
                             col_problem *problem);
col_status cam_trial_tour(const cam_trial *trial, col_tour_settings *settings,
                          col_problem *problem);

/* They have the same value of a setting, or both none. */
bool cam_trials_share(const cam_trial *a, const cam_trial *b, const char *name);

/* What its engine learns is to be kept. */
bool cam_trial_learns(const cam_trial *trial);

/* Adds all its pairs, "design=mesi3 engine=htg seed=3". */
void cam_trial_print(const cam_trial *trial, base_text *text);

/* Trials in a few words: the values of the settings in which the plan's trials of the same kind
 * differ. And which of trials that differ in the seed alone, a group, keep the story of their
 * failure. */

typedef struct cam_wording {
    const cam_plan *plan;
    struct cam_varying {
        const char **names;
        size_t count, capacity;
    } varying[CAM_KIND_COUNT]; /* settings in which trials of this kind differ */
    base_arena texts;
} cam_wording;

col_status cam_wording_begin(cam_wording *wording, const cam_plan *plan, col_problem *problem);
/* Lasts until cam_wording_forget. */
const char *cam_wording_of(cam_wording *wording, size_t position);
void cam_wording_forget(cam_wording *wording);
void cam_wording_end(cam_wording *wording);

/* The first few trials of each group, and those that are shrunk: a story for each of thousands of
 * seeds would be more than anybody reads. Follows from the plan alone. */
enum { CAM_STORIES = 3 };
col_status cam_choose_kept(const cam_plan *plan, bool *kept, col_problem *problem);

/* Which combinations of a few settings occur in a plan: its designs, the values of one axis, its
 * groups. */

/* Names to tell trials apart by, instead of a list: all settings, and all but the seed. */
extern const char *const cam_all_settings[];
extern const char *const cam_all_but_seed[];

typedef struct cam_distinct {
    const cam_plan *plan; /* must outlive this, as must the names */
    const char *const *names;
    size_t count;      /* of combinations */
    size_t *positions; /* of the first trial with each, in the plan's order */
    size_t *trials;    /* how many have it */
    base_index index;  /* of combinations */
} cam_distinct;

/* `names` ends with NULL. Trials of different kinds are never the same. Start from {0}; free also
 * after an error. */
col_status cam_distinct_find(cam_distinct *distinct, const cam_plan *plan, const char *const *names,
                             col_problem *problem);
void cam_distinct_free(cam_distinct *distinct);

/* Which combination a trial has, of this plan or another; SIZE_MAX: none of these. */
size_t cam_distinct_place(const cam_distinct *distinct, const cam_trial *trial);

/*
 * What a trial is, as 128 bits: its kind, its settings, what its design is, and what a model in cat
 * says. A design is its protocol (of a built-in one, the source it was compiled from), its design
 * file, the error or mutant put in, its options and its number of cores; a plug-in is its bytes.
 * The tool's version is not part of it: it is where a result comes from, not what was asked.
 */

enum { CAM_HASH = 33 }; /* hexadecimal, with its end */
void cam_hash_print(XXH128_hash_t digest, char hash[CAM_HASH]);

/* Of all trials of a plan: keys[i] is that of trial i, and designs[i] that of its design; empty if
 * it has none, such as tours. What cannot be read has a key, too: the trial will be refused, and be
 * another once it is there. */
typedef struct cam_keys {
    char (*keys)[CAM_HASH];
    char (*designs)[CAM_HASH];
    size_t count;
} cam_keys;
col_status cam_keys_make(cam_keys *keys, const cam_plan *plan, col_problem *problem);
void cam_keys_free(cam_keys *keys);

/* A part of a plan for one of several machines: trials belong to shards by their keys, so that
 * shards are disjoint and complete whoever runs them, whenever, in whatever order. */

enum { CAM_MOST_SHARDS = 1000000 };

typedef struct cam_shard {
    uint32_t number, count; /* from 1 to count; count 0: the whole plan */
} cam_shard;

/* "3/8". */
col_status cam_shard_read(cam_shard *shard, const char *text, col_problem *problem);
bool cam_shard_has(const cam_shard *shard, const char *key);
/* Clears chosen[i] of the trials of other shards. */
void cam_shard_choose(const cam_shard *shard, const cam_keys *keys, bool *chosen);
