/* SPDX-License-Identifier: MIT */
/*
 * The list of plots: coverage as it grew, of each scenario a line for each contender; boxes of what
 * was covered at the end of intervals; what engines learned; protocol tables. Scenarios without an
 * error put in come first: their coverage is what engines are judged by.
 */
#include "results/report/report_maker.h"

#include <math.h>
#include <stdlib.h>

/* ---- Putting them into the report. */

rep_plot *rep_add_plot(rep_maker *m) {
    rep_report *r = m->report;
    if (!rep_reserve(m, &m->plots, &m->plot_capacity, (size_t)r->plot_count + 1, sizeof *m->plots))
        return NULL;
    r->plots = m->plots;
    rep_plot *plot = &r->plots[r->plot_count++];
    *plot = (rep_plot){.total = NAN, .reachable = NAN};
    return plot;
}

const char *rep_scenario_title(rep_maker *m, const rep_scenario *s) {
    const rep_report *r = m->report;
    const char *name = s->name[0] == '\0' ? r->plans[s->plan].name : s->name;
    return r->plan_count < 2 || s->name[0] == '\0'
               ? name
               : rep_print(m, "%s%s%s: %s", r->plans[s->plan].name,
                           r->plans[s->plan].scale[0] == '\0' ? "" : ", ", r->plans[s->plan].scale,
                           name);
}

static void list_plot(rep_maker *m, const rep_scenario *s, rep_plot_kind kind, cam_axis axis,
                      col_metric points, uint32_t subject) {
    const char *unit = cam_axes[axis], *metric = cam_metric_name(points);
    rep_plot *plot = rep_add_plot(m);
    if (plot == NULL)
        return;
    *plot = (rep_plot){.kind = kind,
                       .scenario = s,
                       .axis = axis,
                       .points = points,
                       .about = kind == REP_BOXES ? "boxes" : "evolution",
                       .subject = subject,
                       .title = rep_scenario_title(m, s),
                       .x_title =
                           axis == CAM_CYCLES && m->settings->price > 0
                               ? rep_print(m, "cycles, and %.0f for each test", m->settings->price)
                               : unit,
                       .y_title = points == COL_STRUCTURAL ? "structural coverage (points)"
                                                           : "functional coverage (points)",
                       .metric = metric,
                       .unit = unit,
                       .axes = s->axes,
                       .axis_count = s->axis_count,
                       .total = NAN,
                       .reachable = NAN};
    plot->id = rep_print(m, "%s-%u-%s-%s", plot->about, subject + 1, metric, unit);
    for (uint32_t i = 0; i < s->group_count; i++) {
        bool has_curves = false;
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++) {
            const cam_row *row = rep_rows(m, s->groups[i])[k];
            const cam_extent *e = &row->coverage[points];
            if (e->total > 0 &&
                !(plot->total >= e->total)) /* the most that any of its trials had */
                plot->total = e->total;
            if (e->reachable_known && !(plot->reachable >= e->reachable))
                plot->reachable = e->reachable;
            has_curves |= row->is_done && row->curve_count > 0;
        }
        if (has_curves && plot->series_count++ == 0)
            plot->series_group = s->groups[i];
    }
}

/* When the last trial of a scenario ended that has a curve; 0: none has. */
static double longest_of(const rep_maker *m, const rep_scenario *s, cam_axis axis) {
    double longest = 0;
    for (uint32_t i = 0; i < s->group_count; i++) {
        const cam_row *const *rows = rep_rows(m, s->groups[i]);
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++)
            if (rows[k]->is_done && rows[k]->curve_count > 0)
                longest = fmax(longest, cam_row_end(rows[k], axis));
    }
    return longest;
}

/* Boxes are by cycles, or by seconds where nothing counts cycles. */
static void list_scenario(rep_maker *m, const rep_scenario *s, rep_plot_kind kind,
                          uint32_t *subject) {
    static const cam_axis axes[] = {CAM_CYCLES, CAM_SECONDS};
    for (int metric = 0; metric < COL_METRIC_COUNT; metric++) {
        bool is_listed = false;
        for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
            if (longest_of(m, s, axes[i]) <= 0 || (kind == REP_BOXES && is_listed))
                continue;
            is_listed = true;
            list_plot(m, s, kind, axes[i], (col_metric)metric, *subject);
        }
        *subject += is_listed;
    }
}

void rep_make_plots(rep_maker *m) {
    static const rep_plot_kind kinds[] = {REP_LINES, REP_BOXES};
    if (m->settings->paper != NULL)
        return;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        uint32_t subject = 0;
        if (kinds[k] == REP_BOXES && !m->report->has_seeds)
            continue; /* a box of one figure says nothing */
        for (int hunts = 0; hunts < 2; hunts++)
            for (size_t i = 0; i < m->scenario_count && m->status == COL_OK; i++)
                if (m->scenarios[i].hunts == (hunts != 0) && m->scenarios[i].is_done &&
                    m->scenarios[i].kind == CAM_EPISODE)
                    list_scenario(m, &m->scenarios[i], kinds[k], &subject);
    }
    rep_draw_learning(m);
    for (uint32_t i = 0; i < m->report->protocol_count; i++) {
        const rep_protocol *protocol = &m->report->protocols[i];
        rep_plot *plot = rep_add_plot(m);
        if (plot == NULL)
            return;
        plot->id = rep_print(m, "protocol-%u-%s", i + 1, protocol->machine);
        plot->title = rep_print(m, "%s, %u core%s: %s", protocol->design, protocol->cores,
                                base_plural(protocol->cores), protocol->machine);
        plot->about = "protocol";
        plot->kind = REP_HEAT;
        plot->x_title = "event";
        plot->y_title = "state";
        plot->subject = i;
        plot->protocol = protocol;
    }
}

/*
 * Drawing a plot of coverage when it is written: the lines of an evolution, or the boxes at the end
 * of intervals. A report lists its plots, and keeps the trials that they are drawn from; what is
 * drawn is a hundred times as much as that, and is gone when the next plot is drawn.
 */

enum { GRID_PLACES = 60, INTERVALS = 5 };

typedef struct curves {
    cam_curve *items;
    cam_step *steps;
    size_t count, capacity, step_capacity;
} curves;

/* A trial that an error ended stays at what it had covered, as one whose budget was spent: if it
 * dropped out, the median of what can only grow would fall. */
static col_status take_curves(const rep_maker *m, uint32_t group, cam_axis axis, col_metric metric,
                              curves *c, col_problem *problem) {
    const cam_row *const *rows = rep_rows(m, group);
    const size_t count = rep_member_count(m, group);
    size_t steps = 0;
    for (size_t i = 0; i < count; i++)
        steps += rows[i]->curve_count;
    c->count = 0;
    col_status status = base_reserve(&c->items, &c->capacity, count, sizeof *c->items, problem);
    BASE_THEN(status, base_reserve(&c->steps, &c->step_capacity, steps, sizeof *c->steps, problem));
    steps = 0;
    for (size_t i = 0; i < count && status == COL_OK; i++) {
        if (!rows[i]->is_done || rows[i]->curve_count == 0)
            continue;
        cam_curve *curve = &c->items[c->count++];
        *curve = cam_row_curve(rows[i], axis, metric, c->steps + steps);
        if (curve->after == CAM_STOPPED)
            curve->after = CAM_SPENT;
        steps += rows[i]->curve_count;
    }
    return status;
}

/* ---- Evolutions. */

/* Few digits: what is worked out is worked out there. Rounded up, so that no place falls behind. */
static double round_place(double x, double end) {
    if (x <= 0)
        return 0;
    const double digits = 3 - floor(log10(x));
    const double unit = pow(10, fabs(digits));
    const double rounded = digits < 0 ? ceil(x / unit) * unit : ceil(x * unit) / unit;
    return rounded < end ? rounded : end;
}

/* Nothing is drawn after a group's last trial ended. */
static col_status fill_line(base_arena *arena, const curves *c, const double *x, rep_series *series,
                            col_problem *problem) {
    cam_band bands[GRID_PLACES];
    double *numbers = base_arena_take(arena, sizeof *numbers * 3 * GRID_PLACES);
    if (numbers == NULL)
        return base_out_of_memory(problem);
    BASE_TRY(cam_evolve(c->items, c->count, x, GRID_PLACES, bands, problem));
    const double longest = cam_longest(c->items, c->count);
    double *lower = numbers, *median = lower + GRID_PLACES, *upper = median + GRID_PLACES;
    bool has_ended = false;
    for (size_t i = 0; i < GRID_PLACES; i++) {
        const bool is_there = !has_ended && bands[i].trials > 0;
        lower[i] = is_there ? bands[i].lower : NAN;
        median[i] = is_there ? bands[i].median : NAN;
        upper[i] = is_there ? bands[i].upper : NAN;
        has_ended |= x[i] >= longest;
    }
    series->count = GRID_PLACES;
    series->x = x;
    series->lower = lower;
    series->median = median;
    series->upper = upper;
    return COL_OK;
}

typedef struct drawing {
    const rep_report *report;
    const rep_plot *plot;
    base_arena *arena;
    curves curves;
    rep_series *series;
    uint32_t series_count;
} drawing;

typedef col_status (*fill)(base_arena *arena, const curves *c, const double *x, rep_series *series,
                           col_problem *problem);

/* A series for each group that has curves, at these places. */
static col_status draw_series(drawing *d, fill fill_in, const double *x, col_problem *problem) {
    const rep_scenario *s = d->plot->scenario;
    col_status status = COL_OK;
    d->series = base_arena_take(d->arena, (s->group_count + 1) * sizeof *d->series);
    if (d->series == NULL || x == NULL)
        return base_out_of_memory(problem);
    for (uint32_t i = 0; i < s->group_count && status == COL_OK; i++) {
        const uint32_t group = s->groups[i];
        status = take_curves(d->report->source, group, d->plot->axis, d->plot->points, &d->curves,
                             problem);
        if (status != COL_OK || d->curves.count == 0)
            continue;
        rep_series *series = &d->series[d->series_count++];
        *series = (rep_series){.name = d->report->groups[group].contender, .group = group};
        status = fill_in(d->arena, &d->curves, x, series, problem);
    }
    return status;
}

static col_status fill_boxes(base_arena *arena, const curves *c, const double *ends,
                             rep_series *series, col_problem *problem) {
    rep_box *boxes = base_arena_take(arena, INTERVALS * sizeof *boxes);
    double *values = malloc((c->count + 1) * sizeof *values);
    if (boxes == NULL || values == NULL) {
        free(values);
        return base_out_of_memory(problem);
    }
    for (size_t i = 0; i < INTERVALS; i++) {
        uint32_t count = 0, covered;
        for (size_t k = 0; k < c->count; k++)
            if (cam_curve_at(&c->items[k], ends[i], &covered))
                values[count++] = covered;
        if (count == 0)
            continue;
        const sta_quartiles q = sta_summarise(values, count);
        boxes[i] = (rep_box){q.least, q.lower, q.median, q.upper, q.most, count};
    }
    free(values);
    series->boxes = boxes;
    series->count = INTERVALS;
    return COL_OK;
}

/* Fractions of the longest trial at which boxes are drawn. */
static const double parts[INTERVALS] = {0.1, 0.25, 0.5, 0.75, 1};

/* ---- A plot. */

col_status rep_plot_draw(const rep_report *report, const rep_plot *plot, rep_drawn *drawn,
                         col_problem *problem) {
    *drawn = (rep_drawn){.plot = *plot};
    if (plot->series != NULL || plot->scenario == NULL)
        return COL_OK;
    drawing d = {.report = report, .plot = plot, .arena = &drawn->arena};
    const bool has_boxes = plot->kind == REP_BOXES;
    const double end = longest_of(report->source, plot->scenario, plot->axis);
    const size_t places = has_boxes ? INTERVALS : GRID_PLACES;
    double *x = base_arena_take(d.arena, places * sizeof *x);
    if (x != NULL && !has_boxes)
        cam_places(x, places, end);
    for (size_t i = 0; i < places && x != NULL; i++)
        x[i] = i + 1 == places ? end : round_place(has_boxes ? parts[i] * end : x[i], end);
    const col_status status = draw_series(&d, has_boxes ? fill_boxes : fill_line, x, problem);
    free(d.curves.items);
    free(d.curves.steps);
    drawn->plot.series = d.series;
    drawn->plot.series_count = d.series_count;
    if (has_boxes) {
        drawn->plot.intervals = x;
        drawn->plot.interval_count = INTERVALS;
    }
    return status;
}

void rep_drawn_free(rep_drawn *drawn) {
    base_arena_free(&drawn->arena);
}
