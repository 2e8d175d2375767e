/* SPDX-License-Identifier: MIT */
/*
 * The report as comma-separated values (RFC 4180): a file for each table and each plot, one for the
 * groups and one for the failures. Figures are for programs: a number has columns of its own for
 * how often it was found, its interval and whether it is only a bound.
 */
#include "base/file.h"
#include "base/folder.h"
#include "report/escape.h"
#include "report/writers.h"

#include <math.h>
#include <stdlib.h>

static const char *const kinds_of_reach[] = {"unknown", "no", "yes"};

static void next(base_text *text) {
    base_text_add(text, ",");
}

static void end_line(base_text *text) {
    base_text_add(text, "\r\n");
}

static void add_header(base_text *text, const char *const *names) {
    for (size_t i = 0; names[i] != NULL; i++) {
        base_text_add(text, i > 0 ? "," : "");
        rep_csv(text, names[i]);
    }
    end_line(text);
}

static void add_count(base_text *text, uint64_t count) {
    next(text);
    base_text_number(text, count);
}

static void add_number(base_text *text, double number) {
    next(text);
    rep_number(text, number);
}

static void add_text(base_text *text, const char *string) {
    next(text);
    rep_csv(text, string);
}

/* ---- Tables. A column has the further ones that some row has something for. */

typedef struct extras {
    bool found, interval, censored;
} extras;

static void find_extras(const rep_table *table, rep_cell *room, extras *has) {
    for (size_t row = 0; row < table->row_count; row++) {
        const rep_cell *cell = rep_row_cells(table, &table->rows[row], room);
        for (uint32_t c = 0; c < table->column_count; c++, cell++) {
            has[c].found |= cell->of > 0;
            has[c].interval |= !isnan(cell->low) || !isnan(cell->high);
            has[c].censored |= cell->censored;
        }
    }
}

static void add_name(base_text *text, const char *name, const char *what) {
    base_text whole = {0};
    base_text_print(&whole, "%s%s", name, what);
    rep_csv(text, whole.data);
    base_text_free_part(&whole, text);
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
            next(text);
            add_name(text, name, further[i].names[k]);
        }
}

static void add_cell(base_text *text, const rep_cell *cell, bool is_number, extras has) {
    if (is_number)
        rep_number(text, cell->value);
    else
        rep_csv(text, cell->text);
    if (has.found && cell->of > 0) {
        add_count(text, cell->found);
        add_count(text, cell->of);
    } else if (has.found)
        base_text_add(text, ",,");
    if (has.interval) {
        add_number(text, cell->low);
        add_number(text, cell->high);
    }
    if (has.censored)
        add_text(text, isnan(cell->value) ? "" : cell->censored ? "yes" : "no");
}

void rep_csv_table(const rep_table *table, base_text *text) {
    extras *has = calloc((size_t)table->column_count + 1, sizeof *has);
    rep_cell *room = rep_row_room(table);
    if (has == NULL || room == NULL) {
        free(has);
        free(room);
        text->failed = true;
        return;
    }
    find_extras(table, room, has);
    for (uint32_t c = 0; c < table->column_count; c++) {
        base_text_add(text, c > 0 ? "," : "");
        add_names(text, table->columns[c].name, has[c]);
    }
    end_line(text);
    for (size_t row = 0; row < table->row_count; row++) {
        const rep_cell *cells = rep_row_cells(table, &table->rows[row], room);
        for (uint32_t c = 0; c < table->column_count; c++) {
            base_text_add(text, c > 0 ? "," : "");
            add_cell(text, &cells[c], table->columns[c].is_number, has[c]);
        }
        end_line(text);
    }
    free(has);
    free(room);
}

/* ---- Plots: one row for each point. */

static void add_lines(const rep_plot *plot, base_text *text) {
    add_header(text, (const char *const[]){"series", plot->unit == NULL ? "x" : plot->unit, "lower",
                                           "median", "upper", NULL});
    for (uint32_t s = 0; s < plot->series_count; s++) {
        const rep_series *series = &plot->series[s];
        for (size_t i = 0; i < series->count; i++) {
            if (isnan(series->median[i]))
                continue; /* past the end of its shortest trial */
            rep_csv(text, series->name);
            add_number(text, series->x[i]);
            add_number(text, series->lower[i]);
            add_number(text, series->median[i]);
            add_number(text, series->upper[i]);
            end_line(text);
        }
    }
}

static void add_boxes(const rep_plot *plot, base_text *text) {
    add_header(text,
               (const char *const[]){"series", plot->unit == NULL ? "to" : plot->unit, "trials",
                                     "least", "lower", "median", "upper", "most", NULL});
    for (uint32_t s = 0; s < plot->series_count; s++)
        for (uint32_t i = 0; i < plot->interval_count && i < plot->series[s].count; i++) {
            const rep_box *box = &plot->series[s].boxes[i];
            if (box->count == 0)
                continue;
            rep_csv(text, plot->series[s].name);
            add_number(text, plot->intervals[i]);
            add_count(text, box->count);
            add_number(text, box->least);
            add_number(text, box->lower);
            add_number(text, box->median);
            add_number(text, box->upper);
            add_number(text, box->most);
            end_line(text);
        }
}

static void add_heat(const rep_protocol *protocol, base_text *text) {
    add_header(text, (const char *const[]){"state", "event", "hits", "first test", "trials",
                                           "reachable", "here", NULL});
    for (size_t i = 0; i < protocol->cell_count; i++) {
        const rep_protocol_cell *cell = &protocol->cells[i];
        rep_csv(text, protocol->states[cell->state]);
        add_text(text, protocol->events[cell->event]);
        add_count(text, cell->hits);
        if (cell->first > 0)
            add_count(text, cell->first);
        else
            next(text);
        add_count(text, cell->trials);
        add_text(text, kinds_of_reach[cell->reachable + 1]);
        add_text(text, kinds_of_reach[cell->here + 1]);
        end_line(text);
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
    add_header(text, (const char *const[]){"plan", "kind", "contender", "scenario", "design",
                                           "cores", "trials", "done", "failed", "found",
                                           "undecided", "hunts", "seconds", NULL});
    for (uint32_t i = 0; i < report->group_count; i++) {
        const rep_group *group = &report->groups[i];
        rep_csv(text, report->plans[group->plan].name);
        add_text(text, cam_kinds[group->kind]);
        add_text(text, group->contender);
        add_text(text, group->scenario);
        add_text(text, group->design);
        add_count(text, group->cores);
        add_count(text, group->trials);
        add_count(text, group->done);
        add_count(text, group->failed);
        add_count(text, group->found);
        add_count(text, group->undecided);
        add_text(text, group->hunts ? "yes" : "no");
        add_number(text, group->seconds);
        end_line(text);
    }
}

static void add_failures(const rep_report *report, base_text *text) {
    add_header(text, (const char *const[]){"plan", "group", "seed", "verdict", "reason", "test",
                                           "instance", "cycles", "seconds", "threads", "operations",
                                           "locations", "kind", "fingerprint", "command", NULL});
    for (uint32_t i = 0; i < report->failure_count; i++) {
        const rep_failure *failure = &report->failures[i];
        const rep_group *group = &report->groups[failure->group];
        rep_csv(text, report->plans[group->plan].name);
        add_text(text, group->name);
        add_count(text, failure->seed);
        add_text(text, failure->verdict);
        add_text(text, failure->reason);
        add_count(text, failure->test);
        add_count(text, failure->instance);
        add_count(text, failure->cycles);
        add_number(text, failure->seconds);
        add_count(text, failure->threads);
        add_count(text, failure->operations);
        add_count(text, failure->locations);
        const rep_kind *kind =
            failure->kind < report->kind_count ? &report->kinds[failure->kind] : NULL;
        add_text(text, kind == NULL ? "" : kind->hash);
        add_text(text, kind == NULL ? "" : kind->fingerprint);
        add_text(text, failure->command == NULL ? "" : failure->command);
        end_line(text);
    }
}

/* ---- Files. */

static col_status write_one(base_text *text, const char *folder, const char *name,
                            col_problem *problem) {
    const col_status status = rep_write_part(text, folder, name, "csv", problem);
    text->length = 0;
    return status;
}

static col_status write_files(const rep_report *report, const char *folder, base_text *text,
                              col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < report->table_count && status == COL_OK; i++) {
        rep_csv_table(&report->tables[i], text);
        status = write_one(text, folder, report->tables[i].id, problem);
    }
    for (uint32_t i = 0; i < report->plot_count && status == COL_OK; i++) {
        rep_drawn drawn;
        status = rep_plot_draw(report, &report->plots[i], &drawn, problem);
        if (status == COL_OK)
            add_plot(&drawn.plot, text);
        rep_drawn_free(&drawn);
        if (status == COL_OK)
            status = write_one(text, folder, report->plots[i].id, problem);
    }
    if (status != COL_OK)
        return status;
    add_groups(report, text);
    status = write_one(text, folder, "groups", problem);
    if (status != COL_OK)
        return status;
    add_failures(report, text);
    return write_one(text, folder, "failures", problem);
}

col_status rep_csv_write(const rep_report *report, const char *folder, col_problem *problem) {
    base_text text = {0};
    col_status status = base_folder_make(folder, problem);
    if (status == COL_OK)
        status = write_files(report, folder, &text, problem);
    base_text_free(&text);
    return status;
}
