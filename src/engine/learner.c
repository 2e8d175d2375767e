/* SPDX-License-Identifier: MIT */
/* Agents as engines have them: see learner.h. */
#include "engine/learner.h"

#include <string.h>

/* Chance of its own: neither that of the programs nor that of the engine. */
enum { AGENT_SEED = 0x6c726e };

/* ---- Beginning and end. */

/* The state of an agent inside that of an engine, which `root` is. */
static col_status find_agent(const json_t *root, const char *engine, const json_t **agent,
                             col_problem *problem) {
    const char *name = json_string_value(json_object_get(root, "engine"));
    const json_t *learner = json_object_get(json_object_get(root, "state"), "learner");
    *agent = json_object_get(learner, "agent");
    if (name == NULL)
        return base_refuse(problem, "this is not the state of an engine");
    if (strcmp(name, engine) != 0)
        return base_refuse(problem, "this is the state of the engine %.40s, not of %s", name,
                           engine);
    if (!json_is_object(*agent))
        return base_refuse(problem, "this engine had no agent");
    return COL_OK;
}

static void say_where(const char *path, col_problem *problem) {
    if (problem == NULL || problem->file[0] != '\0')
        return;
    strncpy(problem->file, path, sizeof problem->file - 1);
    problem->line = problem->column = 1;
}

static col_status load_trained(dir_learner *learner, const char *engine, const char *path,
                               col_problem *problem) {
    const json_t *agent = NULL;
    json_t *root;
    BASE_TRY(base_json_read(path, &root, problem));
    col_status status = find_agent(dir_saved_engine(root), engine, &agent, problem);
    if (status == COL_OK)
        status = lrn_agent_load(learner->agent, agent, problem);
    json_decref(root);
    if (status == COL_BAD_INPUT)
        say_where(path, problem);
    return status;
}

col_status dir_learner_open(dir_learner *learner, const dir_learner_setup *setup,
                            col_problem *problem) {
    const bool is_trained = setup->trained != NULL && setup->trained[0] != '\0';
    const col_learning nothing = {.action_count = setup->action_count,
                                  .action_names = setup->action_names};
    *learner = (dir_learner){.next = nothing, .last = nothing};
    base_rng_seed(&learner->rng, setup->seed ^ AGENT_SEED, 0);
    if (setup->agent == NULL && is_trained)
        return base_refuse(problem, "actions that are drawn at random need no trained agent");
    if (setup->agent == NULL)
        return COL_OK;
    const uint64_t seed = base_rng_next(&learner->rng);
    col_status status = lrn_agent_new(&learner->agent, setup->agent, seed, problem);
    if (status == COL_OK && is_trained)
        status = load_trained(learner, setup->engine, setup->trained, problem);
    if (status != COL_OK)
        dir_learner_close(learner);
    return status;
}

void dir_learner_close(dir_learner *learner) {
    lrn_agent_free(learner->agent);
    *learner = (dir_learner){0};
}

/* ---- Rewards and actions. */

void dir_learner_reward(dir_learner *learner, uint64_t test, double reward) {
    if (!learner->has_choice)
        return;
    learner->has_choice = false;
    learner->last = learner->next;
    learner->last.test = test;
    learner->last.reward = reward;
    if (learner->agent == NULL)
        return;
    memcpy(learner->last_values, learner->next_values, sizeof learner->last_values);
    learner->last.values = learner->last_values;
    learner->last.is_trained = lrn_agent_learn(learner->agent, reward, false, &learner->last.loss);
    if (!learner->last.is_trained)
        learner->last.loss = 0;
}

uint32_t dir_learner_choose(dir_learner *learner, const float *observation, uint64_t allowed) {
    col_learning *next = &learner->next;
    learner->has_choice = true;
    if (learner->agent == NULL) {
        next->action = base_rng_pick(&learner->rng, allowed);
        next->is_random = true;
        next->epsilon = 1;
        return next->action;
    }
    const lrn_choice choice = lrn_agent_act(learner->agent, observation, allowed);
    next->action = choice.action;
    next->is_random = choice.is_random;
    next->epsilon = choice.epsilon;
    memcpy(learner->next_values, choice.values, next->action_count * sizeof *choice.values);
    next->values = learner->next_values;
    return next->action;
}

void dir_learner_point(dir_learner *learner, col_point point) {
    learner->next.point = point;
}

/* ---- As JSON. */

static json_t *save_values(const col_learning *row) {
    if (row->values == NULL)
        return json_null();
    json_t *list = json_array();
    for (uint32_t a = 0; a < row->action_count; a++)
        base_json_append(&list, json_real((double)row->values[a]));
    return list;
}

json_t *dir_point_save(col_point point) {
    return json_pack("[I, I, I]", (json_int_t)point.operations, (json_int_t)point.locations,
                     (json_int_t)point.sets);
}

static json_t *save_row(const col_learning *row) {
    return json_pack("{s:I, s:I, s:b, s:b, s:f, s:f, s:f, s:o, s:o}", "test", (json_int_t)row->test,
                     "action", (json_int_t)row->action, "random", (int)row->is_random, "trained",
                     (int)row->is_trained, "epsilon", row->epsilon, "reward", row->reward, "loss",
                     row->loss, "point", dir_point_save(row->point), "values", save_values(row));
}

json_t *dir_learner_save(const dir_learner *learner) {
    return json_pack("{s:o, s:o, s:o, s:o}", "random", dir_chance_save(&learner->rng), "agent",
                     learner->agent == NULL ? json_null() : lrn_agent_save(learner->agent), "next",
                     learner->has_choice ? save_row(&learner->next) : json_null(), "last",
                     learner->last.test > 0 ? save_row(&learner->last) : json_null());
}

static bool restore_values(const json_t *saved, uint32_t count, float *values) {
    if (!json_is_array(saved) || json_array_size(saved) != count)
        return false;
    for (uint32_t a = 0; a < count; a++) {
        const json_t *value = json_array_get(saved, a);
        const double number = json_number_value(value);
        if (!json_is_number(value) || number < -1e30 || number > 1e30)
            return false;
        values[a] = (float)number;
    }
    return true;
}

bool dir_point_restore(const json_t *saved, col_point *point) {
    uint32_t *const parts[] = {&point->operations, &point->locations, &point->sets};
    if (!json_is_array(saved) || json_array_size(saved) != 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        bool is_good = true;
        const uint64_t number = base_json_number(json_array_get(saved, i), &is_good);
        if (!is_good || number > UINT32_MAX)
            return false;
        *parts[i] = (uint32_t)number;
    }
    return true;
}

/* The names and the number of actions are those of the engine that is open. */
static bool restore_row(const json_t *saved, bool is_valued, col_learning *row, float *values) {
    const json_t *random = json_object_get(saved, "random");
    const json_t *trained = json_object_get(saved, "trained");
    const json_t *epsilon = json_object_get(saved, "epsilon");
    const json_t *reward = json_object_get(saved, "reward");
    const json_t *loss = json_object_get(saved, "loss");
    const json_t *expected = json_object_get(saved, "values");
    uint64_t action = 0;
    if (!base_json_take(saved, "test", &row->test) || !base_json_take(saved, "action", &action) ||
        action >= row->action_count || !json_is_boolean(random) || !json_is_boolean(trained) ||
        !json_is_number(epsilon) || !json_is_number(reward) || !json_is_number(loss) ||
        !dir_point_restore(json_object_get(saved, "point"), &row->point))
        return false;
    row->action = (uint32_t)action;
    row->is_random = json_is_true(random);
    row->is_trained = json_is_true(trained);
    row->epsilon = json_number_value(epsilon);
    row->reward = json_number_value(reward);
    row->loss = json_number_value(loss);
    row->values = is_valued ? values : NULL;
    return is_valued ? restore_values(expected, row->action_count, values) : json_is_null(expected);
}

col_status dir_learner_restore(dir_learner *learner, const json_t *saved, col_problem *problem) {
    const json_t *agent = json_object_get(saved, "agent");
    const json_t *next = json_object_get(saved, "next"), *last = json_object_get(saved, "last");
    const bool is_valued = learner->agent != NULL;
    if (!dir_chance_restore(json_object_get(saved, "random"), &learner->rng))
        return base_refuse(problem, "the state of the engine has no state of chance");
    learner->has_choice = !json_is_null(next);
    if (learner->has_choice && !restore_row(next, is_valued, &learner->next, learner->next_values))
        return base_refuse(problem, "the state of the engine has no valid choice of its test");
    if (!json_is_null(last) &&
        (!restore_row(last, is_valued, &learner->last, learner->last_values) ||
         learner->last.test == 0))
        return base_refuse(problem,
                           "the state of the engine has no valid account of its last test");
    if (!is_valued)
        return json_is_null(agent)
                   ? COL_OK
                   : base_refuse(problem, "the state of the engine has an agent that it needs not");
    return lrn_agent_restore(learner->agent, agent, problem);
}
