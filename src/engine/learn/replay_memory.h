/* SPDX-License-Identifier: MIT */
/*
 * What an agent has lived through, step after step, in a ring: the newest steps replace the oldest.
 * Where to learn from is drawn by priority (how wrong the agent was there last time) or uniformly.
 * Priorities are whole numbers: their sums are exact, whatever was added and replaced before.
 */
#ifndef ENGINE_LEARN_REPLAY_MEMORY_H
#define ENGINE_LEARN_REPLAY_MEMORY_H

#include "base/json.h"
#include "base/problem.h"
#include "base/random.h"

#include <stdbool.h>

#define LRN_NO_ACTION UINT32_MAX

enum { LRN_MOST_REPLAY = 1 << 20 };

/* A step: what was seen, what was done then, and what came of it. */
typedef struct lrn_step {
    const float *seen; /* numbers of an observation */
    uint32_t before;   /* the action that led to it; LRN_NO_ACTION: a life begins */
    uint32_t action;
    uint64_t allowed; /* a set: the actions that could be chosen */
    float reward;
    bool ended; /* nothing follows: the next step is the first of another life */
} lrn_step;

typedef struct lrn_replay lrn_replay;

/* `priority`: the exponent, 0 to 1; 0 draws uniformly. All memory is taken here. */
col_status lrn_replay_new(lrn_replay **replay, uint32_t capacity, uint32_t inputs, float priority,
                          col_problem *problem);
void lrn_replay_free(lrn_replay *replay);

/* With the highest priority that was ever given. */
void lrn_replay_add(lrn_replay *replay, const lrn_step *step);
uint32_t lrn_replay_count(const lrn_replay *replay);
bool lrn_replay_is_full(const lrn_replay *replay);
/* By age: 0 is the oldest that is still there. `seen` is valid until the next step is added. */
lrn_step lrn_replay_step(const lrn_replay *replay, uint32_t age);

/* Draws one of the ages `first` to `last` that are there. Its priority is relative: chances are in
 * proportion to priorities. */
uint32_t lrn_replay_draw(const lrn_replay *replay, base_rng *rng, uint32_t first, uint32_t last,
                         uint64_t *priority);
/* How wrong the agent was in what begins there. */
void lrn_replay_judge(lrn_replay *replay, uint32_t age, float error);

/* `actions`: those that a saved step can have. */
json_t *lrn_replay_save(const lrn_replay *replay);
col_status lrn_replay_restore(lrn_replay *replay, uint32_t actions, const json_t *saved,
                              col_problem *problem);

#endif
