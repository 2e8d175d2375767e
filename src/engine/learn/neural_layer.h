/* SPDX-License-Identifier: MIT */
/*
 * The few matrix products that networks are made of. Matrices are row by row, without gaps. Sums
 * are in the order of the reference BLAS, and rounded after every multiplication and every
 * addition, whatever the processor could do in one step: a seed means the same on every machine.
 */
#ifndef ENGINE_LEARN_NEURAL_LAYER_H
#define ENGINE_LEARN_NEURAL_LAYER_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C (rows x columns) = A (rows x inner) B (inner x columns), or C += .... */
void lrn_multiply(uint32_t rows, uint32_t columns, uint32_t inner, const float *a, const float *b,
                  float *c, bool adds);
/* The same with A, inner x rows, transposed; and with B, columns x inner, transposed. */
void lrn_multiply_first_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                   const float *b, float *c, bool adds);
void lrn_multiply_second_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                    const float *b, float *c, bool adds);

/* y += factor * x */
void lrn_add_scaled(size_t count, float factor, const float *x, float *y);

/*
 * A linear layer: outputs = inputs W + b for many steps at once; the other layers are made of it.
 *
 * Its parameters, one after the other: W, a row of outputs for each input, then b, one more such
 * row, if the layer has one. A noisy layer (Fortunato et al.) has as many deviations behind them:
 * what multiplies the inputs is then mean + deviation * f(input's noise) * f(output's noise), with
 * f(x) = sign(x) sqrt|x|, and no input's noise in the row of b. The numbers of a draw are f(x), of
 * the inputs and then of the outputs.
 */

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

/* Gradient descent: Adam and RMSProp. */

typedef enum lrn_method { LRN_ADAM, LRN_RMSPROP, LRN_METHOD_COUNT } lrn_method;
extern const char *const lrn_methods[LRN_METHOD_COUNT + 1]; /* their words, ended by NULL */

/* The arrays are the caller's, as many numbers as there are parameters, 0 at first. */
typedef struct lrn_optimiser {
    lrn_method method;
    float rate;
    uint64_t steps; /* done */
    size_t count;
    float *first, *second; /* moments of the gradient; RMSProp has no first */
} lrn_optimiser;

void lrn_optimiser_step(lrn_optimiser *optimiser, const float *gradient, float *parameters);

/* Makes the gradient no longer than `most`, unless that is 0; returns how long it was. */
float lrn_clip(size_t count, float *gradient, float most);

#endif
