/* SPDX-License-Identifier: MIT */
/*
 * Training steps in a random world, against its oracle: losses, the gradients that follow from
 * them, priorities, and when the target network changes. Batches are one sequence, so that the loss
 * tells which one was drawn.
 */
#include "engine/learn/learning_agent.h"
#include "engine/learn/neural_network.h"
#include "engine/learn/world.h"

#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the sequence begins that has this loss. */
static uint32_t find_sequence(const world *w, double loss) {
    for (uint32_t start = 0; start < w->count; start++)
        if (world_can_start(w, start) &&
            fabs(world_judge(w, start).loss - loss) <= 1e-5 * (1 + loss))
            return start;
    fail_msg("no sequence has a loss of %.9g", loss);
    return 0;
}

/* A step of the world that the oracle has seen the networks of; true: it was trained on. */
static bool go_on(world *w, double *loss) {
    lrn_choice choice;
    world_take_networks(w);
    const moment *m = world_act(w, &choice);
    return lrn_agent_learn(w->agent, (double)m->reward, m->ended, loss);
}

/* Sequences that could be drawn are: with batches of 1 the losses tell. */
static void run_world(const lrn_settings *settings, uint64_t seed) {
    world w;
    bool was_drawn[WORLD_STEPS] = {false};
    uint64_t trainings = 0;
    uint32_t different = 0;
    world_open(&w, settings, seed);
    while (w.count < WORLD_STEPS) {
        lrn_choice choice;
        double loss = -1;
        world_take_networks(&w);
        const moment *m = world_act(&w, &choice);
        world_assert_values(&w, &choice);
        bool is_possible = false;
        for (uint32_t start = 0; start < w.count; start++)
            is_possible = is_possible || world_can_start(&w, start);
        const bool has_trained = lrn_agent_learn(w.agent, (double)m->reward, m->ended, &loss);
        assert_int_equal(has_trained, is_possible);
        if (!has_trained)
            continue;
        was_drawn[w.count - 1 - find_sequence(&w, loss)] = true;
        trainings++;
        world_take_networks(&w);
        if (trainings % settings->target_every == 0)
            assert_memory_equal(w.online, w.target, w.parameters * sizeof *w.online);
        else
            different += memcmp(w.online, w.target, w.parameters * sizeof *w.online) != 0;
    }
    assert_true(trainings > WORLD_STEPS / 2 && different > 0);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < WORLD_STEPS; i++)
        drawn += was_drawn[i];
    assert_true(drawn > 5);
    world_close(&w);
}

/* Every combination of what an agent can have or not, except noise. */
TEST(losses_follow_their_definitions) {
    for (uint32_t code = 0; code < 128; code++) {
        lrn_settings s = world_settings;
        s.recurrent = (code & 1) != 0 ? 4 : 0;
        s.history = (code & 2) != 0 ? 4 : (code & 1) + 1;
        s.sees_actions = code >> 2 & 1;
        s.atoms = (code & 8) != 0 ? WORLD_ATOMS : 1;
        s.dueling = code >> 4 & 1;
        s.twice = code >> 5 & 1;
        s.ahead = (code & 64) != 0 ? 3 : 1;
        s.priority = (code % 3) * 0.5;
        s.layers = code % 5 == 0 ? 0 : 1;
        s.last_epsilon = code % 2;
#ifdef REDUCED
        if (code % 7 != 0)
            continue;
#endif
        run_world(&s, code);
    }
}

/* A batch's loss is the mean of its sequences': with only one to draw, that one's. */
TEST(a_batch_is_the_mean) {
    for (uint64_t recurrent = 0; recurrent <= 4; recurrent += 4) {
        lrn_settings s = world_settings;
        world w;
        lrn_choice choice;
        double loss = -1;
        s.recurrent = recurrent;
        s.history = 3;
        s.batch = 6;
        world_open(&w, &s, 4);
        world_take_networks(&w);
        const uint32_t steps = recurrent != 0 ? 4 : 2;
        bool has_trained = false;
        for (uint32_t i = 0; i < steps; i++) {
            assert_false(has_trained);
            const moment *m = world_act(&w, &choice);
            w.log[i].ended = false;
            has_trained = lrn_agent_learn(w.agent, (double)m->reward, false, &loss);
        }
        assert_true(has_trained);
        assert_true(fabs(loss - world_judge(&w, 0).loss) < 1e-5);
        world_close(&w);
    }
}

/* ---- Gradients: the first moment of Adam is a tenth of the gradient and nine of the last one. */

enum { MOST_PARAMETERS = 400 };

static void take_moment(const world *w, float *first) {
    json_t *saved = lrn_agent_save(w->agent);
    assert_non_null(saved);
    assert_true(w->parameters <= MOST_PARAMETERS);
    const json_t *optimiser = json_object_get(saved, "optimiser");
    assert_true(lrn_restore_floats(json_object_get(optimiser, "first"), w->parameters, first));
    json_decref(saved);
}

/* By differences of the loss while the target network stays. */
static double gradient_of(world *w, uint32_t start, size_t parameter) {
    const float kept = w->online[parameter], step = 0.01F;
    w->online[parameter] = kept + step;
    const double above = world_judge(w, start).loss;
    w->online[parameter] = kept - step;
    const double below = world_judge(w, start).loss;
    w->online[parameter] = kept;
    return (above - below) / (2 * (double)step);
}

static void check_gradients(const lrn_settings *settings) {
    world w;
    float before[MOST_PARAMETERS], after[MOST_PARAMETERS];
    double loss = 0;
    world_open(&w, settings, 11);
    for (uint32_t trainings = 0; trainings < 10;) {
        take_moment(&w, before);
        if (!go_on(&w, &loss))
            continue;
        const uint32_t start = find_sequence(&w, loss);
        take_moment(&w, after);
        for (size_t i = 0; i < w.parameters; i++) {
            const double found = ((double)after[i] - 0.9 * (double)before[i]) / 0.1;
            const double expected = gradient_of(&w, start, i);
            if (!(fabs(found - expected) <= 1e-3 + 0.01 * fabs(expected)))
                fail_msg("parameter %zu: gradient %g, not %g", i, found, expected);
        }
        trainings++;
    }
    world_close(&w);
}

/* Of smooth networks and losses. */
TEST(gradients_follow_from_losses) {
    for (uint32_t code = 0; code < 8; code++) {
        lrn_settings s = world_settings;
        s.layers = 0;
        s.atoms = WORLD_ATOMS;
        s.recurrent = (code & 1) != 0 ? 4 : 0;
        s.history = 3;
        s.dueling = code >> 1 & 1;
        s.ahead = 1 + (code >> 2 & 1);
        s.priority = 0.5;
        check_gradients(&s);
    }
}

/* ---- Priorities. */

enum { KEPT = 24 };

/* From the oldest step; returns how many. */
static uint32_t take_priorities(const world *w, uint64_t *priorities) {
    json_t *saved = lrn_agent_save(w->agent);
    assert_non_null(saved);
    const json_t *replay = json_object_get(saved, "replay");
    const uint32_t count = (uint32_t)json_integer_value(json_object_get(replay, "count"));
    assert_true(count <= KEPT);
    assert_true(lrn_restore_items(json_object_get(replay, "priorities"), count, sizeof *priorities,
                                  priorities));
    json_decref(saved);
    return count;
}

/* The sequence that was learned from has its error's, and all others what they had. */
static void check_priorities(const lrn_settings *settings) {
    world w;
    uint64_t before[KEPT], after[KEPT];
    double loss = 0;
    world_open(&w, settings, 12);
    while (w.count < WORLD_STEPS) {
        const uint32_t old_count = take_priorities(&w, before);
        const bool has_trained = go_on(&w, &loss);
        const uint32_t count = take_priorities(&w, after), oldest = w.count - count;
        const uint32_t drawn = has_trained ? find_sequence(&w, loss) - oldest : UINT32_MAX;
        for (uint32_t age = 0; age + 1 < count; age++)
            if (age != drawn)
                assert_int_equal(after[age], before[old_count == count ? age + 1 : age]);
        if (!has_trained)
            continue;
        const double error = world_judge(&w, oldest + drawn).error;
        const double expected = pow(error + 1e-3, settings->priority) * (1 << 24);
        assert_true(fabs((double)after[drawn] / expected - 1) < 1e-2);
    }
    world_close(&w);
}

TEST(priorities_follow_from_errors) {
    for (uint32_t code = 0; code < 4; code++) {
        lrn_settings s = world_settings;
        s.recurrent = (code & 1) != 0 ? 4 : 0;
        s.history = 3;
        s.atoms = (code & 2) != 0 ? WORLD_ATOMS : 1;
        s.ahead = 2;
        s.replay = KEPT;
        s.priority = 0.5;
        check_priorities(&s);
    }
}
