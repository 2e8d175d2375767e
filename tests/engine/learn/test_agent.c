/* SPDX-License-Identifier: MIT */
/*
 * Agents that act in a random world: their chance, lives and settings. What they see and learn
 * there is looked at in test_agent_train.c.
 */
#include "engine/learn/neural_network.h"
#include "engine/learn/world.h"

#include "harness.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Chance. */

TEST(random_actions_are_uniform) {
    enum { DRAWS = 6000 };
    lrn_settings s = world_settings;
    const float seen[WORLD_INPUTS] = {0};
    uint32_t hits[WORLD_ACTIONS] = {0};
    double loss = 0, chi = 0;
    s.warm_up = UINT32_MAX;
    lrn_agent *agent = world_agent(&s, 3);
    for (uint32_t i = 0; i < DRAWS; i++) {
        const lrn_choice choice = lrn_agent_act(agent, seen, 13); /* all but action 1 */
        assert_true(choice.is_random && choice.epsilon == 1);
        hits[choice.action]++;
        assert_false(lrn_agent_learn(agent, 0, false, &loss));
    }
    assert_int_equal(hits[1], 0);
    for (uint32_t action = 0; action < WORLD_ACTIONS; action++)
        if (action != 1)
            chi += pow(hits[action] - DRAWS / 3.0, 2) / (DRAWS / 3.0);
    assert_true(chi < 13.8); /* one in a thousand, two degrees of freedom */
    lrn_agent_free(agent);
}

TEST(epsilon_falls_linearly) {
    lrn_settings s = world_settings;
    const float seen[WORLD_INPUTS] = {0};
    uint32_t randoms = 0;
    double loss = 0, expected = 0;
    s.warm_up = UINT32_MAX;
    s.epsilon = 0.9;
    s.last_epsilon = 0.1;
    s.epsilon_steps = 4000;
    lrn_agent *agent = world_agent(&s, 3);
    for (uint32_t i = 0; i < 8000; i++) {
        const lrn_choice choice = lrn_agent_act(agent, seen, 15);
        const double epsilon = i < 4000 ? 0.9 - 0.8 * i / 4000 : 0.1;
        assert_true(fabs(choice.epsilon - epsilon) < 1e-12);
        randoms += choice.is_random;
        expected += epsilon;
        (void)lrn_agent_learn(agent, 0, false, &loss);
    }
    assert_true(fabs(randoms - expected) < 4 * sqrt(expected));
    lrn_agent_free(agent);
}

/* Noise is another one in every act, and none when frozen. */
TEST(noise_is_fresh) {
    lrn_settings s = world_settings;
    const float seen[WORLD_INPUTS] = {0.5F, -1, 1};
    float last[2] = {0};
    double loss = 0;
    s.noisy = 1;
    s.warm_up = UINT32_MAX;
    lrn_agent *agent = world_agent(&s, 3);
    for (int is_frozen = 0; is_frozen <= 1; is_frozen++) {
        lrn_agent_freeze(agent, is_frozen == 1);
        for (uint32_t i = 0; i < 20; i++) {
            const lrn_choice choice = lrn_agent_act(agent, seen, 15);
            if (i > 0)
                assert_int_equal(choice.values[0] == last[is_frozen], is_frozen);
            last[is_frozen] = choice.values[0];
            (void)lrn_agent_learn(agent, 0, true, &loss);
        }
    }
    lrn_agent_free(agent);
}

/* ---- Lives. */

static json_t *save(const lrn_agent *agent) {
    json_t *saved = lrn_agent_save(agent);
    assert_non_null(saved);
    return saved;
}

/* A frozen agent plays the best it knows, and knows nothing of it afterwards. */
TEST(freezing_leaves_no_trace) {
    lrn_settings s = world_settings;
    world w;
    lrn_choice choice;
    double loss = 0;
    s.history = 3;
    s.recurrent = 4;
    world_open(&w, &s, 8);
    while (w.count < 40) {
        const moment *m = world_act(&w, &choice);
        (void)lrn_agent_learn(w.agent, (double)m->reward, m->ended, &loss);
    }
    world_take_networks(&w);
    json_t *before = save(w.agent);
    for (uint32_t time = 0; time < 5; time++) {
        world other = w; /* of whose past a frozen agent knows nothing, nor of frozen times */
        other.count = 0;
        lrn_agent_freeze(w.agent, true);
        while (other.count < 37 + time) {
            const moment *m = world_act(&other, &choice);
            assert_false(choice.is_random);
            world_assert_values(&other, &choice);
            assert_false(lrn_agent_learn(w.agent, (double)m->reward, m->ended, &loss));
        }
        lrn_agent_freeze(w.agent, false);
    }
    json_t *after = save(w.agent);
    assert_true(json_equal(before, after));
    json_decref(before);
    json_decref(after);
    world_close(&w);
}

/* Nothing comes of no action, and an action of which nothing came is not learned from. */
TEST(learning_needs_an_action) {
    const float first[WORLD_INPUTS] = {1, 2, 3}, second[WORLD_INPUTS] = {4, 5, 6};
    double loss = 0;
    lrn_settings s = world_settings;
    s.history = 2;
    s.last_epsilon = 0;
    lrn_agent *agent = world_agent(&s, 1), *other = world_agent(&s, 1);
    assert_false(lrn_agent_learn(agent, 1, false, &loss));
    (void)lrn_agent_act(agent, first, 15);
    const lrn_choice again = lrn_agent_act(agent, second, 15);
    const lrn_choice once = lrn_agent_act(other, second, 15);
    assert_int_equal(again.action, once.action);
    assert_memory_equal(again.values, once.values, WORLD_ACTIONS * sizeof *once.values);
    (void)lrn_agent_learn(agent, 1, false, &loss);
    assert_false(lrn_agent_learn(agent, 1, false, &loss));
    json_t *saved = save(agent);
    assert_int_equal(json_integer_value(json_object_get(saved, "steps")), 1);
    json_decref(saved);
    lrn_agent_free(agent);
    lrn_agent_free(other);
}

TEST(training_waits_and_pauses) {
    const float seen[WORLD_INPUTS] = {0};
    lrn_settings s = world_settings;
    s.warm_up = 10;
    s.train_every = 4;
    lrn_agent *agent = world_agent(&s, 1);
    for (uint32_t step = 1; step <= 40; step++) {
        double loss = 0;
        (void)lrn_agent_act(agent, seen, 15);
        assert_int_equal(lrn_agent_learn(agent, 0, false, &loss), step >= 10 && step % 4 == 0);
    }
    lrn_agent_free(agent);
}

/* Numbers that are none do not get into the network. */
TEST(numbers_that_are_not_finite_do_no_lasting_harm) {
    for (uint64_t code = 0; code < 4; code++) {
        lrn_settings s = world_settings;
        world w;
        lrn_choice choice = {.values = NULL};
        double loss = 0;
        s.atoms = code % 2 == 0 ? 1 : 5;
        world_open(&w, &s, 6);
        while (w.count < WORLD_STEPS) {
            const moment *m = world_act(&w, &choice);
            const bool is_reward = w.count == 30 && code < 2;
            if (w.count == 30 && code >= 2) { /* an observation: asked again, it is another one */
                const float seen[WORLD_INPUTS] = {INFINITY, NAN, 0};
                (void)lrn_agent_act(w.agent, seen, m->allowed);
            }
            (void)lrn_agent_learn(w.agent, is_reward ? INFINITY : (double)m->reward, m->ended,
                                  &loss);
        }
        assert_non_null(choice.values);
        for (uint32_t action = 0; action < WORLD_ACTIONS && choice.values != NULL; action++)
            assert_true(isfinite(choice.values[action]));
        world_take_networks(&w); /* refuses what is not finite */
        world_close(&w);
    }
}

/* Whose square is no float: it is clipped, and what is saved is still an agent. */
TEST(steep_gradients_do_no_lasting_harm) {
    const float seen[WORLD_INPUTS] = {1e25F, -1e25F, 1};
    for (uint64_t method = 0; method < LRN_METHOD_COUNT; method++)
        for (int is_limited = 0; is_limited <= 1; is_limited++) {
            lrn_settings s = world_settings;
            double loss = 0;
            col_problem problem = {0};
            s.layers = 0;
            s.method = method;
            s.longest = is_limited == 1 ? 1e30 : 0;
            lrn_agent *agent = world_agent(&s, 1), *other = world_agent(&s, 2);
            for (uint32_t step = 0; step < 40; step++) {
                (void)lrn_agent_act(agent, seen, 15);
                (void)lrn_agent_learn(agent, 1, step % 5 == 4, &loss);
            }
            json_t *saved = save(agent);
            assert_int_equal(lrn_agent_restore(other, saved, &problem), COL_OK);
            json_decref(saved);
            lrn_agent_free(agent);
            lrn_agent_free(other);
        }
}

/* ---- Memory and settings. */

TEST(a_step_allocates_no_memory) {
    lrn_settings s = world_settings;
    world w;
    lrn_choice choice;
    double loss = 0;
    s.recurrent = 4;
    s.history = 4;
    s.noisy = s.dueling = s.twice = 1;
    s.atoms = 5;
    s.batch = 8;
    s.priority = 0.5;
    world_open(&w, &s, 5);
    while (w.count < WORLD_STEPS) {
        const size_t before = mallinfo2().uordblks;
        const moment *m = world_act(&w, &choice);
        (void)lrn_agent_learn(w.agent, (double)m->reward, m->ended, &loss);
        assert_int_equal(mallinfo2().uordblks, before);
    }
    world_close(&w);
}

static void assert_refused(const lrn_settings *settings, const char *part) {
    lrn_agent *agent = NULL;
    col_problem problem = {0};
    assert_int_equal(lrn_agent_new(&agent, settings, 1, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, part));
    assert_null(agent);
}

TEST(senseless_settings_are_refused) {
    lrn_settings s = world_settings;
    s.replay = 2;
    assert_refused(&s, "too short");
    s = world_settings;
    s.atoms = 5;
    s.most = s.least;
    assert_refused(&s, "least return");
    s = world_settings;
    s.inputs = 1 << 16;
    s.replay = 1 << 20;
    assert_refused(&s, "gigabyte");
    lrn_agent_free(NULL);
}
