/* SPDX-License-Identifier: MIT */
/*
 * A linear layer: outputs = inputs W + b for many steps at once; the other layers are made of it.
 *
 * Its parameters, one after the other: W, a row of outputs for each input, then b, one more such
 * row, if the layer has one. A noisy layer (Fortunato et al.) has as many deviations behind them:
 * what multiplies the inputs is then mean + deviation * f(input's noise) * f(output's noise), with
 * f(x) = sign(x) sqrt|x|, and no input's noise in the row of b. The numbers of a draw are f(x), of
 * the inputs and then of the outputs.
 */
#ifndef LEARN_LAYER_H
#define LEARN_LAYER_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lrn_layer {
    uint32_t inputs, outputs;
    bool biased, noisy;
    size_t parameters_at, noise_at; /* where its own begin in those of the network */
    float *weights;                 /* noisy: room for what the parameters are with the noise */
    float *weight_gradient;         /* noisy: room for the gradient of that */
} lrn_layer;

size_t lrn_layer_weights(const lrn_layer *layer); /* in the rows of W and b */
size_t lrn_layer_parameters(const lrn_layer *layer);
size_t lrn_layer_noise(const lrn_layer *layer);

/* Of the network: `parameters`, `noise` and `gradient` begin where the network's do. */
void lrn_layer_initialise(const lrn_layer *layer, float bound, base_rng *rng, float *parameters);
void lrn_layer_draw_noise(const lrn_layer *layer, base_rng *rng, float *noise);

/* `adds`: to what the outputs are; a layer without b alone can. */
void lrn_layer_forward(const lrn_layer *layer, const float *parameters, const float *noise,
                       const float *inputs, uint32_t steps, float *outputs, bool adds);

/* Adds to the gradient of the parameters. */
void lrn_layer_backward(const lrn_layer *layer, const float *noise, const float *inputs,
                        const float *output_gradient, uint32_t steps, float *gradient);
/* The gradient of the inputs; after the forward pass with the same parameters and noise. */
void lrn_layer_backward_inputs(const lrn_layer *layer, const float *parameters, const float *noise,
                               const float *output_gradient, uint32_t steps, float *input_gradient,
                               bool adds);

#endif
