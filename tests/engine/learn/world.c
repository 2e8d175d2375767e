/* SPDX-License-Identifier: MIT */
/* The world and its oracle: see world.h. */
#include "engine/learn/world.h"
#include "engine/learn/elementary.h"
#include "engine/learn/learning_agent.h"
#include "engine/learn/neural_network.h"

#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 64 };

const lrn_settings world_settings = {
    .inputs = WORLD_INPUTS,
    .actions = WORLD_ACTIONS,
    .history = 1,
    .neurons = 5,
    .layers = 1,
    .atoms = 1,
    .least = -2,
    .most = 3,
    .ahead = 1,
    .discount = 0.9,
    .method = LRN_ADAM,
    .rate = 0.01,
    .batch = 1,
    .replay = 24,
    .train_every = 1,
    .target_every = 7,
    .epsilon = 1,
    .last_epsilon = 1,
};

lrn_agent *world_agent(const lrn_settings *settings, uint64_t seed) {
    lrn_agent *agent = NULL;
    col_problem problem = {0};
    assert_int_equal(lrn_agent_new(&agent, settings, seed, &problem), COL_OK);
    return agent;
}

static uint32_t width_of(const lrn_settings *s) {
    return (uint32_t)(s->inputs + s->sees_actions * s->actions);
}

void world_open(world *w, const lrn_settings *settings, uint64_t seed) {
    col_problem problem = {0};
    *w = (world){.settings = *settings, .agent = world_agent(settings, seed)};
    lrn_shape shape = {
        .inputs = width_of(settings) * (settings->recurrent != 0 ? 1 : (uint32_t)settings->history),
        .actions = WORLD_ACTIONS,
        .dense_count = (uint32_t)settings->layers,
        .recurrent = (uint32_t)settings->recurrent,
        .atoms = (uint32_t)settings->atoms,
        .dueling = settings->dueling != 0,
    };
    for (uint32_t i = 0; i < shape.dense_count; i++)
        shape.dense[i] = (uint32_t)settings->neurons;
    base_rng_seed(&w->rng, seed, 1);
    assert_int_equal(lrn_network_new(&w->network, &shape, WORLD_STEPS, &problem), COL_OK);
    w->parameters = lrn_network_parameters(w->network);
    w->online = calloc(w->parameters, sizeof *w->online);
    w->target = calloc(w->parameters, sizeof *w->target);
}

void world_close(world *w) {
    lrn_agent_free(w->agent);
    lrn_network_free(w->network);
    free(w->online);
    free(w->target);
}

void world_take_networks(world *w) {
    json_t *saved = lrn_agent_save(w->agent);
    assert_non_null(saved);
    assert_true(lrn_restore_floats(json_object_get(saved, "online"), w->parameters, w->online));
    assert_true(lrn_restore_floats(json_object_get(saved, "target"), w->parameters, w->target));
    json_decref(saved);
}

/* ---- What the network says of a step of the log. What a recurrent layer remembers begins at
 * `start`; a stack has its own length. */

static bool is_first_of_life(const world *w, uint32_t step) {
    return step == 0 || w->log[step - 1].ended;
}

static void show(const world *w, uint32_t step, float *input) {
    memcpy(input, w->log[step].seen, sizeof w->log[step].seen);
    if (w->settings.sees_actions == 0)
        return;
    memset(input + WORLD_INPUTS, 0, WORLD_ACTIONS * sizeof *input);
    if (!is_first_of_life(w, step))
        input[WORLD_INPUTS + w->log[step - 1].action] = 1;
}

static const float *results_at(const world *w, const float *parameters, uint32_t start,
                               uint32_t step) {
    static float inputs[WORLD_STEPS * MOST_INPUTS];
    static const bool fresh[WORLD_STEPS];
    const size_t width = width_of(&w->settings);
    uint32_t first = step, length = 1;
    while ((first > start || w->settings.recurrent == 0) && !is_first_of_life(w, first))
        first--;
    memset(inputs, 0, sizeof inputs);
    if (w->settings.recurrent != 0) {
        for (uint32_t i = first; i <= step; i++)
            show(w, i, &inputs[(i - first) * width]);
        length = step - first + 1;
    } else {
        for (uint32_t back = 0; back < w->settings.history && back <= step - first; back++)
            show(w, step - back, &inputs[back * width]);
    }
    return lrn_network_forward(w->network, parameters, NULL, inputs, fresh, length, 1) +
           (size_t)(length - 1) * WORLD_ACTIONS * w->settings.atoms;
}

static double value_of(const world *w, const float *result) {
    float probabilities[WORLD_ATOMS];
    const uint32_t atoms = (uint32_t)w->settings.atoms;
    double sum = 0;
    if (atoms == 1)
        return (double)*result;
    lrn_softmax(atoms, result, probabilities);
    for (uint32_t i = 0; i < atoms; i++)
        sum += (double)probabilities[i] *
               (w->settings.least + i * (w->settings.most - w->settings.least) / (atoms - 1));
    return sum;
}

static uint32_t best_at(const world *w, const float *results, uint64_t allowed) {
    uint32_t best = UINT32_MAX;
    double most = -INFINITY;
    for (uint32_t action = 0; action < WORLD_ACTIONS; action++) {
        const double value = value_of(w, &results[action * w->settings.atoms]);
        if ((allowed >> action & 1) != 0 && value > most) {
            best = action;
            most = value;
        }
    }
    return best;
}

/* ---- The loss of a step whose sequence begins at `start`. */

typedef struct future {
    double reward, discount; /* 0: the life ends */
} future;

static future future_of(const world *w, uint32_t step) {
    double reward = 0, discount = 1;
    for (uint32_t i = step; i < step + w->settings.ahead; i++) {
        reward += discount * (double)w->log[i].reward;
        discount *= w->settings.discount;
        if (w->log[i].ended)
            return (future){reward, 0};
    }
    return (future){reward, discount};
}

/* The target network's result of what would be done n steps later. */
static void look_later(const world *w, uint32_t start, uint32_t step, float *result) {
    const uint32_t later = step + (uint32_t)w->settings.ahead;
    const float *chooser = w->settings.twice != 0 ? w->online : w->target;
    const uint32_t action = best_at(w, results_at(w, chooser, start, later), w->log[later].allowed);
    memcpy(result, &results_at(w, w->target, start, later)[action * w->settings.atoms],
           w->settings.atoms * sizeof *result);
}

static world_judgement judge_step(const world *w, uint32_t start, uint32_t step) {
    const uint32_t atoms = (uint32_t)w->settings.atoms;
    const future f = future_of(w, step);
    float later[WORLD_ATOMS] = {0}, goal[WORLD_ATOMS], gradient[WORLD_ATOMS], sum[WORLD_ATOMS];
    if (f.discount > 0)
        look_later(w, start, step, later);
    const float *result =
        &results_at(w, w->online, start, step)[w->log[step].action * w->settings.atoms];
    if (atoms == 1) {
        const double error = fabs((double)*result - (f.reward + f.discount * (double)later[0]));
        return (world_judgement){error <= 1 ? error * error / 2 : error - 0.5, error};
    }
    const lrn_support support = {atoms, (float)w->settings.least, (float)w->settings.most};
    lrn_softmax(atoms, later, sum);
    lrn_project(&support, sum, (float)f.reward, (float)f.discount, goal);
    const double loss = (double)lrn_cross_entropy(atoms, result, goal, gradient);
    double least = 0;
    for (uint32_t i = 0; i < atoms; i++)
        least -= goal[i] > 0 ? (double)goal[i] * log((double)goal[i]) : 0;
    return (world_judgement){loss, loss - least};
}

static bool is_known(const world *w, uint32_t step) {
    for (uint32_t i = step; i < step + w->settings.ahead; i++) {
        if (i >= w->count)
            return false;
        if (w->log[i].ended)
            return true;
    }
    return step + w->settings.ahead < w->count;
}

bool world_can_start(const world *w, uint32_t start) {
    const lrn_settings *s = &w->settings;
    const uint32_t oldest = w->count > s->replay ? w->count - (uint32_t)s->replay : 0;
    const uint32_t length = s->recurrent != 0 ? (uint32_t)s->history : 1;
    if (start < oldest)
        return false;
    if (s->recurrent == 0 && w->count >= s->replay && start - oldest + 1 < s->history)
        return false;
    for (uint32_t step = start; step < start + length; step++)
        if (step >= w->count || !is_known(w, step))
            return false;
    return true;
}

world_judgement world_judge(const world *w, uint32_t start) {
    const uint32_t length = w->settings.recurrent != 0 ? (uint32_t)w->settings.history : 1;
    world_judgement sum = {0, 0};
    double most = 0;
    for (uint32_t step = start; step < start + length; step++) {
        const world_judgement one = judge_step(w, start, step);
        sum.loss += one.loss;
        sum.error += one.error;
        most = one.error > most ? one.error : most;
    }
    return (world_judgement){sum.loss / length, 0.9 * most + 0.1 * sum.error / length};
}

/* ---- A step of the world. */

const moment *world_act(world *w, lrn_choice *choice) {
    moment *m = &w->log[w->count++];
    for (uint32_t i = 0; i < WORLD_INPUTS; i++)
        m->seen[i] = (float)(2 * base_rng_unit(&w->rng) - 1);
    m->allowed = 1 + base_rng_below(&w->rng, (1 << WORLD_ACTIONS) - 1);
    m->reward = (float)(2 * base_rng_unit(&w->rng) - 1);
    m->ended = base_rng_below(&w->rng, 9) == 0;
    *choice = lrn_agent_act(w->agent, m->seen, m->allowed);
    m->action = choice->action;
    assert_true((m->allowed >> m->action & 1) != 0);
    return m;
}

static uint32_t start_of_memory(const world *w) {
    const uint32_t history = (uint32_t)w->settings.history;
    return w->count > history ? w->count - history : 0;
}

void world_assert_values(const world *w, const lrn_choice *choice) {
    const uint32_t step = w->count - 1;
    const float *results = results_at(w, w->online, start_of_memory(w), step);
    for (uint32_t action = 0; action < WORLD_ACTIONS; action++)
        assert_true(fabs(value_of(w, &results[action * w->settings.atoms]) -
                         (double)choice->values[action]) < 1e-5);
    if (!choice->is_random)
        assert_int_equal(choice->action, best_at(w, results, w->log[step].allowed));
}
