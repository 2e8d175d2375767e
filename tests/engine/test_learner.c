/* SPDX-License-Identifier: MIT */
/*
 * Agents as engines have them: which reward belongs to which choice, what is told of a test, and
 * files. That the account of a test is that of the agent is judged by a second agent, which is told
 * the same directly.
 */
#include "mtg_statistics.h"

#include "engine/learner.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ACTIONS = 3, INPUTS = 2, STEPS = 40 };

static const char *const names[ACTIONS] = {"one", "two", "three"};

static const lrn_settings learning = {
    .inputs = INPUTS,
    .actions = ACTIONS,
    .history = 4,
    .neurons = 5,
    .layers = 1,
    .recurrent = 4,
    .atoms = 5,
    .most = 2,
    .dueling = 1,
    .noisy = 1,
    .twice = 1,
    .ahead = 2,
    .discount = 0.9,
    .rate = 0.01,
    .batch = 4,
    .replay = 16,
    .warm_up = 6,
    .train_every = 2,
    .target_every = 3,
    .priority = 0.5,
    .importance = 0.4,
    .importance_steps = 100,
    .epsilon = 0.5,
    .last_epsilon = 0.1,
    .epsilon_steps = 30,
};

static void open_learner(dir_learner *learner, const lrn_settings *agent) {
    col_problem problem = {0};
    const dir_learner_setup setup = {.engine = "rlg",
                                     .agent = agent,
                                     .action_names = names,
                                     .action_count = ACTIONS,
                                     .seed = 11};
    if (dir_learner_open(learner, &setup, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* What is seen, allowed and rewarded at a step. */
static const float *seen_at(uint32_t step, float seen[INPUTS]) {
    seen[0] = (float)(step % 7) / 7;
    seen[1] = (float)(step % 3) / 3;
    return seen;
}

static uint64_t allowed_at(uint32_t step) {
    static const uint64_t sets[] = {7, 3, 6, 5, 7, 2};
    return sets[step % 6];
}

static double reward_at(uint32_t step, uint32_t action) {
    return action == 1 ? 1 : 0.25 * (step % 2);
}

static uint32_t choose(dir_learner *learner, uint32_t step) {
    float seen[INPUTS];
    const uint32_t action = dir_learner_choose(learner, seen_at(step, seen), allowed_at(step));
    assert_true((allowed_at(step) >> action & 1) != 0);
    dir_learner_point(learner, (col_point){step, step + 1, action});
    return action;
}

/* ---- Accounts. */

TEST(nothing_is_learned_before_the_first_action) {
    dir_learner learner;
    open_learner(&learner, &learning);
    assert_int_equal(learner.last.test, 0);
    assert_int_equal(learner.last.action_count, ACTIONS);
    assert_ptr_equal(learner.last.action_names, names);
    dir_learner_reward(&learner, 1, 5); /* no action made this test */
    assert_int_equal(learner.last.test, 0);
    const uint32_t action = choose(&learner, 0);
    assert_int_equal(learner.last.test, 0); /* what comes of it is not known yet */
    dir_learner_reward(&learner, 2, 1);
    assert_int_equal(learner.last.test, 2);
    assert_int_equal(learner.last.action, action);
    dir_learner_reward(&learner, 3, 7); /* nor this one */
    assert_int_equal(learner.last.test, 2);
    assert_true(learner.last.reward == 1);
    dir_learner_close(&learner);
}

TEST(rows_match_the_agent) {
    dir_learner learner;
    lrn_agent *agent = NULL;
    base_rng rng;
    uint32_t trained = 0;
    open_learner(&learner, &learning);
    base_rng_seed(&rng, 11 ^ 0x6c726e, 0);
    assert_int_equal(lrn_agent_new(&agent, &learning, base_rng_next(&rng), NULL), COL_OK);
    for (uint32_t step = 0; step < STEPS; step++) {
        float seen[INPUTS], values[ACTIONS];
        double loss = 0;
        const lrn_choice choice = lrn_agent_act(agent, seen_at(step, seen), allowed_at(step));
        memcpy(values, choice.values, sizeof values);
        assert_int_equal(choose(&learner, step), choice.action);
        dir_learner_reward(&learner, step + 2, reward_at(step, choice.action));
        const bool is_trained =
            lrn_agent_learn(agent, reward_at(step, choice.action), false, &loss);
        const col_learning *last = &learner.last;
        assert_int_equal(last->test, step + 2);
        assert_int_equal(last->action, choice.action);
        assert_true(last->is_random == choice.is_random && last->epsilon == choice.epsilon);
        assert_true(last->reward == reward_at(step, choice.action));
        assert_memory_equal(last->values, values, sizeof values);
        assert_true(last->is_trained == is_trained && last->loss == (is_trained ? loss : 0));
        assert_true(last->point.operations == step && last->point.sets == choice.action);
        trained += is_trained;
    }
    assert_true(trained > 5);
    lrn_agent_free(agent);
    dir_learner_close(&learner);
}

TEST(without_an_agent_actions_are_drawn_evenly) {
    static const double chances[] = {0.5, 0, 0.5};
    uint64_t counts[ACTIONS] = {0};
    dir_learner learner;
    open_learner(&learner, NULL);
    for (uint32_t i = 0; i < 10000; i++) {
        counts[dir_learner_choose(&learner, NULL, 5)]++;
        dir_learner_reward(&learner, i + 1, 1);
        assert_true(learner.last.is_random && learner.last.epsilon == 1);
        assert_true(!learner.last.is_trained && learner.last.values == NULL);
    }
    assert_distributed(counts, chances, ACTIONS);
    dir_learner_close(&learner);
}

/* ---- Files. */

/* A copy of the state with one value changed. */
static void expect_refused(const json_t *good, const char *row, const char *key, json_t *value) {
    dir_learner learner;
    col_problem problem = {0};
    json_t *bad = json_deep_copy(good);
    json_t *object = row == NULL ? bad : json_object_get(bad, row);
    assert_non_null(bad);
    assert_int_equal(json_object_set_new(object, key, value), 0);
    open_learner(&learner, &learning);
    if (dir_learner_restore(&learner, bad, &problem) != COL_BAD_INPUT || problem.message[0] == '\0')
        fail_msg("%s %s is taken", row == NULL ? "" : row, key);
    dir_learner_close(&learner);
    json_decref(bad);
}

TEST(damaged_states_are_refused) {
    static const char *const rows[] = {"next", "last"};
    dir_learner learner;
    open_learner(&learner, &learning);
    for (uint32_t step = 0; step < 3; step++) {
        dir_learner_reward(&learner, step + 1, 1);
        (void)choose(&learner, step);
    }
    json_t *good = dir_learner_save(&learner);
    dir_learner_close(&learner);
    expect_refused(good, NULL, "random", json_pack("[i, i, i, i]", 0, 0, 0, 0));
    expect_refused(good, NULL, "random", json_pack("[i, i, i]", 1, 2, 3));
    expect_refused(good, NULL, "random", json_pack("[i, i, i, s]", 1, 2, 3, "4"));
    expect_refused(good, NULL, "agent", json_null());
    expect_refused(good, NULL, "next", json_integer(1));
    expect_refused(good, "last", "test", json_integer(0));
    for (int i = 0; i < 2; i++) {
        expect_refused(good, rows[i], "test", json_integer(-1));
        expect_refused(good, rows[i], "action", json_integer(ACTIONS));
        expect_refused(good, rows[i], "action", json_real(1));
        expect_refused(good, rows[i], "random", json_integer(1));
        expect_refused(good, rows[i], "trained", json_null());
        expect_refused(good, rows[i], "epsilon", json_string("0.5"));
        expect_refused(good, rows[i], "reward", json_null());
        expect_refused(good, rows[i], "loss", json_true());
        expect_refused(good, rows[i], "point", json_pack("[i, i]", 1, 2));
        expect_refused(good, rows[i], "point", json_pack("[i, i, I]", 1, 2, (json_int_t)1 << 32));
        expect_refused(good, rows[i], "values", json_null());
        expect_refused(good, rows[i], "values", json_pack("[f, f]", 1.0, 2.0));
        expect_refused(good, rows[i], "values", json_pack("[f, f, f]", 1.0, 2.0, 1e300));
        expect_refused(good, rows[i], "values", json_pack("[f, f, s]", 1.0, 2.0, "3"));
    }
    open_learner(&learner, NULL); /* an agent that nobody asked for */
    assert_int_equal(dir_learner_restore(&learner, good, NULL), COL_BAD_INPUT);
    dir_learner_close(&learner);
    json_decref(good);
}

/* ---- Agents of files. */

static void expect_untaken(const char *text, const char *why) {
    char path[] = "/tmp/collider-learner-XXXXXX";
    const int file = mkstemp(path);
    dir_learner learner;
    col_problem problem = {0};
    const dir_learner_setup setup = {.engine = "rlg",
                                     .agent = &learning,
                                     .action_names = names,
                                     .action_count = ACTIONS,
                                     .trained = path};
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    assert_int_equal(close(file), 0);
    assert_int_equal(dir_learner_open(&learner, &setup, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, why) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, why);
    assert_string_equal(problem.file, path);
    (void)remove(path);
}

TEST(files_without_a_suitable_agent_are_refused) {
    expect_untaken("{\"engine\": ", "");
    expect_untaken("[]", "not the state of an engine");
    expect_untaken("{\"engine\": \"rag\"}", "of the engine rag, not of rlg");
    expect_untaken("{\"engine\": \"rlg\", \"state\": {}}", "no agent");
    expect_untaken("{\"engine\": \"rlg\", \"state\": {\"learner\": {\"agent\": null}}}",
                   "no agent");
    expect_untaken("{\"engine\": \"rlg\", \"state\": {\"learner\": {\"agent\": {}}}}", "");
}
