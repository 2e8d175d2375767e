/* SPDX-License-Identifier: MIT */
/* The table and the summary of a comparison with a paper: see paper.h. */
#include "report/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static bool has_both(const rep_figures *f) {
    return f->ours.is_known && f->theirs.kind != CAM_CELL_NONE;
}

/* Censored on neither side, so that the ratio is one. */
static bool has_ratio(const rep_figures *f) {
    return has_both(f) && !f->ours.is_censored && f->theirs.kind == CAM_CELL_VALUE &&
           f->theirs.value != 0 && isfinite(f->ours.value);
}

/* What ranks: a bound ranks behind all figures of times, and of what is good behind them, too. */
static double rank_value(bool is_censored, double value, bool less_is_better) {
    const double size = less_is_better ? value : -value;
    return is_censored ? INFINITY : size;
}

static double our_rank_value(const rep_figures *f, bool less) {
    return rank_value(f->ours.is_censored, f->ours.value, less);
}

static double their_rank_value(const rep_figures *f, bool less) {
    return rank_value(f->theirs.kind == CAM_CELL_ABOVE, f->theirs.value, less);
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
static void take_line(const rep_comparison *c, size_t first, size_t step, size_t count, line *l) {
    const bool less = cam_statistic_less_is_better(c->published->statistic);
    l->count = 0;
    for (size_t i = 0; i < count; i++) {
        const rep_figures *f = &c->figures[first + i * step];
        if (!has_both(f))
            continue;
        l->ours[l->count] = our_rank_value(f, less);
        l->theirs[l->count++] = their_rank_value(f, less);
    }
}

static void rank_lines(const rep_comparison *c, line *l, rep_paper *paper) {
    const cam_published *p = c->published;
    const bool by_rows = p->column_count > 1;
    const size_t lines = by_rows ? p->row_count : 1;
    double sum = 0;
    uint32_t ranked = 0;
    for (size_t i = 0; i < lines; i++) {
        bool has_best = false;
        take_line(c, i * p->column_count, 1, by_rows ? p->column_count : p->row_count, l);
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

col_status rep_paper_summarise(rep_maker *m, const rep_comparison *c, rep_paper *paper,
                               col_problem *problem) {
    const size_t rows = c->published->row_count, columns = c->published->column_count;
    const size_t longest = rows > columns ? rows : columns, count = rows * columns;
    double logarithms = 0;
    uint32_t ratios = 0;
    for (size_t i = 0; i < count; i++) {
        const rep_figures *f = &c->figures[i];
        paper->compared += has_both(f);
        if (!has_ratio(f) || f->ours.value / f->theirs.value <= 0)
            continue;
        logarithms += log(f->ours.value / f->theirs.value);
        ratios++;
    }
    paper->ratio = ratios == 0 ? NAN : exp(logarithms / ratios);
    double *room = calloc(4 * longest + 1, sizeof *room);
    if (room == NULL)
        return base_out_of_memory(problem);
    line l = {.ours = room, .theirs = room + longest, .room = room + 2 * longest};
    rank_lines(c, &l, paper);
    free(room);
    write_summary(m, paper, columns > 1);
    return COL_OK;
}

/* ---- The table. */

enum { MOST_NAMES = 32 };

/* The settings that selectors name. */
static uint32_t list_names(const cam_selector *selectors, uint32_t count, const char **list,
                           uint32_t used) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < selectors[i].count; k++) {
            bool is_there = false;
            for (uint32_t n = 0; n < used; n++)
                is_there |= strcmp(list[n], selectors[i].pairs[k].name) == 0;
            if (!is_there && used < MOST_NAMES)
                list[used++] = selectors[i].pairs[k].name;
        }
    return used;
}

static const char *value_in(const cam_selector *selector, const char *name) {
    for (uint32_t i = 0; i < selector->count; i++)
        if (strcmp(selector->pairs[i].name, name) == 0)
            return selector->pairs[i].value;
    return NULL;
}

static void fill_ours(rep_maker *m, const rep_comparison *c, const rep_figures *f, rep_cell *cell) {
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

static void fill_theirs(rep_maker *m, const rep_figures *f, rep_cell *cell) {
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
static void fill_ratio(rep_maker *m, const rep_figures *f, rep_cell *cell) {
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

static col_status fill_cell(rep_builder *b, const rep_comparison *c, uint32_t row, uint32_t column,
                            const char *const *names, uint32_t name_count, col_problem *problem) {
    rep_maker *m = b->maker;
    const cam_published *p = c->published;
    const rep_figures *f = &c->figures[(size_t)row * p->column_count + column];
    rep_row *entry = rep_builder_row(b, REP_NO_GROUP);
    cam_pair *axes = base_arena_take(&m->report->arena, (name_count + 1) * sizeof *axes);
    if (entry == NULL || axes == NULL)
        return base_out_of_memory(problem);
    entry->axes = axes;
    for (uint32_t i = 0; i < name_count; i++) {
        const char *value = value_in(&p->rows[row], names[i]);
        if (value == NULL)
            value = value_in(&p->columns[column], names[i]);
        rep_cell_text(&entry->cells[i], rep_keep(m, value));
        if (value != NULL)
            axes[entry->axis_count++] =
                (cam_pair){.name = rep_keep(m, names[i]), .value = rep_keep(m, value)};
    }
    fill_ours(m, c, f, &entry->cells[name_count]);
    fill_theirs(m, f, &entry->cells[name_count + 1]);
    fill_ratio(m, f, &entry->cells[name_count + 2]);
    return COL_OK;
}

static const char *make_id(rep_maker *m, const rep_comparison *c) {
    const rep_report *r = m->report;
    const char *id = rep_print(m, "paper-%s", c->published->name);
    for (uint32_t i = 0; i < r->table_count; i++)
        if (strcmp(r->tables[i].id, id) == 0)
            return rep_print(m, "paper-%s-%s%s%s", c->published->name, r->plans[c->plan].name,
                             r->plans[c->plan].scale[0] == '\0' ? "" : "-",
                             r->plans[c->plan].scale);
    return id;
}

static void describe(rep_maker *m, const rep_comparison *c, const rep_paper *paper,
                     rep_table *table) {
    const cam_published *p = c->published;
    const char *scale = m->report->plans[c->plan].scale;
    table->id = make_id(m, c);
    table->title = rep_print(m, "%s (%s%s%s)", p->title, p->source,
                             scale[0] == '\0' ? "" : "; ours at scale ", scale);
    table->note = rep_print(m, "%s, in %s. %s%s%s", p->statistic, p->unit, paper->summary,
                            p->note == NULL ? "" : " ", p->note == NULL ? "" : p->note);
}

col_status rep_paper_table(rep_maker *m, const rep_comparison *c, rep_paper *paper,
                           col_problem *problem) {
    const cam_published *p = c->published;
    const bool less = cam_statistic_less_is_better(p->statistic);
    const char *names[MOST_NAMES];
    uint32_t count = list_names(p->rows, p->row_count, names, 0);
    count = list_names(p->columns, p->column_count, names, count);
    rep_builder b = {.maker = m};
    col_status status = COL_OK;
    describe(m, c, paper, &b.table);
    for (uint32_t i = 0; i < count; i++)
        rep_builder_column(&b, rep_keep(m, names[i]), false);
    rep_builder_column(&b, "ours", true);
    rep_builder_column(&b, "published", true);
    rep_builder_column(&b, "ratio", true);
    for (uint32_t row = 0; row < p->row_count && status == COL_OK; row++) {
        for (uint32_t column = 0; column < p->column_count && status == COL_OK; column++)
            status = fill_cell(&b, c, row, column, names, count, problem);
        rep_row *rows = b.table.rows + b.table.row_count - (status == COL_OK ? p->column_count : 0);
        for (uint32_t i = 0; i < 2 && status == COL_OK; i++)
            rep_mark_best_row(rows, 0, p->column_count, count + i, less);
    }
    if (status != COL_OK)
        return status;
    const uint32_t before = m->report->table_count;
    status = rep_builder_finish(&b, problem);
    if (status == COL_OK && m->report->table_count > before)
        paper->table = before;
    return status;
}
