/* SPDX-License-Identifier: MIT */
/*
 * Drawing a plot of coverage when it is written: the lines of an evolution, or the boxes at the end
 * of intervals. A report lists its plots, and keeps the trials that they are drawn from; what is
 * drawn is a hundred times as much as that, and is gone when the next plot is drawn.
 */
#include "report/plots.h"

#include "base/memory.h"
#include "statistics/significance.h"

#include <math.h>
#include <stdlib.h>

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

double rep_longest(const rep_maker *m, const rep_scenario *s, cam_axis axis) {
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

static double *make_grid(base_arena *arena, double end) {
    double *x = base_arena_take(arena, GRID_PLACES * sizeof *x);
    if (x == NULL)
        return NULL;
    cam_grid(x, GRID_PLACES, end);
    for (size_t i = 0; i < GRID_PLACES; i++)
        x[i] = round_place(x[i], end);
    x[GRID_PLACES - 1] = end;
    return x;
}

/* Nothing is drawn after a group's last trial ended. */
static col_status fill_line(base_arena *arena, const curves *c, const double *x, rep_series *series,
                            col_problem *problem) {
    cam_band bands[GRID_PLACES];
    double *numbers = base_arena_take(arena, sizeof *numbers * 3 * GRID_PLACES);
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

static col_status fill_boxes(base_arena *arena, const curves *c, const double *ends,
                             rep_series *series, col_problem *problem) {
    rep_box *boxes = base_arena_take(arena, INTERVALS * sizeof *boxes);
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

/* Fractions of the longest trial at which boxes are drawn. */
static const double parts[INTERVALS] = {0.1, 0.25, 0.5, 0.75, 1};

static double *make_ends(base_arena *arena, double end) {
    double *ends = base_arena_take(arena, INTERVALS * sizeof *ends);
    for (size_t i = 0; i < INTERVALS && ends != NULL; i++)
        ends[i] = i + 1 < INTERVALS ? round_place(parts[i] * end, end) : end;
    return ends;
}

/* ---- A plot. */

col_status rep_plot_draw(const rep_report *report, const rep_plot *plot, rep_drawn *drawn,
                         col_problem *problem) {
    *drawn = (rep_drawn){.plot = *plot};
    if (plot->series != NULL || plot->scenario == NULL)
        return COL_OK;
    drawing d = {.report = report, .plot = plot, .arena = &drawn->arena};
    const bool has_boxes = plot->kind == REP_BOXES;
    const double end = rep_longest(report->source, plot->scenario, plot->axis);
    const double *x = has_boxes ? make_ends(d.arena, end) : make_grid(d.arena, end);
    const col_status status = draw_series(&d, has_boxes ? fill_boxes : fill_line, x, problem);
    free_curves(&d.curves);
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
