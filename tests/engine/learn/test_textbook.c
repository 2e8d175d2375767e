/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Small decision processes that are known to the last chance: what agents say that actions are
 * worth has to be what value iteration finds. The networks have no hidden layer and see the state
 * as such, so that nothing but learning itself can be wrong.
 *
 * Actions are random in training. Returns over n steps then follow what was done at random in the
 * first n of them, and the best only after; so does the oracle. Its chances are how often things
 * have happened: an agent cannot know more.
 */
#include "base/random.h"
#include "engine/learn/learning_agent.h"
#include "engine/learn/neural_network.h"

#include "harness.h"

#include <math.h>
#include <string.h>

enum { STATES = 6, ACTIONS = 3, NEXT = 2, STEPS = 8000 };

typedef struct outcome {
    uint32_t state;
    double reward;
    bool ends;
} outcome;

typedef struct process {
    uint64_t allowed[STATES];
    outcome outcomes[STATES][ACTIONS][NEXT];
    double counts[STATES][ACTIONS][NEXT]; /* how often each came */
} process;

/* Rewards are positive, so that what an action is worth where it is allowed is more than nothing is
 * where it is not; and small, because the loss of errors above 1 finds medians, not means. The
 * lowest action that is allowed leads to the next state: all can be reached.
 */
static void make_process(process *p, uint64_t seed, bool is_certain) {
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    for (uint32_t s = 0; s < STATES; s++) {
        p->allowed[s] = 1 + base_rng_below(&rng, (1 << ACTIONS) - 1);
        for (uint32_t a = 0; a < ACTIONS; a++)
            for (uint32_t i = 0; i < NEXT; i++) {
                if (is_certain && i > 0) {
                    p->outcomes[s][a][i] = p->outcomes[s][a][0];
                    continue;
                }
                const bool is_way_on = i == 0 && (p->allowed[s] & ((2u << a) - 1)) == 1u << a;
                p->outcomes[s][a][i] = (outcome){
                    .state = is_way_on ? (s + 1) % STATES : (uint32_t)base_rng_below(&rng, STATES),
                    .reward = base_rng_unit(&rng) / 4,
                    .ends = !is_way_on && base_rng_below(&rng, 6) == 0,
                };
            }
    }
}

/* ---- Value iteration. */

typedef double values[STATES][ACTIONS];

static bool is_allowed(const process *p, uint32_t s, uint32_t a) {
    return (p->allowed[s] >> a & 1) != 0;
}

static double best(const process *p, const values q, uint32_t s) {
    double most = -INFINITY;
    for (uint32_t a = 0; a < ACTIONS; a++)
        if (is_allowed(p, s, a) && q[s][a] > most)
            most = q[s][a];
    return most;
}

/* What an action is worth if this many more are random, and the best are done then. */
static double worth(const process *p, const values q, uint32_t s, uint32_t a, uint32_t randoms,
                    double discount) {
    double sum = 0, all = 0;
    for (uint32_t i = 0; i < NEXT; i++) {
        const outcome *o = &p->outcomes[s][a][i];
        double later = 0, count = 0;
        for (uint32_t b = 0; b < ACTIONS && randoms > 0; b++)
            if (is_allowed(p, o->state, b)) {
                later += worth(p, q, o->state, b, randoms - 1, discount);
                count++;
            }
        later = randoms > 0 ? later / count : best(p, q, o->state);
        sum += p->counts[s][a][i] * (o->reward + (o->ends ? 0 : discount * later));
        all += p->counts[s][a][i];
    }
    return all > 0 ? sum / all : 0;
}

static void iterate(const process *p, double discount, uint32_t ahead, values q) {
    memset(q, 0, sizeof(values));
    for (uint32_t round = 0; round < 200; round++) {
        values next;
        for (uint32_t s = 0; s < STATES; s++)
            for (uint32_t a = 0; a < ACTIONS; a++)
                next[s][a] = worth(p, (const double(*)[ACTIONS])q, s, a, ahead - 1, discount);
        memcpy(q, next, sizeof next);
    }
}

/* ---- Learning. */

static const lrn_settings tabular = {
    .inputs = STATES,
    .actions = ACTIONS,
    .history = 1,
    .atoms = 1,
    .least = 0,
    .most = 1.5,
    .ahead = 1,
    .discount = 0.8,
    .method = LRN_ADAM,
    .rate = 0.01,
    .batch = 64,
    .replay = STEPS,
    .warm_up = 500,
    .train_every = 2,
    .target_every = 50,
    .epsilon = 1,
    .last_epsilon = 1,
};

static void look(uint32_t s, float *seen) {
    for (uint32_t i = 0; i < STATES; i++)
        seen[i] = i == s ? 1.0F : 0.0F;
}

static lrn_agent *train(process *p, const lrn_settings *settings, uint32_t steps) {
    lrn_agent *agent = NULL;
    col_problem problem = {0};
    base_rng rng;
    uint32_t s = 0;
    base_rng_seed(&rng, 7, 1);
    assert_int_equal(lrn_agent_new(&agent, settings, 1, &problem), COL_OK);
    for (uint32_t i = 0; i < steps; i++) {
        float seen[STATES];
        double loss = 0;
        look(s, seen);
        const uint32_t a = lrn_agent_act(agent, seen, p->allowed[s]).action;
        assert_true(is_allowed(p, s, a));
        const uint32_t drawn = base_rng_below(&rng, 4) == 0 ? 1 : 0; /* not both as often */
        const outcome *o = &p->outcomes[s][a][drawn];
        p->counts[s][a][drawn]++;
        (void)lrn_agent_learn(agent, o->reward, o->ends, &loss);
        s = o->ends ? (uint32_t)base_rng_below(&rng, STATES) : o->state;
    }
    lrn_agent_freeze(agent, true);
    return agent;
}

static double largest_difference(const process *p, lrn_agent *agent, const values q) {
    double most = 0;
    for (uint32_t s = 0; s < STATES; s++) {
        float seen[STATES];
        double loss = 0;
        look(s, seen);
        const lrn_choice choice = lrn_agent_act(agent, seen, p->allowed[s]);
        for (uint32_t a = 0; a < ACTIONS; a++)
            if (is_allowed(p, s, a) && fabs((double)choice.values[a] - q[s][a]) > most)
                most = fabs((double)choice.values[a] - q[s][a]);
        (void)lrn_agent_learn(agent, 0, true, &loss);
    }
    return most;
}

#ifdef REDUCED
enum { PROCESSES = 1 };
#else
enum { PROCESSES = 2 };
#endif

static void assert_learns(const lrn_settings *settings, bool is_certain, double tolerance) {
    for (uint64_t seed = 1; seed <= PROCESSES; seed++) {
        process p = {.counts = {{{0}}}};
        values q;
        make_process(&p, seed, is_certain);
        lrn_agent *agent = train(&p, settings, STEPS);
        iterate(&p, settings->discount, (uint32_t)settings->ahead, q);
        const double difference = largest_difference(&p, agent, (const double(*)[ACTIONS])q);
        if (!(difference <= tolerance))
            fail_msg("process %d: values are wrong by up to %g", (int)seed, difference);
        lrn_agent_free(agent);
    }
}

#define LEARN(is_certain, tolerance, ...)                                                          \
    do {                                                                                           \
        lrn_settings s = tabular;                                                                  \
        __VA_ARGS__;                                                                               \
        assert_learns(&s, is_certain, tolerance);                                                  \
    } while (0)

TEST(values_match_value_iteration) {
    LEARN(true, 1e-5, s.twice = 0);
    LEARN(true, 1e-5, s.twice = 1);
    LEARN(true, 1e-5, s.dueling = 1);
    LEARN(false, 0.04, s.rate = 0.003);
    LEARN(false, 0.04, s.rate = 0.003, s.twice = 1);
}

TEST(values_over_several_steps_match_value_iteration) {
    LEARN(true, 0.04, s.rate = 0.003, s.ahead = 3);
    LEARN(true, 0.04, s.rate = 0.003, s.ahead = 3, s.twice = 1);
}

TEST(priorities_do_not_distort_them) {
    LEARN(true, 1e-5, s.priority = 0.6, s.importance = 1);
    LEARN(false, 0.06, s.rate = 0.003, s.priority = 1, s.importance = 0, s.importance_steps = 1000);
}

TEST(learned_distributions_have_the_right_means) {
    LEARN(true, 1e-3, s.atoms = 31, s.rate = 0.02);
    LEARN(false, 0.04, s.atoms = 31, s.rate = 0.005, s.twice = 1, s.dueling = 1);
}
