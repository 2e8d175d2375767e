/* SPDX-License-Identifier: MIT */
/* Matrix products: see neural_layer.h. The build has -ffp-contract=off. */
#include "engine/learn/neural_layer.h"

#include "engine/learn/elementary.h"

#include <math.h>
#include <string.h>

void lrn_add_scaled(size_t count, float factor, const float *x, float *y) {
    for (size_t i = 0; i < count; i++)
        y[i] += factor * x[i];
}

/* Row by row of C, a row of B added for each element of A. A's elements of a row of C are `step`
 * apart. */
static void add_rows(uint32_t columns, uint32_t inner, const float *a, size_t step, const float *b,
                     float *row, bool adds) {
    if (!adds)
        memset(row, 0, columns * sizeof *row);
    for (uint32_t k = 0; k < inner; k++)
        lrn_add_scaled(columns, a[k * step], b + (size_t)k * columns, row);
}

void lrn_multiply(uint32_t rows, uint32_t columns, uint32_t inner, const float *a, const float *b,
                  float *c, bool adds) {
    for (uint32_t r = 0; r < rows; r++)
        add_rows(columns, inner, a + (size_t)r * inner, 1, b, c + (size_t)r * columns, adds);
}

void lrn_multiply_first_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                   const float *b, float *c, bool adds) {
    for (uint32_t r = 0; r < rows; r++)
        add_rows(columns, inner, a + r, rows, b, c + (size_t)r * columns, adds);
}

/* Here a sum begins with nothing, and what there was is added to it at the end. */
void lrn_multiply_second_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                    const float *b, float *c, bool adds) {
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t col = 0; col < columns; col++) {
            const float *left = a + (size_t)r * inner, *right = b + (size_t)col * inner;
            float sum = 0;
            for (uint32_t k = 0; k < inner; k++)
                sum += left[k] * right[k];
            float *to = c + (size_t)r * columns + col;
            *to = adds ? sum + *to : sum;
        }
}

/* A linear layer. */

static const double initial_deviation = 0.5; /* over the root of the number of inputs */

static size_t matrix(const lrn_layer *layer) {
    return (size_t)layer->inputs * layer->outputs;
}

size_t lrn_layer_weights(const lrn_layer *layer) {
    return matrix(layer) + (layer->biased ? layer->outputs : 0);
}

size_t lrn_layer_parameters(const lrn_layer *layer) {
    return lrn_layer_weights(layer) * (layer->noisy ? 2 : 1);
}

size_t lrn_layer_noise(const lrn_layer *layer) {
    return layer->noisy ? (size_t)layer->inputs + layer->outputs : 0;
}

/* Biases begin at 0, but in noisy layers as the weights do. */
void lrn_layer_initialise(const lrn_layer *layer, float bound, base_rng *rng, float *parameters) {
    const size_t weights = lrn_layer_weights(layer);
    const size_t drawn = layer->noisy ? weights : matrix(layer);
    float *own = parameters + layer->parameters_at;
    for (size_t i = 0; i < weights; i++)
        own[i] = i < drawn ? (float)(bound * (2 * base_rng_unit(rng) - 1)) : 0;
    const float deviation = (float)(initial_deviation / sqrt(layer->inputs));
    for (size_t i = weights; i < lrn_layer_parameters(layer); i++)
        own[i] = deviation;
}

void lrn_layer_draw_noise(const lrn_layer *layer, base_rng *rng, float *noise) {
    for (size_t i = 0; i < lrn_layer_noise(layer); i++) {
        const float x = lrn_normal(rng);
        noise[layer->noise_at + i] = copysignf(sqrtf(fabsf(x)), x);
    }
}

static uint32_t rows(const lrn_layer *layer) {
    return layer->inputs + (layer->biased ? 1 : 0);
}

/* What the noise adds to the weights of a row is the deviations times these. */
static float row_noise(const lrn_layer *layer, const float *own_noise, uint32_t row) {
    return row < layer->inputs ? own_noise[row] : 1;
}

static void add_noise(const lrn_layer *layer, const float *means, const float *own_noise) {
    const uint32_t width = layer->outputs;
    const float *deviations = means + lrn_layer_weights(layer);
    const float *output_noise = own_noise + layer->inputs;
    for (uint32_t row = 0; row < rows(layer); row++) {
        const float factor = row_noise(layer, own_noise, row);
        const size_t at = (size_t)row * width;
        for (uint32_t i = 0; i < width; i++)
            layer->weights[at + i] =
                means[at + i] + deviations[at + i] * (factor * output_noise[i]);
    }
}

static void add_noisy_gradient(const lrn_layer *layer, const float *own_noise, float *means) {
    const uint32_t width = layer->outputs;
    float *deviations = means + lrn_layer_weights(layer);
    const float *output_noise = own_noise + layer->inputs;
    for (uint32_t row = 0; row < rows(layer); row++) {
        const float factor = row_noise(layer, own_noise, row);
        const size_t at = (size_t)row * width;
        for (uint32_t i = 0; i < width; i++) {
            means[at + i] += layer->weight_gradient[at + i];
            deviations[at + i] += layer->weight_gradient[at + i] * (factor * output_noise[i]);
        }
    }
}

void lrn_layer_forward(const lrn_layer *layer, const float *parameters, const float *noise,
                       const float *inputs, uint32_t steps, float *outputs, bool adds) {
    const float *weights = parameters + layer->parameters_at;
    if (layer->noisy && noise != NULL) {
        add_noise(layer, weights, noise + layer->noise_at);
        weights = layer->weights;
    }
    if (layer->biased)
        for (uint32_t step = 0; step < steps; step++)
            memcpy(outputs + (size_t)step * layer->outputs, weights + matrix(layer),
                   layer->outputs * sizeof *outputs);
    lrn_multiply(steps, layer->outputs, layer->inputs, inputs, weights, outputs,
                 layer->biased || adds);
}

static void add_gradient(const lrn_layer *layer, const float *inputs, const float *output_gradient,
                         uint32_t steps, float *gradient) {
    lrn_multiply_first_transposed(layer->inputs, layer->outputs, steps, inputs, output_gradient,
                                  gradient, true);
    if (!layer->biased)
        return;
    for (uint32_t step = 0; step < steps; step++)
        lrn_add_scaled(layer->outputs, 1, output_gradient + (size_t)step * layer->outputs,
                       gradient + matrix(layer));
}

void lrn_layer_backward(const lrn_layer *layer, const float *noise, const float *inputs,
                        const float *output_gradient, uint32_t steps, float *gradient) {
    float *own = gradient + layer->parameters_at;
    if (!layer->noisy || noise == NULL) {
        add_gradient(layer, inputs, output_gradient, steps, own);
        return;
    }
    memset(layer->weight_gradient, 0, lrn_layer_weights(layer) * sizeof *layer->weight_gradient);
    add_gradient(layer, inputs, output_gradient, steps, layer->weight_gradient);
    add_noisy_gradient(layer, noise + layer->noise_at, own);
}

void lrn_layer_backward_inputs(const lrn_layer *layer, const float *parameters, const float *noise,
                               const float *output_gradient, uint32_t steps, float *input_gradient,
                               bool adds) {
    const float *weights =
        layer->noisy && noise != NULL ? layer->weights : parameters + layer->parameters_at;
    lrn_multiply_second_transposed(steps, layer->inputs, layer->outputs, output_gradient, weights,
                                   input_gradient, adds);
}

/*
 * Gradient descent: see neural_layer.h. Adam is as published. RMSProp is DQN's without its mean of
 * gradients: the decay of squares is 0.95, and what is added to them, under the root, is 1e-5.
 */

const char *const lrn_methods[LRN_METHOD_COUNT + 1] = {
    [LRN_ADAM] = "adam", [LRN_RMSPROP] = "rmsprop", [LRN_METHOD_COUNT] = NULL};

static const double adam_decay_first = 0.9, adam_decay_second = 0.999;
static const float adam_epsilon = 1e-8F;
static const float rmsprop_decay = 0.95F, rmsprop_epsilon = 1e-5F;

static double whole_power(double base, uint64_t exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1)
            result *= base;
        base *= base;
    }
    return result;
}

/* Where gradients are 0, moments decay until they are denormal, would stay so for ever, and cost
 * a hundred times the time of other numbers. They are nothing long before that. */
static float without_dust(float x) {
    return fabsf(x) < 0x1p-120F ? 0 : x;
}

static void step_adam(lrn_optimiser *optimiser, const float *gradient, float *parameters) {
    const float keep_first = (float)adam_decay_first, keep_second = (float)adam_decay_second;
    const float add_first = (float)(1 - adam_decay_first);
    const float add_second = (float)(1 - adam_decay_second);
    /* Moments begin at 0, and are corrected for it. */
    const double first_part = 1 - whole_power(adam_decay_first, optimiser->steps);
    const double second_part = 1 - whole_power(adam_decay_second, optimiser->steps);
    const float rate = (float)(optimiser->rate / first_part);
    const float scale = (float)(1 / sqrt(second_part));
    float *first = optimiser->first, *second = optimiser->second;
    for (size_t i = 0; i < optimiser->count; i++) {
        const float g = gradient[i];
        first[i] = without_dust(keep_first * first[i] + add_first * g);
        second[i] = without_dust(keep_second * second[i] + add_second * g * g);
        parameters[i] -= rate * first[i] / (sqrtf(second[i]) * scale + adam_epsilon);
    }
}

static void step_rmsprop(lrn_optimiser *optimiser, const float *gradient, float *parameters) {
    float *second = optimiser->second;
    for (size_t i = 0; i < optimiser->count; i++) {
        const float g = gradient[i];
        second[i] = without_dust(rmsprop_decay * second[i] + (1 - rmsprop_decay) * g * g);
        parameters[i] -= optimiser->rate * g / sqrtf(second[i] + rmsprop_epsilon);
    }
}

void lrn_optimiser_step(lrn_optimiser *optimiser, const float *gradient, float *parameters) {
    optimiser->steps++;
    if (optimiser->method == LRN_ADAM)
        step_adam(optimiser, gradient, parameters);
    else
        step_rmsprop(optimiser, gradient, parameters);
}

float lrn_clip(size_t count, float *gradient, float most) {
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (double)gradient[i] * gradient[i];
    const double length = sqrt(squares);
    if (length > most && most > 0) {
        const float factor = (float)(most / length);
        for (size_t i = 0; i < count; i++)
            gradient[i] *= factor;
    }
    return (float)length;
}
