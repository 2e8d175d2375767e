/* SPDX-License-Identifier: MIT */
/*
 * What an agent has lived through, step after step, in a ring: the newest steps replace the oldest.
 * Sequences to learn from are drawn uniformly, or by priority (how wrong the agent was there last
 * time) with the importance weights that make up for it.
 */
#ifndef LEARN_REPLAY_H
#define LEARN_REPLAY_H

#include "base/error.h"
#include "base/json.h"
#include "base/rng.h"

#include <stdbool.h>

/* A step: what was seen, what was done then, and what came of it. */
typedef struct lrn_step {
    const float *seen; /* numbers of an observation */
    uint64_t allowed;  /* a set: the actions that could be chosen */
    uint32_t action;
    float reward;
    bool ended; /* nothing follows: the next step is the first of another life */
} lrn_step;

typedef struct lrn_replay lrn_replay;

/* `priority`: the exponent; 0 draws uniformly. */
col_status lrn_replay_new(lrn_replay **replay, uint32_t capacity, uint32_t inputs, float priority,
                          col_error *error);
void lrn_replay_free(lrn_replay *replay);

void lrn_replay_add(lrn_replay *replay, const lrn_step *step);
uint32_t lrn_replay_count(const lrn_replay *replay);
/* By age: 0 is the oldest that is still there. */
lrn_step lrn_replay_step(const lrn_replay *replay, uint32_t age);

/* Draws an age at which a sequence can begin whose last step has `after` steps behind it, at most
 * `last`; its weight is 1 at most, by the importance exponent. False: there is none. */
bool lrn_replay_draw(const lrn_replay *replay, col_rng *rng, uint32_t last, float importance,
                     uint32_t *age, float *weight);
/* How wrong the agent was in the sequence that begins there. New steps have the highest priority
 * that was ever given. */
void lrn_replay_judge(lrn_replay *replay, uint32_t age, float error);

json_t *lrn_replay_save(const lrn_replay *replay);
col_status lrn_replay_restore(lrn_replay *replay, const json_t *saved, col_error *error);

#endif
