/* SPDX-License-Identifier: MIT */
/*
 * Networks: see neural_network.h. All steps of all sequences are one matrix for dense layers and
 * heads; the recurrent layer goes step by step, for all sequences at once, and its gradient back
 * through all steps of them. Parameters are those of the layers in the order of `order` below.
 */
#include "engine/learn/neural_network.h"

#include "base/memory.h"
#include "engine/learn/elementary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const double initial_deviation = 0.5; /* over the root of the number of inputs */

static size_t matrix(const lrn_layer *layer) {
    return (size_t)layer->inputs * layer->outputs;
}

static size_t layer_weights(const lrn_layer *layer) {
    return matrix(layer) + (layer->biased ? layer->outputs : 0);
}

static size_t layer_parameters(const lrn_layer *layer) {
    return layer_weights(layer) * (layer->noisy ? 2 : 1);
}

static size_t layer_noise(const lrn_layer *layer) {
    return layer->noisy ? (size_t)layer->inputs + layer->outputs : 0;
}

/* Biases begin at 0, but in noisy layers as the weights do. */
static void layer_initialise(const lrn_layer *layer, float bound, base_rng *rng,
                             float *parameters) {
    const size_t weights = layer_weights(layer);
    const size_t drawn = layer->noisy ? weights : matrix(layer);
    float *own = parameters + layer->parameters_at;
    for (size_t i = 0; i < weights; i++)
        own[i] = i < drawn ? (float)(bound * (2 * base_rng_unit(rng) - 1)) : 0;
    const float deviation = (float)(initial_deviation / sqrt(layer->inputs));
    for (size_t i = weights; i < layer_parameters(layer); i++)
        own[i] = deviation;
}

static void layer_draw_noise(const lrn_layer *layer, base_rng *rng, float *noise) {
    for (size_t i = 0; i < layer_noise(layer); i++) {
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
    const float *deviations = means + layer_weights(layer);
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
    float *deviations = means + layer_weights(layer);
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

static void layer_forward(const lrn_layer *layer, const float *parameters, const float *noise,
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

static void layer_backward(const lrn_layer *layer, const float *noise, const float *inputs,
                           const float *output_gradient, uint32_t steps, float *gradient) {
    float *own = gradient + layer->parameters_at;
    if (!layer->noisy || noise == NULL) {
        add_gradient(layer, inputs, output_gradient, steps, own);
        return;
    }
    memset(layer->weight_gradient, 0, layer_weights(layer) * sizeof *layer->weight_gradient);
    add_gradient(layer, inputs, output_gradient, steps, layer->weight_gradient);
    add_noisy_gradient(layer, noise + layer->noise_at, own);
}

static void layer_backward_inputs(const lrn_layer *layer, const float *parameters,
                                  const float *noise, const float *output_gradient, uint32_t steps,
                                  float *input_gradient, bool adds) {
    const float *weights =
        layer->noisy && noise != NULL ? layer->weights : parameters + layer->parameters_at;
    lrn_multiply_second_transposed(steps, layer->inputs, layer->outputs, output_gradient, weights,
                                   input_gradient, adds);
}

/* ---- Networks. */

enum { MOST_LAYERS = LRN_MOST_DENSE + 4 };

struct lrn_network {
    lrn_shape shape;
    lrn_layer dense[LRN_MOST_DENSE];
    lrn_layer into, across;  /* the recurrent layer, from the inputs and from the step before */
    lrn_layer state, action; /* the streams of the head; without dueling the second alone */
    lrn_layer *order[MOST_LAYERS];
    uint32_t order_count;
    size_t parameters, noise;
    uint32_t most_steps, features;

    float *numbers; /* all arrays below */
    float *dense_outputs[LRN_MOST_DENSE];
    float *memory;                         /* what the recurrent layer gives */
    float *remembered;                     /* and what it had of the step before */
    float *state_outputs, *action_outputs; /* the second is the result */
    float *state_gradient, *action_gradient;
    float *feature_gradient, *other_gradient; /* two that take turns from layer to layer */
    bool *fresh;

    const float *inputs; /* of the forward pass */
    uint32_t length, count;
};

/* Appends a layer; returns how wide it is. */
static uint32_t add_layer(lrn_network *network, lrn_layer *layer, const lrn_layer *description) {
    *layer = *description;
    layer->parameters_at = network->parameters;
    layer->noise_at = network->noise;
    network->parameters += layer_parameters(layer);
    network->noise += layer_noise(layer);
    network->order[network->order_count++] = layer;
    return layer->outputs;
}

static void add_layers(lrn_network *network) {
    const lrn_shape *shape = &network->shape;
    const uint32_t results = shape->actions * shape->atoms;
    uint32_t width = shape->inputs;
    for (uint32_t i = 0; i < shape->dense_count; i++)
        width =
            add_layer(network, &network->dense[i],
                      &(lrn_layer){.inputs = width, .outputs = shape->dense[i], .biased = true});
    if (shape->recurrent > 0) {
        width =
            add_layer(network, &network->into,
                      &(lrn_layer){.inputs = width, .outputs = shape->recurrent, .biased = true});
        add_layer(network, &network->across, &(lrn_layer){.inputs = width, .outputs = width});
    }
    network->features = width;
    lrn_layer head = {.inputs = width, .biased = true, .noisy = shape->noisy};
    head.outputs = shape->atoms;
    if (shape->dueling)
        add_layer(network, &network->state, &head);
    head.outputs = results;
    add_layer(network, &network->action, &head);
}

/* Hands out a part of the numbers; only counts while there are none. */
static float *take(const lrn_network *network, size_t *taken, size_t count) {
    float *part = network->numbers != NULL ? network->numbers + *taken : NULL;
    *taken += count;
    return part;
}

/* Returns how many numbers there are. */
static size_t lay_out(lrn_network *network) {
    const lrn_shape *shape = &network->shape;
    const size_t steps = network->most_steps;
    size_t taken = 0, widest = network->features;
    for (uint32_t i = 0; i < shape->dense_count; i++) {
        network->dense_outputs[i] = take(network, &taken, steps * shape->dense[i]);
        widest = shape->dense[i] > widest ? shape->dense[i] : widest;
    }
    network->memory = take(network, &taken, steps * shape->recurrent);
    network->remembered = take(network, &taken, steps * shape->recurrent);
    network->state_outputs = take(network, &taken, steps * shape->atoms);
    network->state_gradient = take(network, &taken, steps * shape->atoms);
    network->action_outputs = take(network, &taken, steps * shape->actions * shape->atoms);
    network->action_gradient = take(network, &taken, steps * shape->actions * shape->atoms);
    network->feature_gradient = take(network, &taken, steps * widest);
    network->other_gradient = take(network, &taken, steps * widest);
    for (uint32_t i = 0; i < network->order_count; i++) {
        lrn_layer *layer = network->order[i];
        const size_t weights = layer->noisy ? layer_weights(layer) : 0;
        layer->weights = take(network, &taken, weights);
        layer->weight_gradient = take(network, &taken, weights);
    }
    return taken;
}

col_status lrn_network_new(lrn_network **network, const lrn_shape *shape, uint32_t most_steps,
                           col_problem *problem) {
    lrn_network *made = NULL;
    BASE_TRY(base_new(&made, 1, sizeof *made, problem));
    made->shape = *shape;
    made->most_steps = most_steps;
    add_layers(made);
    made->numbers = calloc(lay_out(made), sizeof *made->numbers);
    made->fresh = calloc(most_steps, sizeof *made->fresh);
    if (made->numbers == NULL || made->fresh == NULL) {
        lrn_network_free(made);
        return base_out_of_memory(problem);
    }
    lay_out(made);
    *network = made;
    return COL_OK;
}

void lrn_network_free(lrn_network *network) {
    if (network == NULL)
        return;
    free(network->numbers);
    free(network->fresh);
    free(network);
}

size_t lrn_network_parameters(const lrn_network *network) {
    return network->parameters;
}

size_t lrn_network_noise(const lrn_network *network) {
    return network->noise;
}

/* Uniform: He's bounds before ReLU, Glorot's before tanh; in heads, noisy or not, the root of the
 * number of inputs. */
void lrn_network_initialise(const lrn_network *network, base_rng *rng, float *parameters) {
    for (uint32_t i = 0; i < network->order_count; i++) {
        const lrn_layer *layer = network->order[i];
        double square = 1.0 / layer->inputs;
        if (i < network->shape.dense_count)
            square = 6.0 / layer->inputs;
        else if (layer == &network->into || layer == &network->across)
            square = 6.0 / ((double)layer->inputs + layer->outputs);
        layer_initialise(layer, (float)sqrt(square), rng, parameters);
    }
}

void lrn_network_draw_noise(const lrn_network *network, base_rng *rng, float *noise) {
    for (uint32_t i = 0; i < network->order_count; i++)
        layer_draw_noise(network->order[i], rng, noise);
}

/* What goes into the layer after this many dense ones. */
static const float *dense_result(const lrn_network *network, uint32_t layers) {
    return layers > 0 ? network->dense_outputs[layers - 1] : network->inputs;
}

static const float *features(const lrn_network *network) {
    return network->shape.recurrent > 0 ? network->memory
                                        : dense_result(network, network->shape.dense_count);
}

static void forward_dense(lrn_network *network, const float *parameters) {
    const uint32_t steps = network->length * network->count;
    for (uint32_t i = 0; i < network->shape.dense_count; i++) {
        float *outputs = network->dense_outputs[i];
        layer_forward(&network->dense[i], parameters, NULL, dense_result(network, i), steps,
                      outputs, false);
        for (size_t j = 0; j < (size_t)steps * network->shape.dense[i]; j++)
            outputs[j] = outputs[j] > 0 ? outputs[j] : 0;
    }
}

/* What is left of the step before. */
static void remember(lrn_network *network, uint32_t step) {
    const size_t width = network->shape.recurrent, row = (size_t)step * network->count;
    float *remembered = network->remembered + row * width;
    if (step == 0) {
        memset(remembered, 0, network->count * width * sizeof *remembered);
        return;
    }
    memcpy(remembered, network->memory + (row - network->count) * width,
           network->count * width * sizeof *remembered);
    for (uint32_t i = 0; i < network->count; i++)
        if (network->fresh[row + i])
            memset(remembered + i * width, 0, width * sizeof *remembered);
}

static void forward_recurrent(lrn_network *network, const float *parameters) {
    const size_t part = (size_t)network->count * network->shape.recurrent;
    layer_forward(&network->into, parameters, NULL,
                  dense_result(network, network->shape.dense_count),
                  network->length * network->count, network->memory, false);
    for (uint32_t step = 0; step < network->length; step++) {
        float *memory = network->memory + step * part;
        remember(network, step);
        if (step > 0)
            layer_forward(&network->across, parameters, NULL, network->remembered + step * part,
                          network->count, memory, true);
        for (size_t i = 0; i < part; i++)
            memory[i] = lrn_tanh(memory[i]);
    }
}

const float *lrn_network_forward(lrn_network *network, const float *parameters, const float *noise,
                                 const float *inputs, const bool *fresh, uint32_t length,
                                 uint32_t count) {
    const uint32_t steps = length * count;
    assert((uint64_t)length * count <= network->most_steps);
    network->inputs = inputs;
    network->length = length;
    network->count = count;
    forward_dense(network, parameters);
    if (network->shape.recurrent > 0) {
        for (uint32_t i = 0; i < steps; i++)
            network->fresh[i] = fresh != NULL && fresh[i];
        forward_recurrent(network, parameters);
    }
    layer_forward(&network->action, parameters, noise, features(network), steps,
                  network->action_outputs, false);
    if (network->shape.dueling) {
        layer_forward(&network->state, parameters, noise, features(network), steps,
                      network->state_outputs, false);
        for (uint32_t step = 0; step < steps; step++) {
            /* The state's value, and what each action is better than the average action. */
            const uint32_t atoms = network->shape.atoms, actions = network->shape.actions;
            float *result = network->action_outputs + (size_t)step * actions * atoms;
            const float *state = network->state_outputs + (size_t)step * atoms;
            for (uint32_t atom = 0; atom < atoms; atom++) {
                float sum = 0;
                for (uint32_t action = 0; action < actions; action++)
                    sum += result[action * atoms + atom];
                const float shift = state[atom] - sum / (float)actions;
                for (uint32_t action = 0; action < actions; action++)
                    result[action * atoms + atom] += shift;
            }
        }
    }
    return network->action_outputs;
}

static void part_streams(const lrn_network *network, const float *result_gradient, uint32_t step) {
    const uint32_t atoms = network->shape.atoms, actions = network->shape.actions;
    const size_t at = (size_t)step * actions * atoms;
    const float *given = result_gradient + at;
    float *parted = network->action_gradient + at;
    for (uint32_t atom = 0; atom < atoms; atom++) {
        float sum = 0;
        for (uint32_t action = 0; action < actions; action++)
            sum += given[action * atoms + atom];
        network->state_gradient[(size_t)step * atoms + atom] = sum;
        for (uint32_t action = 0; action < actions; action++)
            parted[action * atoms + atom] = given[action * atoms + atom] - sum / (float)actions;
    }
}

/* Leaves the gradient of the features. */
static void backward_head(lrn_network *network, const float *parameters, const float *noise,
                          const float *result_gradient, float *gradient) {
    const uint32_t steps = network->length * network->count;
    const bool is_needed = network->shape.recurrent > 0 || network->shape.dense_count > 0;
    const float *action_gradient = result_gradient;
    if (network->shape.dueling) {
        action_gradient = network->action_gradient;
        for (uint32_t step = 0; step < steps; step++)
            part_streams(network, result_gradient, step);
    }
    layer_backward(&network->action, noise, features(network), action_gradient, steps, gradient);
    if (is_needed)
        layer_backward_inputs(&network->action, parameters, noise, action_gradient, steps,
                              network->feature_gradient, false);
    if (!network->shape.dueling)
        return;
    layer_backward(&network->state, noise, features(network), network->state_gradient, steps,
                   gradient);
    if (is_needed)
        layer_backward_inputs(&network->state, parameters, noise, network->state_gradient, steps,
                              network->feature_gradient, true);
}

/* To the step before, where it was remembered. */
static void pass_back(lrn_network *network, const float *parameters, uint32_t step,
                      float *memory_gradient) {
    const size_t width = network->shape.recurrent, part = network->count * width;
    const bool *fresh = network->fresh + (size_t)step * network->count;
    float *passed = network->other_gradient;
    layer_backward_inputs(&network->across, parameters, NULL, memory_gradient + step * part,
                          network->count, passed, false);
    float *before = memory_gradient + (step - 1) * part;
    for (uint32_t i = 0; i < network->count; i++)
        for (size_t j = i * width; j < (i + 1) * width && !fresh[i]; j++)
            before[j] += passed[j];
}

static void swap_gradients(lrn_network *network) {
    float *gradient = network->feature_gradient;
    network->feature_gradient = network->other_gradient;
    network->other_gradient = gradient;
}

/* Back through time. The gradient of what the layer gives becomes that of what goes into tanh. */
static void backward_recurrent(lrn_network *network, const float *parameters, float *gradient) {
    const uint32_t steps = network->length * network->count;
    const size_t part = (size_t)network->count * network->shape.recurrent;
    float *own = network->feature_gradient;
    for (uint32_t step = network->length; step-- > 0;) {
        const float *memory = network->memory + step * part;
        for (size_t i = 0; i < part; i++)
            own[step * part + i] *= 1 - memory[i] * memory[i];
        if (step > 0)
            pass_back(network, parameters, step, own);
    }
    layer_backward(&network->across, NULL, network->remembered, own, steps, gradient);
    layer_backward(&network->into, NULL, dense_result(network, network->shape.dense_count), own,
                   steps, gradient);
    if (network->shape.dense_count == 0)
        return;
    layer_backward_inputs(&network->into, parameters, NULL, own, steps, network->other_gradient,
                          false);
    swap_gradients(network);
}

static void backward_dense(lrn_network *network, const float *parameters, float *gradient) {
    const uint32_t steps = network->length * network->count;
    for (uint32_t i = network->shape.dense_count; i-- > 0;) {
        const float *outputs = network->dense_outputs[i];
        float *own = network->feature_gradient;
        for (size_t j = 0; j < (size_t)steps * network->shape.dense[i]; j++)
            own[j] = outputs[j] > 0 ? own[j] : 0;
        layer_backward(&network->dense[i], NULL, dense_result(network, i), own, steps, gradient);
        if (i > 0)
            layer_backward_inputs(&network->dense[i], parameters, NULL, own, steps,
                                  network->other_gradient, false);
        swap_gradients(network);
    }
}

void lrn_network_backward(lrn_network *network, const float *parameters, const float *noise,
                          const float *result_gradient, float *gradient) {
    backward_head(network, parameters, noise, result_gradient, gradient);
    if (network->shape.recurrent > 0)
        backward_recurrent(network, parameters, gradient);
    backward_dense(network, parameters, gradient);
}

/*
 * Gradient descent. Adam is as published. RMSProp is DQN's without its mean of
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
