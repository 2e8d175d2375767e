/* SPDX-License-Identifier: MIT */
/*
 * The engine whose agent transforms programs (DQG): a deep Q-network that sees a bounded history of
 * its actions and of the multicore signatures that followed them, and is rewarded by the variation
 * of coverage. dqg-rf, dqg-co and dqg-corf differ in what signatures are made of; rag chooses among
 * the same actions at random and is what they must beat. docs/engines/dqg.md has the details.
 */
#include "engine/dqg.h"

#include "engine/learn/neural_network.h"

#include <math.h>
#include <stdlib.h>

/* ---- Parameters. */

typedef enum reward_kind { REWARD_GAIN, REWARD_RATE } reward_kind;

static const char *const rewards[] = {"gain", "rate", NULL};
static const char *const views[] = {"signature", "program", NULL};

#define ROW(key, form, member, value, text)                                                        \
    BASE_FIELD(key, form, dir_dqg_parameters, member), .initial = (value), .help = (text)
#define WHOLE(key, member, value, from, to, text)                                                  \
    { ROW(key, BASE_NUMBER, member, #value, text), .least = (from), .most = (to) }
#define REAL(key, member, value, from, to, text)                                                   \
    { ROW(key, BASE_REAL, member, #value, text), .low = (from), .high = (to) }
#define SWITCH(key, member, text) WHOLE(key, member, 0, 0, 1, text)
#define WORD(key, member, value, list, text)                                                       \
    { ROW(key, BASE_WORD, member, value, text), .words = (list) }

/* DQN's parts; those that Rainbow adds are off. */
static const base_field parameters[] = {
    WORD("observe", view.has_program, "signature", views,
         "signatures alone, or the program's sizes, too"),
    WHOLE("identity", view.bits, 0, 0, DIR_DQG_MOST_BITS, "bits of the exact signatures' hash"),
    WORD("reward", reward, "gain", rewards, "coverage gained, or gained per time"),
    REAL("most-reward", most_reward, 1, 1e-6, 1e6, "rewards are clipped to this"),
    {ROW("agent", BASE_STRING, trained, NULL, "a saved engine whose networks to begin with")},
    WHOLE("history", agent.history, 4, 1, 64, "pairs of action and observation that are seen"),
    WHOLE("neurons", agent.neurons, 64, 1, 1024, "of each dense layer"),
    WHOLE("layers", agent.layers, 2, 0, LRN_MOST_DENSE, "dense ones"),
    REAL("discount", agent.discount, 0.9, 0, 1, "of later rewards"),
    WORD("method", agent.method, "adam", lrn_methods, "of gradient descent"),
    REAL("rate", agent.rate, 0.001, 1e-9, 1, "of learning"),
    REAL("longest", agent.longest, 10, 0, 1e6, "length that gradients are clipped to; 0: not"),
    WHOLE("batch", agent.batch, 32, 1, 1024, "steps of a training step"),
    WHOLE("replay", agent.replay, 4096, 16, LRN_MOST_REPLAY, "steps that are kept"),
    WHOLE("warm-up", agent.warm_up, 32, 1, 1 << 20, "steps before the first training"),
    WHOLE("train-every", agent.train_every, 1, 1, 1 << 20, "steps"),
    WHOLE("target-every", agent.target_every, 50, 1, 1 << 20, "training steps"),
    REAL("epsilon", agent.epsilon, 1, 0, 1, "chance of a random action, at first"),
    REAL("last-epsilon", agent.last_epsilon, 0.1, 0, 1, "and at last"),
    WHOLE("epsilon-steps", agent.epsilon_steps, 100, 1, 1 << 30, "from one to the other"),
    SWITCH("double", agent.twice, "one network chooses, the other one values"),
    SWITCH("dueling", agent.dueling, "streams for the state and for actions"),
    SWITCH("noisy", agent.noisy, "noise that is learned"),
    WHOLE("ahead", agent.ahead, 1, 1, 16, "n of n-step returns"),
    WHOLE("atoms", agent.atoms, 1, 1, 101, "of the distributions of returns; 1: values alone"),
    REAL("least-return", agent.least, 0, -1e6, 1e6, "the first atom"),
    REAL("most-return", agent.most, 10, -1e6, 1e6, "the last atom"),
    WHOLE("recurrent", agent.recurrent, 0, 0, 1024, "neurons of a recurrent layer; 0: none"),
    REAL("priority", agent.priority, 0, 0, 1, "exponent of priorities; 0: uniform"),
    REAL("importance", agent.importance, 0.4, 0, 1, "exponent of weights, at first"),
    WHOLE("importance-steps", agent.importance_steps, 1000, 1, 1 << 30, "until it is 1"),
    {.name = NULL},
};

static const base_field no_parameters[] = {{.name = NULL}};

/* ---- Beginning and end. */

static void close_engine(void *state) {
    dir_dqg_engine *e = state;
    dir_learner_close(&e->learner);
    dir_dqg_program_free(&e->program);
    dir_dqg_space_close(&e->space);
    free(e->core_scratch);
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

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    dir_dqg_engine *e = state;
    e->learns = kind->watches;
    e->observation = (col_observation)kind->variant;
    base_rng_seed(&e->rng, settings->seed, 0);
    BASE_TRY(dir_parameters_read(e->learns ? parameters : no_parameters, kind->name,
                                 settings->options, &e->parameters, problem));
    BASE_TRY(dir_dqg_space_open(&e->space, kind, settings, problem));
    BASE_TRY(dir_dqg_program_new(&e->program, &e->space, problem));
    BASE_TRY(open_learner(e, kind->name, settings->seed, problem));
    e->core_scratch = calloc(settings->threads, sizeof *e->core_scratch);
    return e->core_scratch == NULL ? base_out_of_memory(problem) : COL_OK;
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
    BASE_TRY(dir_dqg_transform(&e->space, (dir_dqg_action)action, &e->rng, &e->program, problem));
    dir_learner_point(&e->learner, dir_dqg_point(&e->space, &e->program));
    return COL_OK;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    dir_dqg_engine *e = state;
    if (!e->has_program) {
        dir_dqg_first(&e->space, &e->rng, &e->program);
        e->has_program = true;
    } else if (feedback->tests != e->told) /* else nobody ran it: it is handed out again */
        BASE_TRY(act(e, feedback, problem));
    e->told = feedback->tests;
    *point = dir_dqg_point(&e->space, &e->program);
    return dir_dqg_write(&e->space, &e->program, program, problem);
}

static const col_learning *learning(const void *state) {
    const dir_dqg_engine *e = state;
    return &e->learner.last;
}

/* The state of the engine as JSON: the program, chance, and what the agent knows. */

/* The genes' text depends on the sizes of the program at hand: a copy of the space has them. */
static dir_mtg_space genes_of(const dir_dqg_engine *e, const dir_dqg_program *program) {
    const col_point point = dir_dqg_point(&e->space, program);
    dir_mtg_space genes = e->space.genes;
    genes.operations = point.operations;
    genes.locations = point.locations;
    return genes;
}

static json_t *save_program(const dir_dqg_engine *e) {
    if (!e->has_program)
        return json_null();
    const dir_mtg_space genes = genes_of(e, &e->program);
    return json_pack("{s:I, s:I, s:I, s:o}", "size", (json_int_t)e->program.size, "pair",
                     (json_int_t)e->program.pair, "layout", (json_int_t)e->program.layout, "genes",
                     dir_mtg_save_genes(&genes, e->program.genes));
}

static json_t *save_engine(const void *state) {
    const dir_dqg_engine *e = state;
    return json_pack("{s:o, s:I, s:o, s:o}", "random", dir_chance_save(&e->rng), "told",
                     (json_int_t)e->told, "program", save_program(e), "learner",
                     dir_learner_save(&e->learner));
}

/* ---- Restoring: nothing in the file is taken on trust. */

/* Threads are equal, and their genes follow each other. */
static bool is_in_order(const dir_dqg_engine *e) {
    const uint32_t operations = e->space.rtg.sizes[e->program.size];
    for (uint32_t t = 0; t < e->space.genes.threads; t++)
        for (uint32_t i = dir_dqg_start(&e->space, operations, t);
             i < dir_dqg_start(&e->space, operations, t + 1); i++)
            if (e->program.genes[i].thread != t)
                return false;
    return true;
}

static bool restore_program(dir_dqg_engine *e, const json_t *saved) {
    uint64_t size = 0, pair = 0;
    e->has_program = !json_is_null(saved);
    if (!e->has_program)
        return true;
    if (!base_json_take(saved, "size", &size) || size >= e->space.rtg.size_count ||
        !base_json_take(saved, "pair", &pair) || pair >= e->space.rtg.pair_count ||
        !base_json_take(saved, "layout", &e->program.layout))
        return false;
    e->program.size = (uint32_t)size;
    e->program.pair = (uint32_t)pair;
    const dir_mtg_space genes = genes_of(e, &e->program);
    return dir_mtg_restore_genes(&genes, json_object_get(saved, "genes"), e->program.genes) &&
           is_in_order(e);
}

static col_status restore_engine(void *state, const json_t *saved, col_problem *problem) {
    dir_dqg_engine *e = state;
    if (!dir_chance_restore(json_object_get(saved, "random"), &e->rng) ||
        !base_json_take(saved, "told", &e->told))
        return base_refuse(problem, "the state of the engine has no state of chance");
    if (!restore_program(e, json_object_get(saved, "program")))
        return base_refuse(problem, "the state of the engine has no program of its space");
    return dir_learner_restore(&e->learner, json_object_get(saved, "learner"), problem);
}

const dir_functions dir_dqg = {.size = sizeof(dir_dqg_engine),
                               .open = open_engine,
                               .close = close_engine,
                               .next = next_test,
                               .save = save_engine,
                               .restore = restore_engine,
                               .learning = learning};

/*
 * What the agent sees of the last test: the multicore signature, as numbers from 0 to 1 whose count
 * is the same for any number of cores. A core's signature is the sum of the values of its witness,
 * here as the square root of its share of the sum of all values that the program writes. Sums are
 * seen, not identities: witnesses that are alike have sums that are alike, so what was learned of
 * one helps with the other; of a hash nothing follows for its neighbours.
 */

uint32_t dir_dqg_inputs(const dir_dqg_view *view) {
    return DIR_DQG_SIGNATURE_INPUTS + (uint32_t)view->bits +
           (view->has_program != 0 ? DIR_DQG_PROGRAM_INPUTS : 0);
}

/* Values are numbered from 1. */
static double sum_of_values(const dir_dqg_space *space, const dir_dqg_program *program) {
    const uint32_t operations = space->rtg.sizes[program->size];
    double writes = 0;
    for (uint32_t i = 0; i < operations; i++)
        writes += col_kinds[gen_templates[program->genes[i].template].operation.kind].writes;
    return writes * (writes + 1) / 2;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Neighbouring cores share a bin if there are more of them, and a core fills more than one if there
 * are fewer. */
static double mean_of_bin(const double *shares, uint64_t cores, uint64_t bin) {
    const uint64_t first = bin * cores / DIR_DQG_BINS, next = (bin + 1) * cores / DIR_DQG_BINS;
    const uint64_t end = next > first ? next : first + 1;
    double sum = 0;
    for (uint64_t core = first; core < end; core++)
        sum += shares[core];
    return sum / (double)(end - first);
}

static float *add_sums(const double total, uint32_t cores, const col_signature *signatures,
                       double *shares, float *at) {
    double mean = 0;
    for (uint32_t c = 0; c < cores; c++) {
        const double share = total > 0 ? (double)signatures[c].sum / total : 0;
        shares[c] = sqrt(share < 1 ? share : 1);
        mean += shares[c] / cores;
    }
    for (uint32_t bin = 0; bin < DIR_DQG_BINS; bin++)
        *at++ = (float)mean_of_bin(shares, cores, bin);
    qsort(shares, cores, sizeof *shares, compare);
    *at++ = (float)shares[0];
    *at++ = (float)((shares[(cores - 1) / 2] + shares[cores / 2]) / 2);
    *at++ = (float)shares[cores - 1];
    *at++ = (float)mean;
    return at;
}

/* Bits of one number that stands for the exact signatures of all cores. */
static float *add_identity(uint64_t bits, uint32_t cores, const col_signature *signatures,
                           float *at) {
    uint64_t hash = 0;
    for (uint32_t c = 0; c < cores; c++) {
        hash = (hash ^ signatures[c].identity) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (uint64_t bit = 0; bit < bits; bit++)
        *at++ = (float)(hash >> bit & 1);
    return at;
}

static float *add_program(const dir_dqg_space *space, const dir_dqg_program *program, float *at) {
    const dir_rtg *rtg = &space->rtg;
    const float operations = (float)rtg->sizes[program->size];
    const uint32_t run = dir_rtg_run(rtg, program->pair);
    uint32_t counts[DIR_DQG_KIND_COUNT];
    dir_dqg_count_kinds(space, program, counts);
    *at++ = dir_fraction(program->size, rtg->size_count);
    *at++ = dir_fraction(run, rtg->location_count);
    *at++ = dir_fraction(program->pair - rtg->runs[run], rtg->runs[run + 1] - rtg->runs[run]);
    *at++ = (float)counts[DIR_DQG_STORE] / operations;
    *at++ = (float)counts[DIR_DQG_OTHER] / operations;
    return at;
}

void dir_dqg_observe(const dir_dqg_view *view, const dir_dqg_space *space,
                     const dir_dqg_program *program, const col_witness_results *witness,
                     col_observation observation, double *scratch, float *inputs) {
    const uint32_t cores = space->genes.threads;
    const col_signature *signatures = witness->signatures[observation];
    float *at = add_sums(sum_of_values(space, program), cores, signatures, scratch, inputs);
    const uint32_t distinct = witness->distinct[observation], instances = witness->instances;
    const uint32_t bounded = distinct < instances ? distinct : instances;
    *at++ = instances == 0 ? 0 : (float)bounded / (float)instances;
    at = add_identity(view->bits, cores, signatures, at);
    if (view->has_program != 0)
        (void)add_program(space, program, at);
}
