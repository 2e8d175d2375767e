/* SPDX-License-Identifier: MIT */
/*
 * A training step of an agent: draw sequences, work out what the returns should have been, and move
 * the online network towards it. The moments of a batch are as agent_parts.h says.
 */
#include "learn/agent_parts.h"
#include "learn/elementary.h"

#include <math.h>
#include <string.h>

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

/* The weights make up for what priorities favour; the largest is 1. */
static void weigh(lrn_agent *agent) {
    const lrn_settings *s = &agent->settings;
    const float exponent = (float)lrn_schedule(s->importance, 1, s->importance_steps, agent->steps);
    uint64_t least = UINT64_MAX;
    for (uint32_t b = 0; b < s->batch; b++)
        if (agent->samples[b].priority < least)
            least = agent->samples[b].priority;
    for (uint32_t b = 0; b < s->batch; b++) {
        const double share = (double)least / (double)agent->samples[b].priority;
        agent->samples[b].weight = s->priority > 0 ? lrn_power((float)share, exponent) : 1.0F;
    }
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
        lrn_agent_see(agent, step.seen, step.before, &inputs[(size_t)back * agent->width]);
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
    weigh(agent);
    return true;
}

/* ---- What returns should have been. */

static uint32_t choose(const lrn_agent *agent, const float *results, uint64_t allowed) {
    uint32_t chosen = LRN_NO_ACTION;
    float most = 0;
    for (uint32_t action = 0; action < agent->settings.actions; action++) {
        if ((allowed >> action & 1) == 0)
            continue;
        const float value = lrn_agent_value(agent, &results[action * agent->settings.atoms]);
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

/* A gradient that is no number any more would be the end of the network: it is left out. */
static void descend(lrn_agent *agent) {
    const double longest = agent->settings.longest;
    const float most = longest > 0 && longest < LONGEST ? (float)longest : LONGEST;
    if (isfinite(lrn_clip(agent->parameter_count, agent->gradient, most)))
        lrn_optimiser_step(&agent->optimiser, agent->gradient, agent->parameters);
    agent->trainings++;
    if (agent->trainings % agent->settings.target_every == 0)
        memcpy(agent->target_parameters, agent->parameters,
               agent->parameter_count * sizeof *agent->parameters);
}

static void judge(lrn_agent *agent) {
    for (uint32_t b = 0; b < agent->settings.batch; b++) {
        const lrn_sample *sample = &agent->samples[b];
        const float mean = sample->error_sum / (float)agent->losses;
        lrn_replay_judge(agent->replay, sample->age,
                         PART_OF_MOST * sample->error_most + (1 - PART_OF_MOST) * mean);
    }
}

static const float *look_online(lrn_agent *agent) {
    if (agent->noise != NULL)
        lrn_network_draw_noise(agent->online, &agent->rng, agent->noise);
    return lrn_network_forward(agent->online, agent->parameters, agent->noise, agent->batch_inputs,
                               agent->batch_fresh, online_rows(agent),
                               (uint32_t)agent->settings.batch);
}

static const float *look_at_target(lrn_agent *agent) {
    const uint32_t first = first_target_row(agent), batch = (uint32_t)agent->settings.batch;
    const size_t skipped = (size_t)first * batch;
    if (agent->target_noise != NULL)
        lrn_network_draw_noise(agent->target, &agent->rng, agent->target_noise);
    return lrn_network_forward(agent->target, agent->target_parameters, agent->target_noise,
                               &agent->batch_inputs[skipped * agent->inputs],
                               &agent->batch_fresh[skipped], agent->rows - first, batch);
}

bool lrn_agent_train(lrn_agent *agent, double *loss) {
    const lrn_settings *s = &agent->settings;
    const size_t results = online_rows(agent) * s->batch * s->actions * s->atoms;
    double sum = 0;
    if (!draw_batch(agent))
        return false;
    const float *online = look_online(agent), *target = look_at_target(agent);
    memset(agent->batch_gradient, 0, results * sizeof *agent->batch_gradient);
    memset(agent->gradient, 0, agent->parameter_count * sizeof *agent->gradient);
    for (uint32_t row = 0; row < agent->losses; row++)
        for (uint32_t b = 0; b < s->batch; b++)
            sum += (double)learn_from(agent, row, b, online, target);
    lrn_network_backward(agent->online, agent->parameters, agent->noise, agent->batch_gradient,
                         agent->gradient);
    descend(agent);
    judge(agent);
    *loss = sum / (double)(s->batch * agent->losses);
    return true;
}
