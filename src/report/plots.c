/* SPDX-License-Identifier: MIT */
/*
 * Plots: coverage as it grew, of each scenario a line for each contender; boxes of what was covered
 * at the end of intervals; what engines learned; protocol tables. Scenarios without an error put in
 * come first: their coverage is what engines are judged by.
 */
#include "report/plots.h"

#include "base/memory.h"
#include "base/plural.h"
#include "statistics/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_PLACES = 60, INTERVALS = 5 };

/* ---- Curves of a group. */

typedef struct curves {
    cam_curve *items;
    cam_step *steps;
    size_t count, capacity, step_capacity;
} curves;

static void free_curves(curves *c) {
    free(c->items);
    free(c->steps);
}

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
    if (status == COL_OK)
        status = base_reserve(&c->steps, &c->step_capacity, steps, sizeof *c->steps, problem);
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

static double longest_of(const rep_maker *m, const rep_scenario *s, cam_axis axis) {
    double longest = 0;
    for (uint32_t i = 0; i < s->group_count; i++) {
        const cam_row *const *rows = rep_rows(m, s->groups[i]);
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++)
            if (rows[k]->is_done && rows[k]->curve_count > 0 &&
                cam_row_end(rows[k], axis) > longest)
                longest = cam_row_end(rows[k], axis);
    }
    return longest;
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

static double *make_grid(rep_maker *m, double end) {
    double *x = base_arena_take(&m->report->arena, GRID_PLACES * sizeof *x);
    if (x == NULL)
        return NULL;
    cam_grid(x, GRID_PLACES, end);
    for (size_t i = 0; i < GRID_PLACES; i++)
        x[i] = round_place(x[i], end);
    x[GRID_PLACES - 1] = end;
    return x;
}

/* Nothing is drawn after a group's last trial ended. */
static col_status fill_line(rep_maker *m, const curves *c, const double *x, rep_series *series,
                            col_problem *problem) {
    cam_band bands[GRID_PLACES];
    double *numbers = base_arena_take(&m->report->arena, sizeof *numbers * 3 * GRID_PLACES);
    if (numbers == NULL)
        return base_out_of_memory(problem);
    const col_status status = cam_evolve(c->items, c->count, x, GRID_PLACES, bands, problem);
    if (status != COL_OK)
        return status;
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
    rep_maker *maker;
    const rep_scenario *scenario;
    cam_axis axis;
    col_metric metric;
    double end;
    curves curves;
    rep_series *series;
    uint32_t series_count;
} drawing;

static col_status begin_series(drawing *d, col_problem *problem) {
    d->series_count = 0;
    d->series = base_arena_take(&d->maker->report->arena,
                                (d->scenario->group_count + 1) * sizeof *d->series);
    return d->series == NULL ? base_out_of_memory(problem) : COL_OK;
}

static rep_series *add_series(drawing *d, uint32_t group) {
    rep_series *series = &d->series[d->series_count++];
    *series = (rep_series){.name = d->maker->report->groups[group].contender, .group = group};
    return series;
}

static col_status draw_lines(drawing *d, col_problem *problem) {
    const double *x = make_grid(d->maker, d->end);
    if (x == NULL)
        return base_out_of_memory(problem);
    col_status status = begin_series(d, problem);
    for (uint32_t i = 0; i < d->scenario->group_count && status == COL_OK; i++) {
        const uint32_t group = d->scenario->groups[i];
        status = take_curves(d->maker, group, d->axis, d->metric, &d->curves, problem);
        if (status == COL_OK && d->curves.count > 0)
            status = fill_line(d->maker, &d->curves, x, add_series(d, group), problem);
    }
    return status;
}

/* ---- Boxes. */

static rep_box box_at(const curves *c, double x, double *values) {
    uint32_t count = 0, covered;
    for (size_t i = 0; i < c->count; i++)
        if (cam_curve_at(&c->items[i], x, &covered))
            values[count++] = covered;
    if (count == 0)
        return (rep_box){0};
    const sta_quartiles q = sta_summarise(values, count);
    return (rep_box){q.least, q.lower, q.median, q.upper, q.most, count};
}

static col_status fill_boxes(rep_maker *m, const curves *c, const double *ends, rep_series *series,
                             col_problem *problem) {
    rep_box *boxes = base_arena_take(&m->report->arena, INTERVALS * sizeof *boxes);
    double *values = malloc((c->count + 1) * sizeof *values);
    if (boxes == NULL || values == NULL) {
        free(values);
        return base_out_of_memory(problem);
    }
    for (size_t i = 0; i < INTERVALS; i++)
        boxes[i] = box_at(c, ends[i], values);
    free(values);
    series->boxes = boxes;
    series->count = INTERVALS;
    return COL_OK;
}

static col_status draw_boxes(drawing *d, const double *ends, col_problem *problem) {
    col_status status = begin_series(d, problem);
    for (uint32_t i = 0; i < d->scenario->group_count && status == COL_OK; i++) {
        const uint32_t group = d->scenario->groups[i];
        status = take_curves(d->maker, group, d->axis, d->metric, &d->curves, problem);
        if (status == COL_OK && d->curves.count > 0)
            status = fill_boxes(d->maker, &d->curves, ends, add_series(d, group), problem);
    }
    return status;
}

/* ---- Putting them into the report. */

rep_plot *rep_add_plot(rep_maker *m, size_t *capacity) {
    rep_report *r = m->report;
    r->plots = rep_grow(&r->arena, r->plots, r->plot_count, capacity, sizeof *r->plots);
    if (r->plots == NULL)
        return NULL;
    rep_plot *plot = &r->plots[r->plot_count++];
    *plot = (rep_plot){.first_group = REP_NO_GROUP, .total = NAN, .reachable = NAN};
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

/* Points of the scenario: the most that any of its trials had. */
static void count_points(const drawing *d, rep_plot *plot) {
    for (uint32_t i = 0; i < d->scenario->group_count; i++) {
        const uint32_t group = d->scenario->groups[i];
        for (size_t k = 0; k < rep_member_count(d->maker, group); k++) {
            const cam_extent *e = &rep_rows(d->maker, group)[k]->coverage[d->metric];
            if (e->total > 0 && !(plot->total >= e->total))
                plot->total = e->total;
            if (e->reachable_known && !(plot->reachable >= e->reachable))
                plot->reachable = e->reachable;
        }
    }
}

static void describe_plot(drawing *d, const char *about, uint32_t subject, rep_plot *plot) {
    rep_maker *m = d->maker;
    const char *unit = cam_axes[d->axis];
    plot->id = rep_print(m, "%s-%u-%s-%s", about, subject + 1, cam_metric_name(d->metric), unit);
    plot->title = rep_scenario_title(m, d->scenario);
    plot->about = about;
    plot->x_title = unit;
    plot->y_title = rep_print(m, "%s coverage (points)", cam_metric_name(d->metric));
    plot->metric = cam_metric_name(d->metric);
    plot->unit = unit;
    plot->subject = subject;
    plot->first_group = d->scenario->groups[0];
    plot->axes = d->scenario->axes;
    plot->axis_count = d->scenario->axis_count;
    plot->series = d->series;
    plot->series_count = d->series_count;
    count_points(d, plot);
}

/* Fractions of the longest trial at which boxes are drawn. */
static const double parts[INTERVALS] = {0.1, 0.25, 0.5, 0.75, 1};

static col_status add_boxes(drawing *d, uint32_t subject, size_t *capacity, col_problem *problem) {
    double *ends = base_arena_take(&d->maker->report->arena, INTERVALS * sizeof *ends);
    if (ends == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < INTERVALS; i++)
        ends[i] = round_place(parts[i] * d->end, d->end);
    ends[INTERVALS - 1] = d->end;
    const col_status status = draw_boxes(d, ends, problem);
    if (status != COL_OK)
        return status;
    rep_plot *plot = rep_add_plot(d->maker, capacity);
    if (plot == NULL)
        return base_out_of_memory(problem);
    plot->kind = REP_BOXES;
    describe_plot(d, "boxes", subject, plot);
    plot->intervals = ends;
    plot->interval_count = INTERVALS;
    return COL_OK;
}

static col_status add_lines(drawing *d, uint32_t subject, size_t *capacity, col_problem *problem) {
    const col_status status = draw_lines(d, problem);
    if (status != COL_OK)
        return status;
    rep_plot *plot = rep_add_plot(d->maker, capacity);
    if (plot == NULL)
        return base_out_of_memory(problem);
    plot->kind = REP_LINES;
    describe_plot(d, "evolution", subject, plot);
    return COL_OK;
}

/* Boxes are by cycles, or by seconds where nothing counts cycles. */
static col_status draw_scenario(rep_maker *m, const rep_scenario *s, bool boxes, uint32_t *subject,
                                size_t *capacity, col_problem *problem) {
    static const cam_axis axes[] = {CAM_CYCLES, CAM_SECONDS};
    col_status status = COL_OK;
    drawing d = {.maker = m, .scenario = s};
    for (int metric = 0; metric < COL_METRIC_COUNT && status == COL_OK; metric++) {
        bool is_drawn = false;
        d.metric = (col_metric)metric;
        for (size_t i = 0; i < sizeof axes / sizeof *axes && status == COL_OK; i++) {
            d.axis = axes[i];
            d.end = longest_of(m, s, d.axis);
            if (d.end <= 0 || (boxes && is_drawn))
                continue;
            is_drawn = true;
            status = boxes ? add_boxes(&d, *subject, capacity, problem)
                           : add_lines(&d, *subject, capacity, problem);
        }
        *subject += is_drawn;
    }
    free_curves(&d.curves);
    return status;
}

static col_status draw_protocols(rep_maker *m, size_t *capacity, col_problem *problem) {
    for (uint32_t i = 0; i < m->report->protocol_count; i++) {
        const rep_protocol *protocol = &m->report->protocols[i];
        rep_plot *plot = rep_add_plot(m, capacity);
        if (plot == NULL)
            return base_out_of_memory(problem);
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
    return COL_OK;
}

col_status rep_make_plots(rep_maker *m, col_problem *problem) {
    size_t capacity = 0;
    col_status status = COL_OK;
    for (int boxes = 0; boxes < 2; boxes++) {
        uint32_t subject = 0;
        for (int hunts = 0; hunts < 2; hunts++)
            for (uint32_t i = 0; i < m->scenario_count && status == COL_OK; i++)
                if (m->scenarios[i].hunts == (hunts != 0) && m->scenarios[i].is_done &&
                    m->scenarios[i].kind == CAM_EPISODE)
                    status = draw_scenario(m, &m->scenarios[i], boxes != 0, &subject, &capacity,
                                           problem);
    }
    if (status == COL_OK)
        status = rep_draw_learning(m, &capacity, problem);
    return status == COL_OK ? draw_protocols(m, &capacity, problem) : status;
}
