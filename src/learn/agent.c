/* SPDX-License-Identifier: MIT */
/* Agents, acting: see agent.h and agent_parts.h. */
#include "base/bits.h"
#include "learn/agent_parts.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- Settings. */

typedef struct bound {
    const char *name;
    size_t offset;
    double least, most;
    bool is_real;
} bound;

#define WHOLE(member, from, to)                                                                    \
    { #member, offsetof(lrn_settings, member), (from), (to), false }
#define REAL(member, from, to)                                                                     \
    { #member, offsetof(lrn_settings, member), (from), (to), true }

/* What memory allows is looked at afterwards: these keep products within 64 bits. */
static const bound bounds[] = {
    WHOLE(inputs, 1, 1 << 16),
    WHOLE(actions, 1, LRN_MOST_ACTIONS),
    WHOLE(sees_actions, 0, 1),
    WHOLE(history, 1, 1 << 10),
    WHOLE(neurons, 0, 1 << 12),
    WHOLE(layers, 0, LRN_MOST_DENSE),
    WHOLE(recurrent, 0, 1 << 12),
    WHOLE(atoms, 1, 1 << 10),
    REAL(least, -1e30, 1e30),
    REAL(most, -1e30, 1e30),
    WHOLE(dueling, 0, 1),
    WHOLE(noisy, 0, 1),
    WHOLE(twice, 0, 1),
    WHOLE(ahead, 1, 1 << 10),
    REAL(discount, 0, 1),
    WHOLE(method, 0, LRN_METHOD_COUNT - 1),
    REAL(rate, 1e-12, 1e3),
    REAL(longest, 0, 1e30),
    WHOLE(batch, 1, 1 << 12),
    WHOLE(replay, 1, LRN_MOST_REPLAY),
    WHOLE(warm_up, 0, 1e15),
    WHOLE(train_every, 1, 1e15),
    WHOLE(target_every, 1, 1e15),
    REAL(priority, 0, 1),
    REAL(importance, 0, 1),
    WHOLE(importance_steps, 0, 1e15),
    REAL(epsilon, 0, 1),
    REAL(last_epsilon, 0, 1),
    WHOLE(epsilon_steps, 0, 1e15),
};

static double setting(const lrn_settings *settings, const bound *b) {
    const char *at = (const char *)settings + b->offset;
    uint64_t whole = 0;
    double real = 0;
    if (!b->is_real) {
        memcpy(&whole, at, sizeof whole);
        return (double)whole;
    }
    memcpy(&real, at, sizeof real);
    return real;
}

/* Of all arrays, more or less: an agent of gigabytes is a mistake. */
static bool is_too_large(const lrn_settings *s) {
    const uint64_t most = UINT64_C(1) << 28, width = s->inputs + s->actions;
    const uint64_t rows = (s->history + s->ahead) * s->batch;
    const uint64_t result = s->actions * s->atoms;
    const uint64_t layer = s->neurons + s->recurrent + s->history * width + 1;
    return s->replay * width > most || rows * (layer + result) > most ||
           layer * (layer + result) > most;
}

static col_status check(const lrn_settings *s, col_problem *problem) {
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const bound *b = &bounds[i];
        const double value = setting(s, b);
        if (!(value >= b->least && value <= b->most))
            return base_refuse(problem, "the agent's %s, %g, is not between %g and %g", b->name,
                               value, b->least, b->most);
    }
    if (s->layers > 0 && s->neurons == 0)
        return base_refuse(problem, "the agent's dense layers have no neurons");
    if (s->atoms > 1 && !((float)s->least < (float)s->most))
        return base_refuse(problem, "the agent's least return, %g, is not below the most, %g",
                           s->least, s->most);
    if (s->replay < 2 * s->history + s->ahead)
        return base_refuse(problem, "a replay of %llu steps is too short for a history of %llu",
                           (unsigned long long)s->replay, (unsigned long long)s->history);
    if (is_too_large(s))
        return base_refuse(problem, "the agent would need more than a gigabyte");
    return COL_OK;
}

/* ---- Beginning and end. */

void lrn_agent_free(lrn_agent *agent) {
    if (agent == NULL)
        return;
    lrn_network_free(agent->online);
    lrn_network_free(agent->target);
    lrn_replay_free(agent->replay);
    float *const arrays[] = {agent->parameters,         agent->target_parameters,
                             agent->gradient,           agent->noise,
                             agent->target_noise,       agent->optimiser.first,
                             agent->optimiser.second,   agent->life.inputs,
                             agent->frozen_life.inputs, agent->values,
                             agent->probabilities,      agent->batch_inputs,
                             agent->batch_gradient,     agent->goal};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    free(agent->samples);
    free(agent->batch_fresh);
    free(agent);
}

static lrn_shape shape_of(const lrn_agent *agent) {
    const lrn_settings *s = &agent->settings;
    lrn_shape shape = {
        .inputs = agent->inputs,
        .actions = (uint32_t)s->actions,
        .dense_count = (uint32_t)s->layers,
        .recurrent = (uint32_t)s->recurrent,
        .atoms = (uint32_t)s->atoms,
        .dueling = s->dueling != 0,
        .noisy = s->noisy != 0,
    };
    for (uint32_t i = 0; i < shape.dense_count; i++)
        shape.dense[i] = (uint32_t)s->neurons;
    return shape;
}

static void measure(lrn_agent *agent) {
    const lrn_settings *s = &agent->settings;
    const uint32_t history = (uint32_t)s->history, ahead = (uint32_t)s->ahead;
    const bool is_recurrent = s->recurrent != 0;
    agent->width = (uint32_t)(s->inputs + (s->sees_actions != 0 ? s->actions : 0));
    agent->inputs = is_recurrent ? agent->width : agent->width * history;
    agent->losses = is_recurrent ? history : 1;
    agent->gap = is_recurrent ? ahead : 1;
    agent->rows = agent->losses + agent->gap;
    agent->support = (lrn_support){(uint32_t)s->atoms, (float)s->least, (float)s->most};
}

static col_status make_networks(lrn_agent *agent, col_problem *problem) {
    const lrn_shape shape = shape_of(agent);
    const uint32_t steps = agent->rows * (uint32_t)agent->settings.batch;
    col_status status = lrn_network_new(&agent->online, &shape, steps, problem);
    if (status == COL_OK)
        status = lrn_network_new(&agent->target, &shape, steps, problem);
    return status;
}

static bool take_memory(lrn_agent *agent) {
    const lrn_settings *s = &agent->settings;
    const size_t count = agent->parameter_count = lrn_network_parameters(agent->online);
    const size_t noise = lrn_network_noise(agent->online), moments = (size_t)agent->rows * s->batch;
    const struct {
        float **array;
        size_t count;
    } wanted[] = {
        {&agent->parameters, count},
        {&agent->target_parameters, count},
        {&agent->gradient, count},
        {&agent->noise, noise},
        {&agent->target_noise, noise},
        {&agent->optimiser.first, s->method == LRN_ADAM ? count : 0},
        {&agent->optimiser.second, count},
        {&agent->life.inputs, s->history * agent->width},
        {&agent->frozen_life.inputs, s->history * agent->width},
        {&agent->values, s->actions},
        {&agent->probabilities, s->atoms},
        {&agent->goal, s->atoms},
        {&agent->batch_inputs, moments * agent->inputs},
        {&agent->batch_gradient, moments * s->actions * s->atoms},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (wanted[i].count == 0)
            continue;
        *wanted[i].array = calloc(wanted[i].count, sizeof(float));
        if (*wanted[i].array == NULL)
            return false;
    }
    agent->samples = calloc(s->batch, sizeof *agent->samples);
    agent->batch_fresh = calloc(moments, sizeof *agent->batch_fresh);
    return agent->samples != NULL && agent->batch_fresh != NULL;
}

static col_status make(lrn_agent *agent, col_problem *problem) {
    const lrn_settings *s = &agent->settings;
    measure(agent);
    col_status status = make_networks(agent, problem);
    if (status == COL_OK)
        status = lrn_replay_new(&agent->replay, (uint32_t)s->replay, (uint32_t)s->inputs,
                                (float)s->priority, problem);
    if (status != COL_OK)
        return status;
    if (!take_memory(agent))
        return base_out_of_memory(problem);
    agent->optimiser.method = (lrn_method)s->method;
    agent->optimiser.rate = (float)s->rate;
    agent->optimiser.count = agent->parameter_count;
    agent->life.before = agent->frozen_life.before = LRN_NO_ACTION;
    return COL_OK;
}

col_status lrn_agent_new(lrn_agent **agent, const lrn_settings *settings, uint64_t seed,
                         col_problem *problem) {
    col_status status = check(settings, problem);
    if (status != COL_OK)
        return status;
    lrn_agent *a = calloc(1, sizeof *a);
    if (a == NULL)
        return base_out_of_memory(problem);
    a->settings = *settings;
    status = make(a, problem);
    if (status != COL_OK) {
        lrn_agent_free(a);
        return status;
    }
    base_rng_seed(&a->rng, seed, 0);
    lrn_network_initialise(a->online, &a->rng, a->parameters);
    memcpy(a->target_parameters, a->parameters, a->parameter_count * sizeof *a->parameters);
    *agent = a;
    return COL_OK;
}

/* ---- Acting. */

double lrn_schedule(double first, double last, uint64_t steps, uint64_t step) {
    return step >= steps ? last : first + (last - first) * ((double)step / (double)steps);
}

float lrn_agent_value(const lrn_agent *agent, const float *result) {
    if (agent->settings.atoms == 1)
        return *result;
    lrn_softmax(agent->support.atoms, result, agent->probabilities);
    return lrn_expected(&agent->support, agent->probabilities);
}

void lrn_agent_see(const lrn_agent *agent, const float *observation, uint32_t before, float *step) {
    const size_t inputs = agent->settings.inputs;
    memcpy(step, observation, inputs * sizeof *step);
    if (agent->settings.sees_actions == 0)
        return;
    for (uint32_t action = 0; action < agent->settings.actions; action++)
        step[inputs + action] = action == before ? 1.0F : 0.0F;
}

/* An action that nothing came of is forgotten, with what was seen before it. */
static void remember(const lrn_agent *agent, lrn_life *life, const float *observation) {
    const size_t width = agent->width;
    if (life->has_choice)
        life->count--;
    if (life->count == agent->settings.history) {
        life->count--;
        memmove(life->inputs, life->inputs + width, life->count * width * sizeof *life->inputs);
    }
    lrn_agent_see(agent, observation, life->before, &life->inputs[life->count * width]);
    life->count++;
}

/* What the network makes of what is remembered: [action][atom]. */
static const float *look(lrn_agent *agent, const lrn_life *life) {
    const size_t width = agent->width;
    const float *noise = agent->is_frozen ? NULL : agent->noise;
    if (agent->settings.recurrent != 0) {
        memset(agent->batch_fresh, 0, life->count * sizeof *agent->batch_fresh);
        return lrn_network_forward(agent->online, agent->parameters, noise, life->inputs,
                                   agent->batch_fresh, life->count, 1) +
               (life->count - 1) * agent->settings.actions * agent->settings.atoms;
    }
    memset(agent->batch_inputs, 0, agent->inputs * sizeof *agent->batch_inputs);
    for (uint32_t back = 0; back < life->count; back++)
        memcpy(&agent->batch_inputs[back * width], &life->inputs[(life->count - 1 - back) * width],
               width * sizeof *life->inputs);
    agent->batch_fresh[0] = true;
    return lrn_network_forward(agent->online, agent->parameters, noise, agent->batch_inputs,
                               agent->batch_fresh, 1, 1);
}

/* The lowest of those with the highest value. */
static uint32_t best(const float *values, uint64_t allowed) {
    uint32_t chosen = base_lowest_bit(allowed);
    for (uint32_t action = chosen + 1; action < LRN_MOST_ACTIONS; action++)
        if ((allowed >> action & 1) != 0 && values[action] > values[chosen])
            chosen = action;
    return chosen;
}

lrn_choice lrn_agent_act(lrn_agent *agent, const float *observation, uint64_t allowed) {
    const lrn_settings *s = &agent->settings;
    lrn_life *life = agent->is_frozen ? &agent->frozen_life : &agent->life;
    lrn_choice choice = {.values = agent->values};
    assert(allowed != 0 && (s->actions == 64 || allowed >> s->actions == 0));
    remember(agent, life, observation);
    if (!agent->is_frozen && agent->noise != NULL)
        lrn_network_draw_noise(agent->online, &agent->rng, agent->noise);
    const float *results = look(agent, life);
    for (size_t action = 0; action < s->actions; action++)
        agent->values[action] = lrn_agent_value(agent, &results[action * s->atoms]);
    if (!agent->is_frozen) {
        choice.epsilon = lrn_schedule(s->epsilon, s->last_epsilon, s->epsilon_steps, agent->steps);
        choice.is_random = base_rng_unit(&agent->rng) < choice.epsilon;
    }
    choice.action =
        choice.is_random ? base_rng_pick(&agent->rng, allowed) : best(agent->values, allowed);
    life->has_choice = true;
    life->action = choice.action;
    life->allowed = allowed;
    return choice;
}

/* ---- Learning. */

static void live_on(lrn_life *life, bool ended) {
    life->has_choice = false;
    life->before = ended ? LRN_NO_ACTION : life->action;
    if (ended)
        life->count = 0;
}

bool lrn_agent_learn(lrn_agent *agent, double reward, bool ended, double *loss) {
    const lrn_settings *s = &agent->settings;
    lrn_life *life = agent->is_frozen ? &agent->frozen_life : &agent->life;
    if (!life->has_choice)
        return false;
    if (!agent->is_frozen)
        lrn_replay_add(agent->replay,
                       &(lrn_step){
                           .seen = &life->inputs[(size_t)(life->count - 1) * agent->width],
                           .before = life->before,
                           .action = life->action,
                           .allowed = life->allowed,
                           .reward = (float)reward,
                           .ended = ended,
                       });
    live_on(life, ended);
    if (agent->is_frozen)
        return false;
    agent->steps++;
    return agent->steps >= s->warm_up && agent->steps % s->train_every == 0 &&
           lrn_agent_train(agent, loss);
}

void lrn_agent_freeze(lrn_agent *agent, bool is_frozen) {
    agent->is_frozen = is_frozen;
    live_on(&agent->frozen_life, true);
}
