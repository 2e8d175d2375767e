/* SPDX-License-Identifier: MIT */
/*
 * Ours beside the published: each cell of a paper's table asks the same of our trials, those that
 * its selectors choose, and is put beside the paper's figure with the ratio of both.
 */
#include "report/paper.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which trials a cell is of. */

enum { MOST_PAIRS = 64 };

static bool names(const cam_selector *selector, const char *name) {
    for (uint32_t i = 0; i < selector->count; i++)
        if (strcmp(selector->pairs[i].name, name) == 0)
            return true;
    return false;
}

/* What a baseline names replaces the cell's. */
static uint32_t merge(const cam_selector *from, const cam_selector *baseline, cam_pair *pairs,
                      uint32_t count) {
    for (uint32_t i = 0; i < from->count && count < MOST_PAIRS; i++)
        if (baseline == NULL || !names(baseline, from->pairs[i].name))
            pairs[count++] = from->pairs[i];
    return count;
}

static cam_selector select_cell(const cam_published *p, uint32_t row, uint32_t column,
                                const cam_selector *baseline, cam_pair *pairs) {
    uint32_t count = merge(&p->where, baseline, pairs, 0);
    count = merge(&p->rows[row], baseline, pairs, count);
    count = merge(&p->columns[column], baseline, pairs, count);
    if (baseline != NULL)
        count = merge(baseline, NULL, pairs, count);
    return (cam_selector){pairs, count};
}

typedef struct choice {
    const cam_row **rows;
    size_t count, capacity;
    uint32_t group; /* of the first */
} choice;

static col_status choose(const rep_maker *m, uint32_t plan, const cam_selector *selector,
                         choice *chosen, col_problem *problem) {
    const bool by_trial = names(selector, "seed"); /* else groups are chosen whole */
    chosen->count = 0;
    chosen->group = REP_NO_GROUP;
    for (uint32_t g = 0; g < m->report->group_count; g++) {
        const rep_group *group = &m->report->groups[g];
        if (group->plan != plan ||
            (!by_trial && !cam_selects(selector, group->kind, group->pairs, group->pair_count)))
            continue;
        const size_t count = rep_member_count(m, g);
        const col_status status = base_reserve(
            &chosen->rows, &chosen->capacity, chosen->count + count, sizeof *chosen->rows, problem);
        if (status != COL_OK)
            return status;
        for (size_t i = 0; i < count; i++) {
            const cam_row *row = rep_rows(m, g)[i];
            if (by_trial && !cam_selects(selector, row->kind, row->pairs, row->pair_count))
                continue;
            if (chosen->count == 0)
                chosen->group = g;
            chosen->rows[chosen->count++] = row;
        }
    }
    return COL_OK;
}

/* ---- Our figure. */

static col_metric metric_of(const cam_published *p) {
    return p->metric != NULL && strcmp(p->metric, cam_metric_name(COL_FUNCTIONAL)) == 0
               ? COL_FUNCTIONAL
               : COL_STRUCTURAL;
}

static col_status ask(rep_maker *m, rep_comparison *c, uint32_t row, uint32_t column,
                      rep_figures *f, col_problem *problem) {
    const cam_published *p = c->published;
    const bool is_relative = cam_statistic_is_relative(p->statistic);
    const cam_question question = {.statistic = p->statistic,
                                   .at = p->at,
                                   .machine = p->machine,
                                   .per = p->per,
                                   .metric = metric_of(p)};
    cam_pair pairs[MOST_PAIRS], other[MOST_PAIRS];
    choice chosen = {0}, baseline = {0};
    const cam_selector selector = select_cell(p, row, column, NULL, pairs);
    col_status status = choose(m, c->plan, &selector, &chosen, problem);
    if (status == COL_OK && is_relative) {
        const cam_selector rival = select_cell(p, row, column, &p->baseline, other);
        status = choose(m, c->plan, &rival, &baseline, problem);
    }
    if (status == COL_OK)
        status = cam_ask(&question, chosen.rows, chosen.count, baseline.rows, baseline.count, 1,
                         &f->ours, problem);
    f->group = chosen.group;
    free(chosen.rows);
    free(baseline.rows);
    const double scale = p->scale == 0 ? 1 : p->scale;
    f->ours.value *= scale;
    f->ours.low *= scale;
    f->ours.high *= scale;
    return status;
}

/* ---- All cells. */

static col_status fill(rep_maker *m, rep_comparison *c, col_problem *problem) {
    const cam_published *p = c->published;
    const size_t count = (size_t)p->row_count * p->column_count;
    col_status status = COL_OK;
    c->figures = calloc(count + 1, sizeof *c->figures);
    if (c->figures == NULL)
        return base_out_of_memory(problem);
    for (uint32_t row = 0; row < p->row_count; row++)
        for (uint32_t column = 0; column < p->column_count && status == COL_OK; column++) {
            const size_t place = (size_t)row * p->column_count + column;
            c->figures[place].theirs = p->cells[place];
            status = ask(m, c, row, column, &c->figures[place], problem);
        }
    return status;
}

static bool is_asked_for(const rep_maker *m, const cam_plan *plan, const cam_published *p) {
    const char *paper = m->settings->paper;
    return paper == NULL || strcmp(paper, p->name) == 0 || strcmp(paper, plan->name) == 0;
}

static col_status add_paper(rep_maker *m, rep_comparison *c, bool is_listed, col_problem *problem) {
    rep_report *r = m->report;
    const cam_published *p = c->published;
    r->papers =
        rep_grow(&r->arena, r->papers, r->paper_count, &m->paper_capacity, sizeof *r->papers);
    if (r->papers == NULL)
        return base_out_of_memory(problem);
    rep_paper *paper = &r->papers[r->paper_count];
    *paper = (rep_paper){.name = rep_keep(m, p->name),
                         .title = rep_keep(m, p->title),
                         .source = rep_keep(m, p->source),
                         .statistic = rep_keep(m, p->statistic),
                         .unit = rep_keep(m, p->unit),
                         .note = rep_keep(m, p->note),
                         .plan = c->plan,
                         .table = UINT32_MAX,
                         .ratio = NAN,
                         .rank_correlation = NAN,
                         .summary = ""};
    for (size_t i = 0; i < (size_t)p->row_count * p->column_count; i++)
        paper->cells += p->cells[i].kind != CAM_CELL_NONE;
    r->paper_count++;
    if (is_listed)
        return COL_OK;
    col_status status = fill(m, c, problem);
    if (status == COL_OK)
        status = rep_paper_summarise(m, c, paper, problem);
    if (status == COL_OK)
        status = rep_paper_table(m, c, paper, problem);
    free(c->figures);
    return status;
}

/* A plan of another version that cannot be read is no reason to show nothing. */
static col_status warn(rep_maker *m, const rep_plan *plan, const col_problem *why,
                       col_problem *problem) {
    char sentence[1024];
    rep_report *r = m->report;
    r->warnings = rep_grow(&r->arena, r->warnings, r->warning_count, &m->warning_capacity,
                           sizeof *r->warnings);
    if (r->warnings == NULL)
        return base_out_of_memory(problem);
    r->warnings[r->warning_count++] =
        rep_print(m, "the published tables of plan %s cannot be read: %s", plan->name,
                  col_problem_text(why, sentence, sizeof sentence));
    return COL_OK;
}

static col_status add_plan(rep_maker *m, uint32_t number, col_problem *problem) {
    const rep_plan *row = &m->report->plans[number];
    const bool is_listed = m->settings->paper != NULL && strcmp(m->settings->paper, "list") == 0;
    /* Its designs are named here, never opened, and its trials are those of the store. */
    cam_plan plan = {.allows_code = true, .omits_trials = true};
    col_problem why = {0};
    if (row->text[0] == '\0')
        return COL_OK; /* episodes without a plan */
    col_status status = cam_plan_read(&plan, row->text, strlen(row->text), row->name,
                                      row->scale[0] == '\0' ? NULL : row->scale, &why);
    if (status != COL_OK) {
        cam_plan_free(&plan);
        if (status == COL_BAD_INPUT)
            return warn(m, row, &why, problem);
        *problem = why;
        return status;
    }
    for (uint32_t i = 0; i < plan.published_count && status == COL_OK; i++) {
        rep_comparison c = {.plan = number, .published = &plan.published[i]};
        if (is_listed || is_asked_for(m, &plan, c.published))
            status = add_paper(m, &c, is_listed, problem);
    }
    cam_plan_free(&plan);
    return status;
}

static col_status refuse_name(const rep_maker *m, col_problem *problem) {
    return base_refuse(problem,
                       "there is no published table '%.100s' in the plans of these results; "
                       "--paper list shows what there is",
                       m->settings->paper);
}

col_status rep_tables_of_papers(rep_maker *m, col_problem *problem) {
    col_status status = COL_OK;
    if (m->settings->until > 0)
        return COL_OK; /* published figures are of whole episodes */
    for (uint32_t i = 0; i < m->report->plan_count && status == COL_OK; i++)
        status = add_plan(m, i, problem);
    const char *paper = m->settings->paper;
    if (status == COL_OK && paper != NULL && strcmp(paper, "list") != 0 &&
        m->report->paper_count == 0)
        return refuse_name(m, problem);
    return status;
}
