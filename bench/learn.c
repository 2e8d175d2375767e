/* SPDX-License-Identifier: MIT */
/*
 * What an agent costs: the time to choose an action, and of a training step, for the shapes that
 * the directing engines have by default. The reference, measured beside, is the time that the
 * multiplications of the networks alone take in one large matrix product.
 */
#include "base/clock.h"
#include "base/random.h"
#include "engine/learn/learning_agent.h"
#include "engine/learn/neural_network.h"

#include <stdio.h>
#include <stdlib.h>

/* Batches and replays as the engines' tables have them; what costs no time is left at anything. */
static const lrn_settings rlg = {
    .inputs = 2,
    .history = 8,
    .neurons = 10,
    .layers = 1,
    .recurrent = 10,
    .atoms = 11,
    .least = 0,
    .most = 5,
    .dueling = 1,
    .noisy = 1,
    .twice = 1,
    .ahead = 3,
    .discount = 0.9,
    .method = LRN_ADAM,
    .rate = 0.01,
    .longest = 10,
    .batch = 16,
    .replay = 1024,
    .train_every = 1,
    .target_every = 20,
    .priority = 0.5,
    .importance = 0.4,
};
static const lrn_settings dqg = {
    .inputs = 21,
    .sees_actions = 1,
    .history = 4,
    .neurons = 64,
    .layers = 2,
    .atoms = 1,
    .ahead = 1,
    .discount = 0.9,
    .method = LRN_ADAM,
    .rate = 0.001,
    .longest = 10,
    .batch = 32,
    .replay = 4096,
    .train_every = 1,
    .target_every = 50,
};

static const struct subject {
    const char *name;
    const lrn_settings *settings;
    uint64_t actions;
} subjects[] = {{"rlg", &rlg, 4}, {"rlg-chain", &rlg, 6}, {"dqg", &dqg, 20}};

enum { ROUNDS = 5, STEPS = 400, WARM_UP = 600, PRODUCT = 64 };

static volatile float sink;

static void look(base_rng *rng, const lrn_settings *s, float *seen) {
    for (uint64_t i = 0; i < s->inputs; i++)
        seen[i] = (float)base_rng_unit(rng);
}

/* Mean seconds of acting and learning over so many steps. */
static void run(lrn_agent *agent, const lrn_settings *s, base_rng *rng, uint32_t steps,
                double *acting, double *learning) {
    const uint64_t all = UINT64_MAX >> (64 - s->actions);
    float seen[64];
    *acting = *learning = 0;
    for (uint32_t i = 0; i < steps; i++) {
        double loss = 0;
        look(rng, s, seen);
        const double start = base_seconds();
        sink = lrn_agent_act(agent, seen, all).values[0];
        const double middle = base_seconds();
        (void)lrn_agent_learn(agent, base_rng_unit(rng), false, &loss);
        *learning += base_seconds() - middle;
        *acting += middle - start;
    }
    *acting /= steps;
    *learning /= steps;
}

/* Seconds of a multiplication and an addition, in a product of two square matrices. */
static double time_product(void) {
    static float a[PRODUCT * PRODUCT], b[PRODUCT * PRODUCT], c[PRODUCT * PRODUCT];
    double best = 1e9;
    for (uint32_t i = 0; i < PRODUCT * PRODUCT; i++)
        a[i] = b[i] = (float)(i % 7) + 1;
    for (int round = 0; round < 20 * ROUNDS; round++) {
        const double start = base_seconds();
        lrn_multiply(PRODUCT, PRODUCT, PRODUCT, a, b, c, false);
        const double spent = base_seconds() - start;
        best = spent < best ? spent : best;
        sink = c[round];
    }
    return best / ((double)PRODUCT * PRODUCT * PRODUCT);
}

/* Multiplications of a forward pass for one step. */
static double work_of(const lrn_settings *s) {
    const double width = (double)(s->inputs + s->sees_actions * s->actions);
    double last = s->recurrent != 0 ? width : width * (double)s->history, work = 0;
    for (uint64_t i = 0; i < s->layers; i++) {
        work += last * (double)s->neurons;
        last = (double)s->neurons;
    }
    if (s->recurrent != 0) {
        work += (last + (double)s->recurrent) * (double)s->recurrent;
        last = (double)s->recurrent;
    }
    return work + last * (double)((s->actions + s->dueling) * s->atoms);
}

static void bench(const char *name, const lrn_settings *s) {
    lrn_agent *agent = NULL;
    col_problem problem;
    base_rng rng;
    double acting = 0, learning = 0, best_acting = 1e9, best_learning = 1e9;
    if (lrn_agent_new(&agent, s, 1, &problem) != COL_OK) {
        (void)fprintf(stderr, "bench: %s\n", problem.message);
        exit(COL_FAILURE);
    }
    base_rng_seed(&rng, 1, 1);
    run(agent, s, &rng, WARM_UP, &acting, &learning);
    for (int round = 0; round < ROUNDS; round++) {
        run(agent, s, &rng, STEPS, &acting, &learning);
        best_acting = acting < best_acting ? acting : best_acting;
        best_learning = learning < best_learning ? learning : best_learning;
    }
    /* A pass back is two forward. Networks are shown no more rows than they need. */
    const double product = time_product();
    const double length = s->recurrent != 0 ? (double)s->history : 1;
    const double later = s->recurrent != 0 ? (double)s->ahead : 1;
    const double online = s->twice != 0 ? length + later : length;
    const double target = s->recurrent != 0 ? length + later : later;
    const double rows = (3 * online + target) * (double)s->batch;
    (void)printf("%-10s act %7.1f us, %5.1f x product   train %8.1f us, %5.1f x product\n", name,
                 best_acting * 1e6, best_acting / (work_of(s) * length * product),
                 best_learning * 1e6, best_learning / (work_of(s) * rows * product));
    lrn_agent_free(agent);
}

int main(void) {
    (void)printf(
        "agents, one core: time to choose an action, and of a training step; and over that\n"
        "of as many multiplications in a product of %d x %d matrices\n",
        PRODUCT, PRODUCT);
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        lrn_settings settings = *subjects[i].settings;
        settings.actions = subjects[i].actions;
        bench(subjects[i].name, &settings);
    }
    return COL_OK;
}
