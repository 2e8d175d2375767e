/* SPDX-License-Identifier: MIT */
/*
 * Networks and optimisers together: a problem of memory that a recurrent layer solves and dense
 * ones cannot, and training that gives the same numbers everywhere.
 */
#include "engine/learn/neural_network.h"
#include "harness.h"

#include <string.h>

enum { LENGTH = 5, SEQUENCES = 16, STEPS = LENGTH * SEQUENCES, MOST_RESULTS = 6, MOST = 400 };

static float between(base_rng *rng, double least, double most) {
    return (float)(least + (most - least) * base_rng_unit(rng));
}

/* Trains to remember the first input of a sequence: the target of all results of every step.
 * Returns the squared error of the last round, and leaves the parameters. */
static double train(const lrn_shape *shape, int rounds, float *parameters) {
    const uint32_t results = shape->actions * shape->atoms;
    float gradient[MOST] = {0}, first[MOST] = {0}, second[MOST] = {0}, noise[MOST];
    float inputs[STEPS], wanted[STEPS * MOST_RESULTS];
    lrn_network *network;
    base_rng rng;
    double loss = 0;
    base_rng_seed(&rng, 31, 0);
    assert_int_equal(lrn_network_new(&network, shape, STEPS, NULL), COL_OK);
    const size_t count = lrn_network_parameters(network);
    assert_true(count <= MOST && lrn_network_noise(network) <= MOST && results <= MOST_RESULTS);
    lrn_optimiser optimiser = {.rate = 0.01F, .count = count, .first = first, .second = second};
    lrn_network_initialise(network, &rng, parameters);
    for (int round = 0; round < rounds; round++) {
        loss = 0;
        for (uint32_t i = 0; i < STEPS; i++)
            inputs[i] = between(&rng, -1, 1);
        lrn_network_draw_noise(network, &rng, noise);
        const float *given =
            lrn_network_forward(network, parameters, noise, inputs, NULL, LENGTH, SEQUENCES);
        for (uint32_t i = 0; i < STEPS * results; i++) {
            const float error = given[i] - inputs[i / results % SEQUENCES];
            loss += (double)error * error / (STEPS * results);
            wanted[i] = error / (float)(STEPS * results);
        }
        memset(gradient, 0, sizeof gradient);
        lrn_network_backward(network, parameters, noise, wanted, gradient);
        lrn_optimiser_step(&optimiser, gradient, parameters);
    }
    lrn_network_free(network);
    return loss;
}

/* The variance of the target is 1/3: that is the error of who remembers nothing, four steps of
 * five. */
TEST(a_recurrent_network_learns_the_first_input) {
    float parameters[MOST];
    const lrn_shape forgetful = {
        .inputs = 1, .actions = 1, .atoms = 1, .dense = {12}, .dense_count = 1};
    lrn_shape recurrent = forgetful;
    recurrent.recurrent = 12;
    assert_true(train(&forgetful, 3000, parameters) > 0.15);
    assert_true(train(&recurrent, 3000, parameters) < 0.01);
}

/* The same numbers on every machine, by every compiler: every layer has its part. */
TEST(training_repeats_everywhere) {
    const lrn_shape shape = {.inputs = 1,
                             .actions = 3,
                             .atoms = 2,
                             .dense = {7},
                             .dense_count = 1,
                             .recurrent = 5,
                             .dueling = true,
                             .noisy = true};
    float parameters[MOST] = {0}, again[MOST] = {0};
    train(&shape, 200, parameters);
    train(&shape, 200, again);
    assert_memory_equal(parameters, again, sizeof parameters);
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < MOST; i++) {
        uint32_t bits;
        memcpy(&bits, &parameters[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
    }
    assert_int_equal(hash, 0x322323723659529u);
}
