/* SPDX-License-Identifier: MIT */
/* Groups, scenarios and protocol tables: against counting trial by trial. */
#include "harness.h"

#include "base/random.h"
#include "results/report/made_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char plan[] = "plan: sample\n"
                           "title: A sample\n"
                           "defaults: {design: mesi2, cores: 4, cycles: 1000}\n"
                           "grids:\n"
                           "  - engine: [plain, htg]\n"
                           "    seed: 1..3\n"
                           "    locations: [4, 8]\n" /* seeds are not next to each other */
                           "  - engine: [plain, htg]\n"
                           "    error: [E.1, E.2]\n"
                           "    locations: 4\n"
                           "    seed: 1..3\n"
                           "  - {engine: chain-bias, sets: 2, locations: [4, 8], seed: 1..2}\n"
                           "  - {kind: tour, protocol: [mesi, mosi], method: [bfs, euler]}\n";

/* ---- What a report should count. */

enum { MOST = 64 };
typedef struct tally {
    char name[256];
    uint32_t trials, done, found;
} tally;
static tally tallies[MOST];
static uint32_t tally_count;
static uint64_t hits_of[MADE_POINTS];
static uint32_t first_of[MADE_POINTS], trials_of[MADE_POINTS];

static tally *find_tally(const cam_trial *trial) {
    char name[256];
    (void)snprintf(name, sizeof name, "%d %s %s %s %s %s %s", (int)trial->kind,
                   made_value(trial, "engine"), made_value(trial, "error"),
                   made_value(trial, "locations"), made_value(trial, "sets"),
                   made_value(trial, "protocol"), made_value(trial, "method"));
    for (uint32_t i = 0; i < tally_count; i++)
        if (strcmp(tallies[i].name, name) == 0)
            return &tallies[i];
    assert_true(tally_count < MOST);
    (void)snprintf(tallies[tally_count].name, sizeof tallies[tally_count].name, "%s", name);
    return &tallies[tally_count++];
}

static void add_hits(cam_row *row, base_rng *rng) {
    static uint64_t hits[MADE_POINTS];
    static uint32_t first[MADE_POINTS];
    for (uint32_t i = 0; i < MADE_POINTS; i++) {
        hits[i] = base_rng_below(rng, 3) == 0 ? 1 + base_rng_below(rng, 1000) : 0;
        first[i] = hits[i] == 0 ? 0 : 1 + (uint32_t)base_rng_below(rng, 10);
        hits_of[i] += hits[i];
        trials_of[i] += hits[i] > 0;
        if (first[i] > 0 && (first_of[i] == 0 || first[i] < first_of[i]))
            first_of[i] = first[i];
    }
    row->hits = hits;
    row->first = first;
    row->point_count = MADE_POINTS;
}

static bool fill(const cam_trial *trial, size_t place, cam_row *row) {
    tally *t = find_tally(trial);
    base_rng rng;
    base_rng_seed(&rng, 7, place);
    t->trials++;
    row->is_done = base_rng_below(&rng, 5) != 0;
    if (!row->is_done) {
        row->reason = "it could not be";
        return true;
    }
    t->done++;
    if (trial->kind != CAM_EPISODE)
        return true;
    if (cam_trial_hunts(trial) && base_rng_below(&rng, 2) == 0) {
        row->verdict = "deadlock";
        row->ended_by = "error";
        row->failure_test = 1;
        t->found++;
    }
    add_hits(row, &rng);
    return true;
}

static void forget(void) {
    memset(tallies, 0, sizeof tallies);
    memset(hits_of, 0, sizeof hits_of);
    memset(first_of, 0, sizeof first_of);
    memset(trials_of, 0, sizeof trials_of);
    tally_count = 0;
}

/* ---- Comparing. */

static const char *value_of(const rep_group *group, const char *name) {
    for (uint32_t i = 0; i < group->pair_count; i++)
        if (strcmp(group->pairs[i].name, name) == 0)
            return group->pairs[i].value;
    return "none";
}

static void assert_groups(const rep_report *r) {
    assert_int_equal(r->group_count, tally_count);
    for (uint32_t i = 0; i < r->group_count; i++) {
        const rep_group *group = &r->groups[i];
        char name[256];
        const tally *t = NULL;
        (void)snprintf(name, sizeof name, "%d %s %s %s %s %s %s", (int)group->kind,
                       value_of(group, "engine"), value_of(group, "error"),
                       value_of(group, "locations"), value_of(group, "sets"),
                       value_of(group, "protocol"), value_of(group, "method"));
        for (uint32_t k = 0; k < tally_count; k++)
            if (strcmp(tallies[k].name, name) == 0)
                t = &tallies[k];
        if (t == NULL) {
            fail_msg("there should be no group %s", name);
            return;
        }
        assert_int_equal(group->trials, t->trials);
        assert_int_equal(group->done, t->done);
        assert_int_equal(group->failed, t->trials - t->done);
        assert_int_equal(group->found, t->found);
        assert_int_equal(group->hunts, strcmp(value_of(group, "error"), "none") != 0);
        assert_string_equal(value_of(group, "seed"), "none");
        assert_int_equal(group->reason != NULL, group->failed > 0);
        assert_int_equal(group->verdict != NULL, group->found > 0);
    }
}

static void assert_protocols(const rep_report *r) {
    size_t points = 0;
    assert_int_equal(r->protocol_count, 2); /* six designs by hash, one by name */
    for (uint32_t i = 0; i < r->protocol_count; i++) {
        const rep_protocol *p = &r->protocols[i];
        assert_string_equal(p->machine, i == 0 ? "L1Cache" : "Directory");
        assert_int_equal(p->cell_count, 6);
        for (size_t k = 0; k < p->cell_count; k++, points++) {
            const rep_protocol_cell *cell = &p->cells[k];
            assert_int_equal(cell->hits, hits_of[points]);
            assert_int_equal(cell->first, first_of[points]);
            assert_int_equal(cell->trials, trials_of[points]);
            assert_int_equal(cell->reachable, points < MADE_REACHABLE);
        }
    }
}

static const rep_group *find_group(const rep_report *r, const char *name) {
    for (uint32_t i = 0; i < r->group_count; i++)
        if (strcmp(r->groups[i].name, name) == 0)
            return &r->groups[i];
    fail_msg("there is no group '%s'", name);
    return NULL;
}

/* ---- Tests. */

TEST(groups_are_trials_that_differ_in_the_seed) {
    made_folder folder;
    char path[128];
    rep_report r;
    forget();
    made_folder_begin(&folder);
    (void)snprintf(path, sizeof path, "%s/a.db", folder.path);
    made_store(path, plan, NULL, fill);
    made_report(&r, path);
    assert_groups(&r);
    assert_protocols(&r);
    assert_string_equal(r.title, "A sample");
    assert_string_equal(r.first, "2023-11-14");
    assert_int_equal(r.plans[0].trials, r.plans[0].done + r.plans[0].failed);
    rep_report_free(&r);
    made_folder_end(&folder);
}

/* Engines contend; what follows from the engine (sets) tells no scenarios apart. */
TEST(engines_contend_in_scenarios) {
    made_folder folder;
    char path[128];
    rep_report r;
    forget();
    made_folder_begin(&folder);
    (void)snprintf(path, sizeof path, "%s/a.db", folder.path);
    made_store(path, plan, NULL, fill);
    made_report(&r, path);
    const char *const names[] = {"plain: mesi2, 4 cores, 4 locations",
                                 "htg: mesi2, 4 cores, 4 locations",
                                 "chain-bias: mesi2, 4 cores, 4 locations",
                                 "plain: mesi2, 4 cores, 8 locations",
                                 "htg: mesi2, 4 cores, 8 locations",
                                 "chain-bias: mesi2, 4 cores, 8 locations",
                                 "plain: mesi2, 4 cores, 4 locations, E.1",
                                 "htg: mesi2, 4 cores, 4 locations, E.1",
                                 "plain: mesi2, 4 cores, 4 locations, E.2",
                                 "htg: mesi2, 4 cores, 4 locations, E.2",
                                 "bfs: mesi",
                                 "euler: mesi",
                                 "bfs: mosi",
                                 "euler: mosi"};
    assert_int_equal(r.group_count, sizeof names / sizeof *names);
    for (uint32_t i = 0; i < r.group_count; i++) /* those of a scenario follow each other */
        if (strncmp(r.groups[i].name, names[i], strlen(names[i])) != 0)
            fail_msg("group %u is '%s', not '%s'", i, r.groups[i].name, names[i]);
    assert_string_equal(find_group(&r, names[2])->contender, "chain-bias");
    rep_report_free(&r);
    made_folder_end(&folder);
}

/* Axes are settings with several values among trials of a kind. */
TEST(axes_are_what_varies) {
    made_folder folder;
    char path[128];
    rep_report r;
    forget();
    made_folder_begin(&folder);
    (void)snprintf(path, sizeof path, "%s/a.db", folder.path);
    made_store(path, plan, NULL, fill);
    made_report(&r, path);
    uint32_t found = 0;
    for (uint32_t i = 0; i < r.axis_count; i++) {
        const rep_axis *axis = &r.axes[i];
        const bool is_engine = strcmp(axis->name, "engine") == 0;
        found += is_engine || strcmp(axis->name, "method") == 0;
        assert_true(axis->value_count > 1);
        assert_string_not_equal(axis->name, "seed");
        assert_string_not_equal(axis->name, "design");
        assert_string_not_equal(axis->name, "cycles");
        if (!is_engine)
            continue;
        assert_int_equal(axis->value_count, 3);
        assert_true(axis->of_kind[CAM_EPISODE]);
        assert_false(axis->of_kind[CAM_TOUR]);
    }
    assert_int_equal(found, 2);
    rep_report_free(&r);
    made_folder_end(&folder);
}

/* ---- Several stores. */

static bool fill_early(const cam_trial *trial, size_t place, cam_row *row) {
    (void)trial;
    row->is_done = place % 4 != 0;
    row->reason = row->is_done ? NULL : "the machine was switched off";
    return place < 12;
}

static bool fill_late(const cam_trial *trial, size_t place, cam_row *row) {
    (void)trial;
    (void)row;
    return place >= 8 || place == 0;
}

static bool fill_all(const cam_trial *trial, size_t place, cam_row *row) {
    (void)trial;
    (void)place;
    (void)row;
    return true;
}

/* A trial in two stores counts once, done before failed; order does not matter for the counts. */
TEST(stores_are_put_together) {
    made_folder folder;
    char paths[2][128];
    made_folder_begin(&folder);
    for (uint32_t i = 0; i < 2; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/%u.db", folder.path, i);
        made_store(paths[i], plan, NULL, i == 0 ? fill_early : fill_late);
    }
    for (uint32_t turn = 0; turn < 2; turn++) {
        const char *const stores[] = {paths[turn], paths[1 - turn]};
        const rep_settings settings = {.stores = stores, .store_count = 2};
        rep_report r = {0};
        col_problem problem;
        assert_int_equal(rep_report_make(&r, &settings, &problem), COL_OK);
        assert_int_equal(r.plan_count, 1);
        uint32_t trials = 0, failed = 0;
        for (uint32_t i = 0; i < r.group_count; i++) {
            trials += r.groups[i].trials;
            failed += r.groups[i].failed;
        }
        assert_int_equal(trials, r.plans[0].trials);
        assert_int_equal(failed, 1); /* trial 4; 0 and 8 are done in the other store */
        rep_report_free(&r);
    }
    made_folder_end(&folder);
}

/* Two plans share trials: a group of each, but the hits are those of one. */
TEST(hits_of_shared_trials_count_once) {
    static const char one[] = "plan: one\ntitle: One\ngrids:\n"
                              "  - {design: mesi2, cores: 4, cycles: 1000, engine: [plain, htg], "
                              "seed: 1..2}\n";
    static const char two[] = "plan: two\ntitle: Two\ngrids:\n"
                              "  - {design: mesi2, cores: 4, cycles: 1000, engine: [plain, rag], "
                              "seed: 1..2}\n";
    made_folder folder;
    char path[128];
    rep_report r;
    made_folder_begin(&folder);
    (void)snprintf(path, sizeof path, "%s/a.db", folder.path);
    forget();
    made_store(path, one, NULL, fill);
    const uint64_t shared = hits_of[0];
    made_store(path, two, NULL, fill); /* rows that are there already stay */
    made_report(&r, path);
    assert_int_equal(r.plan_count, 2);
    assert_string_equal(r.title, "2 plans");
    assert_int_equal(r.group_count, 4);
    assert_true(r.protocols[0].cells[0].hits >= shared);
    uint64_t done = 0;
    for (uint32_t i = 0; i < r.group_count; i++)
        done += strcmp(r.groups[i].contender, "plain") != 0 || i < 2 ? r.groups[i].done : 0;
    assert_int_equal(r.protocols[0].trials, done);
    rep_report_free(&r);

    const char *stores[] = {path};
    const rep_settings settings = {.stores = stores, .store_count = 1, .plan = "two"};
    col_problem problem;
    r = (rep_report){0};
    assert_int_equal(rep_report_make(&r, &settings, &problem), COL_OK);
    assert_int_equal(r.plan_count, 1);
    assert_int_equal(r.group_count, 2);
    rep_report_free(&r);
    const rep_settings wrong = {.stores = stores, .store_count = 1, .plan = "three"};
    assert_int_equal(rep_report_make(&r, &wrong, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "there is no plan 'three' in these results");
    rep_report_free(&r);
    made_folder_end(&folder);
}

/* A report on a store in which every trial of the plan is done. */
static void report_on(const char *text, rep_report *r) {
    made_folder folder;
    char path[128];
    made_folder_begin(&folder);
    (void)snprintf(path, sizeof path, "%s/a.db", folder.path);
    made_store(path, text, NULL, fill_all);
    made_report(r, path);
    made_folder_end(&folder);
}

/* Where there is one engine, the last setting that varies contends. */
TEST(something_always_contends) {
    static const char one[] = "plan: one\ntitle: One\ngrids:\n"
                              "  - {design: mesi2, cores: [4, 8], cycles: 1000, engine: plain, "
                              "locations: [4, 8], ops: [64, 128], seed: 1..2}\n";
    rep_report r;
    report_on(one, &r);
    assert_int_equal(r.group_count, 8);
    assert_string_equal(r.groups[0].scenario, r.groups[1].scenario);
    assert_string_not_equal(r.groups[0].contender, r.groups[1].contender);
    assert_string_not_equal(r.groups[1].scenario, r.groups[2].scenario);
    rep_report_free(&r);
}

/* A column of a variant is left out by filters of the engine and of the size; how many there are.
 */
static uint32_t filters_reach_variants(const rep_report *r) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < r->table_count; t++)
        for (uint32_t i = 0; i < r->tables[t].column_count; i++) {
            const rep_column *column = &r->tables[t].columns[i];
            if (strcmp(column->name, "mtg, 256 ops") != 0)
                continue;
            count++;
            assert_int_equal(column->axis_count, 2);
            assert_string_equal(column->axes[0].value, "mtg");
            assert_string_equal(column->axes[1].name, "ops");
            assert_string_equal(column->axes[1].value, "256");
        }
    return count;
}

/* Sizes of tests that one engine alone has are variants of it, which contend with the others; sizes
 * that two engines have tell scenarios apart. */
TEST(variants_contend) {
    static const char apart[] = "plan: apart\ntitle: Apart\n"
                                "defaults: {design: [mesi2, mesi3], cores: 4, cycles: 1000}\n"
                                "grids:\n"
                                "  - {engine: [htg, ctg1], ops: 64:256, seed: 1..2}\n"
                                "  - {engine: mtg, ops: [64, 256], mix: even, seed: 1..2}\n";
    static const char together[] = "plan: together\ntitle: Together\n"
                                   "defaults: {design: mesi2, cores: 4, cycles: 1000}\n"
                                   "grids:\n"
                                   "  - {engine: htg, ops: 64, seed: 1..2}\n"
                                   "  - {engine: mtg, ops: [64, 256], seed: 1..2}\n";
    static const char *const contenders[] = {"htg", "ctg1", "mtg, 64 ops", "mtg, 256 ops"};
    rep_report r;
    report_on(apart, &r);
    assert_int_equal(r.group_count, 8);
    for (uint32_t i = 0; i < r.group_count; i++) {
        assert_string_equal(r.groups[i].contender, contenders[i % 4]);
        assert_string_equal(r.groups[i].scenario, i < 4 ? "mesi2, 4 cores" : "mesi3, 4 cores");
    }
    assert_true(filters_reach_variants(&r) > 0);
    rep_report_free(&r);
    report_on(together, &r);
    assert_int_equal(r.group_count, 3);
    assert_string_equal(r.groups[1].contender, "mtg");
    assert_string_equal(r.groups[1].scenario, r.groups[0].scenario);
    assert_string_not_equal(r.groups[2].scenario, r.groups[0].scenario);
    rep_report_free(&r);
}

/* Options are a part of their engine, also those that another engine has. */
TEST(options_contend) {
    static const char options[] = "plan: options\ntitle: Options\n"
                                  "defaults: {design: mesi2, cores: 4, cycles: 1000, seed: 1..2}\n"
                                  "grids:\n"
                                  "  - {engine: [rlg, rlg-bias], engine-options: [none, "
                                  "policy=random]}\n"
                                  "  - {engine: mtg, engine-options: memory=1Ki}\n";
    static const char *const contenders[] = {"rlg", "rlg, policy=random", "rlg-bias",
                                             "rlg-bias, policy=random", "mtg"};
    rep_report r;
    report_on(options, &r);
    assert_int_equal(r.group_count, 5);
    for (uint32_t i = 0; i < r.group_count; i++) {
        assert_string_equal(r.groups[i].contender, contenders[i]);
        assert_string_equal(r.groups[i].scenario, "mesi2, 4 cores");
    }
    rep_report_free(&r);
}

/* ---- Failures, which come from the store in the order of hashes. */

TEST(failures_are_in_the_order_of_the_plan) {
    static const char hunting[] = "plan: hunting\n"
                                  "title: Hunting\n"
                                  "defaults: {design: mesi2, cores: 4, error: E.1, cycles: 1000}\n"
                                  "grids:\n"
                                  "  - {engine: [plain, htg, mtg], seed: 1..4}\n";
    enum { TRIALS = 12 };
    made_folder folder;
    rep_report report = {0};
    char path[128];
    made_folder_begin(&folder);
    (void)snprintf(path, sizeof path, "%s/hunting.db", folder.path);
    for (size_t i = 0; i < TRIALS; i++)
        made_failure(path, hunting, i * 7 % TRIALS);
    made_report(&report, path);
    assert_int_equal(report.failure_count, TRIALS);
    for (uint32_t i = 0; i < TRIALS; i++) {
        assert_int_equal(report.failures[i].group, i / 4);
        assert_int_equal(report.failures[i].seed, 1 + i % 4);
    }
    /* All of one kind; each can be replayed by its place in the plan. */
    assert_int_equal(report.kind_count, 1);
    assert_int_equal(report.kinds[0].count, TRIALS);
    assert_int_equal(report.kinds[0].trials, TRIALS);
    assert_true(report.kinds[0].is_shrunk && report.kinds[0].operations == 5);
    assert_string_equal(report.kinds[0].fingerprint, "mesi2, violation: A: load x");
    assert_string_equal(report.kinds[0].command, "collider replay hunting.db --failure 1");
    for (uint32_t i = 0; i < TRIALS; i++) {
        (void)snprintf(path, sizeof path, "collider replay hunting.db --failure %u", i + 1);
        assert_string_equal(report.failures[i].command, path);
    }
    const rep_table *table = made_table(&report, "failure-kinds");
    assert_non_null(table);
    assert_string_equal(table->title, "12 failures, 1 kind");
    assert_int_equal(table->row_count, 1);
    rep_report_free(&report);
    made_folder_end(&folder);
}

/* Two stores that share trials count each failure once, and name the store that has it. */
TEST(kinds_of_several_stores_are_counted_once) {
    static const char hunting[] = "plan: hunting\n"
                                  "title: Hunting\n"
                                  "defaults: {design: mesi2, cores: 4, error: E.1, cycles: 1000}\n"
                                  "grids:\n"
                                  "  - {engine: plain, seed: 1..4}\n";
    made_folder folder;
    rep_report report = {0};
    col_problem problem;
    char one[128], two[128];
    made_folder_begin(&folder);
    (void)snprintf(one, sizeof one, "%s/one.db", folder.path);
    (void)snprintf(two, sizeof two, "%s/it's two.db", folder.path);
    made_failure(one, hunting, 0);
    made_failure(one, hunting, 1);
    made_failure(two, hunting, 1);
    made_failure(two, hunting, 2);
    const char *const stores[] = {one, two};
    const rep_settings settings = {.stores = stores, .store_count = 2};
    assert_int_equal(rep_report_make(&report, &settings, &problem), COL_OK);
    assert_int_equal(report.kind_count, 1);
    assert_int_equal(report.kinds[0].count, 3);
    assert_int_equal(report.kinds[0].trials, 3);
    assert_int_equal(report.failure_count, 3);
    assert_string_equal(report.failures[1].command, "collider replay one.db --failure 2");
    assert_string_equal(report.failures[2].command,
                        "collider replay 'it'\\''s two.db' --failure 3");
    rep_report_free(&report);
    made_folder_end(&folder);
}
