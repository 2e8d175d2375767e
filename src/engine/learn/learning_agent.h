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
#ifndef LEARN_AGENT_H
#define LEARN_AGENT_H

#include "base/json.h"
#include "base/problem.h"

#include <stdbool.h>
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

/* Refuses settings that make no sense with a sentence. Takes all memory that it will ever need. */
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

#endif
