/* SPDX-License-Identifier: MIT */
/*
 * Agents that learn action values while they act: DQN and what Rainbow adds to it, each part on its
 * own switch: double learning, dueling heads, priorities, n-step returns, distributions over atoms,
 * noisy layers; and a recurrent layer. docs/learning.md explains.
 *
 * A life: act, learn, act, learn, ...; `ended` begins another one. What an agent sees of its state
 * is bounded: the last `history` pairs of an action and the observation after it, at once (stacked)
 * or, with a recurrent layer, one after the other. It starts from nothing when fewer are there.
 */
#pragma once

#include "base/json.h"
#include "base/memory.h"
#include "base/problem.h"
#include "engine/learn/elementary.h"
#include "engine/learn/neural_network.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are doubles and uint64_t so that tables of parameters can set them; switches are 0 or 1.
 */
typedef struct lrn_settings {
    uint64_t inputs, actions; /* of an observation; at most LRN_MOST_ACTIONS */
    uint64_t sees_actions;    /* the action before an observation belongs to it */
    uint64_t history;         /* steps that an agent remembers, and the length of sequences */
    uint64_t neurons, layers; /* of the dense layers; layers 0: none */
    uint64_t recurrent;       /* neurons of the recurrent layer; 0: none, the history is stacked */
    uint64_t atoms;           /* 1: expected values alone */
    double least, most;       /* return: the ends of the atoms */
    uint64_t dueling, noisy, twice; /* twice: double learning */
    uint64_t ahead;                 /* n of n-step returns; 1: one step */
    double discount;
    uint64_t method;       /* lrn_method */
    double rate;           /* of learning */
    double longest;        /* gradients are clipped to this length; 0: not */
    uint64_t batch;        /* sequences, or steps, of a training step */
    uint64_t replay;       /* steps that are kept */
    uint64_t warm_up;      /* steps before the first training */
    uint64_t train_every;  /* steps */
    uint64_t target_every; /* training steps between copies to the target network */
    double priority;       /* exponent; 0: uniform */
    double importance;     /* exponent at first; rises to 1 over `importance_steps` steps */
    uint64_t importance_steps;
    double epsilon, last_epsilon; /* chance of a random action; falls linearly */
    uint64_t epsilon_steps;       /* over this many steps */
} lrn_settings;

/* What was chosen, and why. */
typedef struct lrn_choice {
    uint32_t action;
    bool is_random;
    double epsilon;
    const float *values; /* by action: expected returns; valid until the next choice */
} lrn_choice;

typedef struct lrn_agent lrn_agent;

/* Refuses settings that do not go together with a sentence; each by itself is within bounds. Takes
 * all memory that it will ever need. */
col_status lrn_agent_new(lrn_agent **agent, const lrn_settings *settings, uint64_t seed,
                         col_problem *problem);
void lrn_agent_free(lrn_agent *agent);

/* Among the allowed actions, a set that is not empty. Asked again before anything came of it, the
 * last choice and what was seen then are forgotten. */
lrn_choice lrn_agent_act(lrn_agent *agent, const float *observation, uint64_t allowed);

/* What came of the last action; nothing if there is none. The reward is finite, and best of the
 * size of 1. Trains if it is time; then *loss is the mean loss of the batch and the result is true.
 */
bool lrn_agent_learn(lrn_agent *agent, double reward, bool ended, double *loss);

/* All that the agent knows, its chance included; an agent with the same settings goes on as if it
 * had never stopped. Saved between an act and its learn, or after a learn. An agent that refused to
 * be restored has its networks, and nothing else to rely on. */
json_t *lrn_agent_save(const lrn_agent *agent);
col_status lrn_agent_restore(lrn_agent *agent, const json_t *saved, col_problem *problem);

/* The networks alone, from what another agent of the same shape saved: a trained one to begin with.
 */
col_status lrn_agent_load(lrn_agent *agent, const json_t *saved, col_problem *problem);

/* Plays what it knows, a life from its beginning: no chance, no training (to measure a policy).
 * Ends with `false`; the life under way then goes on. */
void lrn_agent_freeze(lrn_agent *agent, bool is_frozen);

/*
 * What an agent has lived through, step after step, in a ring: the newest steps replace the oldest.
 * Where to learn from is drawn by priority (how wrong the agent was there last time) or uniformly.
 * Priorities are whole numbers: their sums are exact, whatever was added and replaced before.
 */

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

/*
 * What an agent is made of, for the files that are the agent: acting and training
 * (learning_agent.c), and saving (agent_file.c).
 *
 * A training step looks at `rows` moments of each of `batch` sequences: the first `losses` of them
 * are learned from, and `gap` rows after each of these is the moment its n-step return goes on
 * from. With a recurrent layer the rows are steps one after the other, so that both networks unroll
 * through them; without one a sequence is two moments, n steps apart.
 */

/* The life under way: what the agent remembers of it, and what it has just chosen. */
typedef struct lrn_life {
    float *inputs;    /* of the last steps, the newest last */
    uint32_t count;   /* of them: `history` at most */
    uint32_t before;  /* the last action; LRN_NO_ACTION: none */
    bool has_choice;  /* of which nothing is known yet: */
    uint32_t action;  /* what was chosen */
    uint64_t allowed; /* among what */
} lrn_life;

/* A sequence of the batch. */
typedef struct lrn_sample {
    uint32_t age; /* of its first step */
    uint64_t priority;
    float weight; /* of importance */
    float error_sum, error_most;
} lrn_sample;

struct lrn_agent {
    lrn_settings settings;
    uint32_t width;  /* numbers of a step: an observation, and the action before it if it is seen */
    uint32_t inputs; /* of the network: a step, or all that is remembered */
    uint32_t rows, losses, gap;
    lrn_support support;
    lrn_network *online, *target;
    size_t parameter_count;
    float *parameters, *target_parameters, *gradient;
    float *noise, *target_noise; /* NULL: none */
    lrn_optimiser optimiser;
    lrn_replay *replay;
    base_rng rng;
    uint64_t steps, trainings;
    lrn_life life, frozen_life;
    bool is_frozen;
    float *values;        /* by action, of the last choice */
    float *probabilities; /* by atom */
    lrn_sample *samples;
    float *batch_inputs, *batch_gradient;
    bool *batch_fresh;
    float *goal;      /* by atom */
    base_arena arena; /* of all arrays */
};

/*
 * Arrays of an agent as JSON: one string, eight hexadecimal digits for a number of four bytes. The
 * bits are kept, so a restored agent is the same to the last one.
 */

/* Items of 1, 4 or 8 bytes. */
json_t *lrn_save_items(const void *items, size_t count, size_t size);
/* False: there are not as many, or they are no such text. */
bool lrn_restore_items(const json_t *saved, size_t count, size_t size, void *items);
/* The same for floats, which have to be finite; `numbers` NULL looks whether they are. */
bool lrn_restore_floats(const json_t *saved, size_t count, float *numbers);

/* A key that has to be a whole number of at most `most`. */
bool lrn_restore_number(const json_t *saved, const char *key, uint64_t most, uint64_t *number);
