/* SPDX-License-Identifier: MIT */
/*
 * Networks: see neural_network.h. All steps of all sequences are one matrix for dense layers and
 * heads; the recurrent layer goes step by step, for all sequences at once, and its gradient back
 * through all steps of them. Parameters are those of the layers in the order of `order` below.
 */
#include "engine/learn/neural_network.h"

#include "base/memory.h"
#include "engine/learn/elementary.h"
#include "engine/learn/neural_layer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LAYERS = LRN_MOST_DENSE + 4 };

/* Of a matrix: so no product of two sizes is near its limits. */
static const uint64_t most_numbers = INT32_MAX;

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

static col_status check_shape(const lrn_shape *shape, uint32_t most_steps, col_problem *problem) {
    if (shape->inputs == 0 || shape->actions == 0 || shape->atoms == 0 || most_steps == 0)
        return base_refuse(problem,
                           "a network needs inputs, actions, atoms and steps, not 0 of them");
    if (shape->actions > LRN_MOST_ACTIONS)
        return base_refuse(problem, "a network has at most %d actions, not %u", LRN_MOST_ACTIONS,
                           shape->actions);
    if (shape->dense_count > LRN_MOST_DENSE)
        return base_refuse(problem, "a network has at most %d dense layers, not %u", LRN_MOST_DENSE,
                           shape->dense_count);
    for (uint32_t i = 0; i < shape->dense_count; i++)
        if (shape->dense[i] == 0)
            return base_refuse(problem, "a dense layer needs neurons, not 0 of them");
    return COL_OK;
}

/* Appends a layer; returns how wide it is. */
static uint32_t add_layer(lrn_network *network, lrn_layer *layer, const lrn_layer *description) {
    *layer = *description;
    layer->parameters_at = network->parameters;
    layer->noise_at = network->noise;
    network->parameters += lrn_layer_parameters(layer);
    network->noise += lrn_layer_noise(layer);
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

/* Every matrix: the weights of each layer, and what goes in and out of it. */
static col_status check_size(const lrn_shape *shape, uint32_t most_steps, col_problem *problem) {
    uint64_t widths[LRN_MOST_DENSE + 3];
    uint32_t count = 0;
    widths[count++] = shape->inputs;
    for (uint32_t i = 0; i < shape->dense_count; i++)
        widths[count++] = shape->dense[i];
    if (shape->recurrent > 0)
        widths[count++] = shape->recurrent;
    widths[count++] = (uint64_t)shape->actions * shape->atoms;
    bool fits = (uint64_t)shape->recurrent * shape->recurrent <= most_numbers;
    for (uint32_t i = 0; i < count; i++)
        fits = fits && widths[i] <= most_numbers && widths[i] * most_steps <= most_numbers &&
               (i == 0 || widths[i - 1] * widths[i] <= most_numbers);
    return fits ? COL_OK : base_refuse(problem, "the network is too large");
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
        const size_t weights = layer->noisy ? lrn_layer_weights(layer) : 0;
        layer->weights = take(network, &taken, weights);
        layer->weight_gradient = take(network, &taken, weights);
    }
    return taken;
}

col_status lrn_network_new(lrn_network **network, const lrn_shape *shape, uint32_t most_steps,
                           col_problem *problem) {
    *network = NULL;
    col_status status = check_shape(shape, most_steps, problem);
    if (status == COL_OK)
        status = check_size(shape, most_steps, problem);
    if (status != COL_OK)
        return status;
    lrn_network *made = calloc(1, sizeof *made);
    if (made == NULL)
        return base_out_of_memory(problem);
    made->shape = *shape;
    made->most_steps = most_steps;
    add_layers(made);
    size_t capacity = 0, fresh_capacity = 0;
    status = base_reserve(&made->numbers, &capacity, lay_out(made), sizeof *made->numbers, problem);
    if (status == COL_OK)
        status =
            base_reserve(&made->fresh, &fresh_capacity, most_steps, sizeof *made->fresh, problem);
    if (status != COL_OK) {
        lrn_network_free(made);
        return status;
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
        lrn_layer_initialise(layer, (float)sqrt(square), rng, parameters);
    }
}

void lrn_network_draw_noise(const lrn_network *network, base_rng *rng, float *noise) {
    for (uint32_t i = 0; i < network->order_count; i++)
        lrn_layer_draw_noise(network->order[i], rng, noise);
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
        lrn_layer_forward(&network->dense[i], parameters, NULL, dense_result(network, i), steps,
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
    lrn_layer_forward(&network->into, parameters, NULL,
                      dense_result(network, network->shape.dense_count),
                      network->length * network->count, network->memory, false);
    for (uint32_t step = 0; step < network->length; step++) {
        float *memory = network->memory + step * part;
        remember(network, step);
        if (step > 0)
            lrn_layer_forward(&network->across, parameters, NULL, network->remembered + step * part,
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
    lrn_layer_forward(&network->action, parameters, noise, features(network), steps,
                      network->action_outputs, false);
    if (network->shape.dueling) {
        lrn_layer_forward(&network->state, parameters, noise, features(network), steps,
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
    lrn_layer_backward(&network->action, noise, features(network), action_gradient, steps,
                       gradient);
    if (is_needed)
        lrn_layer_backward_inputs(&network->action, parameters, noise, action_gradient, steps,
                                  network->feature_gradient, false);
    if (!network->shape.dueling)
        return;
    lrn_layer_backward(&network->state, noise, features(network), network->state_gradient, steps,
                       gradient);
    if (is_needed)
        lrn_layer_backward_inputs(&network->state, parameters, noise, network->state_gradient,
                                  steps, network->feature_gradient, true);
}

/* To the step before, where it was remembered. */
static void pass_back(lrn_network *network, const float *parameters, uint32_t step,
                      float *memory_gradient) {
    const size_t width = network->shape.recurrent, part = network->count * width;
    const bool *fresh = network->fresh + (size_t)step * network->count;
    float *passed = network->other_gradient;
    lrn_layer_backward_inputs(&network->across, parameters, NULL, memory_gradient + step * part,
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
    lrn_layer_backward(&network->across, NULL, network->remembered, own, steps, gradient);
    lrn_layer_backward(&network->into, NULL, dense_result(network, network->shape.dense_count), own,
                       steps, gradient);
    if (network->shape.dense_count == 0)
        return;
    lrn_layer_backward_inputs(&network->into, parameters, NULL, own, steps, network->other_gradient,
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
        lrn_layer_backward(&network->dense[i], NULL, dense_result(network, i), own, steps,
                           gradient);
        if (i > 0)
            lrn_layer_backward_inputs(&network->dense[i], parameters, NULL, own, steps,
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
