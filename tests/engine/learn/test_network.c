/* SPDX-License-Identifier: MIT */
/*
 * Networks against an oracle that follows one sequence after the other, neuron by neuron, in
 * double: what they give, and their gradients against its central differences, for every kind of
 * layer and all combinations of them.
 */
#include "engine/learn/neural_network.h"
#include "harness.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LENGTH = 5,
    COUNT = 3,
    STEPS = LENGTH * COUNT,
    MOST_INPUTS = 6,
    MOST_WIDTH = 32,
    MOST_RESULTS = 32,
    MOST_PARAMETERS = 1200,
    MOST_NOISE = 160,
    PLAIN = 0, /* how a case is noisy */
    NOISY,
    NOISY_ON_AVERAGE,
    NOISE_KINDS
};

/* A network with all that goes into it. */
typedef struct rig {
    lrn_shape shape;
    lrn_network *network;
    size_t parameter_count;
    uint32_t results; /* of a step */
    float parameters[MOST_PARAMETERS], noise[MOST_NOISE], gradient[MOST_PARAMETERS];
    float inputs[STEPS * MOST_INPUTS], wanted[STEPS * MOST_RESULTS];
    bool fresh[STEPS];
    const float *used_noise; /* NULL: none */
} rig;

static float between(base_rng *rng, double least, double most) {
    return (float)(least + (most - least) * base_rng_unit(rng));
}

/* `wanted` is the gradient of the results: the loss is their sum, weighed by it. */
static void fill(rig *r, uint64_t seed) {
    base_rng rng;
    base_rng_seed(&rng, seed, 7);
    lrn_network_initialise(r->network, &rng, r->parameters);
    for (size_t i = 0; i < r->parameter_count; i++) /* no bias is 0 */
        r->parameters[i] += between(&rng, -0.1, 0.1);
    lrn_network_draw_noise(r->network, &rng, r->noise);
    for (uint32_t i = 0; i < STEPS * MOST_INPUTS; i++)
        r->inputs[i] = between(&rng, -1, 1);
    for (uint32_t i = 0; i < STEPS * MOST_RESULTS; i++)
        r->wanted[i] = between(&rng, -1, 1);
    for (uint32_t i = 0; i < STEPS; i++)
        r->fresh[i] = base_rng_below(&rng, 4) == 0;
}

static void open_rig(rig *r, const lrn_shape *shape, int noise_kind, uint64_t seed) {
    memset(r, 0, sizeof *r);
    r->shape = *shape;
    r->shape.noisy = noise_kind != PLAIN;
    assert_int_equal(lrn_network_new(&r->network, &r->shape, STEPS, NULL), COL_OK);
    r->parameter_count = lrn_network_parameters(r->network);
    r->results = shape->actions * shape->atoms;
    assert_true(r->parameter_count <= MOST_PARAMETERS && r->results <= MOST_RESULTS);
    assert_true(lrn_network_noise(r->network) <= MOST_NOISE);
    assert_true((lrn_network_noise(r->network) > 0) == r->shape.noisy);
    r->used_noise = noise_kind == NOISY ? r->noise : NULL;
    fill(r, seed);
}

static const float *forward(rig *r) {
    return lrn_network_forward(r->network, r->parameters, r->used_noise, r->inputs, r->fresh,
                               LENGTH, COUNT);
}

/* The oracle reads parameters and noise from the first to the last. */
typedef struct reader {
    const double *parameters;
    const float *noise;
} reader;

static void linear(reader *at, uint32_t inputs, uint32_t outputs, bool biased, bool noisy,
                   bool draws, const double *x, double *y) {
    const uint32_t rows = inputs + (biased ? 1 : 0);
    const double *means = at->parameters, *deviations = means + (size_t)rows * outputs;
    for (uint32_t o = 0; o < outputs; o++)
        for (uint32_t i = 0; i < rows; i++) {
            double weight = means[i * outputs + o];
            if (noisy && draws)
                weight += deviations[i * outputs + o] * (i < inputs ? at->noise[i] : 1) *
                          at->noise[inputs + o];
            y[o] += weight * (i < inputs ? x[i] : 1);
        }
    at->parameters += (size_t)rows * outputs * (noisy ? 2 : 1);
    if (noisy && draws)
        at->noise += inputs + outputs;
}

/* One step; `memory` is the recurrent layer's, before and after. */
static void oracle_step(const rig *r, const double *parameters, const float *inputs, double *memory,
                        double *results) {
    const lrn_shape *shape = &r->shape;
    reader at = {.parameters = parameters, .noise = r->used_noise};
    double x[MOST_WIDTH];
    uint32_t width = shape->inputs;
    for (uint32_t i = 0; i < width; i++)
        x[i] = inputs[i];
    for (uint32_t layer = 0; layer < shape->dense_count; layer++) {
        double y[MOST_WIDTH] = {0};
        linear(&at, width, shape->dense[layer], true, false, false, x, y);
        width = shape->dense[layer];
        for (uint32_t i = 0; i < width; i++)
            x[i] = y[i] > 0 ? y[i] : 0;
    }
    if (shape->recurrent > 0) {
        double y[MOST_WIDTH] = {0};
        linear(&at, width, shape->recurrent, true, false, false, x, y);
        width = shape->recurrent;
        linear(&at, width, width, false, false, false, memory, y);
        for (uint32_t i = 0; i < width; i++)
            x[i] = memory[i] = tanh(y[i]);
    }
    const bool draws = r->used_noise != NULL;
    double values[MOST_WIDTH] = {0}, advantages[MOST_RESULTS] = {0};
    if (shape->dueling)
        linear(&at, width, shape->atoms, true, shape->noisy, draws, x, values);
    linear(&at, width, r->results, true, shape->noisy, draws, x, advantages);
    assert_true(at.parameters == parameters + r->parameter_count);
    for (uint32_t i = 0; i < r->results; i++) {
        double mean = 0;
        for (uint32_t action = 0; action < shape->actions && shape->dueling; action++)
            mean += advantages[action * shape->atoms + i % shape->atoms] / shape->actions;
        results[i] = values[i % shape->atoms] + advantages[i] - mean;
    }
}

static void oracle(const rig *r, const double *parameters, double *results) {
    for (uint32_t sequence = 0; sequence < COUNT; sequence++) {
        double memory[MOST_WIDTH] = {0};
        for (uint32_t step = 0; step < LENGTH; step++) {
            const uint32_t row = step * COUNT + sequence;
            if (r->fresh[row])
                memset(memory, 0, sizeof memory);
            oracle_step(r, parameters, r->inputs + (size_t)row * r->shape.inputs, memory,
                        results + (size_t)row * r->results);
        }
    }
}

static double oracle_loss(const rig *r, const double *parameters) {
    double results[STEPS * MOST_RESULTS], loss = 0;
    oracle(r, parameters, results);
    for (uint32_t i = 0; i < STEPS * r->results; i++)
        loss += results[i] * r->wanted[i];
    return loss;
}

static void check_results(rig *r) {
    double parameters[MOST_PARAMETERS] = {0}, expected[STEPS * MOST_RESULTS];
    for (size_t i = 0; i < r->parameter_count; i++)
        parameters[i] = r->parameters[i];
    oracle(r, parameters, expected);
    const float *results = forward(r);
    for (uint32_t i = 0; i < STEPS * r->results; i++)
        assert_true(fabs(results[i] - expected[i]) < 3e-6 * (1 + fabs(expected[i])));
}

static void check_gradient(rig *r) {
    double parameters[MOST_PARAMETERS] = {0}, slopes[MOST_PARAMETERS], largest = 0;
    for (size_t i = 0; i < r->parameter_count; i++)
        parameters[i] = r->parameters[i];
    for (size_t i = 0; i < r->parameter_count; i++) {
        const double step = 1e-6, parameter = parameters[i];
        parameters[i] = parameter + step;
        const double above = oracle_loss(r, parameters);
        parameters[i] = parameter - step;
        slopes[i] = (above - oracle_loss(r, parameters)) / (2 * step);
        parameters[i] = parameter;
        largest = fmax(largest, fabs(slopes[i]));
    }
    assert_true(largest > 0.01);
    forward(r);
    lrn_network_backward(r->network, r->parameters, r->used_noise, r->wanted, r->gradient);
    for (size_t i = 0; i < r->parameter_count; i++)
        if (!(fabs(r->gradient[i] - slopes[i]) < 1e-5 * fabs(slopes[i]) + 3e-7 * largest))
            fail_msg("parameter %zu of %zu: %.9g, not %.9g (largest %g)", i, r->parameter_count,
                     (double)r->gradient[i], slopes[i], largest);
}

/* Every combination of layers; calls the check with a network for it. */
static void for_all_shapes(void (*check)(rig *r)) {
    uint64_t seed = 0;
    for (uint32_t dense = 0; dense <= 2; dense++)
        for (uint32_t recurrent = 0; recurrent <= 3; recurrent += 3)
            for (uint32_t atoms = 1; atoms <= 5; atoms += 4)
                for (int noise = 0; noise < 2 * NOISE_KINDS; noise++) {
                    rig r;
                    const lrn_shape shape = {.inputs = 4,
                                             .actions = 3,
                                             .dense = {6, 5},
                                             .dense_count = dense,
                                             .recurrent = recurrent,
                                             .atoms = atoms,
                                             .dueling = noise >= NOISE_KINDS};
                    open_rig(&r, &shape, noise % NOISE_KINDS, ++seed);
                    check(&r);
                    lrn_network_free(r.network);
                }
}

TEST(results_match_manual_calculation) {
    for_all_shapes(check_results);
}

TEST(gradients_are_slopes) {
    for_all_shapes(check_gradient);
}

TEST(other_widths_are_right_too) {
    const lrn_shape shapes[] = {
        {.inputs = 1, .actions = 1, .atoms = 1, .recurrent = 1, .dueling = true},
        {.inputs = 1, .actions = 6, .atoms = 2, .dense = {1, 12, 2, 7}, .dense_count = 4},
        {.inputs = 6, .actions = 2, .atoms = 11, .dense = {2}, .dense_count = 1, .recurrent = 16},
        {.inputs = 2, .actions = 1, .atoms = 3, .dense = {20}, .dense_count = 1, .recurrent = 2},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int noise = 0; noise < NOISE_KINDS; noise++) {
            rig r;
            open_rig(&r, &shapes[i], noise, 100 + i);
            check_results(&r);
            check_gradient(&r);
            lrn_network_free(r.network);
        }
}

static const lrn_shape everything = {.inputs = 4,
                                     .actions = 3,
                                     .dense = {6},
                                     .dense_count = 1,
                                     .recurrent = 5,
                                     .atoms = 5,
                                     .dueling = true};

/* Bit for bit: how many others go along does not matter. */
TEST(batch_is_the_same_as_one_by_one) {
    rig r;
    float together[STEPS * MOST_RESULTS], sum[MOST_PARAMETERS] = {0};
    open_rig(&r, &everything, NOISY, 21);
    memcpy(together, forward(&r), sizeof *together * STEPS * r.results);
    lrn_network_backward(r.network, r.parameters, r.noise, r.wanted, r.gradient);
    for (uint32_t sequence = 0; sequence < COUNT; sequence++) {
        float inputs[LENGTH * MOST_INPUTS], wanted[LENGTH * MOST_RESULTS];
        bool fresh[LENGTH];
        for (uint32_t step = 0; step < LENGTH; step++) {
            const size_t row = step * COUNT + sequence;
            memcpy(inputs + (size_t)step * 4, r.inputs + row * 4, 4 * sizeof *inputs);
            memcpy(wanted + (size_t)step * r.results, r.wanted + row * r.results,
                   r.results * sizeof *wanted);
            fresh[step] = r.fresh[row];
        }
        const float *alone =
            lrn_network_forward(r.network, r.parameters, r.noise, inputs, fresh, LENGTH, 1);
        for (uint32_t step = 0; step < LENGTH; step++)
            assert_memory_equal(alone + (size_t)step * r.results,
                                together + (size_t)(step * COUNT + sequence) * r.results,
                                r.results * sizeof *alone);
        lrn_network_backward(r.network, r.parameters, r.noise, wanted, sum);
    }
    for (size_t i = 0; i < r.parameter_count; i++)
        assert_true(fabsf(sum[i] - r.gradient[i]) < 1e-5F);
    lrn_network_free(r.network);
}

/* What follows a fresh step is the same as a sequence that begins there. */
TEST(fresh_sequences_forget_the_past) {
    enum { BEGIN = 2 };
    rig r;
    float results[STEPS * MOST_RESULTS];
    open_rig(&r, &everything, NOISY, 22);
    for (uint32_t i = 0; i < STEPS; i++)
        r.fresh[i] = i / COUNT == BEGIN;
    memcpy(results, forward(&r), sizeof *results * STEPS * r.results);
    const float *tail =
        lrn_network_forward(r.network, r.parameters, r.noise, r.inputs + (size_t)BEGIN * COUNT * 4,
                            NULL, LENGTH - BEGIN, COUNT);
    assert_memory_equal(tail, results + (size_t)BEGIN * COUNT * r.results,
                        sizeof *tail * (STEPS - BEGIN * COUNT) * r.results);
    /* And it matters: without the mark it is another result. */
    memset(r.fresh, 0, sizeof r.fresh);
    assert_memory_not_equal(forward(&r), results, sizeof *results * STEPS * r.results);
    lrn_network_free(r.network);
}

TEST(gradients_add_up) {
    rig r;
    float twice[MOST_PARAMETERS] = {0};
    open_rig(&r, &everything, NOISY, 23);
    forward(&r);
    lrn_network_backward(r.network, r.parameters, r.noise, r.wanted, r.gradient);
    for (int i = 0; i < 2; i++)
        lrn_network_backward(r.network, r.parameters, r.noise, r.wanted, twice);
    for (size_t i = 0; i < r.parameter_count; i++)
        assert_true(fabsf(twice[i] - 2 * r.gradient[i]) <= 1e-5F);
    lrn_network_free(r.network);
}

/* On average, the noise is none: the mean of many draws is the result without it. */
TEST(noise_is_symmetric) {
    enum { DRAWS = 20000 };
    rig r;
    base_rng rng;
    double sums[MOST_RESULTS] = {0}, squares[MOST_RESULTS] = {0};
    const lrn_shape shape = {.inputs = 4, .actions = 3, .atoms = 1};
    open_rig(&r, &shape, NOISY, 24);
    base_rng_seed(&rng, 24, 1);
    for (int draw = 0; draw < DRAWS; draw++) {
        lrn_network_draw_noise(r.network, &rng, r.noise);
        const float *results = forward(&r);
        for (uint32_t i = 0; i < r.results; i++) {
            sums[i] += results[i];
            squares[i] += (double)results[i] * results[i];
        }
    }
    r.used_noise = NULL;
    const float *plain = forward(&r);
    for (uint32_t i = 0; i < r.results; i++) {
        const double mean = sums[i] / DRAWS;
        const double deviation = sqrt(squares[i] / DRAWS - mean * mean);
        assert_true(deviation > 0.1);
        assert_true(fabs(mean - plain[i]) < 4 * deviation / sqrt(DRAWS));
    }
    lrn_network_free(r.network);
}

/* Of f(x) = sign(x) sqrt|x|: its fourth power has the mean 1, and its signs are even. */
TEST(noise_is_the_root_of_normal) {
    enum { DRAWS = 2000 };
    rig r;
    base_rng rng;
    double powers = 0, signs = 0;
    open_rig(&r, &everything, NOISY, 25);
    base_rng_seed(&rng, 25, 1);
    const size_t count = lrn_network_noise(r.network);
    assert_int_equal(count, 5 + 5 + 5 + 15);
    for (int draw = 0; draw < DRAWS; draw++) {
        lrn_network_draw_noise(r.network, &rng, r.noise);
        for (size_t i = 0; i < count; i++) {
            powers += pow(r.noise[i], 4);
            signs += r.noise[i] > 0 ? 1 : -1;
        }
    }
    const double numbers = (double)count * DRAWS;
    assert_true(fabs(powers / numbers - 1) < 4 * sqrt(2 / numbers));
    assert_true(fabs(signs / numbers) < 4 / sqrt(numbers));
    lrn_network_free(r.network);
}

static double largest_of(const float *numbers, size_t count) {
    float largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, fabsf(numbers[i]));
    return (double)largest;
}

/* The bounds of every layer are kept and nearly reached; biases and deviations are what they are
 * said to be. */
TEST(parameters_begin_within_bounds) {
    const lrn_shape shape = {.inputs = 30,
                             .actions = 10,
                             .dense = {40},
                             .dense_count = 1,
                             .recurrent = 20,
                             .atoms = 3,
                             .noisy = true};
    const struct {
        double bound;
        uint32_t count;
        bool is_same; /* all are the bound */
    } parts[] = {{sqrt(6.0 / 30), 1200, false}, {0, 40, true},
                 {sqrt(6.0 / 60), 800, false},  {0, 20, true},
                 {sqrt(6.0 / 40), 400, false},  {sqrt(1.0 / 20), 630, false},
                 {0.5 / sqrt(20), 630, true}};
    lrn_network *network;
    base_rng rng;
    assert_int_equal(lrn_network_new(&network, &shape, 1, NULL), COL_OK);
    float *parameters = malloc(lrn_network_parameters(network) * sizeof *parameters);
    assert_non_null(parameters);
    base_rng_seed(&rng, 26, 1);
    lrn_network_initialise(network, &rng, parameters);
    size_t at = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const double largest = largest_of(parameters + at, parts[i].count);
        assert_true(largest <= parts[i].bound * (1 + 1e-6) && largest >= parts[i].bound * 0.98);
        for (size_t j = 0; j < parts[i].count && parts[i].is_same; j++)
            assert_true(parameters[at + j] == (float)parts[i].bound);
        at += parts[i].count;
    }
    assert_int_equal(at, lrn_network_parameters(network));
    free(parameters);
    lrn_network_free(network);
}

/* With sanitizers there is another allocator, which does not say. */
TEST(passes_allocate_no_memory) {
    rig r;
    open_rig(&r, &everything, NOISY, 41);
    const struct mallinfo2 before = mallinfo2();
    forward(&r);
    lrn_network_backward(r.network, r.parameters, r.noise, r.wanted, r.gradient);
    const struct mallinfo2 after = mallinfo2();
    assert_memory_equal(&before, &after, sizeof before);
    lrn_network_free(r.network);
}
