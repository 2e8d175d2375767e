/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * How long trials will take: by results of the same group, else by rates of the same design, cores
 * and engine, else by a calibration; budgets of time are bounds. While a campaign runs, what is
 * left is corrected by what was.
 */
#include "results/plan/estimate.h"

#include "base/clock.h"
#include "harness.h"
#include "results/plan/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_plan(cam_plan *plan, const char *grids) {
    char text[800];
    col_problem problem;
    (void)snprintf(text, sizeof text, "plan: p\ngrids:\n%s", grids);
    *plan = (cam_plan){0};
    if (cam_plan_read(plan, text, strlen(text), "test.yaml", NULL, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static void assert_near(double got, double expected) {
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

/* ---- A store with results of some trials. */

static char path[] = "/tmp/collider-estimate-XXXXXX";

typedef struct result {
    size_t position;
    double seconds;
    uint64_t cycles, operations;
    bool is_failed, is_old; /* old: of a design that has changed since */
    double found;           /* seconds until an error ended it; 0: none did */
} result;

static cam_store *make_store(const cam_plan *plan, const result *results, size_t count) {
    cam_store *store = NULL;
    cam_keys keys = {0};
    col_problem problem;
    char file[64];
    static uint32_t number;
    (void)snprintf(file, sizeof file, "%s/%u.db", path, number++);
    assert_int_equal(cam_store_create(&store, file, &problem), COL_OK);
    assert_int_equal(cam_store_add_plan(store, plan, &problem), COL_OK);
    assert_int_equal(cam_keys_make(&keys, plan, &problem), COL_OK);
    for (size_t i = 0; i < count; i++) {
        const cam_trial *trial = &plan->trials[results[i].position];
        const bool has_found = results[i].found > 0;
        const cam_row row = {.key = results[i].is_old ? "00112233445566778899aabbccddeeff"
                                                      : keys.keys[results[i].position],
                             .kind = trial->kind,
                             .pairs = trial->pairs,
                             .pair_count = trial->pair_count,
                             .seed = strtoull(cam_trial_value(trial, "seed"), NULL, 10),
                             .is_done = !results[i].is_failed,
                             .reason = results[i].is_failed ? "it was refused" : NULL,
                             .provenance = {"0", "here", keys.designs[results[i].position], 1},
                             .design = "mesi2",
                             .model = "tso",
                             .verdict = has_found ? "order" : "pass",
                             .ended_by = has_found ? "error" : "tests",
                             .failure_test = has_found ? 1 : 0,
                             .failure_seconds = results[i].found,
                             .tests = 1,
                             .cycles = results[i].cycles,
                             .operations = results[i].operations,
                             .seconds = results[i].seconds};
        if (cam_store_add(store, &row, NULL, 0, &problem) != COL_OK)
            fail_msg("%s", problem.message);
    }
    cam_keys_free(&keys);
    return store;
}

/* ---- Estimates. */

TEST(time_budgets_are_bounds) {
    cam_plan plan;
    cam_estimate e = {0};
    col_problem problem;
    read_plan(&plan, "  - {design: mesi2, time: [3s, 9s], seed: 1..2}\n  - {design: mesi2}\n");
    assert_int_equal(cam_estimate_make(&e, &plan, NULL, true, NULL, &problem), COL_OK);
    assert_int_equal(e.trials[CAM_BASIS_BUDGET], 5);
    assert_int_equal(e.done, 0);
    assert_near(e.remaining, 3 + 3 + 9 + 9 + 60);
    assert_near(e.longest, 60);
    assert_near(cam_estimate_wall(&e, 1), 84);
    assert_near(cam_estimate_wall(&e, 2), 60);
    cam_estimate_free(&e);
    cam_plan_free(&plan);
}

/* 0 to 3: seeds of the first group; 4 to 7: of another number of tests; 8 to 11: of another engine.
 */
static const char grids[] =
    "  - {design: mesi2, cores: 4, engine: plain, ops: 1024, instances: 2, tests: "
    "[10, 30], seed: 1..4}\n"
    "  - {design: mesi2, cores: 4, engine: chain, cycles: 1000000, seed: "
    "1..4}\n";

TEST(results_come_first_then_rates) {
    static const result results[] = {{0, 2, 5000, 40960, false, false, 0},
                                     {2, 4, 7000, 81920, false, false, 0},
                                     {3, 99, 0, 0, true, false, 0},
                                     {8, 10, 4000000, 90000, false, false, 0}};
    cam_plan plan;
    cam_estimate e = {0};
    col_problem problem;
    read_plan(&plan, grids);
    cam_store *store = make_store(&plan, results, 4);
    assert_int_equal(cam_estimate_make(&e, &plan, store, false, NULL, &problem), COL_OK);
    assert_int_equal(e.done, 3);
    assert_true(e.is_done[0] && !e.is_done[1] && e.is_done[2] && !e.is_done[3] && e.is_done[8]);
    assert_int_equal(e.trials[CAM_BASIS_RESULTS], 2 + 3);
    assert_int_equal(e.trials[CAM_BASIS_RATES], 4);
    assert_near(e.seconds[1], 3); /* the mean of 2 and 4 */
    assert_near(e.seconds[5], 30 * 2 * 1024 * (6.0 / 122880));
    assert_near(e.seconds[9], 10);
    assert_near(e.remaining, 2 * 3 + 4 * 3 + 3 * 10);
    cam_store_close(store);
    cam_estimate_free(&e);
    cam_plan_free(&plan);
}

/* They say how long it takes, but will be run again. */
TEST(trials_of_designs_that_changed_are_not_done) {
    static const result results[] = {{0, 2, 5000, 40960, false, true, 0},
                                     {1, 4, 7000, 81920, false, false, 0}};
    cam_plan plan;
    cam_estimate e = {0};
    col_problem problem;
    read_plan(&plan, grids);
    cam_store *store = make_store(&plan, results, 2);
    assert_int_equal(cam_estimate_make(&e, &plan, store, false, NULL, &problem), COL_OK);
    assert_int_equal(e.done, 1);
    assert_true(!e.is_done[0] && e.is_done[1]);
    assert_near(e.seconds[0], 3);
    cam_store_close(store);
    cam_estimate_free(&e);
    cam_plan_free(&plan);
}

/* To write down what an error did may take longer than the trial. */
TEST(rates_are_of_the_time_until_an_error) {
    static const result results[] = {{0, 5, 5000, 4096, false, false, 0.5}};
    cam_plan plan;
    cam_estimate e = {0};
    col_problem problem;
    read_plan(&plan, grids);
    cam_store *store = make_store(&plan, results, 1);
    assert_int_equal(cam_estimate_make(&e, &plan, store, false, NULL, &problem), COL_OK);
    assert_near(e.seconds[1], 5);
    assert_near(e.seconds[5], 30 * 2 * 1024 * (0.5 / 4096));
    cam_store_close(store);
    cam_estimate_free(&e);
    cam_plan_free(&plan);
}

/* A study has one instance of a test unless it says more. */
TEST(estimates_count_the_instances_of_studies) {
    cam_plan plan;
    cam_estimate e = {0};
    col_problem problem;
    read_plan(&plan, "  - {kind: locations, design: mesi2, engine: plain, ops: 64, locations: 4, "
                     "tests: 10, instances: [none, 7]}\n");
    assert_int_equal(cam_estimate_make(&e, &plan, NULL, false, NULL, &problem), COL_OK);
    assert_true(e.seconds[0] > 0);
    assert_near(e.seconds[1], 7 * e.seconds[0]);
    cam_estimate_free(&e);
    cam_plan_free(&plan);
}

/* Of other plans in the store: rates of the same design, cores and engine. */
TEST(rates_of_other_plans_count) {
    static const result results[] = {{8, 10, 4000000, 90000, false, false, 0}};
    cam_plan before, plan;
    cam_estimate e = {0};
    col_problem problem;
    read_plan(&before, grids);
    read_plan(&plan, "  - {design: mesi2, cores: [4, 8], engine: chain, cycles: 8000000}\n");
    cam_store *store = make_store(&before, results, 1);
    assert_int_equal(cam_estimate_make(&e, &plan, store, false, NULL, &problem), COL_OK);
    assert_int_equal(e.done, 0);
    assert_int_equal(e.trials[CAM_BASIS_RATES], 1);
    assert_int_equal(e.trials[CAM_BASIS_NONE], 1);
    assert_near(e.seconds[0], 20);
    cam_store_close(store);
    cam_estimate_free(&e);
    cam_plan_free(&before);
    cam_plan_free(&plan);
}

static double run_trial(const cam_trial *trial) {
    col_episode_settings s;
    col_episode episode = {0};
    col_problem problem;
    assert_int_equal(cam_trial_episode(trial, &s, &problem), COL_OK);
    const double start = base_processor_seconds();
    assert_int_equal(col_episode_run(&s, &episode, &problem), COL_OK);
    col_episode_free(&episode);
    return base_processor_seconds() - start;
}

/* Within a factor of five of what it takes, on a machine that does other things, too. */
TEST(calibration_is_within_a_factor_of_five) {
    cam_plan plan;
    cam_estimate e = {0};
    col_problem problem;
    read_plan(&plan,
              "  - {design: mesi2, cores: 4, engine: plain, ops: 256, locations: 16, tests: 600, "
              "instances: 2}\n"
              "  - {design: mesi2, cores: 4, engine: chain-bias, ops: 256, locations: 16, "
              "cycles: 400000, error: none}\n"
              "  - {kind: tour, cores: 6, method: bfs}\n");
    assert_int_equal(cam_estimate_make(&e, &plan, NULL, true, NULL, &problem), COL_OK);
    assert_int_equal(e.trials[CAM_BASIS_CALIBRATION], 3);
    for (size_t i = 0; i < 2; i++) {
        const double taken = run_trial(&plan.trials[i]);
        if (e.seconds[i] < taken / 5 || e.seconds[i] > taken * 5)
            fail_msg("%g s were expected, it took %g", e.seconds[i], taken);
    }
    cam_estimate_free(&e);
    cam_plan_free(&plan);
}

/* ---- While a campaign runs. */

TEST(the_time_left_is_corrected_by_finished_trials) {
    cam_plan plan;
    cam_estimate e = {0};
    cam_pace pace;
    col_problem problem;
    read_plan(&plan,
              "  - {design: a, time: 10s, seed: 1..4}\n  - {design: b, time: 6s, seed: 1..2}\n"
              "  - {design: c, time: 1s}\n");
    assert_int_equal(cam_estimate_make(&e, &plan, NULL, false, NULL, &problem), COL_OK);
    assert_int_equal(cam_pace_begin(&pace, &e, &problem), COL_OK);
    assert_true(cam_pace_left(&pace, 0) < 0); /* nothing is known */
    cam_pace_end_trial(&pace, 0, 5);
    assert_near(cam_pace_left(&pace, 0), (3 * 10 + 2 * 6 + 1) * 0.5);
    cam_pace_end_trial(&pace, 4, 12);
    assert_near(cam_pace_left(&pace, 0), 3 * 10 * 0.5 + 6 * 2 + 1 * (17.0 / 16));
    assert_near(cam_pace_left(&pace, 7), 3 * 10 * 0.5 + 6 * 2 + 1 * (17.0 / 16) - 7);
    assert_true(cam_pace_left(&pace, 1000) == 0);
    cam_pace_free(&pace);
    cam_estimate_free(&e);
    cam_plan_free(&plan);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(path) == NULL;
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", path);
    return system(command); /* NOLINT: a folder of our own */
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
