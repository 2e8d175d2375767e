/* SPDX-License-Identifier: MIT */
/* A linear layer: see layer.h. */
#include "learn/layer.h"

#include "learn/algebra.h"
#include "learn/elementary.h"

#include <math.h>
#include <string.h>

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
