/* SPDX-License-Identifier: MIT */
/*
 * Agents that are saved and go on elsewhere, at every step of a run: their choices, values and
 * losses have to be those of the agent that never stopped, to the last bit. And everything that
 * could be wrong with what was saved.
 */
#include "engine/learn/learning_agent.h"
#include "engine/learn/neural_network.h"

#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { INPUTS = 3, ACTIONS = 4, STEPS = 60 };

/* Everything that an agent can have. */
static const lrn_settings rainbow = {
    .inputs = INPUTS,
    .actions = ACTIONS,
    .sees_actions = 1,
    .history = 4,
    .neurons = 5,
    .layers = 1,
    .recurrent = 4,
    .atoms = 5,
    .least = -2,
    .most = 3,
    .dueling = 1,
    .noisy = 1,
    .twice = 1,
    .ahead = 3,
    .discount = 0.9,
    .method = LRN_ADAM,
    .rate = 0.01,
    .longest = 10,
    .batch = 4,
    .replay = 24,
    .train_every = 2,
    .target_every = 7,
    .priority = 0.5,
    .importance = 0.4,
    .importance_steps = 50,
    .epsilon = 0.5,
    .last_epsilon = 0.1,
    .epsilon_steps = 40,
};

/* A deep Q network with nothing more, and the other optimiser. */
static lrn_settings make_plain(void) {
    lrn_settings s = rainbow;
    s.recurrent = s.dueling = s.noisy = s.twice = 0;
    s.atoms = s.ahead = 1;
    s.priority = 0;
    s.method = LRN_RMSPROP;
    return s;
}

static lrn_agent *make_agent(const lrn_settings *settings, uint64_t seed) {
    lrn_agent *agent = NULL;
    col_problem problem = {0};
    assert_int_equal(lrn_agent_new(&agent, settings, seed, &problem), COL_OK);
    return agent;
}

/* What an agent says in a step. */
typedef struct words {
    uint32_t action;
    float values[ACTIONS];
    double loss;
} words;

static void see(uint32_t step, float *seen) {
    base_rng rng;
    base_rng_seed(&rng, 99, step);
    for (uint32_t i = 0; i < INPUTS; i++)
        seen[i] = (float)(2 * base_rng_unit(&rng) - 1);
}

static void act(lrn_agent *agent, uint32_t step, words *said) {
    float seen[INPUTS];
    see(step, seen);
    const lrn_choice choice = lrn_agent_act(agent, seen, step % 3 == 0 ? 11 : 15);
    said->action = choice.action;
    memcpy(said->values, choice.values, sizeof said->values);
}

static void learn(lrn_agent *agent, uint32_t step, words *said) {
    float next[INPUTS];
    see(step + 1, next);
    said->loss = -1;
    (void)lrn_agent_learn(agent, (double)next[0] + said->action, step % 11 == 10, &said->loss);
}

static void run(lrn_agent *agent, uint32_t from, words *said) {
    for (uint32_t step = from; step < STEPS; step++) {
        act(agent, step, &said[step]);
        learn(agent, step, &said[step]);
    }
}

static void assert_same(const words *one, const words *other, uint32_t from) {
    for (uint32_t step = from; step < STEPS; step++) {
        assert_int_equal(one[step].action, other[step].action);
        assert_memory_equal(one[step].values, other[step].values, sizeof one->values);
        assert_memory_equal(&one[step].loss, &other[step].loss, sizeof one->loss);
    }
}

/* Through text, as a file would be. */
static json_t *save(const lrn_agent *agent) {
    json_t *saved = lrn_agent_save(agent);
    assert_non_null(saved);
    char *text = json_dumps(saved, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(saved);
    assert_non_null(text);
    saved = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(saved);
    return saved;
}

static lrn_agent *continue_elsewhere(const lrn_settings *settings, lrn_agent *agent) {
    lrn_agent *other = make_agent(settings, 1000);
    col_problem problem = {0};
    json_t *saved = save(agent);
    assert_int_equal(lrn_agent_restore(other, saved, &problem), COL_OK);
    json_t *again = save(other);
    assert_true(json_equal(saved, again));
    json_decref(saved);
    json_decref(again);
    return other;
}

static void stop_at_every_step(const lrn_settings *settings) {
    words through[STEPS], stopped[STEPS];
    lrn_agent *agent = make_agent(settings, 5);
    run(agent, 0, through);
    lrn_agent_free(agent);
    for (uint32_t stop = 0; stop < STEPS; stop++)
        for (int is_under_way = 0; is_under_way <= 1; is_under_way++) {
            agent = make_agent(settings, 5);
            for (uint32_t step = 0; step < stop; step++) {
                act(agent, step, &stopped[step]);
                learn(agent, step, &stopped[step]);
            }
            if (is_under_way == 1)
                act(agent, stop, &stopped[stop]);
            lrn_agent *other = continue_elsewhere(settings, agent);
            if (is_under_way == 0)
                act(other, stop, &stopped[stop]);
            learn(other, stop, &stopped[stop]);
            run(other, stop + 1, stopped);
            assert_same(through, stopped, 0);
            lrn_agent_free(agent);
            lrn_agent_free(other);
        }
}

TEST(a_restored_agent_continues_identically) {
    const lrn_settings plain = make_plain();
    stop_at_every_step(&rainbow);
    stop_at_every_step(&plain);
}

TEST(a_seed_determines_a_run) {
    words first[STEPS], second[STEPS], other[STEPS];
    lrn_agent *agents[] = {make_agent(&rainbow, 1), make_agent(&rainbow, 1),
                           make_agent(&rainbow, 2)};
    run(agents[0], 0, first);
    run(agents[1], 0, second);
    run(agents[2], 0, other);
    assert_same(first, second, 0);
    assert_memory_not_equal(first[STEPS - 1].values, other[STEPS - 1].values, sizeof first->values);
    uint32_t different = 0;
    for (uint32_t step = 0; step < STEPS; step++)
        different += first[step].action != other[step].action;
    assert_true(different > 5);
    for (uint32_t i = 0; i < 3; i++)
        lrn_agent_free(agents[i]);
}

/* ---- The networks alone. */

/* Into an agent that learns otherwise; that has its own chance and knows of no steps. */
TEST(networks_are_loaded) {
    words said[STEPS], first, second;
    lrn_settings s = rainbow;
    col_problem problem = {0};
    s.replay = 99;
    s.batch = 2;
    s.priority = 0;
    s.method = LRN_RMSPROP;
    lrn_agent *agent = make_agent(&rainbow, 1), *other = make_agent(&s, 7);
    run(agent, 0, said);
    json_t *saved = save(agent);
    assert_int_equal(lrn_agent_load(other, saved, &problem), COL_OK);
    lrn_agent_freeze(agent, true);
    lrn_agent_freeze(other, true);
    act(agent, 3, &first);
    act(other, 3, &second);
    assert_int_equal(first.action, second.action);
    assert_memory_equal(first.values, second.values, sizeof first.values);
    json_t *loaded = save(other);
    assert_true(json_equal(json_object_get(saved, "online"), json_object_get(loaded, "online")));
    assert_true(json_equal(json_object_get(saved, "target"), json_object_get(loaded, "target")));
    assert_int_equal(json_integer_value(json_object_get(loaded, "steps")), 0);
    json_decref(saved);
    json_decref(loaded);
    lrn_agent_free(agent);
    lrn_agent_free(other);
}

static void refuse_shape(const lrn_settings *settings, const char *part) {
    lrn_agent *agent = make_agent(&rainbow, 1), *other = make_agent(settings, 1);
    col_problem problem = {0};
    json_t *saved = save(agent), *before = save(other);
    assert_int_equal(lrn_agent_load(other, saved, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, part));
    assert_int_equal(lrn_agent_restore(other, saved, &problem), COL_BAD_INPUT);
    json_t *after = save(other);
    assert_true(json_equal(before, after));
    json_decref(saved);
    json_decref(before);
    json_decref(after);
    lrn_agent_free(agent);
    lrn_agent_free(other);
}

TEST(another_shape_is_refused) {
#define OTHER(change, part)                                                                        \
    do {                                                                                           \
        lrn_settings s = rainbow;                                                                  \
        s.change;                                                                                  \
        refuse_shape(&s, part);                                                                    \
    } while (0)
    OTHER(inputs = 4, "its inputs is 3, not 4");
    OTHER(actions = 3, "its actions is 4, not 3");
    OTHER(sees_actions = 0, "sees_actions");
    OTHER(history = 5, "history");
    OTHER(neurons = 6, "neurons");
    OTHER(layers = 2, "layers");
    OTHER(recurrent = 0, "recurrent");
    OTHER(atoms = 1, "atoms");
    OTHER(dueling = 0, "dueling");
    OTHER(noisy = 0, "noisy");
    OTHER(least = -1, "returns from -1 to 3");
    OTHER(most = 2, "returns from -2 to 2");
}

/* ---- What is no agent. */

/* A copy of an agent that was saved between an act and its learn. */
static json_t *make_saved(void) {
    words said[STEPS];
    lrn_agent *agent = make_agent(&rainbow, 1);
    run(agent, 0, said);
    act(agent, STEPS, &said[0]);
    json_t *saved = save(agent);
    lrn_agent_free(agent);
    return saved;
}

typedef struct mistake {
    const char *within; /* a key of the whole, or NULL */
    const char *key;
    const char *value; /* JSON; NULL: left out */
    size_t at;         /* or digits to put into the text there */
    const char *part;  /* of the sentence */
} mistake;

static void make_mistake(json_t *saved, const mistake *m) {
    json_t *object = m->within != NULL ? json_object_get(saved, m->within) : saved;
    assert_non_null(json_object_get(object, m->key));
    if (m->value == NULL) {
        json_object_del(object, m->key);
    } else if (m->at == SIZE_MAX) {
        json_object_set_new(object, m->key, json_loads(m->value, JSON_DECODE_ANY, NULL));
    } else {
        char *text = strdup(json_string_value(json_object_get(object, m->key)));
        memcpy(text + m->at, m->value, strlen(m->value));
        json_object_set_new(object, m->key, json_string(text));
        free(text);
    }
}

#define WHOLE SIZE_MAX
static const mistake mistakes[] = {
    {NULL, "shape", NULL, 0, "does not say its inputs"},
    {NULL, "online", NULL, 0, "online network"},
    {NULL, "online", "\"00\"", WHOLE, "online network"},
    {NULL, "online", "7fc00000", 0, "online network"},
    {NULL, "online", "7f800000", 8, "online network"},
    {NULL, "online", "x", 3, "online network"},
    {NULL, "target", "ff800000", 16, "target network"},
    {NULL, "target", "3", WHOLE, "target network"},
    {NULL, "optimiser", NULL, 0, "optimiser"},
    {"optimiser", "steps", "-1", WHOLE, "optimiser"},
    {"optimiser", "first", "null", WHOLE, "optimiser"},
    {"optimiser", "second", "7f800001", 0, "optimiser"},
    {"optimiser", "second", "bf800000", 0, "optimiser"}, /* -1: no square */
    {NULL, "steps", "\"many\"", WHOLE, "how long it has learned"},
    {NULL, "trainings", "-3", WHOLE, "how long it has learned"},
    {NULL, "random", "\"00\"", WHOLE, "chance"},
    {NULL, "random", "0000000000000000000000000000000000000000000000000000000000000000", 0,
     "chance"},
    {NULL, "life", NULL, 0, "life"},
    {"life", "count", "5", WHOLE, "life"},
    {"life", "count", "1", WHOLE, "life"},
    {"life", "inputs", "7f800000", 0, "life"},
    {"life", "before", "4", WHOLE, "life"},
    {"life", "before", "null", WHOLE, "life"},
    {"life", "choice", "{}", WHOLE, "life"},
    {"life", "choice", "{\"action\": 4, \"allowed\": \"000000000000001f\"}", WHOLE, "life"},
    {"life", "choice", "{\"action\": 1, \"allowed\": \"0000000000000001\"}", WHOLE, "life"},
    {"life", "choice", "{\"action\": 1, \"allowed\": \"0000000000000022\"}", WHOLE, "life"},
    {NULL, "life", /* a choice of one who has seen nothing */
     "{\"count\": 0, \"inputs\": \"\", \"before\": null,"
     " \"choice\": {\"action\": 1, \"allowed\": \"000000000000000f\"}}",
     WHOLE, "life"},
    {"replay", "count", "25", WHOLE, "replay"},
    {"replay", "seen", "7fc00000", 0, "replay"},
    {NULL, "replay", "[]", WHOLE, "replay"},
};

TEST(files_that_are_not_agents_are_refused) {
    json_t *saved = make_saved();
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        json_t *wrong = json_deep_copy(saved);
        lrn_agent *agent = make_agent(&rainbow, 3);
        col_problem problem = {0};
        make_mistake(wrong, &mistakes[i]);
        json_t *before = save(agent);
        assert_int_equal(lrn_agent_restore(agent, wrong, &problem), COL_BAD_INPUT);
        if (strstr(problem.message, mistakes[i].part) == NULL)
            fail_msg("mistake %zu: %s", i, problem.message);
        json_t *after = save(agent);
        assert_true(
            json_equal(json_object_get(before, "online"), json_object_get(after, "online")));
        words said = {.action = 0};
        learn(agent, STEPS, &said); /* nothing to rely on, but nothing that crashes */
        act(agent, STEPS + 1, &said);
        learn(agent, STEPS + 1, &said);
        json_decref(wrong);
        json_decref(before);
        json_decref(after);
        lrn_agent_free(agent);
    }
    json_decref(saved);
}

TEST(an_empty_file_is_not_an_agent) {
    lrn_agent *agent = make_agent(&rainbow, 3);
    col_problem problem = {0};
    json_t *list = json_array();
    assert_int_equal(lrn_agent_restore(agent, NULL, &problem), COL_BAD_INPUT);
    assert_int_equal(lrn_agent_restore(agent, list, &problem), COL_BAD_INPUT);
    assert_int_equal(lrn_agent_load(agent, NULL, &problem), COL_BAD_INPUT);
    json_decref(list);
    lrn_agent_free(agent);
}
