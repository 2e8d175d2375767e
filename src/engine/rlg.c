/* SPDX-License-Identifier: MIT */
/*
 * The engine that learns by reinforcement to steer random test generation (RLG): a decision process
 * whose state is coverage and time, whose actions change the point by one step, and whose reward is
 * coverage gained per time. rlg is RLG-, rlg-bias RLG+ and rlg-chain RLG*; docs/engines/rlg.md maps
 * the paper to the code.
 */
#include "engine/rlg.h"

#include "engine/learn/elementary.h"
#include "engine/learn/neural_network.h"

/* The available time where neither a parameter nor the episode's budget says it. */
static const double default_horizons[] = {[DIR_RLG_CYCLES] = 10e6, [DIR_RLG_CLOCK] = 60};
/* No test takes less, or a reward would have no end. */
static const double shortest[] = {[DIR_RLG_CYCLES] = 1, [DIR_RLG_CLOCK] = 1e-6};
static const double longest_time = 1e18; /* sums stay numbers, whatever a file says */

/* ---- Parameters. */

static const char *const times[] = {"cycles", "clock", NULL};
static const char *const starts[] = {"least", "random", NULL};
static const char *const rewards[] = {"rate", "log", NULL};
static const char *const policies[] = {"learned", "random", NULL};
static const char *const observations[] = {"state", "point", NULL};

#define ROW(key, form, member, value, text)                                                        \
    BASE_FIELD(key, form, dir_rlg_parameters, member), .initial = (value), .help = (text)
#define WHOLE(key, member, value, from, to, text)                                                  \
    { ROW(key, BASE_NUMBER, member, #value, text), .least = (from), .most = (to) }
#define REAL(key, member, value, from, to, text)                                                   \
    { ROW(key, BASE_REAL, member, #value, text), .low = (from), .high = (to) }
#define SWITCH(key, member, value, text) WHOLE(key, member, value, 0, 1, text)
#define WORD(key, member, value, list, text)                                                       \
    { ROW(key, BASE_WORD, member, value, text), .words = (list) }

static const base_field parameters[] = {
    WORD("time", time, "cycles", times, "what is time: simulated cycles, or the clock"),
    REAL("horizon", horizon, 0, 0, 1e15, "the available time; 0: the episode's budget"),
    WORD("start", start, "least", starts, "the point of the first test"),
    WORD("reward", reward, "log", rewards, "coverage per time, or the logarithm of it"),
    REAL("charge", charge, 0, 0, 1e6, "taken from the reward for a hundredth of the horizon"),
    REAL("price", price, 0, 0, 1e12, "time that a test takes besides its own"),
    WORD("policy", policy, "learned", policies, "how actions are chosen"),
    WORD("observe", observe, "state", observations,
         "the paper's state, or the point and action, too"),
    WHOLE("coverage-levels", coverage_levels, 100, 1, 1e9, "C: levels of coverage"),
    WHOLE("time-levels", time_levels, 1000, 1, 1e9, "T: levels of time"),
    {ROW("agent", BASE_STRING, agent, NULL, "a saved engine whose networks to begin with")},
    DIR_RTG_ROWS(dir_rlg_parameters, rtg),
    WHOLE("neurons", learning.neurons, 10, 1, 1024, "of the input layer"),
    WHOLE("layers", learning.layers, 1, 0, LRN_MOST_DENSE, "dense ones before the recurrent"),
    WHOLE("recurrent", learning.recurrent, 10, 0, 1024, "neurons of the recurrent layer"),
    WHOLE("history", learning.history, 8, 1, 64, "length of sequences"),
    WHOLE("atoms", learning.atoms, 11, 1, 101, "of the distributions of returns"),
    REAL("least-return", learning.least, 0, -1e6, 1e6, "the first atom"),
    REAL("most-return", learning.most, 5, -1e6, 1e6, "the last atom"),
    SWITCH("dueling", learning.dueling, 1, "streams for the state and for actions"),
    SWITCH("noisy", learning.noisy, 1, "noise that is learned"),
    SWITCH("double", learning.twice, 1, "one network chooses, the other one values"),
    WHOLE("ahead", learning.ahead, 3, 1, 16, "n of n-step returns"),
    REAL("discount", learning.discount, 0.9, 0, 1, "of later rewards"),
    WORD("method", learning.method, "adam", lrn_methods, "of gradient descent"),
    REAL("rate", learning.rate, 0.01, 1e-9, 1, "of learning"),
    REAL("longest", learning.longest, 10, 0, 1e6, "length that gradients are clipped to"),
    WHOLE("batch", learning.batch, 16, 1, 1024, "sequences of a training step"),
    WHOLE("replay", learning.replay, 1024, 16, LRN_MOST_REPLAY, "steps that are kept"),
    WHOLE("warm-up", learning.warm_up, 8, 1, 1 << 20, "steps before the first training"),
    WHOLE("train-every", learning.train_every, 1, 1, 1 << 20, "steps"),
    WHOLE("target-every", learning.target_every, 20, 1, 1 << 20, "training steps"),
    REAL("priority", learning.priority, 0.5, 0, 1, "exponent of priorities"),
    REAL("importance", learning.importance, 0.4, 0, 1, "exponent of weights, at first"),
    WHOLE("importance-steps", learning.importance_steps, 1000, 1, 1 << 30, "until it is 1"),
    REAL("epsilon", learning.epsilon, 1, 0, 1, "chance of a random action, at first"),
    REAL("last-epsilon", learning.last_epsilon, 0, 0, 1, "and at last"),
    WHOLE("epsilon-steps", learning.epsilon_steps, 30, 1, 1 << 30, "from one to the other"),
    {.name = NULL},
};

/* ---- Actions. */

static const char *const action_names[DIR_RLG_ACTION_COUNT] = {
    [DIR_RLG_MORE_OPERATIONS] = "more-operations",
    [DIR_RLG_FEWER_OPERATIONS] = "fewer-operations",
    [DIR_RLG_MORE_LOCATIONS] = "more-locations",
    [DIR_RLG_FEWER_LOCATIONS] = "fewer-locations",
    [DIR_RLG_MORE_SETS] = "more-sets",
    [DIR_RLG_FEWER_SETS] = "fewer-sets"};

/* A step of the number of operations is to the next of N: from the half between two powers, times
 * the root and rounded up, one would come out beside it. */
uint32_t dir_rlg_move(const dir_rtg *rtg, uint32_t point, dir_rlg_action action) {
    static const dir_move moves[DIR_RLG_ACTION_COUNT] = {
        [DIR_RLG_MORE_LOCATIONS] = DIR_MORE_LOCATIONS,
        [DIR_RLG_FEWER_LOCATIONS] = DIR_FEWER_LOCATIONS,
        [DIR_RLG_MORE_SETS] = DIR_MORE_SETS,
        [DIR_RLG_FEWER_SETS] = DIR_FEWER_SETS};
    const uint32_t none = dir_rtg_count(rtg), pairs = rtg->pair_count;
    if (action == DIR_RLG_MORE_OPERATIONS)
        return none - point > pairs ? point + pairs : none;
    if (action == DIR_RLG_FEWER_OPERATIONS)
        return point >= pairs ? point - pairs : none;
    const uint32_t pair = dir_rtg_move(rtg, point % pairs, moves[action]);
    return pair == pairs ? none : point - point % pairs + pair;
}

uint64_t dir_rlg_allowed(const dir_rtg *rtg, uint32_t point, uint32_t action_count) {
    uint64_t allowed = 0;
    for (uint32_t a = 0; a < action_count; a++)
        if (dir_rlg_move(rtg, point, (dir_rlg_action)a) != dir_rtg_count(rtg))
            allowed |= UINT64_C(1) << a;
    return allowed;
}

/* ---- State and reward. */

uint64_t dir_rlg_level(double fraction, uint64_t levels) {
    const double level = fraction * (double)levels + 0.5;
    if (level >= (double)levels)
        return levels;
    return level < 1 ? 1 : (uint64_t)level;
}

static double coverage_of(uint64_t points, const col_feedback *feedback) {
    if (points >= feedback->total) /* of no points, nothing is covered */
        return feedback->total == 0 ? 0 : 1;
    return (double)points / (double)feedback->total;
}

static double time_of(const rlg *r, const col_feedback *feedback) {
    const uint64_t what = r->parameters.time;
    const double own = what == DIR_RLG_CLOCK ? feedback->seconds : (double)feedback->cycles;
    const double time = own + r->parameters.price;
    return time > shortest[what] ? (time < longest_time ? time : longest_time) : shortest[what];
}

double dir_rlg_reward(const rlg *r, const col_feedback *feedback) {
    const double part = time_of(r, feedback) / r->horizon;
    const double rate = coverage_of(feedback->gained, feedback) / part;
    const double gain =
        r->parameters.reward == DIR_RLG_RATE ? rate : (double)lrn_logarithm((float)(1 + rate));
    return gain - r->parameters.charge * 100 * part;
}

void dir_rlg_observe(const rlg *r, const col_feedback *feedback,
                     float inputs[DIR_RLG_POINT_INPUTS]) {
    const dir_rlg_parameters *p = &r->parameters;
    const double covered = coverage_of(feedback->covered, feedback);
    inputs[0] = (float)dir_rlg_level(covered, p->coverage_levels) / (float)p->coverage_levels;
    inputs[1] =
        (float)dir_rlg_level(r->elapsed / r->horizon, p->time_levels) / (float)p->time_levels;
    if (p->observe == DIR_RLG_STATE)
        return;
    const uint32_t pair = r->point % r->rtg.pair_count;
    const uint32_t run = dir_rtg_run(&r->rtg, pair), first = r->rtg.runs[run];
    inputs[2] = dir_fraction(r->point / r->rtg.pair_count, r->rtg.size_count);
    inputs[3] = dir_fraction(run, r->rtg.location_count);
    inputs[4] = dir_fraction(pair - first, r->rtg.runs[run + 1] - first);
}

/* ---- A decision. */

/* A space of one point knows no action. */
static void act(rlg *r, const col_feedback *feedback) {
    float inputs[DIR_RLG_POINT_INPUTS];
    const uint64_t allowed = dir_rlg_allowed(&r->rtg, r->point, r->action_count);
    if (allowed == 0)
        return;
    dir_rlg_observe(r, feedback, inputs);
    const uint32_t action = dir_learner_choose(&r->learner, inputs, allowed);
    r->point = dir_rlg_move(&r->rtg, r->point, (dir_rlg_action)action);
    dir_learner_point(&r->learner, dir_rtg_point(&r->rtg, r->point));
}

/* If nothing was run since the last test was made, it is handed out again. */
static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    rlg *r = state;
    if (!r->is_out || feedback->tests != r->told) {
        if (r->is_out) {
            /* What came of the last test is the reward of the action that made it. */
            dir_learner_reward(&r->learner, feedback->tests, dir_rlg_reward(r, feedback));
            r->elapsed += time_of(r, feedback);
            if (r->elapsed > longest_time)
                r->elapsed = longest_time;
            r->is_out = false;
        }
        if (r->tests > 0)
            act(r, feedback);
        r->tests++;
        r->told = feedback->tests;
        r->is_out = true;
    }
    *point = dir_rtg_point(&r->rtg, r->point);
    return dir_rtg_make(&r->rtg, point, r->tests - 1, program, problem);
}

static const col_learning *learning(const void *state) {
    return &((const rlg *)state)->learner.last;
}

/* ---- Beginning and end. */

static void close_engine(void *state) {
    rlg *r = state;
    dir_learner_close(&r->learner);
    dir_rtg_close(&r->rtg);
}

static double horizon_of(const dir_rlg_parameters *p, const col_engine_settings *settings) {
    if (p->horizon > 0)
        return p->horizon;
    const double budget = p->time == DIR_RLG_CLOCK ? settings->seconds : (double)settings->cycles;
    return budget > 0 ? budget : default_horizons[p->time];
}

static col_status open_learner(rlg *r, const char *name, uint64_t seed, col_problem *problem) {
    dir_rlg_parameters *p = &r->parameters;
    const bool sees_point = p->observe == DIR_RLG_POINT;
    p->learning.inputs = sees_point ? DIR_RLG_POINT_INPUTS : DIR_RLG_STATE_INPUTS;
    p->learning.sees_actions = sees_point;
    p->learning.actions = r->action_count;
    const dir_learner_setup setup = {.engine = name,
                                     .agent = p->policy == DIR_RLG_LEARNED ? &p->learning : NULL,
                                     .action_names = action_names,
                                     .action_count = r->action_count,
                                     .seed = seed,
                                     .trained = p->agent};
    return dir_learner_open(&r->learner, &setup, problem);
}

/* The least point is the first of all. */
static uint32_t starting_point(const rlg *r, uint64_t seed) {
    base_rng rng;
    if (r->parameters.start == DIR_RLG_LEAST)
        return 0;
    base_rng_seed(&rng, seed ^ UINT64_C(0x726c67), 0); /* not the stream of a program */
    return (uint32_t)base_rng_below(&rng, dir_rtg_count(&r->rtg));
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    rlg *r = state;
    BASE_TRY(
        dir_parameters_read(parameters, kind->name, settings->options, &r->parameters, problem));
    BASE_TRY(dir_rtg_open(&r->rtg, kind, r->parameters.rtg, settings, problem));
    dir_rtg_halve_doublings(&r->rtg, settings->operations);
    r->action_count = kind->biased ? DIR_RLG_ACTION_COUNT : DIR_RLG_MORE_SETS;
    r->horizon = horizon_of(&r->parameters, settings);
    r->point = starting_point(r, settings->seed);
    return open_learner(r, kind->name, settings->seed, problem);
}

/* ---- What it knows, as JSON. */

static json_t *save_engine(const void *state) {
    const rlg *r = state;
    return json_pack("{s:I, s:I, s:b, s:f, s:f, s:o, s:o}", "test", (json_int_t)r->tests, "told",
                     (json_int_t)r->told, "out", (int)r->is_out, "elapsed", r->elapsed, "horizon",
                     r->horizon, "point", dir_point_save(dir_rtg_point(&r->rtg, r->point)),
                     "learner", dir_learner_save(&r->learner));
}

static bool restore_time(const json_t *saved, const char *key, double most, double *time) {
    const json_t *value = json_object_get(saved, key);
    *time = json_number_value(value);
    return json_is_number(value) && *time >= 0 && *time <= most;
}

static col_status restore_engine(void *state, const json_t *saved, col_problem *problem) {
    rlg *r = state;
    const json_t *out = json_object_get(saved, "out");
    col_point point;
    if (!base_json_take(saved, "test", &r->tests) || !base_json_take(saved, "told", &r->told) ||
        !json_is_boolean(out) || (json_is_true(out) && r->tests == 0))
        return base_refuse(problem, "the state of the engine has no numbers of tests");
    r->is_out = json_is_true(out);
    if (!restore_time(saved, "elapsed", longest_time, &r->elapsed) ||
        !restore_time(saved, "horizon", (double)UINT64_MAX, &r->horizon) || !(r->horizon > 0))
        return base_refuse(problem, "the state of the engine has no time");
    if (!dir_point_restore(json_object_get(saved, "point"), &point) ||
        dir_rtg_number(&r->rtg, point) == dir_rtg_count(&r->rtg))
        return base_refuse(problem, "the state of the engine has no point of the space");
    r->point = dir_rtg_number(&r->rtg, point);
    return dir_learner_restore(&r->learner, json_object_get(saved, "learner"), problem);
}

const dir_functions dir_rlg = {.size = sizeof(rlg),
                               .open = open_engine,
                               .close = close_engine,
                               .next = next_test,
                               .save = save_engine,
                               .restore = restore_engine,
                               .learning = learning};
