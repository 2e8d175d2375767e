/* SPDX-License-Identifier: MIT */
/*
 * Tables of coverage: what it took to get there, and what it came to. Trials that hunt an error end
 * when they find it, so they tell of coverage only where there are no others and none was ended so.
 */
#include "report/tables.h"

#include "statistics/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Errors did not end its trials. */
static bool is_whole(const rep_maker *m, const rep_scenario *s) {
    for (uint32_t i = 0; i < s->group_count; i++)
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++) {
            const cam_row *row = rep_rows(m, s->groups[i])[k];
            if (row->is_done && row->ended_by != NULL && strcmp(row->ended_by, "error") == 0)
                return false;
        }
    return s->kind == CAM_EPISODE && s->is_done;
}

bool rep_tells_of_coverage(const rep_maker *m, const rep_scenario *s) {
    return m->has_quiet ? rep_is_quiet(s) : is_whole(m, s);
}

/* ---- What there was to cover. */

typedef struct goal {
    uint32_t total, points; /* points: reachable ones if they are known, else the most covered */
    bool is_known;
} goal;

static goal goal_of(const rep_maker *m, const rep_scenario *s, col_metric metric) {
    uint32_t reachable = 0, most = 0;
    goal g = {0};
    for (uint32_t i = 0; i < s->group_count; i++)
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++) {
            const cam_row *row = rep_rows(m, s->groups[i])[k];
            const cam_extent *e = &row->coverage[metric];
            if (!row->is_done)
                continue;
            g.is_known |= e->reachable_known;
            g.total = e->total > g.total ? e->total : g.total;
            most = e->covered > most ? e->covered : most;
            reachable = e->reachable_known && e->reachable > reachable ? e->reachable : reachable;
        }
    g.points = g.is_known ? reachable : most;
    return g;
}

/* ---- Times. */

static const uint32_t levels[] = {50, 75, 90, 95};
enum { LEVELS = sizeof levels / sizeof *levels };

typedef struct subject {
    const char *id, *title, *statistic;
    col_metric metric;
} subject;

static col_status fill_level(rep_maker *m, const rep_pivot *p, const rep_scenario *s,
                             const subject *what, uint32_t level, rep_builder *b,
                             col_problem *problem) {
    const goal g = goal_of(m, s, what->metric);
    const uint32_t width = rep_pivot_width(p) + 1;
    const double points = ceil(g.points * (level / 100.0) - 1e-9);
    if (g.total == 0 || points < 1)
        return COL_OK;
    const cam_question question = {
        .statistic = what->statistic, .metric = what->metric, .at = points / g.total};
    rep_row *row = rep_pivot_row(p, b, s, REP_NO_GROUP);
    if (row == NULL)
        return base_out_of_memory(problem);
    rep_cell_text(&row->cells[width - 1], rep_brief(m, "%u %%: %.0f of %u%s", level, points,
                                                    g.points, g.is_known ? "" : " reached"));
    const col_status status = rep_fill_contenders(m, p, s, &question, row->cells + width, problem);
    rep_builder_settle(b);
    return status;
}

static col_status add_times(rep_maker *m, const rep_pivot *p, const subject *what,
                            col_problem *problem) {
    rep_builder b = {
        .maker = m,
        .table = {.id = what->id,
                  .title = what->title,
                  .note = "Until this part was covered of what is known to be reachable, or else "
                          "of the most that any trial covered; small: trials that got there."}};
    col_status status = COL_OK;
    rep_pivot_columns(p, &b);
    rep_builder_column(&b, "points", false);
    rep_pivot_contenders(p, &b);
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < LEVELS && status == COL_OK; k++)
            status = fill_level(m, p, p->scenarios[i], what, levels[k], &b, problem);
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

/* ---- At the end. */

static const rep_column final_columns[] = {{.name = "contender"},
                                           {.name = "trials", .is_number = true},
                                           {.name = "points", .is_number = true},
                                           {.name = "median", .is_number = true},
                                           {.name = "lower quartile", .is_number = true},
                                           {.name = "upper quartile", .is_number = true},
                                           {.name = "least", .is_number = true},
                                           {.name = "most", .is_number = true},
                                           {.name = "of reachable", .is_number = true}};
enum { FINAL_COLUMNS = sizeof final_columns / sizeof *final_columns };

/* What each trial that was done covered; how many there are. */
size_t rep_covered(const rep_maker *m, uint32_t group, col_metric metric, double *values) {
    const cam_row *const *rows = rep_rows(m, group);
    size_t count = 0;
    for (size_t i = 0; i < rep_member_count(m, group); i++)
        if (rows[i]->is_done && rows[i]->coverage[metric].total > 0)
            values[count++] = rows[i]->coverage[metric].covered;
    return count;
}

static col_status fill_group(rep_maker *m, uint32_t group, const goal *g, col_metric metric,
                             rep_cell *cells, col_problem *problem) {
    const char *const statistics[] = {"coverage", "reached"};
    double *values = malloc((rep_member_count(m, group) + 1) * sizeof *values);
    if (values == NULL)
        return base_out_of_memory(problem);
    const size_t count = rep_covered(m, group, metric, values);
    rep_cell_text(&cells[0], m->report->groups[group].contender);
    rep_cell_number(m, &cells[1], (double)count, "");
    if (count > 0) {
        const sta_quartiles q = sta_summarise(values, count);
        const double parts[] = {q.lower, q.upper, q.least, q.most};
        rep_cell_number(m, &cells[2], q.median, "points");
        for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
            rep_cell_number(m, &cells[4 + i], parts[i] / g->total, "fraction");
    }
    free(values);
    col_status status = COL_OK;
    for (uint32_t i = 0; i < 2 && status == COL_OK; i++) {
        cam_answer answer;
        status = rep_ask(m, &(cam_question){.statistic = statistics[i], .metric = metric}, group,
                         &answer, problem);
        answer.of = 0; /* the number of trials has its own column */
        if (status == COL_OK)
            rep_cell_answer(m, &cells[i == 0 ? 3 : FINAL_COLUMNS - 1], &answer, "fraction", group);
    }
    return status;
}

static col_status add_finals(rep_maker *m, const rep_pivot *p, const subject *what,
                             col_problem *problem) {
    const uint32_t width = rep_pivot_width(p);
    rep_builder b = {
        .maker = m,
        .table = {.id = what->id,
                  .title = what->title,
                  .note = "Of all points that are defined; the last column, of those known to be "
                          "reachable."}};
    col_status status = COL_OK;
    rep_pivot_columns(p, &b);
    for (uint32_t i = 0; i < FINAL_COLUMNS; i++)
        rep_builder_column(&b, i == 0 ? p->word : final_columns[i].name,
                           final_columns[i].is_number);
    for (uint32_t i = 0; i < p->scenario_count && status == COL_OK; i++) {
        const rep_scenario *s = p->scenarios[i];
        const goal g = goal_of(m, s, what->metric);
        const size_t first = b.table.row_count;
        for (uint32_t k = 0; k < s->group_count && status == COL_OK && g.total > 0; k++) {
            rep_row *row = rep_pivot_row(p, &b, s, s->groups[k]);
            status = row == NULL ? base_out_of_memory(problem)
                                 : fill_group(m, s->groups[k], &g, what->metric, row->cells + width,
                                              problem);
        }
        if (status == COL_OK)
            rep_mark_best_row(b.table.rows, first, b.table.row_count, width + 3, false);
        rep_builder_settle(&b);
    }
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

col_status rep_tables_of_coverage(rep_maker *m, col_problem *problem) {
    static const subject times[] = {
        {"time-to-coverage", "Time to coverage, in cycles", "cycles-to-coverage", COL_STRUCTURAL},
        {"time-to-coverage-seconds", "Time to coverage, in seconds", "seconds-to-coverage",
         COL_STRUCTURAL},
        {"time-to-coverage-functional", "Time to functional coverage, in cycles",
         "cycles-to-coverage", COL_FUNCTIONAL}};
    static const subject finals[] = {
        {"final-coverage", "Final coverage, structural", NULL, COL_STRUCTURAL},
        {"final-coverage-functional", "Final coverage, functional", NULL, COL_FUNCTIONAL}};
    rep_pivot p;
    col_status status = rep_pivot_make(m, rep_tells_of_coverage, &p, problem);
    for (size_t i = 0; i < sizeof times / sizeof *times && status == COL_OK; i++)
        status = add_times(m, &p, &times[i], problem);
    for (size_t i = 0; i < sizeof finals / sizeof *finals && status == COL_OK; i++)
        status = add_finals(m, &p, &finals[i], problem);
    rep_pivot_free(&p);
    return status;
}
