/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * RLG as an engine: walks of its actions, files, and whether it learns. Of the last there is proof
 * only where the best actions are known: designs that reward nothing but large tests, or nothing
 * but small ones, without a word of it in what the agent sees.
 */
#include "mtg_statistics.h"
#include "synthetic.h"

#include "engine/rlg.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Agents of tests train on little. */
#define SMALL "batch=4,warm-up=4,replay=32,target-every=3,epsilon-steps=5"

enum { MOST_TESTS = 24 };

static const char *const names[] = {"rlg", "rlg-bias", "rlg-chain"};
static const char *const options[] = {SMALL, SMALL ",observe=point,start=random,reward=rate",
                                      "policy=random", SMALL ",noisy=0,epsilon=0.5,atoms=1"};
enum { NAMES = 3, OPTIONS = 4 };

static col_engine_settings small_settings(const char *text, uint64_t seed) {
    col_engine_settings settings = synthetic_settings((col_range){8, 64}, (col_range){4, 16}, seed);
    settings.options = text;
    settings.cycles = 20000;
    return settings;
}

/* What is told of a test, without the pointers. */
typedef struct account {
    col_hash program;
    col_point point;
    col_learning row;
    float values[LRN_MOST_ACTIONS];
} account;

static void take_account(const synthetic_walk *w, account *a) {
    const col_learning *row = col_engine_learning(w->engine);
    memset(a, 0, sizeof *a);
    a->program = col_program_hash(&w->program);
    a->point = w->point;
    a->row = *row;
    if (row->values != NULL)
        memcpy(a->values, row->values, row->action_count * sizeof *row->values);
    a->row.action_names = NULL;
    a->row.values = NULL;
}

static void expect_same(const account *a, const account *b) {
    assert_memory_equal(&a->program, &b->program, sizeof a->program);
    assert_memory_equal(&a->point, &b->point, sizeof a->point);
    assert_memory_equal(&a->values, &b->values, sizeof a->values);
    assert_true(a->row.test == b->row.test && a->row.action == b->row.action &&
                a->row.is_random == b->row.is_random && a->row.is_trained == b->row.is_trained);
    assert_true(a->row.epsilon == b->row.epsilon && a->row.reward == b->row.reward &&
                a->row.loss == b->row.loss);
    assert_memory_equal(&a->row.point, &b->row.point, sizeof a->row.point);
}

static void go(synthetic_walk *w, uint32_t tests, account *accounts) {
    for (uint32_t i = 0; i < tests; i++) {
        assert_true(synthetic_step(w));
        take_account(w, &accounts[i]);
        (void)synthetic_run(&w->design, &w->point);
    }
}

/* ---- Walks. */

TEST(programs_follow_from_the_seed) {
    static account first[MOST_TESTS], second[MOST_TESTS];
    for (int n = 0; n < NAMES; n++)
        for (int o = 0; o < OPTIONS; o++) {
            col_engine_settings settings = small_settings(options[o], 5);
            synthetic_walk w = synthetic_start(names[n], &settings, 1, 30);
            go(&w, MOST_TESTS, first);
            synthetic_end(&w);
            w = synthetic_start(names[n], &settings, 1, 30);
            go(&w, MOST_TESTS, second);
            synthetic_end(&w);
            for (uint32_t i = 0; i < MOST_TESTS; i++)
                expect_same(&first[i], &second[i]);
            settings.seed = 6;
            w = synthetic_start(names[n], &settings, 1, 30);
            go(&w, MOST_TESTS, second);
            synthetic_end(&w);
            bool is_other = false;
            for (uint32_t i = 1; i < MOST_TESTS; i++)
                is_other = is_other ||
                           memcmp(&first[i].point, &second[i].point, sizeof first[i].point) != 0;
            assert_true(is_other);
        }
}

static uint32_t move_of(col_point from, col_point to) {
    if (from.operations != to.operations)
        return from.operations < to.operations ? DIR_RLG_MORE_OPERATIONS : DIR_RLG_FEWER_OPERATIONS;
    if (from.locations != to.locations)
        return from.locations < to.locations ? DIR_RLG_MORE_LOCATIONS : DIR_RLG_FEWER_LOCATIONS;
    assert_int_not_equal(from.sets, to.sets);
    return from.sets < to.sets ? DIR_RLG_MORE_SETS : DIR_RLG_FEWER_SETS;
}

/* The row of a test tells the action that led to its point, and the reward of its feedback. It is
 * there when the next one is handed out. */
TEST(rows_have_the_action_and_the_reward) {
    for (int o = 0; o < OPTIONS; o++) {
        const col_engine_settings settings = small_settings(options[o], 9);
        synthetic_walk w = synthetic_start("rlg-chain", &settings, 1, 30);
        const col_learning *row = col_engine_learning(w.engine);
        col_point before = {0}, last = {0};
        bool is_trained = false;
        assert_int_equal(row->action_count, 6);
        assert_string_equal(row->action_names[DIR_RLG_FEWER_SETS], "fewer-sets");
        for (uint32_t i = 1; i <= 60; i++, before = last, last = w.point) {
            assert_true(synthetic_step(&w));
            row = col_engine_learning(w.engine);
            const col_feedback *f = &w.design.feedback;
            assert_int_equal(row->test, i < 3 ? 0 : i - 1); /* nothing made the first test */
            if (i >= 3) {
                const double slope = (double)f->gained / SYNTHETIC_POINTS /
                                     ((double)f->cycles / (double)settings.cycles);
                const double reward = o == 1 ? slope : log1p(slope);
                assert_memory_equal(&row->point, &last, sizeof last);
                assert_int_equal(row->action, move_of(before, last));
                assert_true(fabs(row->reward - reward) < 1e-5 * (1 + reward));
                assert_true((row->values == NULL) == (o == 2));
                assert_true(o != 2 || (row->is_random && row->epsilon == 1));
                assert_true(row->is_trained || row->loss == 0);
                is_trained = is_trained || row->is_trained;
            } else if (i == 1 && o != 1)
                assert_true(w.point.operations == 8 && w.point.locations == 4 && w.point.sets == 1);
            (void)synthetic_run(&w.design, &w.point);
        }
        assert_int_equal(is_trained, o != 2);
        synthetic_end(&w);
    }
}

/* Uniform among the allowed, wherever it is. */
TEST(the_random_policy_is_uniform_over_allowed_actions) {
    enum { WALK = 20000 };
    static uint64_t counts[1 << DIR_RLG_ACTION_COUNT][DIR_RLG_ACTION_COUNT];
    const col_engine_settings settings = small_settings("policy=random", 77);
    col_feedback feedback = {.total = 100, .cycles = 100};
    col_program program = COL_PROGRAM_EMPTY;
    col_point point;
    rlg open = {0}, *r = &open;
    assert_int_equal(dir_rlg.open(r, dir_engine_find("rlg-bias"), &settings, NULL), COL_OK);
    for (uint64_t before = 0, i = 0; i < WALK; i++, feedback.tests++) {
        const col_status status = dir_rlg.next(r, &feedback, &program, &point, NULL);
        assert_int_equal(status, COL_OK);
        if (i > 0)
            counts[before][r->learner.next.action]++;
        before = dir_rlg_allowed(&r->rtg, r->point, DIR_RLG_ACTION_COUNT);
    }
    uint32_t sets = 0;
    for (uint32_t allowed = 1; allowed < 1 << DIR_RLG_ACTION_COUNT; allowed++) {
        double chances[DIR_RLG_ACTION_COUNT] = {0};
        uint64_t sum = 0;
        for (uint32_t a = 0; a < DIR_RLG_ACTION_COUNT; a++) {
            chances[a] = (allowed >> a & 1) != 0 ? 1.0 / __builtin_popcount(allowed) : 0;
            sum += counts[allowed][a];
        }
        if (sum < 100)
            continue;
        sets++;
        assert_distributed(counts[allowed], chances, DIR_RLG_ACTION_COUNT);
    }
    assert_true(sets > 10);
    col_program_free(&program);
    dir_rlg.close(r);
}

/* A space of one point has no actions; nothing is learned there, and nothing goes wrong. */
TEST(a_space_of_one_point_has_no_actions) {
    col_engine_settings settings = synthetic_settings((col_range){9, 9}, (col_range){4, 4}, 1);
    settings.sets = 2;
    synthetic_walk w = synthetic_start("rlg-bias", &settings, 1, 30);
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(synthetic_step(&w));
        assert_true(w.point.operations == 9 && w.point.locations == 4 && w.point.sets == 2);
        assert_int_equal(col_engine_learning(w.engine)->test, 0);
        (void)synthetic_run(&w.design, &w.point);
    }
    synthetic_end(&w);
}

/* ---- Files. */

static void save(const synthetic_walk *w, const char *path) {
    col_problem problem = {0};
    if (col_engine_save(w->engine, &w->design.feedback, path, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static void resume(synthetic_walk *w, const char *name, const col_engine_settings *settings,
                   const char *path) {
    col_problem problem = {0};
    col_engine_free(w->engine);
    w->engine = synthetic_engine(name, settings);
    if (col_engine_restore(w->engine, path, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* Saved after a test was run; and, if it says so, when it was handed out and not run, so that it is
 * handed out again. A larger budget changes nothing for an episode that has begun. */
static void go_with_stops(synthetic_walk *w, const char *name, col_engine_settings settings,
                          bool before_running, account *accounts) {
    char path[64];
    (void)synthetic_path(path);
    settings.cycles *= 3;
    for (uint32_t i = 0; i < MOST_TESTS; i++) {
        assert_true(synthetic_step(w));
        if (before_running) {
            save(w, path);
            resume(w, name, &settings, path);
            assert_true(synthetic_step(w));
        }
        take_account(w, &accounts[i]);
        (void)synthetic_run(&w->design, &w->point);
        save(w, path);
        resume(w, name, &settings, path);
    }
    (void)remove(path);
}

TEST(an_engine_saved_at_any_test_continues_identically) {
    static account whole[MOST_TESTS], parts[MOST_TESTS];
    for (int n = 0; n < NAMES; n++)
        for (int o = 0; o < OPTIONS; o++)
            for (int before_running = 0; before_running < 2; before_running++) {
                const col_engine_settings settings = small_settings(options[o], 5);
                synthetic_walk w = synthetic_start(names[n], &settings, 1, 30);
                go(&w, MOST_TESTS, whole);
                synthetic_end(&w);
                w = synthetic_start(names[n], &settings, 1, 30);
                go_with_stops(&w, names[n], settings, before_running != 0, parts);
                synthetic_end(&w);
                for (uint32_t i = 0; i < MOST_TESTS; i++)
                    expect_same(&whole[i], &parts[i]);
            }
}

/* The horizon is kept whatever it is: less than a cycle, or as long as a budget can be. */
TEST(any_horizon_survives_saving) {
    static const char *const texts[] = {"policy=random,horizon=0.5", "policy=random,horizon=1e-300",
                                        "policy=random,horizon=1e15", "policy=random"};
    char path[64];
    (void)synthetic_path(path);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        col_engine_settings settings = small_settings(texts[i], 5);
        settings.cycles = UINT64_MAX;
        synthetic_walk w = synthetic_start("rlg-bias", &settings, 1, 30);
        for (uint32_t t = 0; t < 4; t++) {
            assert_true(synthetic_step(&w));
            (void)synthetic_run(&w.design, &w.point);
            assert_true(isfinite(col_engine_learning(w.engine)->reward));
            save(&w, path);
            resume(&w, "rlg-bias", &settings, path);
        }
        synthetic_end(&w);
    }
    (void)remove(path);
}

TEST(a_test_that_was_not_run_is_repeated) {
    const col_engine_settings settings = small_settings(SMALL, 5);
    account first, second;
    synthetic_walk w = synthetic_start("rlg", &settings, 1, 30);
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(synthetic_step(&w));
        take_account(&w, &first);
        assert_true(synthetic_step(&w));
        take_account(&w, &second);
        expect_same(&first, &second);
        (void)synthetic_run(&w.design, &w.point);
    }
    synthetic_end(&w);
}

/* ---- Trained agents. */

static void refused(const char *name, const char *text, const char *path, const char *why) {
    char all[BASE_MOST_PAIR];
    col_engine *engine = NULL;
    col_problem problem = {0};
    (void)snprintf(all, sizeof all, text, path);
    const col_engine_settings settings = small_settings(all, 8);
    assert_int_equal(col_engine_new(&engine, name, &settings, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, why) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, why);
}

TEST(a_trained_agent_is_loaded_if_its_shape_fits) {
    char path[64], text[160];
    static account trained[MOST_TESTS], fresh[MOST_TESTS];
    col_engine_settings settings = small_settings(SMALL ",noisy=0", 5);
    (void)synthetic_path(path);
    synthetic_walk w = synthetic_start("rlg-bias", &settings, 1, 30);
    go(&w, MOST_TESTS, trained);
    save(&w, path);
    synthetic_end(&w);
    /* Another seed begins with its values: without noise, those of the first choice are a function
     * of the networks alone. */
    (void)snprintf(text, sizeof text, SMALL ",noisy=0,agent=%s", path);
    float values[2][LRN_MOST_ACTIONS];
    for (uint64_t seed = 8; seed < 10; seed++) {
        settings = small_settings(text, seed);
        w = synthetic_start("rlg-bias", &settings, 1, 30);
        go(&w, 3, fresh);
        memcpy(values[seed - 8], fresh[2].values, sizeof values[0]);
        synthetic_end(&w);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    refused("rlg-chain", SMALL ",noisy=0,agent=%s", path, "of the engine rlg-bias");
    refused("rlg", SMALL ",noisy=0,agent=%s", path, "of the engine rlg-bias");
    refused("rlg-bias", SMALL ",agent=%s", path, "its noisy is 0, not 1");
    refused("rlg-bias", SMALL ",noisy=0,recurrent=11,agent=%s", path, "not 11");
    refused("rlg-bias", SMALL ",noisy=0,observe=point,agent=%s", path, "its inputs is 2, not 5");
    refused("rlg-bias", "policy=random,agent=%s", path, "need no trained agent");
    refused("rlg-bias", SMALL ",agent=%s", "/nowhere", "cannot read /nowhere: No such file");
    refused("rlg-bias", SMALL ",agent=%s", "/", "cannot read /: Is a directory");
    (void)remove(path);
}

TEST(bad_options_are_refused) {
    refused("rlg", "time=sun%s", "", "cycles or clock");
    refused("rlg", "reward=much%s", "", "rate or log");
    refused("rlg", "policy=bad%s", "", "learned or random");
    refused("rlg", "observe=all%s", "", "state or point");
    refused("rlg", "start=most%s", "", "least or random");
    refused("rlg", "horizon=-1%s", "", "horizon");
    refused("rlg", "coverage-levels=0%s", "", "coverage-levels");
    refused("rlg", "atoms=0%s", "", "atoms");
    refused("rlg", "double=2%s", "", "double");
    refused("rlg", "population=4%s", "", "has no parameter");
    refused("rlg", "least-return=5,most-return=5%s", "", "least return, 5, is not below");
    refused("rlg", "least-return=6,most-return=5%s", "", "least return, 6, is not below");
}

/* ---- Does it learn? */

typedef struct world {
    bool wants_large;
    const char *options;
} world;

/* How many of the last tests have a size that is rewarded: the upper or the lower two of seven. */
static uint32_t count_good(const char *name, const world *w, uint64_t seed, uint32_t tests) {
    const col_engine_settings settings = small_settings(w->options, seed);
    col_engine *engine = synthetic_engine(name, &settings);
    col_program program = COL_PROGRAM_EMPTY;
    col_feedback feedback = {.total = 100000, .cycles = 20};
    col_point point;
    uint32_t good = 0;
    for (uint32_t i = 0; i < tests; i++) {
        assert_int_equal(col_engine_next(engine, &feedback, &program, &point, NULL), COL_OK);
        const bool is_good = w->wants_large ? point.operations > 32 : point.operations < 16;
        feedback.tests++;
        feedback.gained = is_good ? 50 : 0; /* half of the slope to full coverage */
        feedback.covered += feedback.gained;
        good += is_good && i >= tests / 2;
    }
    col_program_free(&program);
    col_engine_free(engine);
    return good;
}

TEST(learning_doubles_the_share_of_good_tests) {
#ifdef REDUCED
    enum { SEEDS = 1, LENGTH = 300 };
#else
    enum { SEEDS = 4, LENGTH = 300 };
#endif
    for (int n = 0; n < NAMES; n++)
        for (int large = 0; large < 2; large++) {
            uint32_t learned = 0, drawn = 0;
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                const world learning = {large != 0, "start=random"};
                const world drawing = {large != 0, "start=random,policy=random"};
                learned += count_good(names[n], &learning, seed, LENGTH);
                drawn += count_good(names[n], &drawing, seed, LENGTH);
            }
            print_message("%s, %s tests: %.2f learned, %.2f drawn\n", names[n],
                          large != 0 ? "large" : "small", learned / (SEEDS * LENGTH / 2.0),
                          drawn / (SEEDS * LENGTH / 2.0));
            assert_true(learned > 2 * drawn);
        }
}
