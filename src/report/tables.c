/* SPDX-License-Identifier: MIT */
/* All tables, and those of errors: how long it took to find what was put in, and which mutants were
 * killed. */
#include "report/tables.h"

/* Bootstrap intervals of this many trials take too long for a report. */
enum { MOST_INTERVAL_TRIALS = 20000 };

col_status rep_ask(rep_maker *m, const cam_question *question, uint32_t group, cam_answer *answer,
                   col_problem *problem) {
    cam_question q = *question;
    q.no_interval = m->trial_count > MOST_INTERVAL_TRIALS;
    return cam_ask(&q, rep_rows(m, group), rep_member_count(m, group), NULL, 0, 1, answer, problem);
}

col_status rep_fill_contenders(rep_maker *m, const rep_pivot *p, const rep_scenario *s,
                               const cam_question *question, rep_cell *cells,
                               col_problem *problem) {
    const char *statistic = question->statistic;
    for (uint32_t i = 0; i < s->group_count; i++) {
        const uint32_t group = s->groups[i];
        const uint32_t column = base_names_find(&p->contenders, m->report->groups[group].contender);
        cam_answer answer;
        const col_status status = rep_ask(m, question, group, &answer, problem);
        if (status != COL_OK)
            return status;
        rep_cell_answer(m, &cells[column], &answer, cam_statistic_unit(statistic), group);
        if (!rep_can_be_missed(statistic))
            cells[column].of = 0;
    }
    rep_mark_best(cells, (uint32_t)p->contenders.count, cam_statistic_less_is_better(statistic));
    return COL_OK;
}

/* ---- Times to errors. */

static bool is_hunt(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    return s->kind == CAM_EPISODE && s->hunts && s->is_done;
}

static col_status fill_row(rep_maker *m, const rep_pivot *p, const rep_scenario *s,
                           const cam_question *question, rep_builder *b, col_problem *problem) {
    rep_row *row = rep_pivot_row(p, b, s, REP_NO_GROUP);
    if (row == NULL)
        return base_out_of_memory(problem);
    const col_status status =
        rep_fill_contenders(m, p, s, question, row->cells + rep_pivot_width(p), problem);
    rep_builder_settle(b);
    return status;
}

static col_status add_times(rep_maker *m, const rep_pivot *p, const char *id, const char *title,
                            const char *statistic, col_problem *problem) {
    rep_builder b = {
        .maker = m,
        .table = {.id = id,
                  .title = title,
                  .note = "Medians by Kaplan and Meier; small: trials that found the error, of "
                          "all; >: fewer than half of them did, so it is at least this."}};
    const cam_question question = {.statistic = statistic};
    col_status status = COL_OK;
    rep_pivot_columns(p, &b);
    rep_pivot_contenders(p, &b);
    for (uint32_t i = 0; i < p->scenario_count && status == COL_OK; i++)
        status = fill_row(m, p, p->scenarios[i], &question, &b, problem);
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

col_status rep_tables_of_errors(rep_maker *m, col_problem *problem) {
    rep_pivot hunts;
    col_status status = rep_pivot_make(m, is_hunt, &hunts, problem);
    if (status == COL_OK)
        status = add_times(m, &hunts, "time-to-error", "Time to error, in cycles",
                           "cycles-to-error", problem);
    if (status == COL_OK)
        status = add_times(m, &hunts, "time-to-error-seconds", "Time to error, in seconds",
                           "seconds-to-error", problem);
    rep_pivot_free(&hunts);
    return status == COL_OK ? rep_tables_of_mutants(m, problem) : status;
}

/* ---- All. */

typedef col_status (*step)(rep_maker *maker, col_problem *problem);

static const step steps[] = {
    rep_tables_of_errors, rep_tables_of_coverage, rep_tables_of_comparisons, rep_tables_of_tours,
    rep_tables_of_papers, rep_tables_of_failures, rep_tables_of_trials};

col_status rep_make_tables(rep_maker *m, col_problem *problem) {
    col_status status = COL_OK;
    if (m->settings->paper != NULL)
        return rep_tables_of_papers(m, problem);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == COL_OK; i++)
        status = steps[i](m, problem);
    return status;
}
