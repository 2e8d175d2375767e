/* SPDX-License-Identifier: MIT */
/*
 * What an agent is made of, for the files that are the agent: acting (agent.c), training
 * (agent_train.c), and saving (agent_file.c).
 *
 * A training step looks at `rows` moments of each of `batch` sequences: the first `losses` of them
 * are learned from, and `gap` rows after each of these is the moment its n-step return goes on
 * from. With a recurrent layer the rows are steps one after the other, so that both networks unroll
 * through them; without one a sequence is two moments, n steps apart.
 */
#ifndef LEARN_AGENT_PARTS_H
#define LEARN_AGENT_PARTS_H

#include "learn/agent.h"
#include "learn/distribution.h"
#include "learn/network.h"
#include "learn/optimiser.h"
#include "learn/replay.h"

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
    float *goal; /* by atom */
};

/* The numbers of a step as networks see it. */
void lrn_agent_see(const lrn_agent *agent, const float *observation, uint32_t before, float *step);
/* The expected return of an action whose result of the network this is. */
float lrn_agent_value(const lrn_agent *agent, const float *result);
/* From `first` at the beginning to `last` after this many steps. */
double lrn_schedule(double first, double last, uint64_t steps, uint64_t step);

/* False: there is too little to learn from. */
bool lrn_agent_train(lrn_agent *agent, double *loss);

#endif
