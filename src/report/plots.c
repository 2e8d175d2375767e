/* SPDX-License-Identifier: MIT */
/*
 * The list of plots: coverage as it grew, of each scenario a line for each contender; boxes of what
 * was covered at the end of intervals; what engines learned; protocol tables. Scenarios without an
 * error put in come first: their coverage is what engines are judged by.
 */
#include "report/plots.h"

#include "base/memory.h"
#include "base/plural.h"

#include <math.h>

/* ---- Putting them into the report. */

rep_plot *rep_add_plot(rep_maker *m, size_t *capacity) {
    rep_report *r = m->report;
    if (base_reserve(&m->plots, capacity, (size_t)r->plot_count + 1, sizeof *m->plots, NULL) !=
        COL_OK)
        return NULL;
    r->plots = m->plots;
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
static void count_points(const rep_maker *m, rep_plot *plot) {
    const rep_scenario *s = plot->scenario;
    for (uint32_t i = 0; i < s->group_count; i++)
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++) {
            const cam_extent *e = &rep_rows(m, s->groups[i])[k]->coverage[plot->points];
            if (e->total > 0 && !(plot->total >= e->total))
                plot->total = e->total;
            if (e->reachable_known && !(plot->reachable >= e->reachable))
                plot->reachable = e->reachable;
        }
}

static bool has_curves(const rep_maker *m, uint32_t group) {
    for (size_t i = 0; i < rep_member_count(m, group); i++)
        if (rep_rows(m, group)[i]->is_done && rep_rows(m, group)[i]->curve_count > 0)
            return true;
    return false;
}

/* How many series there will be, and whose is the first. */
static void count_series(const rep_maker *m, rep_plot *plot) {
    const rep_scenario *s = plot->scenario;
    for (uint32_t i = 0; i < s->group_count; i++)
        if (has_curves(m, s->groups[i]) && plot->series_count++ == 0)
            plot->series_group = s->groups[i];
}

static col_status list_plot(rep_maker *m, const rep_plot *like, size_t *capacity,
                            col_problem *problem) {
    const char *unit = cam_axes[like->axis], *metric = cam_metric_name(like->points);
    rep_plot *plot = rep_add_plot(m, capacity);
    if (plot == NULL)
        return base_out_of_memory(problem);
    plot->kind = like->kind;
    plot->scenario = like->scenario;
    plot->axis = like->axis;
    plot->points = like->points;
    plot->about = like->kind == REP_BOXES ? "boxes" : "evolution";
    plot->subject = like->subject;
    plot->id = rep_print(m, "%s-%u-%s-%s", plot->about, plot->subject + 1, metric, unit);
    plot->title = rep_scenario_title(m, plot->scenario);
    plot->x_title = like->axis == CAM_CYCLES && m->settings->price > 0
                        ? rep_print(m, "cycles, and %.0f for each test", m->settings->price)
                        : unit;
    plot->y_title = plot->points == COL_STRUCTURAL ? "structural coverage (points)"
                                                   : "functional coverage (points)";
    plot->metric = metric;
    plot->unit = unit;
    plot->first_group = plot->scenario->groups[0];
    plot->axes = plot->scenario->axes;
    plot->axis_count = plot->scenario->axis_count;
    count_points(m, plot);
    count_series(m, plot);
    return COL_OK;
}

/* Boxes are by cycles, or by seconds where nothing counts cycles. */
static col_status list_scenario(rep_maker *m, const rep_scenario *s, rep_plot_kind kind,
                                uint32_t *subject, size_t *capacity, col_problem *problem) {
    static const cam_axis axes[] = {CAM_CYCLES, CAM_SECONDS};
    col_status status = COL_OK;
    for (int metric = 0; metric < COL_METRIC_COUNT && status == COL_OK; metric++) {
        bool is_listed = false;
        for (size_t i = 0; i < sizeof axes / sizeof *axes && status == COL_OK; i++) {
            if (rep_longest(m, s, axes[i]) <= 0 || (kind == REP_BOXES && is_listed))
                continue;
            is_listed = true;
            status = list_plot(m,
                               &(rep_plot){.kind = kind,
                                           .scenario = s,
                                           .axis = axes[i],
                                           .points = (col_metric)metric,
                                           .subject = *subject},
                               capacity, problem);
        }
        *subject += is_listed;
    }
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
    static const rep_plot_kind kinds[] = {REP_LINES, REP_BOXES};
    size_t capacity = 0;
    col_status status = COL_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        uint32_t subject = 0;
        for (int hunts = 0; hunts < 2; hunts++)
            for (uint32_t i = 0; i < m->scenario_count && status == COL_OK; i++)
                if (m->scenarios[i].hunts == (hunts != 0) && m->scenarios[i].is_done &&
                    m->scenarios[i].kind == CAM_EPISODE)
                    status =
                        list_scenario(m, &m->scenarios[i], kinds[k], &subject, &capacity, problem);
    }
    if (status == COL_OK)
        status = rep_draw_learning(m, &capacity, problem);
    if (status == COL_OK)
        status = draw_protocols(m, &capacity, problem);
    return status == COL_OK ? rep_move(m, &m->report->plots, &m->plots,
                                       m->report->plot_count * sizeof *m->plots, problem)
                            : status;
}
