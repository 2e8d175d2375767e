/* SPDX-License-Identifier: MIT */
/*
 * Plans: all their parts are read; the papers' figures are in their cells; hashes stay what they
 * are; pairs give settings; what is wrong is told with its place (tests/data/plan-bad).
 */
#include "base/file.h"
#include "harness.h"
#include "results/plan/plan.h"
#include "results/plan/trial.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_plan(cam_plan *plan, const char *text, const char *scale) {
    col_problem problem;
    char sentence[800];
    *plan = (cam_plan){0};
    if (cam_plan_read(plan, text, strlen(text), "test.yaml", scale, &problem) != COL_OK)
        fail_msg("%s\n%s", col_problem_text(&problem, sentence, sizeof sentence), text);
}

static void read_file(cam_plan *plan, const char *name, const char *scale) {
    col_problem problem;
    *plan = (cam_plan){0};
    assert_int_equal(cam_plan_read_file(plan, name, scale, &problem), COL_OK);
}

static char *trial_text(const cam_trial *trial) {
    base_text text = {0};
    cam_trial_print(trial, &text);
    assert_false(text.failed);
    return text.data;
}

static void assert_trial(const cam_plan *plan, size_t position, const char *expected) {
    assert_true(position < plan->trial_count);
    char *got = trial_text(&plan->trials[position]);
    assert_string_equal(got, expected);
    free(got);
}

/* ---- A plan in all its parts. */

#define BOUNDS TEST_DATA "/plan/bounds.yaml"

TEST(all_parts_of_a_plan_are_read) {
    cam_plan plan;
    read_file(&plan, BOUNDS, NULL);
    assert_string_equal(plan.name, "bounds");
    assert_string_equal(plan.title,
                        "Effort to find errors under bounds on the number of locations");
    assert_null(plan.scale);
    /* 3 errors x 2 engines x 2 bounds x 3 seeds, without 2 x 1 x 2 x 3; the third grid is in the
     * first; tours by chance have two seeds, others one. */
    assert_int_equal(plan.trial_count, 36 - 12 + 2 * 2 * (1 + 2));
    assert_trial(&plan, 0,
                 "design=mesi3 cores=32 engine=ctg2 ops=1024:16384 locations=4:16 instances=5 "
                 "cycles=200000000 seed=1");
    assert_trial(&plan, 6,
                 "design=mesi3 cores=32 error=E.4.1 engine=ctg1 ops=1024:16384 locations=4:16 "
                 "instances=5 cycles=200000000 seed=1");
    assert_trial(&plan, 24, "tour protocol=mesi cores=8 method=bfs seed=1");
    assert_trial(&plan, 26,
                 "tour protocol=mesi cores=8 method=random most-operations=65536 seed=2");
    cam_plan_free(&plan);
}

/* Of the first seed of the axis; where two grids have the trial, of either. */
TEST(failures_of_the_first_seed_are_shrunk) {
    cam_plan plan;
    read_file(&plan, BOUNDS, NULL);
    for (size_t i = 0; i < plan.trial_count; i++) {
        const cam_trial *t = &plan.trials[i];
        const char *seed = cam_trial_value(t, "seed");
        const bool is_third_grid = strcmp(seed, "3") == 0 && i == 14;
        const bool is_shrunk = t->kind == CAM_EPISODE && (strcmp(seed, "1") == 0 || is_third_grid);
        assert_true(t->shrink == (is_shrunk ? 20 : 0));
    }
    cam_plan_free(&plan);
}

TEST(a_scale_replaces_what_it_names) {
    cam_plan plan;
    read_file(&plan, BOUNDS, "small");
    assert_string_equal(plan.scale, "small");
    /* Seeds are now 1 and 2 in the third grid, too; cores are 8, also of tours. */
    assert_int_equal(plan.trial_count, 24 - 8 + 2 * 3);
    assert_trial(&plan, 0,
                 "design=mesi3 cores=8 engine=ctg2 ops=1024:16384 locations=4:16 "
                 "metric=functional cycles=2097152 seed=1");
    assert_trial(&plan, 21,
                 "tour protocol=mosi cores=8 method=random most-operations=65536 seed=2");
    cam_plan_free(&plan);
}

static void assert_pair(const cam_selector *s, uint32_t i, const char *name, const char *text) {
    assert_true(i < s->count);
    assert_string_equal(s->pairs[i].name, name);
    assert_string_equal(s->pairs[i].value, text);
}

TEST(published_figures_are_in_their_cells) {
    static const cam_cell cells[] = {
        {CAM_CELL_VALUE, 12.3, -1, -1}, {CAM_CELL_NONE, 0, -1, -1}, {CAM_CELL_ABOVE, 3600, -1, -1},
        {CAM_CELL_VALUE, 57, 9, 10},    {CAM_CELL_NONE, 0, 0, 10},  {CAM_CELL_VALUE, -0.5, -1, -1}};
    cam_plan plan;
    read_file(&plan, BOUNDS, NULL);
    assert_int_equal(plan.published_count, 1);
    const cam_published *p = &plan.published[0];
    assert_string_equal(p->name, "table-12");
    assert_string_equal(p->note, "ours are cycles");
    assert_string_equal(p->statistic, "cycles-to-error");
    assert_string_equal(p->unit, "seconds");
    assert_string_equal(p->metric, "structural");
    assert_true(p->scale == 0.000001 && p->at == 0);
    assert_null(p->machine);
    assert_null(p->per);
    assert_int_equal(p->baseline.count, 0);
    assert_pair(&p->where, 0, "cores", "32");
    assert_int_equal(p->rows.count, 2);
    assert_int_equal(p->columns.count, 3);
    assert_pair(&p->rows.list[1], 0, "error", "E.4.2");
    assert_pair(&p->columns.list[0], 0, "locations", "4:16");
    assert_pair(&p->columns.list[1], 0, "locations", "4:32");
    assert_pair(&p->columns.list[1], 1, "engine", "ctg1");
    assert_int_equal(p->columns.list[2].count, 1);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(p->cells[i].kind, cells[i].kind);
        assert_true(p->cells[i].value == cells[i].value);
        assert_int_equal(p->cells[i].found, cells[i].found);
        assert_int_equal(p->cells[i].of, cells[i].of);
    }
    cam_plan_free(&plan);
}

TEST(selectors_match_pairs_and_defaults) {
    static const cam_pair pairs[] = {{.name = "design", .value = "mesi3"},
                                     {.name = "error", .value = "D9"},
                                     {.name = "seed", .value = "3"}};
    static const cam_pair wanted[] = {{.name = "error", .value = "D9"},
                                      {.name = "mutant", .value = "none"},
                                      {.name = "kind", .value = "episode"}};
    static const cam_pair unwanted[] = {{.name = "error", .value = "D8"},
                                        {.name = "error", .value = "none"},
                                        {.name = "mutant", .value = "3"},
                                        {.name = "kind", .value = "tour"}};
    assert_true(cam_selects(&(cam_selector){NULL, 0}, CAM_EPISODE, pairs, 3));
    assert_true(cam_selects(&(cam_selector){wanted, 3}, CAM_EPISODE, pairs, 3));
    assert_false(cam_selects(&(cam_selector){wanted, 3}, CAM_TOUR, pairs, 3));
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++)
        assert_false(cam_selects(&(cam_selector){&unwanted[i], 1}, CAM_EPISODE, pairs, 3));
}

/* ---- Hashes. */

static void assert_hashes(const char *first, const char *second, bool are_same) {
    cam_plan a, b;
    read_plan(&a, first, NULL);
    read_plan(&b, second, NULL);
    if ((strcmp(a.hash, b.hash) == 0) != are_same)
        fail_msg("%s and %s for\n%s%s", a.hash, b.hash, first, second);
    cam_plan_free(&a);
    cam_plan_free(&b);
}

TEST(the_hash_is_of_the_name_the_scale_and_the_trials) {
    static const char plan[] = "plan: p\ngrids: [{design: mesi3, ops: 1Ki, seed: 1..2}]\n";
    assert_hashes(plan,
                  "# other words\nplan: 'p'\ntitle: T\ndefaults: {seed: [1, 0x2], design: mesi3}\n"
                  "grids:\n  - ops: 1024:0x400\n    error: none\n    shrink: 3\n",
                  true);
    assert_hashes(plan, "plan: q\ngrids: [{design: mesi3, ops: 1Ki, seed: 1..2}]\n", false);
    assert_hashes(plan, "plan: p\ngrids: [{design: mesi3, ops: 1Ki, seed: 2..3}]\n", false);
    assert_hashes(plan, "plan: p\ngrids: [{design: mesi3, ops: 1Ki, seed: [2, 1]}]\n", false);
    assert_hashes(plan, "plan: p\ngrids: [{design: mesi3, sets: 1Ki, seed: 1..2}]\n", false);
    assert_hashes("plan: p\ngrids: [{design: a, mix: bc}]\n",
                  "plan: p\ngrids: [{design: ab, mix: c}]\n", false);
}

/* Stores hold hashes: they stay what they are, on any machine. */
TEST(hashes_never_change) {
    cam_plan plan, again;
    col_problem problem;
    read_file(&plan, BOUNDS, NULL);
    assert_string_equal(plan.hash, "0ca6c58e0622c1f916508206c53b921f");
    cam_plan_free(&plan);
    read_file(&plan, BOUNDS, "small");
    assert_string_equal(plan.hash, "3129ca97e2b280d3bf84c3d6bf419a92");
    again = (cam_plan){0};
    assert_int_equal(
        cam_plan_read(&again, plan.text, plan.text_length, "stored", plan.scale, &problem), COL_OK);
    assert_string_equal(again.hash, plan.hash);
    assert_int_equal(again.published_count, plan.published_count);
    cam_plan_free(&again);
    cam_plan_free(&plan);
}

/* ---- From pairs to settings. */

TEST(a_trial_gives_the_settings_of_its_episode) {
    col_episode_settings s;
    cam_plan plan;
    col_problem problem;
    read_plan(
        &plan,
        "plan: p\ngrids: [{design: x.yaml, cores: 4, options: without=fifo, model: sc, error: "
        "E, mutant: 3, own-process: yes, engine: rlg, engine-options: a=1, ops: 2:8, "
        "locations: 3, sets: 2, mix: even, instances: 7, metric: functional, witness: yes, "
        "repeat: yes, keep-going: yes, tests: 9, cycles: 10, time: 2.5s, until-coverage: 0.9, "
        "seed: 11, learning: yes}]\n",
        NULL);
    const cam_trial *t = &plan.trials[0];
    assert_int_equal(t->pair_count, 24);
    assert_int_equal(cam_trial_episode(t, &s, &problem), COL_OK);
    assert_string_equal(s.setting.design.name, "x.yaml");
    assert_string_equal(s.setting.design.options, "without=fifo");
    assert_string_equal(s.setting.design.error, "E");
    assert_int_equal(s.setting.design.cores, 4);
    assert_int_equal(s.setting.design.mutant, 3);
    assert_int_equal(s.setting.model, COL_SC);
    assert_true(s.setting.design.own_process && s.watches && s.repeat && s.keep_going);
    assert_string_equal(s.engine, "rlg");
    assert_string_equal(s.engine_options, "a=1");
    assert_string_equal(s.mix, "even");
    assert_int_equal(s.operations.least, 2);
    assert_int_equal(s.operations.most, 8);
    assert_int_equal(s.locations.least, 3);
    assert_int_equal(s.locations.most, 3);
    assert_int_equal(s.sets, 2);
    assert_int_equal(s.instances, 7);
    assert_int_equal(s.metric, COL_FUNCTIONAL);
    assert_int_equal(s.tests, 9);
    assert_int_equal(s.cycles, 10);
    assert_int_equal(s.seed, 11);
    assert_int_equal(s.jobs, 1);
    assert_true(s.seconds == 2.5 && s.until_coverage == 0.9);
    assert_true(cam_trial_learns(t) && cam_trial_hunts(t));
    cam_plan_free(&plan);
}

/* Letters in the options of other designs, or in other options, are not an error of ours. */
TEST(only_what_was_injected_is_hunted) {
    static const struct {
        const char *design, *name, *value;
        bool hunts;
    } cases[] = {{"mesi2", "seed", "1", false},
                 {"mesi2", "error", "D9", true},
                 {"mesi2", "mutant", "3", true},
                 {"mesi2", "options", "without=fifo", true},
                 {"mesi2", "options", "monitors=on,without=squash+fifo", true},
                 {"mesi2", "options", "trace_without=1", false},
                 {"mesi2", "options", "trace.without=fifo", false},
                 {"my.yaml", "options", "without=fifo", true},
                 {"my.so", "options", "trace_without=1", false},
                 {"my.so", "options", "without=fifo", false},
                 {"serve:./mine", "options", "without=fifo", false},
                 {"mesi2", "engine-options", "without=long", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const cam_pair pairs[] = {{.name = "design", .value = cases[i].design},
                                  {.name = cases[i].name, .value = cases[i].value}};
        if (cam_trial_hunts(&(cam_trial){.pairs = pairs, .pair_count = 2}) != cases[i].hunts)
            fail_msg("%s %s %s", cases[i].design, cases[i].name, cases[i].value);
    }
}

/* What is not given is as for the command. */
TEST(missing_settings_have_defaults) {
    col_episode_settings s, expected;
    col_tour_settings tour;
    cam_plan plan;
    col_problem problem;
    read_plan(&plan,
              "plan: p\ngrids: [{design: d}, {design: d, tests: 1}, {design: d, options: "
              "monitors=yes}, {kind: tour}, {kind: tour, method: jammer, memory: 1Ki}]\n",
              NULL);
    col_episode_default(&expected);
    assert_int_equal(cam_trial_episode(&plan.trials[0], &s, &problem), COL_OK);
    assert_true(s.seconds == 60 && s.tests == 0 && s.cycles == 0 && s.seed == 1);
    assert_string_equal(s.engine, expected.engine);
    assert_int_equal(s.setting.design.cores, expected.setting.design.cores);
    assert_int_equal(s.setting.model, expected.setting.model);
    assert_int_equal(cam_trial_episode(&plan.trials[1], &s, &problem), COL_OK);
    assert_true(s.seconds <= 0 && s.tests == 1);
    assert_false(cam_trial_hunts(&plan.trials[2]) || cam_trial_learns(&plan.trials[2]));
    assert_int_equal(cam_trial_tour(&plan.trials[3], &tour, &problem), COL_OK);
    assert_int_equal(tour.method, COL_TOUR_POSTMAN);
    assert_int_equal(tour.cores, 8);
    assert_int_equal(cam_trial_tour(&plan.trials[4], &tour, &problem), COL_OK);
    assert_int_equal(tour.method, COL_TOUR_JAMMER);
    assert_int_equal(tour.most_bytes, 1024);
    cam_plan_free(&plan);
}

/* ---- What is wrong. */

static bool has_expected_error(const char *path, const char *name) {
    base_text text = {0};
    col_problem problem = {0};
    cam_plan plan = {0};
    char wanted[600], got[600], scale[40];
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    if (sscanf(text.data, "# expect %599[^\n]", wanted) != 1)
        fail_msg("%s has no line '# expect LINE:COLUMN: message'", name);
    const bool is_scaled = sscanf(text.data, "%*[^\n] # scale %39s", scale) == 1;
    const col_status status =
        cam_plan_read(&plan, text.data, text.length, path, is_scaled ? scale : NULL, &problem);
    (void)snprintf(got, sizeof got, "%u:%u: %s", problem.line, problem.column, problem.message);
    const bool same =
        status == COL_BAD_INPUT && strcmp(got, wanted) == 0 && strcmp(problem.file, path) == 0;
    if (!same)
        print_error("%s: status %d\n  expected %s\n  got      %s\n", name, status, wanted, got);
    cam_plan_free(&plan);
    base_text_free(&text);
    return same;
}

TEST(bad_plans_are_refused_with_their_place) {
    DIR *folder = opendir(TEST_DATA "/plan-bad");
    assert_non_null(folder);
    uint32_t files = 0, wrong = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/plan-bad/%s", TEST_DATA, entry->d_name);
        wrong += !has_expected_error(path, entry->d_name);
        files++;
    }
    (void)closedir(folder);
    assert_int_equal(wrong, 0);
    assert_true(files >= 90);
}

static void assert_refused_at(const char *text, size_t length, uint32_t line, uint32_t column) {
    cam_plan plan = {0};
    col_problem problem = {0};
    assert_int_equal(cam_plan_read(&plan, text, length, "bad.yaml", NULL, &problem), COL_BAD_INPUT);
    assert_int_equal(problem.line, line);
    assert_int_equal(problem.column, column);
    cam_plan_free(&plan);
}

/* What no text file can hold, or would have to change with a list elsewhere. */
TEST(other_mistakes_are_refused_with_their_place) {
    static const char nul[] = "plan: \"p\\0\"\ngrids: []\n";
    static const char value_nul[] = "plan: p\ngrids: [{design: \"a\\0b\"}]\n";
    static const char statistic[] =
        "plan: p\ngrids: [{design: d}]\npublished:\n  - statistic: luck\n";
    assert_refused_at(nul, sizeof nul - 1, 1, 7);
    assert_refused_at(value_nul, sizeof value_nul - 1, 2, 18);
    assert_refused_at(statistic, sizeof statistic - 1, 4, 16);
    char *large = calloc(1, 17 << 20);
    assert_refused_at(large, 17 << 20, 1, 1);
    free(large);
    cam_plan plan = {0};
    assert_int_equal(cam_plan_read_file(&plan, "/nowhere/plan.yaml", NULL, NULL), COL_BAD_INPUT);
    cam_plan_free(&plan);
}

/* Some editors begin a file with the mark of its encoding. */
TEST(a_byte_order_mark_before_a_plan_is_skipped) {
    cam_plan plan;
    read_plan(&plan,
              "\xef\xbb\xbf"
              "plan: p\ngrids: [{design: mesi3}]\n",
              NULL);
    assert_string_equal(plan.name, "p");
    assert_int_equal(plan.trial_count, 1);
    cam_plan_free(&plan);
    static const char bad[] = "\xef\xbb\xbfplan: [q]\n";
    assert_refused_at(bad, sizeof bad - 1, 1, 1);
}

static void assert_cannot_run(const char *grid, const char *sentence) {
    char text[300];
    cam_plan plan;
    col_problem problem = {0};
    (void)snprintf(text, sizeof text, "plan: p\ngrids: [%s]\n", grid);
    read_plan(&plan, text, NULL);
    const col_status status = cam_plan_try(&plan, &problem);
    if (status != (sentence == NULL ? COL_OK : COL_BAD_INPUT) ||
        (sentence != NULL && strstr(problem.message, sentence) == NULL))
        fail_msg("%s: %d, %s", grid, status, problem.message);
    cam_plan_free(&plan);
}

TEST(plans_are_refused_if_a_trial_cannot_run) {
    assert_cannot_run(
        "{design: mesi2, cores: [2, 4], error: [none, LQ+no-TSO], engine: [htg, rlg], "
        "mutant: [none, 1..3]}, {kind: tour}",
        NULL);
    assert_cannot_run("{design: [mesi2, mesi99]}", "trials with design=mesi99 cannot run: ");
    assert_cannot_run("{design: mesi2, error: [LQ+no-TSO, LQ+so-TSO]}",
                      "trials with design=mesi2 error=LQ+so-TSO cannot run: ");
    assert_cannot_run("{design: mesi2, options: [without=fifo, with=fifo]}",
                      "trials with design=mesi2 options=with=fifo cannot run: ");
    assert_cannot_run("{design: [mesi2, moesi2], mutant: [1, 99999999, 2]}",
                      "trials with design=mesi2 mutant=99999999 cannot run: ");
    assert_cannot_run("{design: mesi2, engine: plain, sets: 2}",
                      "cannot run: sets are for engines that bias addresses; plain does not");
    assert_cannot_run("{design: mesi2, engine: rlg, engine-options: luck=1}",
                      "trials with design=mesi2 engine=rlg engine-options=luck=1 cannot run: ");
}

static void assert_cannot_run_at(const char *text, uint32_t line, uint32_t column) {
    cam_plan plan;
    col_problem problem = {0};
    read_plan(&plan, text, NULL);
    assert_int_equal(cam_plan_try(&plan, &problem), COL_BAD_INPUT);
    if (strcmp(problem.file, plan.file) != 0 || problem.line != line || problem.column != column)
        fail_msg("%s: %s:%u:%u: %s", text, problem.file, problem.line, problem.column,
                 problem.message);
    cam_plan_free(&plan);
}

TEST(the_setting_that_keeps_a_trial_from_running_is_shown) {
    assert_cannot_run_at("plan: p\ngrids:\n  - {design: [mesi2, nosuch.yaml]}\n", 3, 22);
    assert_cannot_run_at("plan: p\ngrids:\n  - {design: mi, mutant: [1, 99999]}\n", 3, 30);
    assert_cannot_run_at("plan: p\ngrids:\n  - design: mi\n    cores: 2\n    error: None\n", 5, 12);
    assert_cannot_run_at(
        "\xef\xbb\xbfplan: p\ntitle: \xc3\xa9\ndefaults: {design: mi, error: [none, None]}\n"
        "grids: [{seed: 1}]\n",
        3, 38);
    assert_cannot_run_at(
        "plan: p\ngrids:\n  - {design: mi, options: with=fifo, error: LQ+no-TSO}\n", 3, 27);
    assert_cannot_run_at("plan: p\ngrids: [{design: mi, model: nosuch.cat}]\n", 2, 29);
    assert_cannot_run_at("plan: p\ngrids: [{design: mi, engine: rlg, engine-options: luck=1}]\n", 2,
                         51);
    assert_cannot_run_at("plan: p\ngrids: [{design: mi, engine: plain, sets: 2, ops: 64}]\n", 2,
                         43);
    assert_cannot_run_at("plan: p\ngrids: [{kind: tour, cores: 4, clusters: 2, method: bfs}]\n", 2,
                         42);
}

TEST(tours_are_tried_without_being_made) {
    assert_cannot_run("{kind: tour, protocol: [si, mesi], cores: [8, 24], clusters: [none, 4], "
                      "method: euler}",
                      NULL);
    assert_cannot_run("{kind: tour, cores: 4, clusters: 2, method: [euler, bfs]}",
                      "trials with cores=4 method=bfs clusters=2 cannot run: two levels have tours "
                      "by euler and postman");
    assert_cannot_run("{kind: tour, cores: [8, 9], clusters: 2, method: euler}",
                      "trials with cores=9 method=euler clusters=2 cannot run: ");
    assert_cannot_run("{kind: tour, protocol: mesi, cores: 24, clusters: 2}",
                      "cannot run: a shortest tour of two levels is found for up to ");
    assert_cannot_run("{kind: tour, inclusive: yes}", "trials with inclusive=yes cannot run: ");
}

TEST(studies_of_locations_are_tried) {
#define STUDY "kind: locations, design: mesi2, cores: 4, tests: 1"
    assert_cannot_run("{" STUDY ", engine: [chain, chain-bias], ops: 64, locations: 4, "
                      "mix: [c1=1, c0=0.4, \"c0=0.4,c1=0.6 / c1=1\"]}",
                      NULL);
    assert_cannot_run("{" STUDY ", engine: chain, ops: 64, locations: 4, mix: [c1=1, c9=1]}",
                      "locations=4 mix=c9=1 cannot run: the mix ");
    assert_cannot_run("{" STUDY ", engine: chain, ops: 64, locations: 4, mix: c1=1 / c9=1}",
                      "cannot run: the mix ");
    assert_cannot_run("{" STUDY ", engine: plain, ops: 64, locations: [4, 4:8]}",
                      "cannot run: a study of locations has one number of operations");
    assert_cannot_run("{" STUDY ", ops: 64, locations: 4}",
                      "cannot run: the engine of a study of locations is plain, plain-bias");
#undef STUDY
}
