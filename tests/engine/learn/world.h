/* SPDX-License-Identifier: MIT */
/*
 * A world of random observations, rewards, sets of actions and ends. All of it is kept, and an
 * oracle works out from the definitions, step by step, what the network of an agent should be shown
 * there and what the loss of every sequence would be.
 */
#pragma once

#include "base/random.h"
#include "engine/learn/learning_agent.h"
#include "engine/learn/neural_network.h"

enum { WORLD_INPUTS = 3, WORLD_ACTIONS = 4, WORLD_STEPS = 120, WORLD_ATOMS = 5 };

typedef struct moment {
    float seen[WORLD_INPUTS];
    uint64_t allowed;
    uint32_t action;
    float reward;
    bool ended;
} moment;

typedef struct world {
    lrn_settings settings;
    lrn_agent *agent;
    base_rng rng;
    moment log[WORLD_STEPS];
    uint32_t count;
    /* the oracle's */
    lrn_network *network;
    size_t parameters;
    float *online, *target;
} world;

/* A deep Q network that learns from one step at a time. */
extern const lrn_settings world_settings;

lrn_agent *world_agent(const lrn_settings *settings, uint64_t seed);
void world_open(world *w, const lrn_settings *settings, uint64_t seed);
void world_close(world *w);

/* The oracle looks at the agent's networks as they are now. */
void world_take_networks(world *w);

/* The next step, whose action the agent chooses. */
const moment *world_act(world *w, lrn_choice *choice);
/* The values, and the action if it is not random, are those of what the agent can remember. */
void world_assert_values(const world *w, const lrn_choice *choice);

/* Whether a sequence can begin at a step, its loss, and the error that its priority is made of. */
typedef struct world_judgement {
    double loss, error;
} world_judgement;
bool world_can_start(const world *w, uint32_t start);
world_judgement world_judge(const world *w, uint32_t start);
