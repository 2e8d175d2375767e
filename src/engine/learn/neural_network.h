/* SPDX-License-Identifier: MIT */
/*
 * The networks of agents: dense layers (ReLU), a recurrent layer (tanh) if there is one, and the
 * head: for each action a value, or a distribution of values as logits over atoms; dueling heads
 * have a stream for the state and one for what each action is better than the average of them.
 *
 * Parameters are one array that the caller owns, so that a target network is a copy and an
 * optimiser needs to know nothing of layers. All memory is taken when a network is made.
 */
#pragma once

#include "base/problem.h"
#include "base/random.h"

#include <stdbool.h>

enum { LRN_MOST_DENSE = 4, LRN_MOST_ACTIONS = 64 };

typedef struct lrn_shape {
    uint32_t inputs, actions;
    uint32_t dense[LRN_MOST_DENSE], dense_count; /* neurons of the layers before the recurrent */
    uint32_t recurrent;                          /* neurons; 0: no such layer */
    uint32_t atoms;                              /* of an action's distribution; 1: a value alone */
    bool dueling;
    bool noisy; /* the head's layers have noise (factorised) that is learned, too */
} lrn_shape;

typedef struct lrn_network lrn_network;

/* For at most this many steps at once: the length of sequences times their number. */
col_status lrn_network_new(lrn_network **network, const lrn_shape *shape, uint32_t most_steps,
                           col_problem *problem);
void lrn_network_free(lrn_network *network);

size_t lrn_network_parameters(const lrn_network *network); /* how many */
size_t lrn_network_noise(const lrn_network *network);      /* numbers of a draw; 0: not noisy */

void lrn_network_initialise(const lrn_network *network, base_rng *rng, float *parameters);
void lrn_network_draw_noise(const lrn_network *network, base_rng *rng, float *noise);

/* `count` sequences of `length` steps, step by step: inputs[step][sequence][input]. Where `fresh`
 * [step][sequence] says so, nothing is remembered of the steps before; nothing is at the first step
 * either. NULL says so nowhere. Without `noise` (NULL) the noisy layers are what they are on
 * average. The result, [step][sequence][action][atom], is valid until the next call. */
const float *lrn_network_forward(lrn_network *network, const float *parameters, const float *noise,
                                 const float *inputs, const bool *fresh, uint32_t length,
                                 uint32_t count);

/* After a forward pass with the same parameters and noise, whose inputs are still there: adds to
 * `gradient` (as the parameters) what follows from the gradient of the result. */
void lrn_network_backward(lrn_network *network, const float *parameters, const float *noise,
                          const float *result_gradient, float *gradient);

/* Gradient descent: Adam and RMSProp. */

typedef enum lrn_method { LRN_ADAM, LRN_RMSPROP, LRN_METHOD_COUNT } lrn_method;
extern const char *const lrn_methods[LRN_METHOD_COUNT + 1]; /* their words, ended by NULL */

/* The arrays are the caller's, as many numbers as there are parameters, 0 at first. */
typedef struct lrn_optimiser {
    lrn_method method;
    float rate;
    uint64_t steps; /* done */
    size_t count;
    float *first, *second; /* moments of the gradient; RMSProp has no first */
} lrn_optimiser;

void lrn_optimiser_step(lrn_optimiser *optimiser, const float *gradient, float *parameters);

/* Makes the gradient no longer than `most`, unless that is 0; returns how long it was. */
float lrn_clip(size_t count, float *gradient, float most);
