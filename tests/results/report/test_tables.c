/* SPDX-License-Identifier: MIT */
/* The tables of a report: against figures worked out by hand. */
#include "harness.h"

#include "results/report/made_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct made {
    made_folder folder;
    rep_report report;
} made;

static void make_of(made *m, const char *plan, made_fill fill, double price, uint64_t until) {
    char path[128];
    made_folder_begin(&m->folder);
    (void)snprintf(path, sizeof path, "%s/a.db", m->folder.path);
    made_store(path, plan, NULL, fill);
    made_report_of(&m->report, path, price, until);
}

static void make(made *m, const char *plan, made_fill fill) {
    make_of(m, plan, fill, 0, 0);
}

static void unmake(made *m) {
    rep_report_free(&m->report);
    made_folder_end(&m->folder);
}

static uint64_t seed_of(const cam_row *row) {
    return row->seed;
}

static bool is_engine(const cam_trial *trial, const char *name) {
    return strcmp(made_value(trial, "engine"), name) == 0;
}

/* ---- Times to errors. */

static const char hunt_plan[] = "plan: hunt\n"
                                "title: Hunt\n"
                                "defaults: {design: mesi2, cores: 4, cycles: 1000}\n"
                                "grids:\n"
                                "  - error: [E.1, E.2]\n"
                                "    engine: [plain, htg, chain]\n"
                                "    seed: 1..4\n";

static void find_error(cam_row *row, uint64_t cycles) {
    row->verdict = "violation";
    row->ended_by = "error";
    row->reason = "wrong";
    row->failure_test = 3;
    row->failure_instance = 1;
    row->failure_cycles = row->cycles = cycles;
    row->failure_seconds = row->seconds = (double)cycles / 1000;
}

/* E.1: plain at 100, 200, 300 and not; htg at 50 and not, not, not; chain at 150 to 153.
 * E.2: nobody does, but htg once in 4 at 999; a trial of plain could not be run. */
static bool fill_hunt(const cam_trial *trial, size_t place, cam_row *row) {
    const uint64_t seed = seed_of(row);
    (void)place;
    if (strcmp(made_value(trial, "error"), "E.2") == 0) {
        if (is_engine(trial, "htg") && seed == 2)
            find_error(row, 999);
        if (is_engine(trial, "plain") && seed == 4) {
            row->is_done = false;
            row->reason = "the worker was killed";
        }
        return true;
    }
    if (is_engine(trial, "plain") && seed < 4)
        find_error(row, 100 * seed);
    if (is_engine(trial, "htg") && seed == 1)
        find_error(row, 50);
    if (is_engine(trial, "chain"))
        find_error(row, 149 + seed);
    return true;
}

static void assert_cell(const rep_cell *cell, const char *text, double value, uint32_t found,
                        uint32_t of, bool best) {
    assert_string_equal(cell->text, text);
    assert_true(cell->value == value);
    assert_int_equal(cell->found, found);
    assert_int_equal(cell->of, of);
    assert_int_equal(cell->best, best);
    assert_int_equal(cell->censored, text[0] == '>');
}

TEST(times_to_errors_are_censored_medians) {
    made m;
    make(&m, hunt_plan, fill_hunt);
    const rep_table *t = made_table(&m.report, "time-to-error");
    const char *const first[] = {"E.1", NULL}, *const second[] = {"E.2", NULL};
    assert_int_equal(t->row_count, 2);
    assert_cell(made_cell(t, "plain", first), "250", 250, 3, 4, false);
    assert_cell(made_cell(t, "htg", first), ">1000", 1000, 1, 4, false);
    assert_cell(made_cell(t, "chain", first), "152", 151.5, 4, 4, true);
    assert_cell(made_cell(t, "plain", second), ">1000", 1000, 0, 3, false);
    assert_cell(made_cell(t, "htg", second), ">1000", 1000, 1, 4, false);
    const rep_cell *cell = made_cell(t, "plain", first);
    assert_true(cell->low >= 100 && cell->low <= 250 && cell->high >= 250);
    assert_string_equal(m.report.groups[cell->group].contender, "plain");
    const rep_table *seconds = made_table(&m.report, "time-to-error-seconds");
    assert_cell(made_cell(seconds, "plain", first), "250 ms", 0.25, 3, 4, false);
    unmake(&m);
}

/* The first failure comes in the third test; without one, all four tests are paid for. */
TEST(a_price_is_paid_for_every_test) {
    made m;
    make_of(&m, hunt_plan, fill_hunt, 1000, 0);
    const rep_table *t = made_table(&m.report, "time-to-error");
    const char *const first[] = {"E.1", NULL};
    assert_cell(made_cell(t, "plain", first), "3250", 3250, 3, 4, false);
    assert_cell(made_cell(t, "chain", first), "3.15 k", 3151.5, 4, 4, true);
    assert_string_equal(m.report.title, "Hunt (each test costs 1000 cycles besides its own)");
    unmake(&m);
}

/* Four against four apart: 2 of 70 orders, 0.0286, and three pairs by Holm: 0.0857. */
TEST(comparisons_are_corrected) {
    made m;
    make(&m, hunt_plan, fill_hunt);
    const rep_table *t = made_table(&m.report, "comparisons");
    const char *const pair[] = {"E.1", "cycles to error", "htg", "chain", NULL};
    const char *const other[] = {"E.1", "cycles to error", "plain", "chain", NULL};
    assert_int_equal(t->row_count, 6);
    /* htg: 50, never, never, never; chain 150 to 153: of 16 pairs chain is later in 4 */
    assert_true(fabs(made_cell(t, "Â12", pair)->value - 12.0 / 16) < 1e-12);
    /* plain: 100, 200, 300, never: later in 12 */
    assert_true(fabs(made_cell(t, "Â12", other)->value - 12.0 / 16) < 1e-12);
    const rep_cell *corrected = made_cell(t, "p, corrected", pair);
    assert_true(corrected->value >= made_cell(t, "p", pair)->value);
    assert_string_equal(made_cell(t, "result", pair)->text, "no difference shown");
    assert_string_equal(made_cell(t, "test", pair)->text, "U");
    unmake(&m);
}

static bool fill_uneven(const cam_trial *trial, size_t place, cam_row *row) {
    (void)place;
    row->ended_by = "tests"; /* this many tests take some engines longer */
    row->cycles = is_engine(trial, "plain") ? 4000 : 1000;
    if (is_engine(trial, "plain") && row->seed < 4)
        find_error(row, 1000 + 500 * row->seed);
    return true;
}

/* What htg did not find in 1000 cycles plain did not find in 1000 either. */
TEST(unequal_budgets_do_not_split_groups) {
    made m;
    make(&m, hunt_plan, fill_uneven);
    const rep_table *t = made_table(&m.report, "comparisons");
    const char *const pair[] = {"E.1", "cycles to error", "plain", "htg", NULL};
    assert_string_equal(made_cell(t, "test", pair)->text, "log-rank");
    assert_true(made_cell(t, "p", pair)->value == 1);
    unmake(&m);
}

/* A trial that an error ended keeps what it had covered: no line falls. */
static bool fill_covering_hunt(const cam_trial *trial, size_t place, cam_row *row) {
    fill_hunt(trial, place, row);
    made_step(row, 20, 3 + (uint32_t)row->seed);
    return true;
}

/* Of plain's 100, 200, 300 and not, the first is left, and all of chain's 150 to 153. */
TEST(errors_found_later_are_not_found) {
    made m;
    make_of(&m, hunt_plan, fill_covering_hunt, 0, 160);
    const rep_table *t = made_table(&m.report, "time-to-error");
    const char *const first[] = {"E.1", NULL};
    assert_cell(made_cell(t, "plain", first), ">160", 160, 1, 4, false);
    assert_cell(made_cell(t, "chain", first), "152", 151.5, 4, 4, true);
    assert_string_equal(m.report.title, "Hunt (until cycle 160)");
    unmake(&m);
    /* the third test, at 150 to 153, costs 3000 more; 3152 is the third of them */
    make_of(&m, hunt_plan, fill_covering_hunt, 1000, 3151);
    t = made_table(&m.report, "time-to-error");
    assert_cell(made_cell(t, "chain", first), "3151", 3151, 2, 4, true);
    assert_cell(made_cell(t, "plain", first), ">3151", 3151, 1, 4, false);
    unmake(&m);
}

TEST(coverage_never_falls) {
    made m;
    uint32_t lines = 0;
    make(&m, hunt_plan, fill_covering_hunt);
    for (uint32_t i = 0; i < m.report.plot_count; i++) {
        rep_drawn drawn;
        assert_int_equal(rep_plot_draw(&m.report, &m.report.plots[i], &drawn, NULL), COL_OK);
        const rep_plot *plot = &drawn.plot;
        for (uint32_t k = 0; plot->kind == REP_LINES && k < plot->series_count; k++, lines++)
            for (size_t x = 1; x < plot->series[k].count; x++) {
                assert_false(plot->series[k].median[x] < plot->series[k].median[x - 1]);
                assert_false(plot->series[k].lower[x] < plot->series[k].lower[x - 1]);
            }
        rep_drawn_free(&drawn);
    }
    assert_true(lines >= 12);
    unmake(&m);
}

TEST(failed_trials_are_listed) {
    made m;
    make(&m, hunt_plan, fill_hunt);
    const rep_table *t = made_table(&m.report, "failed-trials");
    const char *const words[] = {"E.2", "plain", NULL};
    assert_int_equal(t->row_count, 1);
    assert_string_equal(made_cell(t, "reason", words)->text, "the worker was killed");
    assert_true(made_cell(t, "seed", words)->value == 4);
    unmake(&m);
}

/* ---- Coverage. */

static const char cover_plan[] = "plan: cover\n"
                                 "title: Cover\n"
                                 "defaults: {design: mesi2, cores: 4, cycles: 1000}\n"
                                 "grids:\n"
                                 "  - {engine: [plain, htg], seed: 1..6}\n";

/* plain covers 5 from 100, 200 ... on; htg 9, the first two of six 10, from 500 on. */
static bool fill_cover(const cam_trial *trial, size_t place, cam_row *row) {
    const uint64_t seed = seed_of(row);
    (void)place;
    if (is_engine(trial, "plain"))
        made_step(row, 100 * seed, 5);
    else
        made_step(row, 500, seed <= 2 ? 10 : 9);
    return true;
}

TEST(times_to_coverage_are_of_what_is_reachable) {
    made m;
    make(&m, cover_plan, fill_cover);
    const rep_table *t = made_table(&m.report, "time-to-coverage");
    const char *const half[] = {"mesi2", "50 %: 5 of 10", NULL};
    const char *const most[] = {"mesi2", "90 %: 9 of 10", NULL};
    const char *const all[] = {"mesi2", "95 %: 10 of 10", NULL};
    assert_int_equal(t->row_count, 4);
    assert_cell(made_cell(t, "plain", half), "350", 350, 6, 6, true);
    assert_cell(made_cell(t, "htg", half), "500", 500, 6, 6, false);
    assert_cell(made_cell(t, "plain", most), ">1000", 1000, 0, 6, false);
    assert_cell(made_cell(t, "htg", most), "500", 500, 6, 6, true);
    assert_cell(made_cell(t, "htg", all), ">1000", 1000, 2, 6, false);
    /* What is reachable is not known of the functional metric: the most that was covered, 10. */
    const rep_table *functional = made_table(&m.report, "time-to-coverage-functional");
    const char *const reached[] = {"mesi2", "50 %: 5 of 10 reached", NULL};
    assert_cell(made_cell(functional, "plain", reached), "350", 350, 6, 6, true);
    unmake(&m);
}

TEST(final_coverage_has_quartiles) {
    made m;
    make(&m, cover_plan, fill_cover);
    const rep_table *t = made_table(&m.report, "final-coverage");
    const char *const htg[] = {"mesi2", "htg", NULL}, *const plain[] = {"mesi2", "plain", NULL};
    assert_true(made_cell(t, "trials", htg)->value == 6);
    assert_true(made_cell(t, "points", htg)->value == 9);
    assert_true(made_cell(t, "median", htg)->value == 9.0 / 12);
    assert_true(made_cell(t, "median", htg)->best);
    assert_false(made_cell(t, "median", plain)->best);
    /* 9 9 9 9 10 10: the upper quartile is at place 3.75 */
    assert_true(fabs(made_cell(t, "upper quartile", htg)->value - 9.75 / 12) < 1e-12);
    assert_true(made_cell(t, "most", htg)->value == 10.0 / 12);
    assert_true(made_cell(t, "of reachable", htg)->value == 0.9);
    assert_string_equal(made_cell(t, "median", htg)->text, "75.0 %");
    /* Six against six apart: 2 of 924 orders. */
    const rep_table *comparisons = made_table(&m.report, "comparisons");
    const char *const words[] = {"mesi2", NULL};
    assert_true(fabs(made_cell(comparisons, "p, corrected", words)->value - 2.0 / 924) < 1e-12);
    assert_string_equal(made_cell(comparisons, "result", words)->text,
                        "htg covers more (large effect)");
    const char *const functional[] = {"mesi2", "final functional coverage", NULL};
    assert_string_equal(made_cell(comparisons, "result", functional)->text,
                        "htg covers more (large effect)");
    unmake(&m);
}

/* By cycle 400 four of six trials of plain have covered 5, and none of htg anything. */
TEST(coverage_is_that_of_an_earlier_end) {
    made m;
    make_of(&m, cover_plan, fill_cover, 0, 400);
    const rep_table *t = made_table(&m.report, "final-coverage");
    const char *const htg[] = {"mesi2", "htg", NULL}, *const plain[] = {"mesi2", "plain", NULL};
    assert_true(made_cell(t, "trials", plain)->value == 6);
    assert_true(made_cell(t, "points", plain)->value == 5);
    assert_true(made_cell(t, "least", plain)->value == 0);
    assert_true(made_cell(t, "median", plain)->best);
    assert_true(made_cell(t, "of reachable", plain)->value == 0.5);
    assert_true(made_cell(t, "most", htg)->value == 0);
    const rep_table *times = made_table(&m.report, "time-to-coverage");
    const char *const all[] = {"mesi2", "95 %: 10 of 10", NULL};
    assert_cell(made_cell(times, "htg", all), ">400", 400, 0, 6, false);
    unmake(&m);
}

/* ---- Plots of the same. */

static const rep_plot *find_plot(const rep_report *r, const char *id) {
    for (uint32_t i = 0; i < r->plot_count; i++)
        if (strcmp(r->plots[i].id, id) == 0)
            return &r->plots[i];
    fail_msg("there is no plot %s", id);
    return NULL;
}

static const rep_plot *draw(const rep_report *r, const char *id, rep_drawn *drawn) {
    assert_int_equal(rep_plot_draw(r, find_plot(r, id), drawn, NULL), COL_OK);
    return &drawn->plot;
}

TEST(evolutions_are_medians_at_each_place) {
    made m;
    make(&m, cover_plan, fill_cover);
    rep_drawn lines, intervals;
    const rep_plot *plot = draw(&m.report, "evolution-1-structural-cycles", &lines);
    assert_int_equal(plot->series_count, 2);
    assert_true(plot->total == 12 && plot->reachable == 10);
    const rep_series *plain = &plot->series[0], *htg = &plot->series[1];
    assert_string_equal(htg->name, "htg");
    assert_true(plain->x[plain->count - 1] == 1000);
    for (size_t i = 0; i < plain->count; i++) {
        const double x = plain->x[i];
        uint32_t covered = 0; /* of the six trials of plain */
        for (uint32_t seed = 1; seed <= 6; seed++)
            covered += x >= 100 * seed;
        assert_true(i == 0 || x > plain->x[i - 1]);
        assert_true(plain->median[i] == (covered < 3 ? 0 : covered == 3 ? 2.5 : 5));
        assert_true(htg->median[i] == (x < 500 ? 0 : 9));
        assert_true(htg->upper[i] == (x < 500 ? 0 : 9.75));
    }
    const rep_plot *boxes = draw(&m.report, "boxes-1-structural-cycles", &intervals);
    assert_true(boxes->intervals[boxes->interval_count - 1] == 1000);
    const rep_box *box = &boxes->series[1].boxes[boxes->interval_count - 1];
    assert_true(box->least == 9 && box->median == 9 && box->upper == 9.75 && box->most == 10);
    assert_int_equal(box->count, 6);
    rep_drawn_free(&lines);
    rep_drawn_free(&intervals);
    unmake(&m);
}

/* ---- Mutants. */

static const char mutant_plan[] = "plan: mutants\n"
                                  "title: Mutants\n"
                                  "defaults: {design: mesi2, cores: 4, cycles: 1000}\n"
                                  "grids:\n"
                                  "  - {mutant: 1..5, engine: [plain, htg], seed: 1..2}\n";

/* plain kills mutant 1 always and 2 once; htg all but 5. */
static bool fill_mutants(const cam_trial *trial, size_t place, cam_row *row) {
    const int mutant = atoi(made_value(trial, "mutant"));
    (void)place;
    const bool is_killed =
        is_engine(trial, "plain") ? mutant == 1 || (mutant == 2 && row->seed == 1) : mutant < 5;
    if (is_killed)
        find_error(row, 10);
    return true;
}

TEST(mutants_are_counted) {
    made m;
    make(&m, mutant_plan, fill_mutants);
    const rep_table *t = made_table(&m.report, "mutants");
    const char *const plain[] = {"made, 4 cores", "plain", NULL};
    const char *const htg[] = {"made, 4 cores", "htg", NULL};
    assert_int_equal(t->row_count, 2);
    assert_true(made_cell(t, "mutants", plain)->value == 5);
    assert_true(made_cell(t, "killed", plain)->value == 2);
    assert_true(made_cell(t, "survived", plain)->value == 3);
    assert_true(made_cell(t, "always", plain)->value == 1);
    assert_true(made_cell(t, "killed, fraction", htg)->value == 0.8);
    assert_int_equal(t->rows[1].axis_count, 3); /* design, cores and the engine: for filters */
    assert_string_equal(t->rows[1].axes[0].value, "mesi2");
    assert_string_equal(t->rows[1].axes[2].value, "htg");
    const rep_table *each = made_table(&m.report, "mutants-each");
    const char *const second[] = {"2", NULL};
    assert_cell(made_cell(each, "plain", second), "50.0 %", 0.5, 1, 2, false);
    assert_cell(made_cell(each, "htg", second), "100.0 %", 1, 2, 2, true);
    unmake(&m);
}

/* ---- Tours and learning. */

static const char other_plan[] =
    "plan: other\n"
    "title: Other\n"
    "grids:\n"
    "  - {kind: tour, protocol: mesi, cores: 4, method: [bfs, euler]}\n"
    "  - {design: mesi2, cores: 4, cycles: 1000, engine: rlg, "
    "learning: yes, seed: 1..3}\n";

/* 300 tests: the reward of trial s is s in the first half and 10 s in the second. */
static bool fill_other(const cam_trial *trial, size_t place, cam_row *row) {
    static char log[16384], result[256];
    size_t length = 0;
    (void)place;
    if (trial->kind == CAM_TOUR) {
        const bool is_euler = strcmp(made_value(trial, "method"), "euler") == 0;
        (void)snprintf(result, sizeof result,
                       "{\"states\":24,\"transitions\":232,\"cost\":%d,\"cost_per_transition\":%s,"
                       "\"covered\":232,\"seconds\":0.5,\"peak_bytes\":1000}",
                       is_euler ? 464 : 928, is_euler ? "2.0" : "4.0");
        row->result = result;
        return true;
    }
    length += (size_t)snprintf(log, sizeof log, "test,action,reward,loss\n");
    for (uint32_t test = 1; test <= 300; test++)
        length += (size_t)snprintf(
            log + length, sizeof log - length, "%u,3,%s%llu,%s\n", test, row->seed == 2 ? "-" : "",
            (unsigned long long)row->seed * (test < 150 ? 1 : 10), test < 10 ? "" : "2.5e-1");
    row->learning = log;
    return true;
}

TEST(tours_are_listed) {
    made m;
    make(&m, other_plan, fill_other);
    const rep_table *t = made_table(&m.report, "tours");
    const char *const euler[] = {"mesi", "euler", NULL}, *const bfs[] = {"mesi", "bfs", NULL};
    assert_cell(made_cell(t, "operations", euler), "464", 464, 1, 0, true);
    assert_cell(made_cell(t, "operations", bfs), "928", 928, 1, 0, false);
    assert_true(made_cell(t, "covered", bfs)->value == 1);
    assert_true(made_cell(t, "per transition", bfs)->value == 4);
    unmake(&m);
}

TEST(learning_is_binned) {
    made m;
    make(&m, other_plan, fill_other);
    const rep_plot *reward = find_plot(&m.report, "learning-1-reward");
    const rep_plot *loss = find_plot(&m.report, "learning-1-loss");
    const rep_series *s = &reward->series[0];
    assert_int_equal(reward->series_count, 1);
    assert_true(s->count > 60 && s->count <= 128);
    /* rewards of the trials: 1, -2, 3, and then ten times as much */
    assert_true(s->median[0] == 1 && s->lower[0] == -0.5 && s->upper[0] == 2);
    assert_true(s->median[s->count - 1] == 10 && s->upper[s->count - 1] == 20);
    assert_true(loss->series[0].median[0] == 0.25);
    assert_true(loss->series[0].x[0] >= 8); /* there is none before test 10 */
    assert_non_null(made_table(&m.report, "learning"));
    unmake(&m);
}
