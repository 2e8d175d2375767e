/* SPDX-License-Identifier: MIT */
/*
 * The cart with a pole on it (Barto, Sutton and Anderson 1983, with the constants that everybody
 * uses): it is pushed left or right, fifty times a second, and must keep the pole up.
 */
#pragma once

#include "base/random.h"
#include "engine/learn/learning_agent.h"

enum { CART_INPUTS = 4, CART_ACTIONS = 2, CART_STEPS = 200 };

typedef struct cart_pole {
    double position, speed, angle, turning;
    uint32_t steps;
} cart_pole;

void cart_pole_start(cart_pole *cart, base_rng *rng);
/* True: it is over, because it fell or was up long enough. */
bool cart_pole_push(cart_pole *cart, uint32_t action);
/* Scaled to about 1. */
void cart_pole_look(const cart_pole *cart, float *observation);

/* A deep Q network for it. */
extern const lrn_settings cart_pole_settings;
/* The agent plays one life; returns how many steps it had. The reward of each is 1. */
uint32_t cart_pole_live(lrn_agent *agent, base_rng *rng);
/* The mean over this many lives, the same ones each time, of a frozen agent. */
double cart_pole_measure(lrn_agent *agent, uint32_t lives);
