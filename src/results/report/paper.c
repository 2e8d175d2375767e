/* SPDX-License-Identifier: MIT */
/*
 * Ours beside the published: each cell of a paper's table asks the same of our trials, those that
 * its selectors choose, and is put beside the paper's figure with the ratio of both.
 */
#include "results/report/report_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which trials a cell is of. */

enum { MOST_PAIRS = 64 };

static bool names(const cam_selector *selector, const char *name) {
    return cam_pair_value(selector->pairs, selector->count, name) != NULL;
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
    count = merge(&p->rows.list[row], baseline, pairs, count);
    count = merge(&p->columns.list[column], baseline, pairs, count);
    if (baseline != NULL)
        count = merge(baseline, NULL, pairs, count);
    return (cam_selector){pairs, count};
}

typedef struct choice {
    const cam_row **rows;
    size_t count, capacity;
    uint32_t group; /* of the first */
} choice;

static void choose(rep_maker *m, uint32_t plan, const cam_selector *selector, choice *chosen) {
    const bool by_trial = names(selector, "seed"); /* else groups are chosen whole */
    chosen->group = REP_NO_GROUP;
    for (uint32_t g = 0; g < m->report->group_count; g++) {
        const rep_group *group = &m->report->groups[g];
        if (group->plan != plan ||
            (!by_trial && !cam_selects(selector, group->kind, group->pairs, group->pair_count)))
            continue;
        const size_t count = rep_member_count(m, g);
        if (!rep_reserve(m, &chosen->rows, &chosen->capacity, chosen->count + count,
                         sizeof *chosen->rows))
            return;
        for (size_t i = 0; i < count; i++) {
            const cam_row *row = rep_rows(m, g)[i];
            if (by_trial && !cam_selects(selector, row->kind, row->pairs, row->pair_count))
                continue;
            if (chosen->count == 0)
                chosen->group = g;
            chosen->rows[chosen->count++] = row;
        }
    }
}

/* ---- A published table beside ours, cell by cell. */

typedef struct figures {
    cam_answer ours; /* in the paper's unit */
    cam_cell theirs;
    uint32_t group; /* of our first trial; REP_NO_GROUP: there is none */
} figures;

typedef struct comparison {
    uint32_t plan;
    const cam_published *published;
    figures *figures; /* by rows */
} comparison;

static void ask(rep_maker *m, comparison *c, uint32_t row, uint32_t column, figures *f) {
    const cam_published *p = c->published;
    const cam_question question = {.statistic = p->statistic,
                                   .at = p->at,
                                   .machine = p->machine,
                                   .per = p->per,
                                   .metric = strcmp(p->metric, cam_metric_name(COL_FUNCTIONAL)) == 0
                                                 ? COL_FUNCTIONAL
                                                 : COL_STRUCTURAL};
    cam_pair pairs[MOST_PAIRS], other[MOST_PAIRS];
    choice chosen = {0}, baseline = {0};
    const cam_selector selector = select_cell(p, row, column, NULL, pairs);
    choose(m, c->plan, &selector, &chosen);
    if (cam_statistic_find(p->statistic)->is_relative) {
        const cam_selector rival = select_cell(p, row, column, &p->baseline, other);
        choose(m, c->plan, &rival, &baseline);
    }
    BASE_THEN(m->status, cam_ask(&question, chosen.rows, chosen.count, baseline.rows,
                                 baseline.count, 1, &f->ours, m->problem));
    f->group = chosen.group;
    free(chosen.rows);
    free(baseline.rows);
    const double scale = p->scale == 0 ? 1 : p->scale;
    f->ours.value *= scale;
    f->ours.low *= scale;
    f->ours.high *= scale;
}

/* A plain number: papers do not write 12.3 k. */
static const char *plain(rep_maker *m, double value) {
    if (!isfinite(value))
        return isnan(value) ? "" : "never";
    const double size = fabs(value);
    if (value == floor(value) || size >= 1000)
        return rep_print(m, "%.0f", value);
    return size >= 100    ? rep_print(m, "%.1f", value)
           : size >= 1    ? rep_print(m, "%.2f", value)
           : size >= 0.01 ? rep_print(m, "%.3f", value)
                          : rep_print(m, "%.2g", value);
}

/* ---- What the two have in common. */

static bool has_both(const figures *f) {
    return f->ours.is_known && f->theirs.kind != CAM_CELL_NONE;
}

/* Censored on neither side, so that the ratio is one. */
static bool has_ratio(const figures *f) {
    return has_both(f) && !f->ours.is_censored && f->theirs.kind == CAM_CELL_VALUE &&
           f->theirs.value != 0 && isfinite(f->ours.value);
}

/* What ranks: a bound ranks behind all figures of times, and of what is good behind them, too. */
static double rank_value(bool is_censored, double value, bool less_is_better) {
    return is_censored ? INFINITY : less_is_better ? value : -value;
}

/* Mean ranks: equal values share theirs. */
static void find_ranks(const double *values, size_t count, double *ranks) {
    for (size_t i = 0; i < count; i++) {
        double below = 0, equal = 0;
        for (size_t k = 0; k < count; k++) {
            below += values[k] < values[i];
            equal += values[k] == values[i];
        }
        ranks[i] = below + (equal + 1) / 2;
    }
}

/* Spearman's: the correlation of the ranks; NAN where all are equal. */
static double correlate(const double *x, const double *y, size_t count, double *room) {
    double *a = room, *b = room + count;
    double xy = 0, xx = 0, yy = 0;
    const double mean = ((double)count + 1) / 2;
    find_ranks(x, count, a);
    find_ranks(y, count, b);
    for (size_t i = 0; i < count; i++) {
        xy += (a[i] - mean) * (b[i] - mean);
        xx += (a[i] - mean) * (a[i] - mean);
        yy += (b[i] - mean) * (b[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

typedef struct line {
    double *ours, *theirs, *room;
    size_t count;
} line;

static bool all_equal(const double *values, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

/* The best is what no other of the row beats, in either list the same cell. Where all are equal
 * there is none. */
static bool same_best(const line *l, bool *has_best) {
    size_t ours = 0, theirs = 0;
    for (size_t i = 1; i < l->count; i++) {
        ours = l->ours[i] < l->ours[ours] ? i : ours;
        theirs = l->theirs[i] < l->theirs[theirs] ? i : theirs;
    }
    *has_best = l->count > 1 && !all_equal(l->ours, l->count) && !all_equal(l->theirs, l->count);
    return *has_best && (l->ours[ours] == l->ours[theirs] || l->theirs[theirs] == l->theirs[ours]);
}

/* Cells first, first + step ... of one row, or of one column where rows have one cell. */
static void take_line(const comparison *c, size_t first, size_t step, size_t count, line *l) {
    const bool less = cam_statistic_less_is_better(c->published->statistic);
    l->count = 0;
    for (size_t i = 0; i < count; i++) {
        const figures *f = &c->figures[first + i * step];
        if (!has_both(f))
            continue;
        l->ours[l->count] = rank_value(f->ours.is_censored, f->ours.value, less);
        l->theirs[l->count++] = rank_value(f->theirs.kind == CAM_CELL_ABOVE, f->theirs.value, less);
    }
}

static void rank_lines(const comparison *c, line *l, rep_paper *paper) {
    const cam_published *p = c->published;
    const bool by_rows = p->columns.count > 1;
    const size_t lines = by_rows ? p->rows.count : 1;
    double sum = 0;
    uint32_t ranked = 0;
    for (size_t i = 0; i < lines; i++) {
        bool has_best = false;
        take_line(c, i * p->columns.count, 1, by_rows ? p->columns.count : p->rows.count, l);
        const double rho = l->count > 1 ? correlate(l->ours, l->theirs, l->count, l->room) : NAN;
        const bool is_same = l->count > 1 && same_best(l, &has_best);
        sum += isnan(rho) ? 0 : rho;
        ranked += isnan(rho) ? 0 : 1;
        paper->rows += has_best;
        paper->same_best += is_same;
    }
    paper->rank_correlation = ranked == 0 ? NAN : sum / ranked;
}

static void write_summary(rep_maker *m, rep_paper *paper, bool by_rows) {
    const char *ratio = isnan(paper->ratio) ? "no ratio"
                                            : rep_print(m, "ours / published %s (geometric mean)",
                                                        plain(m, paper->ratio));
    const char *rank = isnan(paper->rank_correlation)
                           ? ""
                           : rep_print(m, ", rank correlation %.2f", paper->rank_correlation);
    const char *best =
        paper->rows == 0 ? ""
        : by_rows
            ? rep_print(m, "; the best is the same in %u of %u rows", paper->same_best, paper->rows)
            : rep_print(m, "; the best is %s", paper->same_best > 0 ? "the same" : "another one");
    paper->summary = rep_print(m, "%u of %u published cells have our figure: %s%s%s.",
                               paper->compared, paper->cells, ratio, rank, best);
}

static void summarise(rep_maker *m, const comparison *c, rep_paper *paper) {
    const size_t rows = c->published->rows.count, columns = c->published->columns.count;
    const size_t longest = rows > columns ? rows : columns, count = rows * columns;
    double logarithms = 0;
    uint32_t ratios = 0;
    for (size_t i = 0; i < count; i++) {
        const figures *f = &c->figures[i];
        paper->compared += has_both(f);
        if (!has_ratio(f) || f->ours.value / f->theirs.value <= 0)
            continue;
        logarithms += log(f->ours.value / f->theirs.value);
        ratios++;
    }
    paper->ratio = ratios == 0 ? NAN : exp(logarithms / ratios);
    double *room = calloc(4 * longest + 1, sizeof *room);
    if (!rep_has(m, room))
        return;
    line l = {.ours = room, .theirs = room + longest, .room = room + 2 * longest};
    rank_lines(c, &l, paper);
    free(room);
    write_summary(m, paper, columns > 1);
}

/* ---- The table. */

enum { MOST_NAMES = 32 };

/* The settings that selectors name. */
static uint32_t list_names(const cam_selectors *selectors, const char **list, uint32_t used) {
    for (uint32_t i = 0; i < selectors->count; i++)
        for (uint32_t k = 0; k < selectors->list[i].count; k++) {
            const char *name = selectors->list[i].pairs[k].name;
            bool is_there = false;
            for (uint32_t n = 0; n < used; n++)
                is_there |= strcmp(list[n], name) == 0;
            if (!is_there && used < MOST_NAMES)
                list[used++] = name;
        }
    return used;
}

static void fill_ours(rep_maker *m, const comparison *c, const figures *f, rep_cell *cell) {
    const char *statistic = c->published->statistic;
    rep_cell_answer(m, cell, &f->ours, "", f->group);
    if (f->ours.found == f->ours.of && !rep_can_be_missed(statistic))
        cell->of = 0;
    if (!f->ours.is_known) {
        rep_cell_text(cell, "no data");
        return;
    }
    rep_cell_text(cell,
                  rep_print(m, "%s%s", f->ours.is_censored ? ">" : "", plain(m, cell->value)));
}

static void fill_theirs(rep_maker *m, const figures *f, rep_cell *cell) {
    if (f->theirs.kind == CAM_CELL_NONE) {
        rep_cell_text(cell, "-");
        return;
    }
    cell->value = f->theirs.value;
    cell->censored = f->theirs.kind == CAM_CELL_ABOVE;
    rep_cell_text(cell, rep_print(m, "%s%s", cell->censored ? ">" : "", plain(m, cell->value)));
    if (f->theirs.of > 0) {
        cell->found = (uint32_t)f->theirs.found;
        cell->of = (uint32_t)f->theirs.of;
    }
}

/* A bound over a figure is a bound; a figure over a bound is one from above. */
static void fill_ratio(rep_maker *m, const figures *f, rep_cell *cell) {
    const bool theirs_is_bound = f->theirs.kind == CAM_CELL_ABOVE;
    if (!has_both(f) || f->theirs.value == 0 || !isfinite(f->ours.value) ||
        (f->ours.is_censored && theirs_is_bound))
        return;
    cell->value = f->ours.value / f->theirs.value;
    cell->censored = f->ours.is_censored;
    const char *sign = f->ours.is_censored ? ">" : theirs_is_bound ? "<" : "";
    rep_cell_text(cell, rep_print(m, "%s%s", sign, plain(m, cell->value)));
    if (theirs_is_bound) {
        cell->high = cell->value;
        cell->value = NAN;
    }
}

static void fill_cell(rep_builder *b, const comparison *c, uint32_t row, uint32_t column,
                      const char *const *names, uint32_t name_count) {
    rep_maker *m = b->maker;
    const cam_published *p = c->published;
    const figures *f = &c->figures[(size_t)row * p->columns.count + column];
    rep_row *entry = rep_builder_row(b, REP_NO_GROUP);
    cam_pair *axes = rep_take(m, name_count, sizeof *axes);
    if (entry == NULL || axes == NULL)
        return;
    entry->axes = axes;
    for (uint32_t i = 0; i < name_count; i++) {
        const cam_selector *of_row = &p->rows.list[row], *of_column = &p->columns.list[column];
        const char *value = cam_pair_value(of_row->pairs, of_row->count, names[i]);
        if (value == NULL)
            value = cam_pair_value(of_column->pairs, of_column->count, names[i]);
        rep_cell_text(&entry->cells[i], rep_keep(m, value));
        if (value != NULL)
            axes[entry->axis_count++] =
                (cam_pair){.name = rep_keep(m, names[i]), .value = rep_keep(m, value)};
    }
    fill_ours(m, c, f, &entry->cells[name_count]);
    fill_theirs(m, f, &entry->cells[name_count + 1]);
    fill_ratio(m, f, &entry->cells[name_count + 2]);
}

static void describe(rep_maker *m, const comparison *c, const rep_paper *paper, rep_table *table) {
    const cam_published *p = c->published;
    const char *scale = m->report->plans[c->plan].scale;
    const rep_plan *plan = &m->report->plans[c->plan];
    table->id = rep_print(m, "paper-%s", p->name);
    for (uint32_t i = 0; i < m->report->table_count; i++)
        if (strcmp(m->report->tables[i].id, table->id) == 0) {
            table->id = rep_print(m, "paper-%s-%s%s%s", p->name, plan->name,
                                  scale[0] == '\0' ? "" : "-", scale);
            break;
        }
    table->title = rep_print(m, "%s (%s%s%s)", p->title, p->source,
                             scale[0] == '\0' ? "" : "; ours at scale ", scale);
    table->note = rep_print(m, "%s, in %s. %s%s%s", p->statistic, p->unit, paper->summary,
                            p->note == NULL ? "" : " ", p->note == NULL ? "" : p->note);
}

/* A row for each cell. */
static void add_table(rep_maker *m, const comparison *c, rep_paper *paper) {
    const cam_published *p = c->published;
    const bool less = cam_statistic_less_is_better(p->statistic);
    const char *names[MOST_NAMES];
    uint32_t count = list_names(&p->rows, names, 0);
    count = list_names(&p->columns, names, count);
    rep_builder b = {.maker = m};
    describe(m, c, paper, &b.table);
    for (uint32_t i = 0; i < count; i++)
        (void)rep_builder_column(&b, rep_keep(m, names[i]), false);
    (void)rep_builder_column(&b, "ours", true);
    (void)rep_builder_column(&b, "published", true);
    (void)rep_builder_column(&b, "ratio", true);
    for (uint32_t row = 0; row < p->rows.count && m->status == COL_OK; row++) {
        for (uint32_t column = 0; column < p->columns.count; column++)
            fill_cell(&b, c, row, column, names, count);
        const size_t end = b.table.row_count;
        for (uint32_t i = 0; i < 2 && m->status == COL_OK; i++)
            rep_mark_best_row(b.table.rows, end - p->columns.count, end, count + i, less);
    }
    const uint32_t before = m->report->table_count;
    rep_builder_finish(&b);
    if (m->report->table_count > before)
        paper->table = before;
}

/* ---- All of them. */

static void add_paper(rep_maker *m, comparison *c, bool is_listed) {
    rep_report *r = m->report;
    const cam_published *p = c->published;
    const size_t count = (size_t)p->rows.count * p->columns.count;
    if (!rep_grow(m, &r->papers, &m->paper_capacity, r->paper_count, sizeof *r->papers))
        return;
    rep_paper *paper = &r->papers[r->paper_count++];
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
    for (size_t i = 0; i < count; i++)
        paper->cells += p->cells[i].kind != CAM_CELL_NONE;
    if (is_listed)
        return;
    c->figures = calloc(count + 1, sizeof *c->figures);
    for (size_t i = 0; i < count && rep_has(m, c->figures) && m->status == COL_OK; i++) {
        c->figures[i].theirs = p->cells[i];
        ask(m, c, (uint32_t)(i / p->columns.count), (uint32_t)(i % p->columns.count),
            &c->figures[i]);
    }
    if (m->status == COL_OK)
        summarise(m, c, paper);
    if (m->status == COL_OK)
        add_table(m, c, paper);
    free(c->figures);
}

static void add_plan(rep_maker *m, uint32_t number) {
    rep_report *r = m->report;
    const rep_plan *row = &r->plans[number];
    const char *paper = m->settings->paper;
    const bool is_listed = paper != NULL && strcmp(paper, "list") == 0;
    /* Its designs are named here, never opened, and its trials are those of the store. */
    cam_plan plan = {.allows_code = true, .omits_trials = true};
    col_problem why = {0};
    char sentence[1024];
    if (row->text[0] == '\0')
        return; /* episodes without a plan */
    const col_status status = cam_plan_read(&plan, row->text, strlen(row->text), row->name,
                                            row->scale[0] == '\0' ? NULL : row->scale, &why);
    /* A plan of another version that cannot be read is no reason to show nothing. */
    if (status == COL_BAD_INPUT) {
        if (rep_grow(m, &r->warnings, &m->warning_capacity, r->warning_count, sizeof *r->warnings))
            r->warnings[r->warning_count++] =
                rep_print(m, "the published tables of plan %s cannot be read: %s", row->name,
                          col_problem_text(&why, sentence, sizeof sentence));
    } else if (status != COL_OK) {
        m->status = status;
        if (m->problem != NULL)
            *m->problem = why;
    }
    for (uint32_t i = 0; i < plan.published_count && status == COL_OK && m->status == COL_OK; i++) {
        comparison c = {.plan = number, .published = &plan.published[i]};
        if (is_listed || paper == NULL || strcmp(paper, c.published->name) == 0 ||
            strcmp(paper, plan.name) == 0)
            add_paper(m, &c, is_listed);
    }
    cam_plan_free(&plan);
}

void rep_tables_of_papers(rep_maker *m) {
    const char *paper = m->settings->paper;
    if (m->settings->until > 0)
        return; /* published figures are of whole episodes */
    for (uint32_t i = 0; i < m->report->plan_count && m->status == COL_OK; i++)
        add_plan(m, i);
    if (m->status == COL_OK && paper != NULL && strcmp(paper, "list") != 0 &&
        m->report->paper_count == 0)
        m->status =
            base_refuse(m->problem,
                        "there is no published table '%.100s' in the plans of these results; "
                        "--paper list shows what there is",
                        paper);
}
