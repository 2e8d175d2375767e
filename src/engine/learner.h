/* SPDX-License-Identifier: MIT */
/*
 * An agent as engines have it: told of rewards, asked for actions, and able to say of each test how
 * it was chosen and what was learned from it.
 */
#pragma once

#include "engine/engine.h"
#include "engine/learn/learning_agent.h"
#include "engine/learn/neural_network.h"

typedef struct dir_learner {
    lrn_agent *agent;  /* NULL: actions are drawn, all with the same chance */
    base_rng rng;      /* for that */
    bool has_choice;   /* the last test was made by the action of `next` */
    col_learning next; /* of the test under way: how it was chosen */
    float next_values[LRN_MOST_ACTIONS];
    col_learning last; /* of the test before it: all that is known */
    float last_values[LRN_MOST_ACTIONS];
} dir_learner;

/* What a learner is made from. */
typedef struct dir_learner_setup {
    const char *engine;        /* its name */
    const lrn_settings *agent; /* NULL: actions are drawn, and nothing is learned */
    const char *const *action_names;
    uint32_t action_count;
    uint64_t seed;
    const char *trained; /* a saved engine of that name, whose networks to begin with; NULL or
                            empty: random ones */
} dir_learner_setup;

/* Stays where it is while it is open. On failure it is closed. */
col_status dir_learner_open(dir_learner *learner, const dir_learner_setup *setup,
                            col_problem *problem);
void dir_learner_close(dir_learner *learner);

/* The test number `test` that the last action made brought this reward. Nothing, if no action made
 * it. */
void dir_learner_reward(dir_learner *learner, uint64_t test, double reward);

/* An action for the next test; `allowed` is a set that is not empty. The engine then says at which
 * point the test is. */
uint32_t dir_learner_choose(dir_learner *learner, const float *observation, uint64_t allowed);
void dir_learner_point(dir_learner *learner, col_point point);

/* What it knows, the test under way included; NULL: out of memory. Restoring takes nothing on
 * trust. An engine has it behind the key "learner" of its state. */
json_t *dir_learner_save(const dir_learner *learner);
col_status dir_learner_restore(dir_learner *learner, const json_t *saved, col_problem *problem);

json_t *dir_point_save(col_point point);
bool dir_point_restore(const json_t *saved, col_point *point);
