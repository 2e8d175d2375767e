/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/* Running one trial: its row is what the episode, the tour or the tests say when they are run by
 * hand, in the plainest way. And its key: what changes it and what does not. */
#include "results/trial_run.h"

#include "base/file.h"
#include "collider/generate.h"
#include "harness.h"
#include "protocol/simulate/protocol_library.h"
#include "results/plan/trial.h"
#include "results/store_dump.h"
#include "results/trial_worker.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_plan(cam_plan *plan, const char *text) {
    col_problem problem = {0};
    char message[1024];
    *plan = (cam_plan){.allows_code = true};
    if (cam_plan_read(plan, text, strlen(text), "plan", NULL, &problem) != COL_OK)
        fail_msg("%s", col_problem_text(&problem, message, sizeof message));
}

static void run_trial(const cam_plan *plan, size_t place, bool keeps, cam_outcome *outcome) {
    const cam_job job = {.trial = &plan->trials[place],
                         .key = "key",
                         .design_hash = "",
                         .host = "here",
                         .folder = scratch_path("trial"),
                         .keeps_failure = keeps};
    *outcome = (cam_outcome){0};
    cam_trial_run(&job, outcome);
    assert_int_not_equal(access(job.folder, F_OK), 0); /* nothing is left */
}

/* ---- Episodes. */

enum { TESTS = 12 };

/* The first test of a point: the least number of tests after which it has been hit. */
TEST(the_first_test_to_hit_a_point_is_recorded) {
    static const char text[] = "plan: first\ntitle: x\ndefaults: {design: mi, cores: 2, ops: 64,"
                               " locations: 4, instances: 2}\n"
                               "grids:\n  - {engine: plain, tests: 1..12, seed: 3}\n";
    cam_plan plan;
    cam_outcome all, part;
    uint32_t *first;
    size_t reached = 0;
    read_plan(&plan, text);
    assert_int_equal(plan.trial_count, TESTS);
    run_trial(&plan, TESTS - 1, false, &all);
    assert_true(all.row.is_done);
    assert_int_equal(all.row.tests, TESTS);
    first = calloc(all.row.point_count, sizeof *first);
    assert_non_null(first);
    for (size_t t = 0; t < TESTS; t++) {
        run_trial(&plan, t, false, &part);
        assert_int_equal(part.row.point_count, all.row.point_count);
        for (size_t p = 0; p < all.row.point_count; p++)
            if (first[p] == 0 && part.row.hits[p] > 0)
                first[p] = (uint32_t)t + 1;
        cam_outcome_free(&part);
    }
    for (size_t p = 0; p < all.row.point_count; p++) {
        assert_int_equal(all.row.first[p], first[p]);
        reached += first[p] > 1;
    }
    assert_true(reached > 0); /* not all in the first test */
    free(first);
    cam_outcome_free(&all);
    cam_plan_free(&plan);
}

static void check_numbers(const cam_row *row, const col_episode *e) {
    const col_covered covered =
        col_coverage_of(e->coverage, COL_CUMULATIVE, COL_FUNCTIONAL, COL_ALL_MACHINES);
    assert_string_equal(row->verdict, col_outcomes[e->outcome]);
    assert_string_equal(row->ended_by, col_endings[e->ending]);
    assert_string_equal(row->model, col_models[e->model]);
    assert_int_equal(row->cores, e->cores);
    assert_int_equal(row->tests, e->tests);
    assert_int_equal(row->instances, e->instances);
    assert_int_equal(row->operations, e->operations);
    assert_int_equal(row->cycles, e->cycles);
    assert_int_equal(row->coverage[COL_FUNCTIONAL].covered, covered.covered);
    assert_int_equal(row->coverage[COL_FUNCTIONAL].total, covered.total);
    assert_int_equal(row->coverage[COL_FUNCTIONAL].reachable, covered.reachable);
    assert_int_equal(row->curve_count, e->curve_count);
    assert_int_equal(row->curve[e->curve_count - 1].cycles, e->curve[e->curve_count - 1].cycles);
    assert_int_equal(row->failing_tests, e->failures);
    assert_int_equal(row->failing_cycles, e->failing_cycles);
    assert_int_equal(row->failure_test, e->failure.test);
    assert_int_equal(row->failure_cycles, e->failure.cycles);
    assert_string_equal(row->reason, e->failure.reason);
}

/* With keep-going: several tests fail, and the smallest of each kind is kept. */
TEST(the_smallest_failure_of_each_kind_is_kept_and_shrunk_on_request) {
    static const char text[] =
        "plan: failure\ntitle: x\ndefaults: {design: mesi3, cores: 2, error: D9, ops: 64:128,"
        " locations: 4, instances: 2, keep-going: yes, tests: 20, shrink: 1}\n"
        "grids:\n  - {engine: chain-bias, seed: 1..2}\n";
    cam_plan plan;
    cam_outcome outcome;
    col_episode episode = {0};
    col_episode_settings settings;
    col_problem problem;
    read_plan(&plan, text);
    assert_true(plan.trials[0].shrink > 0 && !(plan.trials[1].shrink > 0));
    run_trial(&plan, 1, true, &outcome);
    assert_true(outcome.row.is_done && outcome.failure_count > 1);
    assert_int_equal(cam_trial_episode(&plan.trials[1], &settings, &problem), COL_OK);
    assert_int_equal(col_episode_run(&settings, &episode, &problem), COL_OK);
    check_numbers(&outcome.row, &episode);
    assert_int_equal(outcome.failure_count, episode.kind_count);
    for (uint32_t i = 0; i < outcome.failure_count; i++) {
        const cam_failure_row *f = &outcome.failures[i];
        assert_int_equal(f->kind, i + 1);
        assert_int_equal(f->count, episode.kinds[i].count);
        assert_string_equal(f->hash, episode.kinds[i].smallest.fingerprint.hash);
        assert_int_equal(f->size, episode.kinds[i].smallest.operations);
        assert_non_null(strstr(f->picture, "<svg"));
        assert_non_null(f->story);
        assert_non_null(strstr(f->record, f->hash));
        assert_non_null(strstr(f->program, "collider program 1"));
        assert_null(f->shrunk);
    }
    cam_outcome_free(&outcome);
    col_episode_free(&episode);
    /* Of those that keep no story the kinds are counted all the same. */
    run_trial(&plan, 1, false, &outcome);
    assert_true(outcome.failure_count > 1);
    assert_non_null(outcome.failures[0].fingerprint);
    assert_null(outcome.failures[0].story);
    assert_null(outcome.failures[0].program);
    cam_outcome_free(&outcome);
    /* Shrunk, each is a smaller program. */
    run_trial(&plan, 0, true, &outcome);
    assert_true(outcome.row.is_done && outcome.failure_count > 1);
    assert_non_null(outcome.failures[0].litmus);
    for (uint32_t i = 0; i < outcome.failure_count; i++) {
        const cam_failure_row *f = &outcome.failures[i];
        assert_non_null(f->shrunk);
        assert_true(f->operations > 0 && f->operations < 64 && f->operations < f->size);
        assert_true(f->threads > 0 && f->locations > 0);
    }
    cam_outcome_free(&outcome);
    cam_plan_free(&plan);
}

/* What cannot be run says why; an engine that learns nothing needs no log. */
TEST(trials_that_cannot_run_say_why) {
    static const char text[] =
        "plan: reasons\ntitle: x\ndefaults: {cores: 2, ops: 64, locations: 4, tests: 2,"
        " instances: 1, learning: yes}\n"
        "grids:\n  - {design: [no-such-design, mi], engine: plain}\n"
        "  - {design: mi, engine: [plain, rlg], tests: 3}\n"
        "  - {kind: locations, design: mi, engine: [htg, plain]}\n"
        "  - {kind: locations, design: mi, engine: plain, ops: 32:64}\n";
    static const char *const reasons[] = {
        "there is no design 'no-such-design'",         NULL, NULL,       NULL,
        "the engine of a study of locations is plain", NULL, "no ranges"};
    cam_plan plan;
    read_plan(&plan, text);
    assert_int_equal(plan.trial_count, 7);
    for (size_t i = 0; i < plan.trial_count; i++) {
        cam_outcome outcome;
        run_trial(&plan, i, true, &outcome);
        assert_int_equal(outcome.row.is_done, reasons[i] == NULL);
        if (reasons[i] != NULL)
            assert_non_null(strstr(outcome.row.reason, reasons[i]));
        const char *engine = cam_trial_value(&plan.trials[i], "engine");
        assert_int_equal(outcome.row.learning != NULL, strcmp(engine, "rlg") == 0);
        cam_outcome_free(&outcome);
    }
    cam_plan_free(&plan);
}

/* A trial without a test is not done: it would count as a design that was tried. */
TEST(an_episode_without_tests_has_no_result) {
    cam_plan plan;
    cam_outcome outcome;
    read_plan(&plan, "plan: none\ntitle: x\ngrids:\n  - {design: mi, cores: 2, engine: tour, "
                     "engine-options: from=1000000, tests: 3}\n");
    run_trial(&plan, 0, false, &outcome);
    assert_false(outcome.row.is_done);
    assert_non_null(strstr(outcome.row.reason, "no test was run"));
    assert_null(outcome.row.verdict);
    cam_outcome_free(&outcome);
    cam_plan_free(&plan);
}

/* A plan ends a trial with its engine, as papers do, unless it says `repeat: yes`; full coverage
 * alone does not end it. */
TEST(engines_restart_on_request) {
    static const char text[] = "plan: ends\ntitle: x\ndefaults: {design: mi, cores: 2, ops: 16:32, "
                               "locations: 2:4, tests: 10, instances: 1}\n"
                               "grids:\n  - {engine: ctg3}\n  - {engine: ctg3, repeat: yes}\n";
    static const char *const endings[] = {"engine", "tests"};
    cam_plan plan;
    read_plan(&plan, text);
    for (size_t i = 0; i < 2; i++) {
        cam_outcome outcome;
        run_trial(&plan, i, false, &outcome);
        assert_true(outcome.row.is_done);
        assert_string_equal(outcome.row.ended_by, endings[i]);
        assert_int_equal(outcome.row.tests == 10, i == 1);
        cam_outcome_free(&outcome);
    }
    cam_plan_free(&plan);
}

/* As many cores as the design file says, unless the plan says how many. */
TEST(the_design_file_gives_the_number_of_cores) {
    char text[1024];
    cam_plan plan;
    col_problem problem;
    static const uint32_t cores[] = {3, 2, 8};
    static const char mine[] = "name: mine\nprotocol: mesi2\ncores: 3\n";
    const char *path = scratch_path("mine.yaml");
    assert_int_equal(base_file_write(path, mine, sizeof mine - 1, &problem), COL_OK);
    (void)snprintf(text, sizeof text,
                   "plan: cores\ntitle: x\ndefaults: {tests: 1, ops: 16, instances: 1}\n"
                   "grids:\n  - {design: %s}\n  - {design: %s, cores: 2}\n  - {design: mesi2}\n",
                   path, path);
    read_plan(&plan, text);
    for (size_t i = 0; i < 3; i++) {
        cam_outcome outcome;
        run_trial(&plan, i, false, &outcome);
        assert_true(outcome.row.is_done);
        assert_int_equal(outcome.row.cores, cores[i]);
        cam_outcome_free(&outcome);
    }
    cam_plan_free(&plan);
    assert_int_equal(unlink(scratch_path("mine.yaml")), 0);
}

/* ---- Tours. */

typedef struct count {
    const col_tour_results *results;
    uint64_t at[101];
} count;

static bool note(void *context, col_tour_operation operation) {
    count *c = context;
    (void)operation;
    for (uint32_t i = 1; i <= 100; i++)
        if (c->at[i] == 0 &&
            (double)c->results->covered >= 0.01 * i * (double)c->results->transitions - 1e-9)
            c->at[i] = c->results->cost;
    return true;
}

TEST(tour_trials_record_cost_and_curve) {
    static const char text[] = "plan: tour\ntitle: x\ngrids:\n"
                               "  - {kind: tour, protocol: mesi, cores: 4, method: [euler, random],"
                               " seed: 5}\n";
    cam_plan plan;
    read_plan(&plan, text);
    for (size_t i = 0; i < plan.trial_count; i++) {
        cam_outcome outcome;
        col_tour_settings settings;
        col_tour_results results = {0};
        count c = {.results = &results};
        col_problem problem;
        run_trial(&plan, i, false, &outcome);
        assert_true(outcome.row.is_done);
        assert_int_equal(cam_trial_tour(&plan.trials[i], &settings, &problem), COL_OK);
        settings.take = note;
        settings.context = &c;
        assert_int_equal(col_tour(&settings, &results, &problem), COL_OK);
        json_t *result = json_loads(outcome.row.result, 0, NULL);
        const json_t *curve = json_object_get(result, "curve");
        assert_int_equal(json_integer_value(json_object_get(result, "cost")), results.cost);
        assert_int_equal(json_integer_value(json_object_get(result, "states")), results.states);
        assert_int_equal(json_array_size(curve), 100);
        for (size_t k = 0; k < 100; k++) {
            const json_t *pair = json_array_get(curve, k);
            assert_int_equal(json_integer_value(json_array_get(pair, 1)), c.at[k + 1]);
        }
        json_decref(result);
        cam_outcome_free(&outcome);
    }
    cam_plan_free(&plan);
}

/* ---- Studies of locations. */

/* Two mixes and three seeds of each, one after the other; those of the trial's seed 7. */
static void study_by_hand(col_location_coverage *coverage, col_duv *duv) {
    static const char *const mixes[] = {"c1=1", "c0=0.4,c1=0.6"};
    col_generator *generator = col_generator_new();
    col_program program = COL_PROGRAM_EMPTY;
    col_generation g;
    col_problem problem;
    col_generation_default(&g);
    g.chained = true;
    g.threads = 2;
    g.operations = 128;
    g.locations = 8;
    g.addressing.geometry = col_duv_describe(duv)->geometry;
    col_addressing_bias(&g.addressing, 1);
    assert_int_equal(col_location_coverage_begin(coverage, 8, &problem), COL_OK);
    const uint64_t first = (6U << 24) + 1;
    for (size_t m = 0; m < 2; m++) {
        assert_int_equal(col_category_mix_parse(mixes[m], &g.categories, &problem), COL_OK);
        for (uint64_t seed = first; seed < first + 3; seed++) {
            col_run run;
            const col_observer observer = col_location_coverage_observer(coverage);
            assert_int_equal(col_generate(generator, &g, seed, 0, &program, &problem), COL_OK);
            assert_int_equal(col_location_coverage_load(coverage, &program, &problem), COL_OK);
            assert_int_equal(col_duv_load(duv, &program, &problem), COL_OK);
            assert_int_equal(col_duv_run(duv, seed, &observer, NULL, &run, &problem), COL_OK);
        }
    }
    col_program_free(&program);
    col_generator_free(generator);
}

TEST(location_trials_record_distributions) {
    static const char text[] =
        "plan: locations\ntitle: x\ngrids:\n  - {kind: locations, design: mesi3, cores: 2,"
        " engine: chain-bias, ops: 128, locations: 8, sets: 1, tests: 6, seed: 7,"
        " mix: 'c1=1 / c0=0.4,c1=0.6'}\n";
    cam_plan plan;
    cam_outcome outcome;
    col_duv *duv;
    col_location_coverage *coverage;
    col_problem problem;
    const col_duv_settings settings = {.cores = 2};
    read_plan(&plan, text);
    run_trial(&plan, 0, false, &outcome);
    if (!outcome.row.is_done)
        fail_msg("%s", outcome.row.reason);
    assert_int_equal(col_duv_open(&duv, "mesi3", &settings, &problem), COL_OK);
    const col_duv_description *d = col_duv_describe(duv);
    assert_int_equal(col_location_coverage_new(&coverage, d, &problem), COL_OK);
    study_by_hand(coverage, duv);
    json_t *result = json_loads(outcome.row.result, 0, NULL);
    const json_t *machines = json_object_get(result, "machines");
    assert_int_equal(json_array_size(machines), d->machine_count);
    for (uint32_t m = 0; m < d->machine_count; m++) {
        const json_t *machine = json_array_get(machines, m);
        const uint64_t *by_hand = col_location_coverage_distribution(coverage, m);
        assert_string_equal(json_string_value(json_object_get(machine, "name")),
                            d->machines[m].name);
        const json_t *counts = json_object_get(machine, "distribution");
        assert_int_equal(json_array_size(counts), d->machines[m].point_count + 1);
        for (size_t i = 0; i <= d->machines[m].point_count; i++)
            assert_int_equal(json_integer_value(json_array_get(counts, i)), by_hand[i]);
    }
    json_decref(result);
    col_location_coverage_free(coverage);
    col_duv_close(duv);
    cam_outcome_free(&outcome);
    cam_plan_free(&plan);
}

/* ---- Keys. */

/* Of the first trial of a plan with these settings. */
static void key_of(const char *settings, char key[CAM_HASH], char design[CAM_HASH]) {
    char text[2048];
    cam_plan plan;
    cam_keys keys;
    col_problem problem;
    (void)snprintf(text, sizeof text, "plan: key\ntitle: x\ngrids:\n  - {%s}\n", settings);
    read_plan(&plan, text);
    assert_int_equal(cam_keys_make(&keys, &plan, &problem), COL_OK);
    memcpy(key, keys.keys[0], CAM_HASH);
    memcpy(design, keys.designs[0], CAM_HASH);
    cam_keys_free(&keys);
    cam_plan_free(&plan);
}

/* Each line is another trial; those with a number have the same design as others with that number.
 */
TEST(keys_tell_trials_and_designs_apart) {
    static const struct {
        const char *settings;
        int design;
    } rows[] = {
        {"design: mesi3, engine: htg", 0},
        {"design: mesi3, engine: htg, seed: 2", 0},
        {"design: mesi3, engine: rlg", 0},
        {"design: mesi3, engine: htg, cores: 4", 1},
        {"design: mesi3, engine: htg, error: D9", 2},
        {"design: mesi3, engine: htg, error: D8", 3},
        {"design: mesi3, engine: rlg, error: D8", 3},
        {"design: mesi3, engine: htg, mutant: 1", 4},
        {"design: mesi3, engine: htg, mutant: 2", 5},
        {"design: mesi3, engine: htg, options: 'a=1'", 6},
        {"design: mi, engine: htg", 7},
        {"design: no-such-design, engine: htg", 8},
        {"kind: locations, design: mesi3, engine: plain, ops: 64, locations: 4, tests: 2", 0},
        {"kind: tour, protocol: mesi, cores: 4", -1},
        {"kind: tour, protocol: mesi, cores: 5", -1}};
    enum { COUNT = sizeof rows / sizeof rows[0] };
    char keys[COUNT][CAM_HASH], designs[COUNT][CAM_HASH];
    for (size_t i = 0; i < COUNT; i++) {
        char again[CAM_HASH], design_again[CAM_HASH];
        key_of(rows[i].settings, keys[i], designs[i]);
        key_of(rows[i].settings, again, design_again);
        assert_string_equal(keys[i], again);
        assert_int_equal(strlen(keys[i]), 32);
        assert_int_equal(strlen(designs[i]), rows[i].design < 0 ? 0 : 32);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(keys[i], keys[j]);
            if (rows[i].design == rows[j].design)
                assert_string_equal(designs[i], designs[j]);
            else
                assert_string_not_equal(designs[i], designs[j]);
        }
    }
}

/* Stores have keys of earlier versions, which must stay what they were. These do not depend on a
 * protocol, which may change. */
TEST(keys_never_change) {
    static const char bytes[] = "not really a plug-in";
    char key[CAM_HASH], design[CAM_HASH], settings[1024];
    col_problem problem;
    const char *plugin = scratch_path("pinned.so");
    key_of("design: no-such-design, engine: htg", key, design);
    assert_string_equal(key, "053b400f8cf52fb70de513548aa2188f");
    assert_string_equal(design, "922d7a487298ed07bd445f3bee386154");
    key_of("design: missing.yaml, engine: htg", key, design);
    assert_string_equal(key, "1432e1115636474b513189ec6787ac34");
    assert_int_equal(base_file_write(plugin, bytes, sizeof bytes - 1, &problem), COL_OK);
    (void)snprintf(settings, sizeof settings, "design: %s, engine: htg, cores: 4", plugin);
    key_of(settings, key, design);
    assert_string_equal(design, "cdfd4baa7bb3b64d0a13ec9f03eaee98");
    assert_int_equal(unlink(scratch_path("pinned.so")), 0);
}

/* What a built-in protocol was compiled from. */
TEST(built_in_protocols_have_distinct_hashes) {
    for (size_t i = 0; sim_built_in[i] != NULL; i++) {
        assert_int_equal(strlen(sim_built_in_hash(sim_built_in[i])), 64);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(sim_built_in_hash(sim_built_in[i]),
                                    sim_built_in_hash(sim_built_in[j]));
    }
    assert_string_equal(sim_built_in_hash(NULL), "");
}

/* A file is what is in it. */
TEST(keys_follow_the_contents_of_a_design_file) {
    static const char *const contents[] = {"name: own\nprotocol: mi\n",
                                           "name: own\nprotocol: msi\n",
                                           "name: own\nprotocol: mi\ncores: 4\n"};
    const char *path = scratch_path("own.yaml");
    char settings[600], keys[4][CAM_HASH], designs[4][CAM_HASH];
    (void)snprintf(settings, sizeof settings, "design: '%s', engine: htg", path);
    for (size_t i = 0; i < 4; i++) {
        const char *content = contents[i % 3];
        assert_int_equal(base_file_write(path, content, strlen(content), NULL), COL_OK);
        key_of(settings, keys[i], designs[i]);
        for (size_t j = 0; j < i; j++)
            assert_int_equal(strcmp(keys[i], keys[j]) == 0, i == 3 && j == 0);
    }
    (void)unlink(path);
}

/* ---- Words, and whose stories are kept. */

TEST(trials_are_named_by_what_varies) {
    static const char text[] = "plan: words\ntitle: x\ndefaults: {design: mi, cores: 2, tests: 1}\n"
                               "grids:\n  - {engine: [plain, htg], error: [none, D9], seed: 1..5}\n"
                               "  - {kind: tour, protocol: mesi, method: [euler, bfs]}\n";
    cam_plan plan;
    cam_wording wording;
    bool kept[22];
    col_problem problem;
    read_plan(&plan, text);
    assert_int_equal(plan.trial_count, 22);
    assert_int_equal(cam_wording_begin(&wording, &plan, &problem), COL_OK);
    assert_string_equal(cam_wording_of(&wording, 0), "plain 1");
    assert_string_equal(cam_wording_of(&wording, 19), "D9 htg 5");
    assert_string_equal(cam_wording_of(&wording, 21), "bfs");
    cam_wording_forget(&wording);
    assert_string_equal(cam_wording_of(&wording, 7), "D9 plain 3");
    cam_wording_end(&wording);
    assert_int_equal(cam_choose_kept(&plan, kept, &problem), COL_OK);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(kept[i], i % 5 < CAM_STORIES);
    cam_plan_free(&plan);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
