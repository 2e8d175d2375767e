/* SPDX-License-Identifier: MIT */
/*
 * The report as comma-separated values (RFC 4180): a file for each table and each plot, one for the
 * groups and one for the failures. Figures are for programs: a number has columns of its own for
 * how often it was found, its interval and whether it is only a bound.
 */
#include "base/file.h"
#include "base/folder.h"
#include "results/report/report.h"
#include "results/report/report_escape.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* A line: for each letter of `types` a text t, a uint32_t u, a uint64_t w or a double d. */
static void add_line(base_text *text, const char *types, ...) {
    va_list values;
    va_start(values, types);
    for (size_t i = 0; types[i] != '\0'; i++) {
        base_text_add(text, i > 0 ? "," : "");
        if (types[i] == 't')
            rep_csv(text, va_arg(values, const char *));
        else if (types[i] == 'u')
            base_text_number(text, va_arg(values, uint32_t));
        else if (types[i] == 'w')
            base_text_number(text, va_arg(values, uint64_t));
        else
            rep_number(text, va_arg(values, double));
    }
    va_end(values);
    base_text_add(text, "\r\n");
}

/* ---- Tables. A column has the further ones that some row has something for. */

typedef struct extras {
    bool found, interval, censored;
} extras;

static void find_extras(const rep_table *table, extras *has) {
    for (size_t row = 0; row < table->row_count; row++) {
        const rep_cell *cell = rep_row_cells(table, &table->rows[row]);
        for (uint32_t c = 0; c < table->column_count; c++, cell++) {
            has[c].found |= cell->of > 0;
            has[c].interval |= !isnan(cell->low) || !isnan(cell->high);
            has[c].censored |= cell->censored;
        }
    }
}

static void add_names(base_text *text, const char *name, extras has) {
    rep_csv(text, name);
    const struct {
        bool is_there;
        const char *names[2];
    } further[] = {{has.found, {" found", " of"}},
                   {has.interval, {" low", " high"}},
                   {has.censored, {" is a bound", NULL}}};
    for (size_t i = 0; i < sizeof further / sizeof further[0]; i++)
        for (size_t k = 0; k < 2 && further[i].is_there && further[i].names[k] != NULL; k++) {
            base_text whole = {0};
            base_text_print(&whole, "%s%s", name, further[i].names[k]);
            base_text_add(text, ",");
            rep_csv(text, whole.data);
            base_text_free_part(&whole, text);
        }
}

static void add_cell(base_text *text, const rep_cell *cell, bool is_number, extras has) {
    if (is_number)
        rep_number(text, cell->value);
    else
        rep_csv(text, cell->text);
    if (has.found && cell->of > 0)
        base_text_print(text, ",%u,%u", cell->found, cell->of);
    else if (has.found)
        base_text_add(text, ",,");
    if (has.interval) {
        base_text_add(text, ",");
        rep_number(text, cell->low);
        base_text_add(text, ",");
        rep_number(text, cell->high);
    }
    if (has.censored)
        base_text_add(text, isnan(cell->value) ? "," : cell->censored ? ",yes" : ",no");
}

void rep_csv_table(const rep_table *table, base_text *text) {
    extras *has = calloc((size_t)table->column_count + 1, sizeof *has);
    text->failed |= has == NULL;
    if (has == NULL)
        return;
    find_extras(table, has);
    for (uint32_t c = 0; c < table->column_count; c++) {
        base_text_add(text, c > 0 ? "," : "");
        add_names(text, table->columns[c].name, has[c]);
    }
    base_text_add(text, "\r\n");
    for (size_t row = 0; row < table->row_count; row++) {
        const rep_cell *cells = rep_row_cells(table, &table->rows[row]);
        for (uint32_t c = 0; c < table->column_count; c++) {
            base_text_add(text, c > 0 ? "," : "");
            add_cell(text, &cells[c], table->columns[c].is_number, has[c]);
        }
        base_text_add(text, "\r\n");
    }
    free(has);
}

/* ---- Plots: one row for each point. */

static void add_lines(const rep_plot *plot, base_text *text) {
    add_line(text, "ttttt", "series", plot->unit == NULL ? "x" : plot->unit, "lower", "median",
             "upper");
    for (uint32_t s = 0; s < plot->series_count; s++) {
        const rep_series *series = &plot->series[s];
        for (size_t i = 0; i < series->count; i++)
            if (!isnan(series->median[i])) /* else past the end of its shortest trial */
                add_line(text, "tdddd", series->name, series->x[i], series->lower[i],
                         series->median[i], series->upper[i]);
    }
}

static void add_boxes(const rep_plot *plot, base_text *text) {
    add_line(text, "tttttttt", "series", plot->unit == NULL ? "to" : plot->unit, "trials", "least",
             "lower", "median", "upper", "most");
    for (uint32_t s = 0; s < plot->series_count; s++)
        for (uint32_t i = 0; i < plot->interval_count && i < plot->series[s].count; i++) {
            const rep_box *box = &plot->series[s].boxes[i];
            if (box->count > 0)
                add_line(text, "tduddddd", plot->series[s].name, plot->intervals[i], box->count,
                         box->least, box->lower, box->median, box->upper, box->most);
        }
}

static void add_heat(const rep_protocol *protocol, base_text *text) {
    static const char *const kinds_of_reach[] = {"unknown", "no", "yes"};
    add_line(text, "ttttttt", "state", "event", "hits", "first test", "trials", "reachable",
             "here");
    for (size_t i = 0; i < protocol->cell_count; i++) {
        const rep_protocol_cell *cell = &protocol->cells[i];
        add_line(text, "ttwdutt", protocol->states[cell->state], protocol->events[cell->event],
                 cell->hits, cell->first > 0 ? (double)cell->first : NAN, cell->trials,
                 kinds_of_reach[cell->reachable + 1], kinds_of_reach[cell->here + 1]);
    }
}

static void add_plot(const rep_plot *plot, base_text *text) {
    if (plot->kind == REP_LINES)
        add_lines(plot, text);
    else if (plot->kind == REP_BOXES)
        add_boxes(plot, text);
    else
        add_heat(plot->protocol, text);
}

/* ---- Groups and failures. */

static void add_groups(const rep_report *report, base_text *text) {
    add_line(text, "ttttttttttttt", "plan", "kind", "contender", "scenario", "design", "cores",
             "trials", "done", "failed", "found", "undecided", "hunts", "seconds");
    for (uint32_t i = 0; i < report->group_count; i++) {
        const rep_group *g = &report->groups[i];
        add_line(text, "tttttuuuuuutd", report->plans[g->plan].name, cam_kinds[g->kind],
                 g->contender, g->scenario, g->design, g->cores, g->trials, g->done, g->failed,
                 g->found, g->undecided, g->hunts ? "yes" : "no", g->seconds);
    }
}

static void add_failures(const rep_report *report, base_text *text) {
    static const rep_kind none = {.hash = "", .fingerprint = ""};
    add_line(text, "ttttttttttttttt", "plan", "group", "seed", "verdict", "reason", "test",
             "instance", "cycles", "seconds", "threads", "operations", "locations", "kind",
             "fingerprint", "command");
    for (uint32_t i = 0; i < report->failure_count; i++) {
        const rep_failure *f = &report->failures[i];
        const rep_group *group = &report->groups[f->group];
        const rep_kind *kind = f->kind < report->kind_count ? &report->kinds[f->kind] : &none;
        add_line(text, "ttwttwuwduuuttt", report->plans[group->plan].name, group->name, f->seed,
                 f->verdict, f->reason, f->test, f->instance, f->cycles, f->seconds, f->threads,
                 f->operations, f->locations, kind->hash, kind->fingerprint,
                 f->command == NULL ? "" : f->command);
    }
}

/* ---- Files. */

static col_status write_one(base_text *text, const char *folder, const char *name,
                            col_problem *problem) {
    const col_status status = rep_write_part(text, folder, name, "csv", problem);
    text->length = 0;
    return status;
}

col_status rep_csv_write(const rep_report *report, const char *folder, col_problem *problem) {
    base_text text = {0};
    col_status status = base_folder_make(folder, problem);
    for (uint32_t i = 0; i < report->table_count && status == COL_OK; i++) {
        rep_csv_table(&report->tables[i], &text);
        status = write_one(&text, folder, report->tables[i].id, problem);
    }
    BASE_THEN(status, rep_write_plots(report, folder, "csv", add_plot, problem));
    if (status == COL_OK) {
        add_groups(report, &text);
        status = write_one(&text, folder, "groups", problem);
    }
    if (status == COL_OK) {
        add_failures(report, &text);
        status = write_one(&text, folder, "failures", problem);
    }
    base_text_free(&text);
    return status;
}
