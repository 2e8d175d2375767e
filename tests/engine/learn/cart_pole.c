/* SPDX-License-Identifier: MIT */
/* The cart and the pole: see cart_pole.h. No sine of the C library, which chooses its way by the
 * processor: a life that differs in one bit is soon another one. */
#include "engine/learn/cart_pole.h"
#include "engine/learn/neural_network.h"

#include <math.h>

static const double gravity = 9.8, cart_mass = 1, pole_mass = 0.1, half_length = 0.5, force = 10,
                    tick = 0.02, most_position = 2.4, most_angle = 12 * 2 * 3.14159265358979 / 360;

static double small(base_rng *rng) {
    return 0.1 * base_rng_unit(rng) - 0.05;
}

void cart_pole_start(cart_pole *cart, base_rng *rng) {
    cart->position = small(rng);
    cart->speed = small(rng);
    cart->angle = small(rng);
    cart->turning = small(rng);
    cart->steps = 0;
}

/* By the square of an angle, the series of its cosine (odd -1), or of its sine over it (odd 1). The
 * next term is nothing for angles below a quarter of a right one. */
static double series(double square, int odd) {
    double sum = 1;
    for (int i = 16; i > 0; i -= 2)
        sum = 1 - sum * square / (i * (i + odd));
    return sum;
}

bool cart_pole_push(cart_pole *cart, uint32_t action) {
    const double mass = cart_mass + pole_mass, moment = pole_mass * half_length;
    const double square = cart->angle * cart->angle;
    const double cosine = series(square, -1), sine = cart->angle * series(square, 1);
    const double push =
        ((action == 1 ? force : -force) + moment * cart->turning * cart->turning * sine) / mass;
    const double twist = (gravity * sine - cosine * push) /
                         (half_length * (4.0 / 3.0 - pole_mass * cosine * cosine / mass));
    const double speeding = push - moment * twist * cosine / mass;
    cart->position += tick * cart->speed;
    cart->speed += tick * speeding;
    cart->angle += tick * cart->turning;
    cart->turning += tick * twist;
    cart->steps++;
    return fabs(cart->position) > most_position || fabs(cart->angle) > most_angle ||
           cart->steps == CART_STEPS;
}

void cart_pole_look(const cart_pole *cart, float *observation) {
    observation[0] = (float)(cart->position / most_position);
    observation[1] = (float)(cart->speed / 2);
    observation[2] = (float)(cart->angle / most_angle);
    observation[3] = (float)(cart->turning / 2);
}

const lrn_settings cart_pole_settings = {
    .inputs = CART_INPUTS,
    .actions = CART_ACTIONS,
    .history = 1,
    .neurons = 32,
    .layers = 2,
    .atoms = 1,
    .least = 0,
    .most = 100,
    .twice = 1,
    .ahead = 1,
    .discount = 0.99,
    .method = LRN_ADAM,
    .rate = 0.003,
    .longest = 10,
    .batch = 32,
    .replay = 10000,
    .warm_up = 200,
    .train_every = 1,
    .target_every = 200,
    .importance = 0.4,
    .importance_steps = 5000,
    .epsilon = 1,
    .last_epsilon = 0.02,
    .epsilon_steps = 2000,
};

uint32_t cart_pole_live(lrn_agent *agent, base_rng *rng) {
    cart_pole cart;
    bool is_over = false;
    for (cart_pole_start(&cart, rng); !is_over;) {
        float seen[CART_INPUTS];
        double loss = 0;
        cart_pole_look(&cart, seen);
        is_over = cart_pole_push(&cart, lrn_agent_act(agent, seen, 3).action);
        (void)lrn_agent_learn(agent, 1, is_over, &loss);
    }
    return cart.steps;
}

double cart_pole_measure(lrn_agent *agent, uint32_t lives) {
    double sum = 0;
    base_rng rng;
    base_rng_seed(&rng, 777, 1);
    lrn_agent_freeze(agent, true);
    for (uint32_t i = 0; i < lives; i++)
        sum += cart_pole_live(agent, &rng);
    lrn_agent_freeze(agent, false);
    return sum / lives;
}
