/* SPDX-License-Identifier: MIT */
/* Agents, acting: see learning_agent.h. */
#include "engine/learn/learning_agent.h"

#include "base/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Settings. */

/* Of all arrays, more or less: an agent of gigabytes is a mistake. The bounds of single settings,
 * in the tables of engines' parameters, keep products within 64 bits. */
static bool is_too_large(const lrn_settings *s) {
    const uint64_t most = UINT64_C(1) << 28, width = s->inputs + s->actions;
    const uint64_t rows = (s->history + s->ahead) * s->batch;
    const uint64_t result = s->actions * s->atoms;
    const uint64_t layer = s->neurons + s->recurrent + s->history * width + 1;
    return s->replay * width > most || rows * (layer + result) > most ||
           layer * (layer + result) > most;
}

static col_status check(const lrn_settings *s, col_problem *problem) {
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
    base_arena_free(&agent->arena);
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

/* Some agents have no noise, and some optimisers no first moments. */
static col_status take_memory(lrn_agent *agent, col_problem *problem) {
    const lrn_settings *s = &agent->settings;
    const size_t count = agent->parameter_count = lrn_network_parameters(agent->online);
    const size_t noise = lrn_network_noise(agent->online), moments = (size_t)agent->rows * s->batch;
    const base_part parts[] = {BASE_PART(agent->parameters, count),
                               BASE_PART(agent->target_parameters, count),
                               BASE_PART(agent->gradient, count),
                               BASE_PART(agent->optimiser.second, count),
                               BASE_PART(agent->life.inputs, s->history * agent->width),
                               BASE_PART(agent->frozen_life.inputs, s->history * agent->width),
                               BASE_PART(agent->values, s->actions),
                               BASE_PART(agent->probabilities, s->atoms),
                               BASE_PART(agent->goal, s->atoms),
                               BASE_PART(agent->batch_inputs, moments * agent->inputs),
                               BASE_PART(agent->batch_gradient, moments * s->actions * s->atoms),
                               BASE_PART(agent->samples, s->batch),
                               BASE_PART(agent->batch_fresh, moments),
                               {0}};
    const base_part moment[] = {BASE_PART(agent->optimiser.first, count), {0}};
    const base_part noises[] = {
        BASE_PART(agent->noise, noise), BASE_PART(agent->target_noise, noise), {0}};
    BASE_TRY(base_arena_divide(&agent->arena, parts, problem));
    if (s->method == LRN_ADAM)
        BASE_TRY(base_arena_divide(&agent->arena, moment, problem));
    return noise > 0 ? base_arena_divide(&agent->arena, noises, problem) : COL_OK;
}

static col_status make(lrn_agent *agent, col_problem *problem) {
    const lrn_settings *s = &agent->settings;
    measure(agent);
    const lrn_shape shape = shape_of(agent);
    const uint32_t steps = agent->rows * (uint32_t)agent->settings.batch;
    BASE_TRY(lrn_network_new(&agent->online, &shape, steps, problem));
    BASE_TRY(lrn_network_new(&agent->target, &shape, steps, problem));
    BASE_TRY(lrn_replay_new(&agent->replay, (uint32_t)s->replay, (uint32_t)s->inputs,
                            (float)s->priority, problem));
    BASE_TRY(take_memory(agent, problem));
    agent->optimiser.method = (lrn_method)s->method;
    agent->optimiser.rate = (float)s->rate;
    agent->optimiser.count = agent->parameter_count;
    agent->life.before = agent->frozen_life.before = LRN_NO_ACTION;
    return COL_OK;
}

col_status lrn_agent_new(lrn_agent **agent, const lrn_settings *settings, uint64_t seed,
                         col_problem *problem) {
    BASE_TRY(check(settings, problem));
    lrn_agent *a = NULL;
    BASE_TRY(base_new(&a, 1, sizeof *a, problem));
    a->settings = *settings;
    col_status status = make(a, problem);
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

/* From `first` at the beginning to `last` after this many steps. */
static double schedule(double first, double last, uint64_t steps, uint64_t step) {
    return step >= steps ? last : first + (last - first) * ((double)step / (double)steps);
}

/* The expected return of an action whose result of the network this is. */
static float value_of(const lrn_agent *agent, const float *result) {
    if (agent->settings.atoms == 1)
        return *result;
    lrn_softmax(agent->support.atoms, result, agent->probabilities);
    return lrn_expected(&agent->support, agent->probabilities);
}

/* The numbers of a step as networks see it. */
static void see(const lrn_agent *agent, const float *observation, uint32_t before, float *step) {
    const size_t inputs = agent->settings.inputs;
    memcpy(step, observation, inputs * sizeof *step);
    if (agent->settings.sees_actions == 0)
        return;
    for (uint32_t action = 0; action < agent->settings.actions; action++)
        step[inputs + action] = action == before ? 1.0F : 0.0F;
}

/* What the network makes of what is remembered: [action][atom]. */
static const float *evaluate_life(lrn_agent *agent, const lrn_life *life) {
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
    /* An action that nothing came of is forgotten, with what was seen before it. */
    const size_t width = agent->width;
    if (life->has_choice)
        life->count--;
    if (life->count == agent->settings.history) {
        life->count--;
        memmove(life->inputs, life->inputs + width, life->count * width * sizeof *life->inputs);
    }
    see(agent, observation, life->before, &life->inputs[life->count * width]);
    life->count++;
    if (!agent->is_frozen && agent->noise != NULL)
        lrn_network_draw_noise(agent->online, &agent->rng, agent->noise);
    const float *results = evaluate_life(agent, life);
    for (size_t action = 0; action < s->actions; action++)
        agent->values[action] = value_of(agent, &results[action * s->atoms]);
    if (!agent->is_frozen) {
        choice.epsilon = schedule(s->epsilon, s->last_epsilon, s->epsilon_steps, agent->steps);
        choice.is_random = base_rng_unit(&agent->rng) < choice.epsilon;
    }
    choice.action =
        choice.is_random ? base_rng_pick(&agent->rng, allowed) : best(agent->values, allowed);
    life->has_choice = true;
    life->action = choice.action;
    life->allowed = allowed;
    return choice;
}

/*
 * A training step of an agent: draw sequences, work out what the returns should have been, and move
 * the online network towards it. The moments of a batch are as learning_agent.h says.
 */

/* Of a sequence's errors the largest counts most, and the mean a little, for its priority. */
#define PART_OF_MOST 0.9F
/* Any gradient is clipped to this: the optimisers' squares of it are finite. */
#define LONGEST 1e18F

/* What follows from a step in its first n ones; the discount is 0 if the life ended with them. */
typedef struct outlook {
    float reward, discount;
} outlook;

static outlook look_ahead(const lrn_agent *agent, uint32_t age) {
    outlook o = {.reward = 0, .discount = 1};
    for (uint32_t i = 0; i < agent->settings.ahead; i++) {
        const lrn_step step = lrn_replay_step(agent->replay, age + i);
        o.reward += o.discount * step.reward;
        o.discount *= (float)agent->settings.discount;
        if (step.ended)
            return (outlook){.reward = o.reward, .discount = 0};
    }
    return o;
}

/* ---- Drawing a batch. */

/* The ages at which a sequence can begin; false: there is none. All steps that are learned from
 * have n steps after them, or the end of their life; and, if the history is stacked, all of their
 * history before them. */
static bool find_range(const lrn_agent *agent, uint32_t *first, uint32_t *last) {
    const uint32_t count = lrn_replay_count(agent->replay);
    const uint32_t ahead = (uint32_t)agent->settings.ahead;
    uint32_t known = count > ahead ? count - ahead : 0; /* steps whose returns are known */
    for (uint32_t age = known; age < count; age++)
        if (lrn_replay_step(agent->replay, age).ended)
            known = age + 1;
    const bool is_cut = agent->settings.recurrent == 0 && lrn_replay_is_full(agent->replay);
    *first = is_cut ? (uint32_t)agent->settings.history - 1 : 0;
    if (known < *first + agent->losses)
        return false;
    *last = known - agent->losses;
    return true;
}

/* What the network is shown of a step. After the newest there is nothing; that is never used. */
static void fill_moment(lrn_agent *agent, uint32_t age, bool is_first, size_t moment) {
    const uint32_t depth = agent->settings.recurrent != 0 ? 1 : (uint32_t)agent->settings.history;
    float *inputs = &agent->batch_inputs[moment * agent->inputs];
    memset(inputs, 0, agent->inputs * sizeof *inputs);
    agent->batch_fresh[moment] = true;
    if (age >= lrn_replay_count(agent->replay))
        return;
    for (uint32_t back = 0; back < depth && back <= age; back++) {
        const lrn_step step = lrn_replay_step(agent->replay, age - back);
        if (back > 0 && step.ended)
            break;
        see(agent, step.seen, step.before, &inputs[(size_t)back * agent->width]);
    }
    if (!is_first && lrn_replay_step(agent->replay, age).before != LRN_NO_ACTION)
        agent->batch_fresh[moment] = false;
}

static bool draw_batch(lrn_agent *agent) {
    const uint32_t batch = (uint32_t)agent->settings.batch;
    const uint32_t ahead = (uint32_t)agent->settings.ahead;
    const bool is_recurrent = agent->settings.recurrent != 0;
    uint32_t first = 0, last = 0;
    if (!find_range(agent, &first, &last))
        return false;
    for (uint32_t b = 0; b < batch; b++) {
        lrn_sample *sample = &agent->samples[b];
        *sample = (lrn_sample){.age = 0};
        sample->age = lrn_replay_draw(agent->replay, &agent->rng, first, last, &sample->priority);
        for (uint32_t row = 0; row < agent->rows; row++)
            fill_moment(agent, sample->age + (is_recurrent ? row : row * ahead), row == 0,
                        (size_t)row * batch + b);
    }
    /* The weights make up for what priorities favour; the largest is 1. */
    const lrn_settings *s = &agent->settings;
    const float exponent = (float)schedule(s->importance, 1, s->importance_steps, agent->steps);
    uint64_t least = UINT64_MAX;
    for (uint32_t b = 0; b < s->batch; b++)
        if (agent->samples[b].priority < least)
            least = agent->samples[b].priority;
    for (uint32_t b = 0; b < s->batch; b++) {
        const double share = (double)least / (double)agent->samples[b].priority;
        agent->samples[b].weight = s->priority > 0 ? lrn_power((float)share, exponent) : 1.0F;
    }
    return true;
}

/* ---- What returns should have been. */

static uint32_t choose(const lrn_agent *agent, const float *results, uint64_t allowed) {
    uint32_t chosen = LRN_NO_ACTION;
    float most = 0;
    for (uint32_t action = 0; action < agent->settings.actions; action++) {
        if ((allowed >> action & 1) == 0)
            continue;
        const float value = value_of(agent, &results[action * agent->settings.atoms]);
        if (chosen == LRN_NO_ACTION || value > most) {
            chosen = action;
            most = value;
        }
    }
    return chosen;
}

/* Fills the goal, a value or a distribution. With double learning the online network chooses what
 * would be done then, and the target network says what it is worth; else the target network does
 * both, and there is no `online`. These are their results there, n steps after `age`. */
static void set_goal(lrn_agent *agent, uint32_t age, const float *online, const float *target) {
    const lrn_settings *s = &agent->settings;
    const outlook o = look_ahead(agent, age);
    const float *later = target; /* of no weight if the life has ended */
    if (o.discount > 0) {
        const uint64_t allowed = lrn_replay_step(agent->replay, age + (uint32_t)s->ahead).allowed;
        later += choose(agent, s->twice != 0 ? online : target, allowed) * s->atoms;
    }
    if (s->atoms == 1) {
        agent->goal[0] = o.reward + (o.discount > 0 ? o.discount * *later : 0);
        return;
    }
    lrn_softmax(agent->support.atoms, later, agent->probabilities);
    lrn_project(&agent->support, agent->probabilities, o.reward, o.discount, agent->goal);
}

/* Rows that a network need not be shown: what is later is looked at by the online network for
 * double learning alone, and by the target network nothing else is, unless it has to be
 * remembered. */
static uint32_t online_rows(const lrn_agent *agent) {
    return agent->settings.twice != 0 ? agent->rows : agent->losses;
}

static uint32_t first_target_row(const lrn_agent *agent) {
    return agent->settings.recurrent != 0 ? 0 : agent->losses;
}

/* ---- Losses. */

/* The least that a cross entropy to this goal can be. */
static float entropy(const float *goal, uint32_t count) {
    float sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (goal[i] > 0)
            sum -= goal[i] * lrn_logarithm(goal[i]);
    return sum;
}

/* The loss of an action's result, its gradient, and how wrong it was. */
static float compare(const lrn_agent *agent, const float *result, float *gradient, float *error) {
    const uint32_t atoms = agent->support.atoms;
    if (atoms == 1) {
        const float difference = *result - *agent->goal;
        *error = fabsf(difference);
        return lrn_huber(difference, gradient);
    }
    const float loss = lrn_cross_entropy(atoms, result, agent->goal, gradient);
    const float more = loss - entropy(agent->goal, atoms);
    *error = more > 0 ? more : 0;
    return loss;
}

static float learn_from(lrn_agent *agent, uint32_t row, uint32_t b, const float *online,
                        const float *target) {
    const lrn_settings *s = &agent->settings;
    const size_t width = s->actions * s->atoms;
    const size_t here = ((size_t)row * s->batch + b) * width;
    const size_t later = ((size_t)(row + agent->gap) * s->batch + b) * width;
    const size_t skipped = first_target_row(agent) * s->batch * width;
    lrn_sample *sample = &agent->samples[b];
    const uint32_t age = sample->age + row;
    const size_t done = here + lrn_replay_step(agent->replay, age).action * s->atoms;
    const float scale = sample->weight / (float)(s->batch * agent->losses);
    float error = 0;
    set_goal(agent, age, s->twice != 0 ? &online[later] : NULL, &target[later - skipped]);
    const float loss = compare(agent, &online[done], &agent->batch_gradient[done], &error);
    for (size_t i = 0; i < s->atoms; i++)
        agent->batch_gradient[done + i] *= scale;
    sample->error_sum += error;
    if (error > sample->error_most)
        sample->error_most = error;
    return loss;
}

/* ---- The step. */

static const float *forward_online(lrn_agent *agent) {
    if (agent->noise != NULL)
        lrn_network_draw_noise(agent->online, &agent->rng, agent->noise);
    return lrn_network_forward(agent->online, agent->parameters, agent->noise, agent->batch_inputs,
                               agent->batch_fresh, online_rows(agent),
                               (uint32_t)agent->settings.batch);
}

static const float *forward_target(lrn_agent *agent) {
    const uint32_t first = first_target_row(agent), batch = (uint32_t)agent->settings.batch;
    const size_t skipped = (size_t)first * batch;
    if (agent->target_noise != NULL)
        lrn_network_draw_noise(agent->target, &agent->rng, agent->target_noise);
    return lrn_network_forward(agent->target, agent->target_parameters, agent->target_noise,
                               &agent->batch_inputs[skipped * agent->inputs],
                               &agent->batch_fresh[skipped], agent->rows - first, batch);
}

/* False: there is too little to learn from. */
static bool train(lrn_agent *agent, double *loss) {
    const lrn_settings *s = &agent->settings;
    const size_t results = online_rows(agent) * s->batch * s->actions * s->atoms;
    double sum = 0;
    if (!draw_batch(agent))
        return false;
    const float *online = forward_online(agent), *target = forward_target(agent);
    memset(agent->batch_gradient, 0, results * sizeof *agent->batch_gradient);
    memset(agent->gradient, 0, agent->parameter_count * sizeof *agent->gradient);
    for (uint32_t row = 0; row < agent->losses; row++)
        for (uint32_t b = 0; b < s->batch; b++)
            sum += (double)learn_from(agent, row, b, online, target);
    lrn_network_backward(agent->online, agent->parameters, agent->noise, agent->batch_gradient,
                         agent->gradient);
    /* A gradient that is no number any more would be the end of the network: it is left out. */
    const double longest = agent->settings.longest;
    const float most = longest > 0 && longest < LONGEST ? (float)longest : LONGEST;
    if (isfinite(lrn_clip(agent->parameter_count, agent->gradient, most)))
        lrn_optimiser_step(&agent->optimiser, agent->gradient, agent->parameters);
    agent->trainings++;
    if (agent->trainings % agent->settings.target_every == 0)
        memcpy(agent->target_parameters, agent->parameters,
               agent->parameter_count * sizeof *agent->parameters);
    for (uint32_t b = 0; b < agent->settings.batch; b++) {
        const lrn_sample *sample = &agent->samples[b];
        const float mean = sample->error_sum / (float)agent->losses;
        lrn_replay_judge(agent->replay, sample->age,
                         PART_OF_MOST * sample->error_most + (1 - PART_OF_MOST) * mean);
    }
    *loss = sum / (double)(s->batch * agent->losses);
    return true;
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
    return agent->steps >= s->warm_up && agent->steps % s->train_every == 0 && train(agent, loss);
}

void lrn_agent_freeze(lrn_agent *agent, bool is_frozen) {
    agent->is_frozen = is_frozen;
    live_on(&agent->frozen_life, true);
}
