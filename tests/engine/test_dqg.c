/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * The engines from outside: what they promise of their programs, that the random agent is fair,
 * that a saved engine goes on exactly, and that the agent learns where there is something to learn.
 * What came of a test is made up here from the program alone.
 */
#include "engine/mtg_statistics.h"
#include "engine/synthetic.h"

#include "base/file.h"
#include "engine/dqg.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16, POINTS = 10000 };

#ifdef REDUCED
enum { LEARNING_SEEDS = 2, LEARNING_TESTS = 250, DRAWS = 3000 };
#else
enum { LEARNING_SEEDS = 3, LEARNING_TESTS = 300, DRAWS = 20000 };
#endif

enum { EARLY_TESTS = LEARNING_TESTS / 2 };

/* A small agent that trains early. */
#define SMALL "neurons=8,layers=1,history=2,batch=4,warm-up=4,replay=32,target-every=5"

/* ---- A design that is made up. */

/* In hundredths of a percent of coverage, from 0 to 1. */
typedef double gain_of(const col_program *program);

typedef struct world {
    uint64_t hits[POINTS];
    col_signature signatures[MOST_THREADS];
    uint32_t nothing[8192];
    bool unfit[64];
    col_witness_results witness;
    col_feedback feedback;
    double gained; /* in all */
    col_signature others[MOST_THREADS];
    bool is_dark[COL_OBSERVATION_COUNT]; /* nothing was seen */
} world;

static double share_of_stores(const col_program *program) {
    const uint32_t count = col_program_operations(program);
    double stores = 0;
    for (uint32_t o = 0; o < count; o++)
        stores += program->operations[o].kind == COL_STORE;
    return stores / count;
}

/* Operations at one location: the most that there are. */
static double share_of_hottest(const col_program *program) {
    const uint32_t count = col_program_operations(program);
    uint32_t counts[64] = {0}, most = 0;
    for (uint32_t o = 0; o < count; o++)
        if (col_kinds[program->operations[o].kind].located)
            counts[program->operations[o].location]++;
    for (uint32_t l = 0; l < 64; l++)
        most = counts[l] > most ? counts[l] : most;
    return (double)most / count;
}

/* Cores see the values of their own thread, and the next one's. */
static void watch(world *w, const col_program *program) {
    w->witness = (col_witness_results){.instances = 5, .distinct = {5, 5, 5}};
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t next = (t + 1) % program->thread_count;
        w->signatures[t] = (col_signature){.identity = col_program_hash(program).low + t};
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++)
            w->signatures[t].sum += program->operations[o].value;
        for (uint32_t o = program->thread_start[next]; o < program->thread_start[next + 1]; o++)
            w->signatures[t].sum += program->operations[o].value;
    }
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        w->witness.signatures[o] = w->is_dark[o] ? w->others : w->signatures;
    w->witness.event_nondeterminism = w->nothing;
    w->witness.fit_locations = w->nothing;
    w->witness.is_fit = w->unfit;
}

static void run(world *w, const col_program *program, gain_of *gain) {
    const double hundredths = 100 * gain(program);
    watch(w, program);
    w->gained += hundredths;
    w->feedback = (col_feedback){.tests = w->feedback.tests + 1,
                                 .covered = (uint64_t)w->gained,
                                 .total = POINTS,
                                 .own_covered = (uint64_t)hundredths,
                                 .gained = (uint64_t)hundredths,
                                 .cycles = 100000,
                                 .operations = col_program_operations(program),
                                 .hits = w->hits,
                                 .witness = &w->witness};
}

static col_engine_settings settings_of(const char *options, uint64_t seed) {
    col_engine_settings settings =
        synthetic_settings((col_range){64, 256}, (col_range){4, 32}, seed);
    settings.options = options;
    return settings;
}

static void next(col_engine *engine, const world *w, col_program *program, col_point *point) {
    col_problem problem = {0};
    if (col_engine_next(engine, &w->feedback, program, point, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(point->operations, col_program_operations(program));
    assert_int_equal(point->locations, program->location_count);
}

static world *new_world(void) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    return w;
}

/* An engine, what it is told, and its last test. */
typedef struct rig {
    col_engine *engine;
    world *w;
    col_program program;
    col_point point;
} rig;

static rig open_rig(const char *name, const char *options, uint64_t seed) {
    const col_engine_settings settings = settings_of(options, seed);
    return (rig){synthetic_engine(name, &settings), new_world(), COL_PROGRAM_EMPTY, {0}};
}

static void close_rig(rig *r) {
    col_program_free(&r->program);
    col_engine_free(r->engine);
    free(r->w);
}

static void step(rig *r) {
    next(r->engine, r->w, &r->program, &r->point);
}

static void play(rig *r, uint32_t tests, gain_of *gain) {
    for (uint32_t i = 0; i < tests; i++) {
        step(r);
        run(r->w, &r->program, gain);
    }
}

static const char *const engines[] = {"rag", "dqg-rf", "dqg-co", "dqg-corf"};

/* ---- Programs. */

TEST(programs_are_valid_and_follow_from_the_seed) {
    for (uint32_t e = 0; e < 4; e++) {
        const col_engine_settings settings = settings_of(e == 0 ? NULL : SMALL, 7);
        col_engine *one = synthetic_engine(engines[e], &settings);
        col_engine *two = synthetic_engine(engines[e], &settings);
        world *w = new_world();
        col_program a = COL_PROGRAM_EMPTY, b = COL_PROGRAM_EMPTY;
        col_point point, same;
        assert_int_equal(col_engine_watches(engines[e]), e != 0);
        for (uint32_t i = 0; i < 100; i++) {
            col_problem problem = {0};
            next(one, w, &a, &point);
            next(two, w, &b, &same);
            assert_true(col_program_equal(&a, &b)); /* the same seed, the same programs */
            if (col_program_check(&a, &problem) != COL_OK)
                fail_msg("%s", problem.message);
            if (i == 0)
                assert_int_equal(point.operations, 64); /* the least */
            assert_int_equal(point.locations % point.sets, 0);
            if (i % 10 == 9) { /* nobody ran it: once more */
                next(one, w, &b, &same);
                assert_true(col_program_equal(&a, &b));
            }
            run(w, &a, share_of_stores);
        }
        col_program_free(&a);
        col_program_free(&b);
        col_engine_free(one);
        col_engine_free(two);
        free(w);
    }
}

TEST(another_seed_gives_a_different_program) {
    rig one = open_rig("rag", NULL, 1), other = open_rig("rag", NULL, 2);
    step(&one);
    step(&other);
    assert_false(col_program_equal(&one.program, &other.program));
    close_rig(&one);
    close_rig(&other);
}

/* ---- The random agent: each allowed action with the same chance. */

TEST(rag_chooses_actions_evenly) {
    rig r = open_rig("rag", NULL, 5);
    uint64_t always[DIR_DQG_ACTION_COUNT] = {0};
    double probabilities[DIR_DQG_ACTION_COUNT];
    uint32_t cells = 0;
    step(&r);
    assert_int_equal(col_engine_learning(r.engine)->test, 0);
    for (uint32_t i = 0; i < DRAWS; i++) {
        run(r.w, &r.program, share_of_stores);
        step(&r);
        const col_learning *learning = col_engine_learning(r.engine);
        if (i == 0)
            continue; /* no action made the first test */
        assert_int_equal(learning->test, i + 1);
        assert_int_equal(learning->action_count, DIR_DQG_ACTION_COUNT);
        assert_true(learning->is_random && !learning->is_trained && learning->values == NULL);
        always[learning->action]++;
    }
    /* Those that are practically never forbidden are chosen equally often. */
    uint64_t counts[DIR_DQG_ACTION_COUNT];
    const dir_dqg_action free_ones[] = {
        DIR_DQG_REASSIGN,      DIR_DQG_COLLIDE,       DIR_DQG_GATHER,      DIR_DQG_SPREAD,
        DIR_DQG_INSERT_CHAINS, DIR_DQG_REMOVE_CHAINS, DIR_DQG_SHUFFLE,     DIR_DQG_MUTATE,
        DIR_DQG_MORE_OTHERS,   DIR_DQG_FEWER_OTHERS,  DIR_DQG_COPY_THREAD, DIR_DQG_PERMUTE_THREADS};
    for (; cells < sizeof free_ones / sizeof free_ones[0]; cells++)
        counts[cells] = always[free_ones[cells]];
    for (uint32_t i = 0; i < cells; i++)
        probabilities[i] = 1.0 / cells;
    assert_distributed(counts, probabilities, cells);
    for (uint32_t a = 0; a < DIR_DQG_ACTION_COUNT; a++)
        assert_true(always[a] > 0);
    close_rig(&r);
}

/* ---- Saved; test_engine_state.c has what holds for all engines. */

/* Saved while a test is under way that is then not run: it is handed out again. */
TEST(an_unfinished_test_is_handed_out_again) {
    char path[64];
    rig whole = open_rig("dqg-co", SMALL, 13), resumed = open_rig("dqg-co", SMALL, 13);
    play(&whole, 10, share_of_stores);
    step(&whole);
    assert_int_equal(col_engine_save(whole.engine, &whole.w->feedback, synthetic_path(path), NULL),
                     COL_OK);
    assert_int_equal(col_engine_restore(resumed.engine, path, NULL), COL_OK);
    next(resumed.engine, whole.w, &resumed.program, &resumed.point);
    assert_true(col_program_equal(&whole.program, &resumed.program));
    (void)remove(path);
    close_rig(&whole);
    close_rig(&resumed);
}

/* An operation of a thread that is another's place. */
TEST(a_program_with_operations_out_of_order_is_refused) {
    enum { LOCATION_DIGITS = 6, THREAD_DIGITS = 4 };
    char path[64];
    rig r = open_rig("rag", NULL, 13);
    col_problem problem = {0};
    step(&r);
    assert_int_equal(col_engine_save(r.engine, &r.w->feedback, synthetic_path(path), NULL), COL_OK);
    json_t *root = json_load_file(path, 0, NULL);
    json_t *saved = json_object_get(json_object_get(root, "state"), "program");
    char *genes = strdup(json_string_value(json_object_get(saved, "genes")));
    assert_non_null(genes);
    memcpy(genes + LOCATION_DIGITS, "0001", THREAD_DIGITS);
    assert_int_equal(json_object_set_new(saved, "genes", json_string(genes)), 0);
    assert_int_equal(json_dump_file(root, path, 0), 0);
    assert_int_equal(col_engine_restore(r.engine, path, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "no program of its space"));
    json_decref(root);
    free(genes);
    (void)remove(path);
    close_rig(&r);
}

/* ---- Each engine sees its own signatures, and no others. */

/* Of its last test: what it expected of the first action. */
static float value_in_the_dark(const char *name, uint32_t dark) {
    rig r = open_rig(name, SMALL, 17);
    if (dark < COL_OBSERVATION_COUNT)
        r.w->is_dark[dark] = true;
    play(&r, 3, share_of_stores);
    const float value = col_engine_learning(r.engine)->values[0];
    close_rig(&r);
    return value;
}

TEST(each_engine_sees_only_its_observation) {
    static const char *const by_observation[COL_OBSERVATION_COUNT] = {
        [COL_OBSERVE_RF] = "dqg-rf", [COL_OBSERVE_CO] = "dqg-co", [COL_OBSERVE_CORF] = "dqg-corf"};
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++) {
        const float value = value_in_the_dark(by_observation[o], COL_OBSERVATION_COUNT);
        for (uint32_t dark = 0; dark < COL_OBSERVATION_COUNT; dark++)
            assert_int_equal(value_in_the_dark(by_observation[o], dark) == value, dark != o);
    }
}

/* ---- Learning. */

/* The mean gain of the later half of the tests. */
static double late_gain(const char *name, const char *options, uint64_t seed, gain_of *gain) {
    rig r = open_rig(name, options, seed);
    double sum = 0;
    for (uint32_t i = 0; i < LEARNING_TESTS; i++) {
        step(&r);
        run(r.w, &r.program, gain);
        sum += i >= EARLY_TESTS ? gain(&r.program) : 0;
    }
    close_rig(&r);
    return sum / (LEARNING_TESTS - EARLY_TESTS);
}

/* On average over some seeds the agent has far more of what is rewarded than the random one. */
static void expect_learned(const char *name, const char *options, gain_of *gain, double factor) {
    double random = 0, learned = 0;
    for (uint64_t seed = 1; seed <= LEARNING_SEEDS; seed++) {
        random += late_gain("rag", NULL, seed, gain) / LEARNING_SEEDS;
        learned += late_gain(name, options, seed, gain) / LEARNING_SEEDS;
    }
    if (!(learned > factor * random))
        fail_msg("%s: %g with the agent, %g without", name, learned, random);
}

/* Stores show in signatures. */
TEST(an_agent_learns_from_signatures) {
    expect_learned("dqg-corf", NULL, share_of_stores, 1.5);
}

/* Collisions do not show here: there are the actions alone to go by. */
TEST(an_agent_learns_only_from_its_own_actions) {
    expect_learned("dqg-rf", NULL, share_of_hottest, 1.25);
}

/* Rainbow's parts, all of them. */
TEST(an_agent_learns_with_all_parts_of_rainbow) {
    expect_learned("dqg-co",
                   "double=1,dueling=1,noisy=1,ahead=3,atoms=11,priority=0.5,epsilon=0,"
                   "last-epsilon=0",
                   share_of_stores, 1.5);
}

/* ---- What is refused, and what is not. */

static void expect_refused(const char *name, const col_engine_settings *settings,
                           const char *part) {
    col_engine *engine = NULL;
    col_problem problem = {0};
    assert_int_equal(col_engine_new(&engine, name, settings, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, part);
}

TEST(wrong_options_are_refused) {
    col_engine_settings settings = settings_of("rate=0.1", 1);
    expect_refused("rag", &settings, "no parameter 'rate'");
    settings.options = "observe=all";
    expect_refused("dqg-rf", &settings, "signature or program");
    settings.options = "identity=65";
    expect_refused("dqg-rf", &settings, "identity");
    settings.options = "agent=/nowhere/engine.json";
    expect_refused("dqg-rf", &settings, "/nowhere/engine.json");
    settings.options = NULL;
    settings.mix = "c1";
    expect_refused("dqg-rf", &settings, "c1");
    settings.mix = NULL;
    settings.sets = 5;
    expect_refused("rag", &settings, "5");
}

/* What the agent of an engine expects of its first actions. */
static void first_values(const char *options, float values[DIR_DQG_ACTION_COUNT]) {
    rig r = open_rig("dqg-rf", options, 21);
    play(&r, 3, share_of_stores);
    memcpy(values, col_engine_learning(r.engine)->values, DIR_DQG_ACTION_COUNT * sizeof *values);
    close_rig(&r);
}

/* An agent begins with what another one learned, if it is of the same kind and shape. */
TEST(a_trained_agent_is_loaded_if_its_shape_fits) {
    const char *const quick = SMALL ",rate=0.01";
    char path[64], options[256];
    float fresh[DIR_DQG_ACTION_COUNT], trained[DIR_DQG_ACTION_COUNT];
    col_engine_settings settings = settings_of(quick, 4);
    rig r = open_rig("dqg-rf", quick, 4);
    double difference = 0;
    play(&r, 200, share_of_stores);
    assert_int_equal(col_engine_save(r.engine, &r.w->feedback, synthetic_path(path), NULL), COL_OK);
    (void)snprintf(options, sizeof options, "%s,agent=%s", quick, path);
    first_values(quick, fresh);
    first_values(options, trained);
    for (uint32_t a = 0; a < DIR_DQG_ACTION_COUNT; a++)
        difference += (double)(trained[a] - fresh[a]) / DIR_DQG_ACTION_COUNT;
    assert_true(difference > 0.5); /* it has seen rewards, again and again */
    settings.options = options;
    expect_refused("dqg-co", &settings, "dqg-rf");
    (void)snprintf(options, sizeof options, "%s,identity=1,agent=%s", quick, path);
    expect_refused("dqg-rf", &settings, "its inputs is 21, not 22");
    (void)remove(path);
    close_rig(&r);
}

/* With a number of sets that is asked for, all tests have it. */
TEST(a_given_number_of_sets_is_kept) {
    col_engine_settings settings = settings_of(NULL, 1);
    world *w = new_world();
    col_program program = COL_PROGRAM_EMPTY;
    col_point point;
    settings.sets = 4;
    col_engine *engine = synthetic_engine("rag", &settings);
    for (uint32_t i = 0; i < 100; i++) {
        next(engine, w, &program, &point);
        assert_int_equal(point.sets, 4);
        run(w, &program, share_of_stores);
    }
    col_program_free(&program);
    col_engine_free(engine);
    free(w);
}

/* Rewards: the gain in percent, or for each hundred thousand cycles, up to a bound. */
static double reward_with(const char *options, uint64_t gained, uint64_t cycles) {
    rig r = open_rig("dqg-rf", options, 3);
    play(&r, 2, share_of_stores);
    r.w->feedback.gained = gained;
    r.w->feedback.cycles = cycles;
    step(&r);
    const double reward = col_engine_learning(r.engine)->reward;
    assert_int_equal(col_engine_learning(r.engine)->test, 2);
    close_rig(&r);
    return reward;
}

TEST(rewards_are_gains_up_to_a_limit) {
    assert_float_equal(reward_with(SMALL, 0, 100000), 0, 0);
    assert_float_equal(reward_with(SMALL ",most-reward=100", 50, 7), 0.5, 1e-12);
    assert_float_equal(reward_with(SMALL ",most-reward=0.25", 50, 7), 0.25, 1e-12);
    assert_float_equal(reward_with(SMALL ",most-reward=100,reward=rate", 50, 199999), 0.25, 1e-12);
}
