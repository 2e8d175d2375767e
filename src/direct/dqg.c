/* SPDX-License-Identifier: MIT */
/*
 * The engine whose agent transforms programs (DQG): a deep Q-network that sees a bounded history of
 * its actions and of the multicore signatures that followed them, and is rewarded by the variation
 * of coverage. dqg-rf, dqg-co and dqg-corf differ in what signatures are made of; rag chooses among
 * the same actions at random and is what they must beat. docs/engines/dqg.md has the details.
 */
#include "direct/dqg.h"

#include "learn/optimiser.h"

#include <stdlib.h>

/* ---- Parameters. */

typedef enum reward_kind { REWARD_GAIN, REWARD_RATE } reward_kind;

static const char *const rewards[] = {"gain", "rate", NULL};
static const char *const views[] = {"signature", "program", NULL};

#define ROW(key, member, is, value, from, to, text)                                                \
    {                                                                                              \
        .name = (key), .offset = offsetof(dir_dqg_parameters, member), .kind = (is),               \
        .initial = (value), .least = (from), .most = (to), .meaning = (text)                       \
    }
#define WHOLE(key, member, value, from, to, text) ROW(key, member, DIR_WHOLE, value, from, to, text)
#define REAL(key, member, value, from, to, text) ROW(key, member, DIR_REAL, value, from, to, text)
#define SWITCH(key, member, text) WHOLE(key, member, 0, 0, 1, text)
#define WORD(key, member, value, list, text)                                                       \
    {                                                                                              \
        .name = (key), .offset = offsetof(dir_dqg_parameters, member), .kind = DIR_WORD,           \
        .initial = (value), .words = (list), .meaning = (text)                                     \
    }

/* DQN's parts; those that Rainbow adds are off. */
static const dir_parameter parameters[] = {
    WORD("observe", view.has_program, 0, views, "signatures alone, or the program's sizes, too"),
    WHOLE("identity", view.bits, 0, 0, DIR_DQG_MOST_BITS, "bits of the exact signatures' hash"),
    WORD("reward", reward, REWARD_GAIN, rewards, "coverage gained, or gained per time"),
    REAL("most_reward", most_reward, 1, 1e-6, 1e6, "rewards are clipped to this"),
    {.name = "agent",
     .offset = offsetof(dir_dqg_parameters, trained),
     .kind = DIR_TEXT,
     .meaning = "a saved engine whose networks to begin with"},
    WHOLE("history", agent.history, 4, 1, 64, "pairs of action and observation that are seen"),
    WHOLE("neurons", agent.neurons, 64, 1, 1024, "of each dense layer"),
    WHOLE("layers", agent.layers, 2, 0, LRN_MOST_DENSE, "dense ones"),
    REAL("discount", agent.discount, 0.9, 0, 1, "of later rewards"),
    WORD("method", agent.method, LRN_ADAM, lrn_methods, "of gradient descent"),
    REAL("rate", agent.rate, 0.001, 1e-9, 1, "of learning"),
    REAL("longest", agent.longest, 10, 0, 1e6, "length that gradients are clipped to; 0: not"),
    WHOLE("batch", agent.batch, 32, 1, 1024, "steps of a training step"),
    WHOLE("replay", agent.replay, 4096, 16, 1 << 20, "steps that are kept"),
    WHOLE("warm_up", agent.warm_up, 32, 1, 1 << 20, "steps before the first training"),
    WHOLE("train_every", agent.train_every, 1, 1, 1 << 20, "steps"),
    WHOLE("target_every", agent.target_every, 50, 1, 1 << 20, "training steps"),
    REAL("epsilon", agent.epsilon, 1, 0, 1, "chance of a random action, at first"),
    REAL("last_epsilon", agent.last_epsilon, 0.1, 0, 1, "and at last"),
    WHOLE("epsilon_steps", agent.epsilon_steps, 100, 1, 1 << 30, "from one to the other"),
    SWITCH("double", agent.twice, "one network chooses, the other one values"),
    SWITCH("dueling", agent.dueling, "streams for the state and for actions"),
    SWITCH("noisy", agent.noisy, "noise that is learned"),
    WHOLE("ahead", agent.ahead, 1, 1, 16, "n of n-step returns"),
    WHOLE("atoms", agent.atoms, 1, 1, 101, "of the distributions of returns; 1: values alone"),
    REAL("least_return", agent.least, 0, -1e6, 1e6, "the first atom"),
    REAL("most_return", agent.most, 10, -1e6, 1e6, "the last atom"),
    WHOLE("recurrent", agent.recurrent, 0, 0, 1024, "neurons of a recurrent layer; 0: none"),
    REAL("priority", agent.priority, 0, 0, 1, "exponent of priorities; 0: uniform"),
    REAL("importance", agent.importance, 0.4, 0, 1, "exponent of weights, at first"),
    WHOLE("importance_steps", agent.importance_steps, 1000, 1, 1 << 30, "until it is 1"),
    {.name = NULL},
};

static const dir_parameter no_parameters[] = {{.name = NULL}};

/* ---- Beginning and end. */

static void close_engine(void *state) {
    dir_dqg_engine *e = state;
    dir_learner_close(&e->learner);
    dir_dqg_program_free(&e->program);
    dir_dqg_space_close(&e->space);
    free(e->core_scratch);
    free(e);
}

static col_status open_learner(dir_dqg_engine *e, const char *name, uint64_t seed,
                               col_problem *problem) {
    lrn_settings *agent = &e->parameters.agent;
    agent->inputs = dir_dqg_inputs(&e->parameters.view);
    agent->actions = DIR_DQG_ACTION_COUNT;
    agent->sees_actions = 1;
    const dir_learner_setup setup = {.engine = name,
                                     .agent = e->learns ? agent : NULL,
                                     .action_names = dir_dqg_action_names,
                                     .action_count = DIR_DQG_ACTION_COUNT,
                                     .seed = seed,
                                     .trained = e->parameters.trained};
    return dir_learner_open(&e->learner, &setup, problem);
}

static col_status make_parts(dir_dqg_engine *e, const dir_engine *kind,
                             const col_engine_settings *settings, col_problem *problem) {
    col_status status = dir_parameters_read(e->learns ? parameters : no_parameters, kind->name,
                                            settings->options, &e->parameters, problem);
    if (status == COL_OK)
        status = dir_dqg_space_open(&e->space, kind, settings, problem);
    if (status == COL_OK)
        status = dir_dqg_program_new(&e->program, &e->space, problem);
    if (status == COL_OK)
        status = open_learner(e, kind->name, settings->seed, problem);
    if (status != COL_OK)
        return status;
    e->core_scratch = calloc(settings->threads, sizeof *e->core_scratch);
    return e->core_scratch == NULL ? base_out_of_memory(problem) : COL_OK;
}

static col_status open_engine(const dir_engine *kind, void **state,
                              const col_engine_settings *settings, col_problem *problem) {
    dir_dqg_engine *e = calloc(1, sizeof *e);
    if (e == NULL)
        return base_out_of_memory(problem);
    e->learns = kind->watches;
    e->observation = (col_observation)kind->variant;
    base_rng_seed(&e->rng, settings->seed, 0);
    const col_status status = make_parts(e, kind, settings, problem);
    if (status != COL_OK) {
        close_engine(e);
        return status;
    }
    *state = e;
    return COL_OK;
}

/* ---- What came of a test. */

/* The variation of coverage in percent of all points; per time, of a hundred thousand cycles. */
static double reward_of(const dir_dqg_engine *e, const col_feedback *feedback) {
    const double most = e->parameters.most_reward;
    double reward =
        feedback->total == 0 ? 0 : 100 * (double)feedback->gained / (double)feedback->total;
    if (e->parameters.reward == REWARD_RATE)
        reward /= ((double)feedback->cycles + 1) / 1e5;
    return reward < most ? reward : most;
}

/* The agent is told, looks, and chooses; its action makes the next program. */
static col_status act(dir_dqg_engine *e, const col_feedback *feedback, col_problem *problem) {
    float inputs[DIR_DQG_MOST_INPUTS] = {0};
    dir_learner_reward(&e->learner, feedback->tests, reward_of(e, feedback));
    if (e->learns)
        dir_dqg_observe(&e->parameters.view, &e->space, &e->program, feedback->witness,
                        e->observation, e->core_scratch, inputs);
    const uint64_t allowed = dir_dqg_allowed(&e->space, &e->program);
    const uint32_t action = dir_learner_choose(&e->learner, inputs, allowed);
    const col_status status =
        dir_dqg_transform(&e->space, (dir_dqg_action)action, &e->rng, &e->program, problem);
    dir_learner_point(&e->learner, dir_dqg_point(&e->space, &e->program));
    return status;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    dir_dqg_engine *e = state;
    col_status status = COL_OK;
    if (!e->has_program) {
        dir_dqg_first(&e->space, &e->rng, &e->program);
        e->has_program = true;
    } else if (feedback->tests != e->told) /* else nobody ran it: it is handed out again */
        status = act(e, feedback, problem);
    if (status != COL_OK)
        return status;
    e->told = feedback->tests;
    *point = dir_dqg_point(&e->space, &e->program);
    return dir_dqg_write(&e->space, &e->program, program, problem);
}

static const col_learning *learning(const void *state) {
    const dir_dqg_engine *e = state;
    return &e->learner.last;
}

const dir_functions dir_dqg = {.open = open_engine,
                               .close = close_engine,
                               .next = next_test,
                               .save = dir_dqg_save,
                               .restore = dir_dqg_restore,
                               .learning = learning};
