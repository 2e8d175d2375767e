/* SPDX-License-Identifier: MIT */
/* The large parts of a page's data: tables, failures, plots. See page.c. */
#include "results/report/page.h"
#include "results/report/report_escape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables. */

/* Members that say nothing are left out. */
static void add_cell(const rep_data *data, const rep_cell *cell) {
    base_text *text = data->text;
    rep_data_members(text, "{t", "text", cell->text);
    if (isfinite(cell->value))
        rep_data_members(text, "d", "value", cell->value);
    if (cell->best)
        rep_data_members(text, "r", "best", "true");
    if (cell->of > 0) {
        char found[32];
        (void)snprintf(found, sizeof found, "%u/%u", cell->found, cell->of);
        rep_data_members(text, "t", "found", found);
    }
    if (isfinite(cell->low))
        rep_data_members(text, "d", "low", cell->low);
    if (isfinite(cell->high))
        rep_data_members(text, "d", "high", cell->high);
    if (cell->censored)
        rep_data_members(text, "r", "censored", "true");
    if (rep_data_has(data, cell->group))
        rep_data_group(data, "group", cell->group);
    base_text_add(text, "}");
}

static void add_row(const rep_data *data, const rep_table *table, const rep_row *row,
                    const rep_cell *cells) {
    rep_data_begin(data->text, NULL, "{");
    rep_data_group(data, "group", row->group);
    if (row->axis_count > 0)
        rep_data_axes(data->text, row->axes, row->axis_count);
    rep_data_begin(data->text, "cells", "[");
    for (uint32_t i = 0; i < table->column_count; i++)
        add_cell(data, &cells[i]);
    base_text_add(data->text, "]}");
}

/* It is about groups, none of which are in the data. */
static bool is_left_out(const rep_data *data, const rep_table *table, const rep_row *row,
                        const rep_cell *cells) {
    bool names_groups = row->group != REP_NO_GROUP;
    if (rep_data_has(data, row->group))
        return false;
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (rep_data_has(data, cells[i].group))
            return false;
        names_groups |= cells[i].group != REP_NO_GROUP;
    }
    return names_groups;
}

static void add_rows(rep_data *data, const rep_table *table) {
    size_t left_out = 0;
    char what[256];
    for (size_t i = 0; i < table->row_count; i++) {
        const rep_row *row = &table->rows[i];
        const rep_cell *cells = rep_row_cells(table, row);
        const size_t mark = data->text->length;
        if (is_left_out(data, table, row, cells)) {
            left_out++;
            continue;
        }
        add_row(data, table, row, cells);
        if (!rep_data_fits(data, mark)) {
            left_out += table->row_count - i;
            break;
        }
    }
    (void)snprintf(what, sizeof what, "rows of the table \"%.120s\": --format csv has them all",
                   table->title);
    rep_data_leave_out(data, left_out, what);
}

static void add_table(rep_data *data, const rep_table *table) {
    base_text *text = data->text;
    rep_data_members(text, "{ttt", "id", table->id, "title", table->title, "note", table->note);
    rep_data_begin(text, "columns", "[");
    for (uint32_t i = 0; i < table->column_count; i++) {
        const rep_column *column = &table->columns[i];
        rep_data_members(text, "{tt", "name", column->name, "kind",
                         column->is_number ? "number" : "text");
        if (column->axis_count > 0)
            rep_data_axes(text, column->axes, column->axis_count);
        base_text_add(text, "}");
    }
    base_text_add(text, "]");
    rep_data_begin(text, "rows", "[");
    add_rows(data, table);
    base_text_add(text, "]}");
}

/* About how long a table will be, by its middle row. */
static double estimate(const rep_data *data, const rep_table *table) {
    base_text trial = {0};
    const rep_data measuring = {
        .report = data->report, .numbers = data->numbers, .text = &trial, .limit = SIZE_MAX};
    size_t rows = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        const rep_row *row = &table->rows[i];
        const rep_cell *cells = rep_row_cells(table, row);
        rows += !is_left_out(data, table, row, cells);
        if (i == table->row_count / 2)
            add_row(&measuring, table, row, cells);
    }
    const double length = (double)trial.length * (double)rows * 1.2;
    base_text_free(&trial);
    return length;
}

/* The most that any table may take so that all fit into the room: short ones leave theirs to the
 * others. */
static double find_most(const double *lengths, uint32_t count, double room) {
    double low = 0, high = room;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        double sum = 0;
        for (uint32_t k = 0; k < count; k++)
            sum += lengths[k] < middle ? lengths[k] : middle;
        if (sum > room)
            high = middle;
        else
            low = middle;
    }
    return low;
}

void rep_data_tables(rep_data *data) {
    const rep_report *r = data->report;
    double *lengths = calloc((size_t)r->table_count + 1, sizeof *lengths);
    rep_data_share(data, 0.4);
    rep_data_begin(data->text, "tables", "[");
    for (uint32_t i = 0; i < r->table_count && lengths != NULL && data->budget != 0; i++)
        lengths[i] = estimate(data, &r->tables[i]);
    const double room =
        data->limit > data->text->length ? (double)(data->limit - data->text->length) : 0;
    const double most =
        lengths == NULL || data->budget == 0 ? 0 : find_most(lengths, r->table_count, room);
    const size_t end = data->limit;
    for (uint32_t i = 0; i < r->table_count; i++) {
        if (data->budget != 0)
            data->limit = data->text->length + (size_t)most;
        if (data->limit > end)
            data->limit = end;
        add_table(data, &r->tables[i]);
    }
    base_text_add(data->text, "]");
    data->text->failed |= lengths == NULL;
    free(lengths);
}

/* ---- Failures. */

static void add_failure(const rep_data *data, const rep_failure *f) {
    const rep_report *r = data->report;
    base_text *text = data->text;
    rep_data_begin(text, NULL, "{");
    rep_data_group(data, "group", f->group);
    rep_data_members(text, "wttwuwduuuttttt", "seed", f->seed, "verdict", f->verdict, "reason",
                     f->reason, "test", f->test, "instance", f->instance, "cycles", f->cycles,
                     "seconds", f->seconds, "threads", f->threads, "operations", f->operations,
                     "locations", f->locations, "story", f->story, "picture", f->picture, "program",
                     f->program, "litmus", f->litmus, "command", f->command);
    rep_data_members(text, "twt}", "fingerprint",
                     f->kind < r->kind_count ? r->kinds[f->kind].fingerprint : NULL, "count",
                     f->count, "mend", f->mend);
}

/* Those with a shrunk test first: they are what a reader can take away. */
void rep_data_failures(rep_data *data) {
    const rep_report *r = data->report;
    uint32_t taken = 0;
    bool is_full = false;
    rep_data_share(data, 1);
    rep_data_begin(data->text, "failures", "[");
    for (uint32_t shrunk = 0; shrunk < 2; shrunk++)
        for (uint32_t i = 0; i < r->failure_count && !is_full; i++) {
            const rep_failure *failure = &r->failures[i];
            const size_t mark = data->text->length;
            if ((failure->operations > 0) == (shrunk == 1) || !rep_data_has(data, failure->group))
                continue;
            add_failure(data, failure);
            is_full = !rep_data_fits(data, mark);
            taken += !is_full;
        }
    base_text_add(data->text, "]");
    rep_data_leave_out(data, r->failure_count - taken, "failures: --format json has them all");
}

/* ---- Plots. */

static void add_line(const rep_data *data, const rep_series *series, const char *name) {
    rep_data_begin(data->text, NULL, "{");
    rep_data_group(data, "group", series->group);
    if (name != NULL) {
        rep_data_members(data->text, "t", "name", name);
        rep_data_numbers(data->text, "x", series->x, series->count);
    }
    rep_data_numbers(data->text, "lower", series->lower, series->count);
    rep_data_numbers(data->text, "median", series->median, series->count);
    rep_data_numbers(data->text, "upper", series->upper, series->count);
    base_text_add(data->text, "}");
}

static bool is_about(const rep_report *r, uint32_t plot, const char *about) {
    return plot < r->plot_count && strcmp(r->plots[plot].about, about) == 0;
}

static bool is_in(const rep_data *data, const rep_plot *plot) {
    const uint32_t first = plot->series == NULL ? plot->series_group : plot->series[0].group;
    return plot->series_count > 0 && rep_data_has(data, first);
}

static void add_head(const rep_data *data, const rep_plot *plot) {
    rep_data_members(data->text, "{t", "title", plot->title);
    rep_data_axes(data->text, plot->axes, plot->axis_count);
}

/* One of learning: a line for each group. */
static void add_learning(const rep_data *data, const rep_plot *plot) {
    add_head(data, plot);
    rep_data_members(data->text, "tt", "x", plot->unit, "name", plot->y_title);
    rep_data_begin(data->text, "lines", "[");
    for (uint32_t i = 0; i < plot->series_count; i++)
        add_line(data, &plot->series[i], plot->y_title);
    base_text_add(data->text, "]}");
}

static void add_box(const rep_data *data, const rep_series *series, uint32_t interval) {
    const rep_box *b = &series->boxes[interval];
    const double numbers[] = {b->least, b->lower, b->median, b->upper, b->most};
    if (b->count == 0)
        return;
    rep_data_begin(data->text, NULL, "{");
    rep_data_group(data, "group", series->group);
    rep_data_numbers(data->text, "box", numbers, sizeof numbers / sizeof *numbers);
    rep_data_members(data->text, "u}", "n", b->count);
}

/* With what is drawn for it alone. */
static void add_drawn(const rep_data *data, const rep_plot *plot,
                      void (*add)(const rep_data *data, const rep_plot *plot)) {
    rep_drawn drawn;
    if (rep_plot_draw(data->report, plot, &drawn, NULL) == COL_OK)
        add(data, &drawn.plot);
    else
        data->text->failed = true;
    rep_drawn_free(&drawn);
}

static void add_boxes(const rep_data *data, const rep_plot *plot) {
    add_head(data, plot);
    rep_data_members(data->text, "ttd", "metric", plot->metric, "unit", plot->unit, "total",
                     plot->total);
    rep_data_begin(data->text, "intervals", "[");
    for (uint32_t i = 0; i < plot->interval_count; i++) {
        rep_data_members(data->text, "{d", "to", plot->intervals[i]);
        rep_data_begin(data->text, "boxes", "[");
        for (uint32_t k = 0; k < plot->series_count; k++)
            add_box(data, &plot->series[k], i);
        base_text_add(data->text, "]}");
    }
    base_text_add(data->text, "]}");
}

static void add_unit(const rep_data *data, const rep_plot *plot) {
    rep_data_begin(data->text, plot->unit, "{");
    rep_data_numbers(data->text, "x", plot->series[0].x, plot->series[0].count);
    rep_data_begin(data->text, "lines", "[");
    for (uint32_t i = 0; i < plot->series_count; i++)
        add_line(data, &plot->series[i], NULL);
    base_text_add(data->text, "]}");
}

/* The plot with those behind it that differ in the unit alone. */
static void add_evolution(const rep_data *data, uint32_t first, uint32_t end) {
    const rep_plot *plot = &data->report->plots[first];
    add_head(data, plot);
    rep_data_members(data->text, "tdd", "metric", plot->metric, "total", plot->total, "reachable",
                     plot->reachable);
    rep_data_begin(data->text, "against", "{");
    for (; first < end; first++)
        add_drawn(data, &data->report->plots[first], add_unit);
    base_text_add(data->text, "}}");
}

/* A sort of plots in the data. */
typedef struct part {
    const char *key, *about, *left_out;
    double share;
    void (*add)(const rep_data *data, const rep_plot *plot); /* NULL: an evolution */
} part;

/* All plots of one sort, until one does not fit. */
static void add_plots(rep_data *data, const part *p) {
    const rep_report *r = data->report;
    uint64_t left_out = 0;
    bool is_full = false;
    rep_data_share(data, p->share);
    rep_data_begin(data->text, p->key, "[");
    for (uint32_t i = 0, end; i < r->plot_count; i = end) {
        const size_t mark = data->text->length;
        end = i + 1;
        if (!is_about(r, i, p->about))
            continue;
        while (p->add == NULL && is_about(r, end, p->about) &&
               r->plots[end].subject == r->plots[i].subject)
            end++;
        if (!is_full && is_in(data, &r->plots[i])) {
            if (p->add == NULL)
                add_evolution(data, i, end);
            else
                add_drawn(data, &r->plots[i], p->add);
            is_full = !rep_data_fits(data, mark);
            left_out += is_full ? r->plots[i].series_count : 0;
        } else {
            left_out += r->plots[i].series_count;
        }
    }
    base_text_add(data->text, "]");
    rep_data_leave_out(data, left_out, p->left_out);
}

void rep_data_plots(rep_data *data) {
    static const part parts[] = {
        {"learning", "learning", "lines of learning: --format csv has them all", 0.2, add_learning},
        {"boxes", "boxes", "rows of boxes: --format csv has them all", 0.25, add_boxes},
        {"evolutions", "evolution", "lines of evolutions: --format csv has them all", 0.7, NULL}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add_plots(data, &parts[i]);
}
