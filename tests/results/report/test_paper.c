/* SPDX-License-Identifier: MIT */
/* Ours beside the published: every kind of cell, and the summary, against figures worked out by
 * hand. */
#include "harness.h"

#include "results/report/made_store.h"
#include "results/report/report_maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char plan[] = "plan: table\n"
                           "title: A table\n"
                           "defaults: {design: mesi2, cores: 4, cycles: 1000}\n"
                           "grids:\n"
                           "  - error: [E.1, E.2, E.3]\n"
                           "    engine: [plain, htg, chain]\n"
                           "    locations: [4Ki]\n"
                           "    seed: 1..3\n"
                           "scales:\n"
                           "  small: {seed: 1..3, cycles: 500}\n"
                           "published:\n"
                           "  - name: table-1\n"
                           "    title: Table 1\n"
                           "    source: a paper\n"
                           "    note: Theirs had more cores.\n"
                           "    statistic: cycles-to-error\n"
                           "    unit: kilocycles\n"
                           "    scale: 0.001\n"
                           "    where: {locations: 4Ki}\n"
                           "    rows: {error: [E.1, E.2, E.3]}\n"
                           "    columns: {engine: [plain, htg, chain]}\n"
                           "    cells:\n"
                           "      - [0.1, 0.8, \">2\"]\n"
                           "      - [\"-\", \">1\", \"0.2 (4/10)\"]\n"
                           "      - [1, 2, 3]\n"
                           "  - name: table-2\n"
                           "    title: Table 2\n"
                           "    source: a paper\n"
                           "    statistic: relative-cycles-to-error\n"
                           "    unit: times\n"
                           "    baseline: {engine: plain}\n"
                           "    rows: {error: E.1}\n"
                           "    columns: {engine: [htg, chain]}\n"
                           "    cells:\n"
                           "      - [2, 4]\n";

/* E.1: plain at 200, htg at 400, chain at 100. E.2: plain and htg never, chain at 300. E.3 was not
 * run but for plain. */
static bool fill(const cam_trial *trial, size_t place, cam_row *row) {
    const char *error = made_value(trial, "error"), *engine = made_value(trial, "engine");
    uint64_t cycles = 0;
    (void)place;
    if (strcmp(error, "E.1") == 0)
        cycles = strcmp(engine, "plain") == 0 ? 200 : strcmp(engine, "htg") == 0 ? 400 : 100;
    else if (strcmp(error, "E.2") == 0)
        cycles = strcmp(engine, "chain") == 0 ? 300 : 0;
    else if (strcmp(engine, "plain") != 0)
        return false;
    if (cycles > 0) {
        row->verdict = "violation";
        row->ended_by = "error";
        row->failure_test = 1;
        row->failure_cycles = row->cycles = cycles;
    }
    return true;
}

typedef struct made {
    made_folder folder;
    char path[128];
    rep_report report;
} made;

static col_status make(made *m, const char *paper, made_fill with, col_problem *problem) {
    const char *stores[] = {m->path};
    made_folder_begin(&m->folder);
    (void)snprintf(m->path, sizeof m->path, "%s/a.db", m->folder.path);
    made_store(m->path, plan, NULL, with);
    m->report = (rep_report){0};
    return rep_report_make(
        &m->report, &(rep_settings){.stores = stores, .store_count = 1, .paper = paper}, problem);
}

static void unmake(made *m) {
    rep_report_free(&m->report);
    made_folder_end(&m->folder);
}

static const rep_cell *cell_of(const made *m, const char *table, const char *column,
                               const char *error, const char *engine) {
    const char *const words[] = {error, engine, NULL};
    return made_cell(made_table(&m->report, table), column, words);
}

TEST(cells_are_drawn_side_by_side) {
    made m;
    col_problem problem;
    assert_int_equal(make(&m, "table-1", fill, &problem), COL_OK);
    assert_int_equal(m.report.table_count, 1);
    assert_int_equal(m.report.plot_count, 0);
    /* both known: 0.2 to 0.1 */
    assert_string_equal(cell_of(&m, "paper-table-1", "ours", "E.1", "plain")->text, "0.200");
    assert_string_equal(cell_of(&m, "paper-table-1", "published", "E.1", "plain")->text, "0.100");
    assert_true(fabs(cell_of(&m, "paper-table-1", "ratio", "E.1", "plain")->value - 2) < 1e-12);
    assert_true(cell_of(&m, "paper-table-1", "published", "E.1", "plain")->best);
    assert_true(cell_of(&m, "paper-table-1", "ours", "E.1", "chain")->best);
    /* theirs is a bound: the ratio is at most 0.1 / 2 */
    const rep_cell *ratio = cell_of(&m, "paper-table-1", "ratio", "E.1", "chain");
    assert_string_equal(ratio->text, "<0.050");
    assert_true(isnan(ratio->value) && fabs(ratio->high - 0.05) < 1e-12);
    /* both are bounds; the paper has none; found counts on both sides */
    assert_string_equal(cell_of(&m, "paper-table-1", "ours", "E.2", "htg")->text, ">1");
    assert_string_equal(cell_of(&m, "paper-table-1", "ratio", "E.2", "htg")->text, "");
    assert_string_equal(cell_of(&m, "paper-table-1", "published", "E.2", "plain")->text, "-");
    assert_int_equal(cell_of(&m, "paper-table-1", "published", "E.2", "chain")->found, 4);
    assert_int_equal(cell_of(&m, "paper-table-1", "published", "E.2", "chain")->of, 10);
    assert_int_equal(cell_of(&m, "paper-table-1", "ours", "E.2", "chain")->found, 3);
    /* ours is a bound: at least 1 / 1; ours is not there */
    const rep_cell *least = cell_of(&m, "paper-table-1", "ratio", "E.3", "plain");
    assert_string_equal(least->text, ">1");
    assert_true(least->censored && least->value == 1);
    assert_string_equal(cell_of(&m, "paper-table-1", "ours", "E.3", "htg")->text, "no data");
    unmake(&m);
}

/* Ratios 2, 0.5, 1.5; ranks of E.1: ours 2 3 1, theirs 1 2 3: -0.5; of E.2: chain before htg in
 * both: 1. The best is the same in E.2 alone. */
TEST(the_summary_adds_up) {
    made m;
    col_problem problem;
    assert_int_equal(make(&m, "table-1", fill, &problem), COL_OK);
    const rep_paper *paper = &m.report.papers[0];
    assert_int_equal(paper->cells, 8);
    assert_int_equal(paper->compared, 6);
    assert_true(fabs(paper->ratio - cbrt(2 * 0.5 * 1.5)) < 1e-12);
    assert_true(fabs(paper->rank_correlation - (-0.5 + 1) / 2) < 1e-12);
    assert_int_equal(paper->rows, 2);
    assert_int_equal(paper->same_best, 1);
    assert_string_equal(paper->summary,
                        "6 of 8 published cells have our figure: ours / published 1.14 (geometric "
                        "mean), rank correlation 0.25; the best is the same in 1 of 2 rows.");
    unmake(&m);
}

TEST(figures_are_relative_to_their_baseline) {
    made m;
    col_problem problem;
    assert_int_equal(make(&m, "table-2", fill, &problem), COL_OK);
    /* htg takes twice as long as plain, chain half: more than 1 is better */
    assert_true(cell_of(&m, "paper-table-2", "ours", "E.1", "htg")->value == 0.5);
    assert_true(cell_of(&m, "paper-table-2", "ours", "E.1", "chain")->value == 2);
    assert_true(cell_of(&m, "paper-table-2", "ours", "E.1", "chain")->best);
    assert_true(m.report.papers[0].rank_correlation == 1);
    unmake(&m);
}

TEST(names_choose_tables) {
    static const struct {
        const char *paper;
        uint32_t papers, tables;
    } cases[] = {{"table-1", 1, 1}, {"table", 2, 2}, {"list", 2, 0}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made m;
        col_problem problem;
        assert_int_equal(make(&m, cases[i].paper, fill, &problem), COL_OK);
        assert_int_equal(m.report.paper_count, cases[i].papers);
        assert_int_equal(m.report.table_count, cases[i].tables);
        unmake(&m);
    }
    made m;
    col_problem problem;
    assert_int_equal(make(&m, "table-9", fill, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message,
                        "there is no published table 'table-9' in the plans of these "
                        "results; --paper list shows what there is");
    unmake(&m);
}

/* Without trials every cell says so, and a report of everything has the tables, too. */
TEST(without_data_nothing_is_compared) {
    made m;
    col_problem problem;
    assert_int_equal(make(&m, NULL, NULL, &problem), COL_OK);
    const rep_table *table = made_table(&m.report, "paper-table-1");
    assert_non_null(table);
    for (size_t i = 0; i < table->row_count; i++)
        assert_string_equal(made_cell_of(table, i, 2)->text, "no data");
    assert_string_equal(m.report.papers[0].summary,
                        "0 of 8 published cells have our figure: no ratio.");
    unmake(&m);
}

/* Two sizes of a plan in a store are two tables. */
TEST(each_scale_has_its_own) {
    made m;
    col_problem problem;
    assert_int_equal(make(&m, "table-1", fill, &problem), COL_OK);
    rep_report_free(&m.report);
    made_store(m.path, plan, "small", fill);
    made_report(&m.report, m.path);
    assert_int_equal(m.report.plan_count, 2);
    assert_non_null(made_table(&m.report, "paper-table-1"));
    assert_non_null(made_table(&m.report, "paper-table-1-table-small"));
    unmake(&m);
}

/* The only figure of a row is not its best, nor is a bound; equal ones share it. */
TEST(only_a_figure_with_competitors_is_the_best) {
    static const struct {
        rep_cell cells[3];
        bool less_is_better, best[3];
    } cases[] = {
        {{{.value = 5}, {.value = NAN}, {.value = NAN}}, true, {false, false, false}},
        {{{.value = 5}, {.value = 7, .censored = true}, {.value = NAN}},
         true,
         {true, false, false}},
        {{{.value = 5, .censored = true}, {.value = 7}, {.value = 7}}, true, {false, true, true}},
        {{{.value = 5}, {.value = 7}, {.value = 6}}, false, {false, true, false}}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rep_cell cells[3];
        memcpy(cells, cases[i].cells, sizeof cells);
        rep_mark_best(cells, 3, cases[i].less_is_better);
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(cells[k].best, cases[i].best[k]);
    }
}

TEST(text_lines_up) {
    rep_cell cells[2][2] = {{{.text = "é"}, {.text = "12", .best = true}},
                            {{.text = "long\nname"}, {.text = ">3", .found = 1, .of = 4}}};
    rep_row rows[] = {{.cells = cells[0]}, {.cells = cells[1]}};
    rep_column columns[] = {{.name = "a"}, {.name = "n", .is_number = true}};
    const rep_table table = {.columns = columns, .column_count = 2, .rows = rows, .row_count = 2};
    base_text text = {0};
    rep_text_table(&table, &text);
    assert_string_equal(text.data, "a                 n\n"
                                   "é              12 *\n"
                                   "long name  >3 (1/4)\n");
    base_text_free(&text);
}
