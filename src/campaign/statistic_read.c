/* SPDX-License-Identifier: MIT */
/* Readings of a trial: see statistic_sample.h. */
#include "base/json.h"
#include "base/memory.h"
#include "campaign/statistic_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of fractions that were printed and read again. */
#define TOLERANCE 1e-9

static cam_reading value_of(double value) {
    return (cam_reading){.is_there = !isnan(value),
                         .is_found = true,
                         .observation = {.time = value, .is_event = true},
                         .end = value};
}

/* ---- What tours and studies of locations left: JSON. */

static double number_at(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static col_status open_result(const cam_row *row, cam_kind kind, json_t **result,
                              col_problem *problem) {
    *result = NULL;
    if (row->kind != kind || row->result == NULL)
        return COL_OK;
    const col_status status = base_json_parse_stored(row->result, result, problem);
    return status != COL_OK || *result != NULL
               ? status
               : base_refuse(problem, "the result of the trial %.40s is not JSON", row->key);
}

col_status cam_read_tour(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e) {
    json_t *result = NULL;
    const col_status status = open_result(row, CAM_TOUR, &result, e);
    *r = value_of(number_at(result, asking->statistic->field));
    json_decref(result);
    return status;
}

/* The curve is pairs of a fraction and the operations that it took. */
col_status cam_read_cost_at(cam_asking *asking, const cam_row *row, cam_reading *r,
                            col_problem *e) {
    json_t *result = NULL;
    const col_status status = open_result(row, CAM_TOUR, &result, e);
    const json_t *curve = json_object_get(result, "curve");
    const double end = number_at(result, "cost");
    *r = (cam_reading){.is_there = json_is_array(curve) && end >= 0,
                       .observation = {.time = INFINITY},
                       .end = end};
    for (size_t i = 0; i < json_array_size(curve) && !r->is_found; i++) {
        const json_t *point = json_array_get(curve, i);
        if (json_number_value(json_array_get(point, 0)) < asking->question.at - TOLERANCE)
            continue;
        *r = value_of(json_number_value(json_array_get(point, 1)));
    }
    json_decref(result);
    return status;
}

col_status cam_read_location(cam_asking *asking, const cam_row *row, cam_reading *r,
                             col_problem *e) {
    const char *wanted = asking->question.machine;
    json_t *result = NULL;
    const col_status status = open_result(row, CAM_LOCATIONS, &result, e);
    const json_t *machines = json_object_get(result, "machines");
    *r = (cam_reading){0};
    for (size_t i = 0; i < json_array_size(machines) && !r->is_there; i++) {
        const json_t *machine = json_array_get(machines, i);
        const char *name = json_string_value(json_object_get(machine, "name"));
        if (wanted == NULL || (name != NULL && strcmp(name, wanted) == 0))
            *r = value_of(number_at(machine, "median"));
    }
    json_decref(result);
    return status;
}

/* ---- Coverage. */

static bool has_coverage(const cam_asking *asking, const cam_row *row) {
    return row->kind == CAM_EPISODE && row->coverage[asking->question.metric].total > 0;
}

static double fraction_of(const cam_asking *asking, const cam_row *row, double covered) {
    return covered / (double)row->coverage[asking->question.metric].total;
}

static col_status read_tour_coverage(const cam_row *row, cam_reading *r, col_problem *e) {
    json_t *result = NULL;
    const col_status status = open_result(row, CAM_TOUR, &result, e);
    *r = value_of(number_at(result, "covered") / number_at(result, "transitions"));
    json_decref(result);
    return status;
}

col_status cam_read_coverage(cam_asking *asking, const cam_row *row, cam_reading *r,
                             col_problem *e) {
    if (row->kind == CAM_TOUR)
        return read_tour_coverage(row, r, e);
    *r = has_coverage(asking, row)
             ? value_of(fraction_of(asking, row, row->coverage[asking->question.metric].covered))
             : (cam_reading){0};
    return COL_OK;
}

col_status cam_read_reached(cam_asking *asking, const cam_row *row, cam_reading *r,
                            col_problem *e) {
    const cam_extent *extent = &row->coverage[asking->question.metric];
    (void)e;
    *r = row->kind == CAM_EPISODE && extent->reachable_known && extent->reachable > 0
             ? value_of((double)extent->reached / extent->reachable)
             : (cam_reading){0};
    return COL_OK;
}

col_status cam_read_covered(cam_asking *asking, const cam_row *row, cam_reading *r,
                            col_problem *e) {
    (void)e;
    *r = has_coverage(asking, row) ? value_of(row->coverage[asking->question.metric].covered)
                                   : (cam_reading){0};
    return COL_OK;
}

static col_status open_curve(cam_asking *asking, const cam_row *row, cam_curve *curve,
                             col_problem *problem) {
    const col_status status = base_reserve(&asking->steps, &asking->step_capacity, row->curve_count,
                                           sizeof *asking->steps, problem);
    if (status == COL_OK)
        *curve =
            cam_row_curve(row, asking->statistic->axis, asking->question.metric, asking->steps);
    return status;
}

/* After its end a trial has what its budget bought, a bound, unless nothing was left to come. */
static col_status read_at(cam_asking *asking, const cam_row *row, double x, cam_reading *r,
                          col_problem *problem) {
    cam_curve curve;
    uint32_t covered = 0;
    *r = (cam_reading){0};
    if (!has_coverage(asking, row))
        return COL_OK;
    const col_status status = open_curve(asking, row, &curve, problem);
    if (status != COL_OK || !cam_curve_at(&curve, x, &covered))
        return status;
    *r = value_of(fraction_of(asking, row, covered));
    r->is_found = curve.after == CAM_STAYS || curve.end >= x;
    return COL_OK;
}

col_status cam_read_at(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e) {
    return read_at(asking, row, asking->question.at, r, e);
}

static const char *setting_of(const cam_row *row, const char *name) {
    for (uint32_t i = 0; i < row->pair_count; i++)
        if (strcmp(row->pairs[i].name, name) == 0)
            return row->pairs[i].value;
    return NULL;
}

col_status cam_read_at_part(cam_asking *asking, const cam_row *row, cam_reading *r,
                            col_problem *e) {
    const char *budget = setting_of(row, "cycles");
    const double whole =
        budget != NULL ? strtod(budget, NULL) : cam_row_end(row, asking->statistic->axis);
    return read_at(asking, row, asking->question.at * whole, r, e);
}

/* ---- Times. */

static cam_reading time_of(sta_observation observation, double end) {
    return (cam_reading){
        .is_there = true, .is_found = observation.is_event, .observation = observation, .end = end};
}

col_status cam_read_to_coverage(cam_asking *asking, const cam_row *row, cam_reading *r,
                                col_problem *e) {
    cam_curve curve;
    *r = (cam_reading){0};
    if (!has_coverage(asking, row))
        return COL_OK;
    const double total = row->coverage[asking->question.metric].total;
    const double goal = ceil(asking->question.at * total - 1e-6);
    const col_status status = open_curve(asking, row, &curve, e);
    if (status != COL_OK)
        return status;
    *r = time_of(cam_curve_reaches(&curve, goal > 0 ? (uint32_t)fmin(goal, UINT32_MAX) : 0),
                 curve.end);
    return COL_OK;
}

static double failure_time(const cam_row *row, cam_axis axis) {
    return axis == CAM_CYCLES    ? (double)row->failure_cycles
           : axis == CAM_SECONDS ? row->failure_seconds
                                 : (double)row->failure_test;
}

/* An engine that was through would never have found it; a budget says no more than it says. */
col_status cam_read_to_error(cam_asking *asking, const cam_row *row, cam_reading *r,
                             col_problem *e) {
    const cam_axis axis = asking->statistic->axis;
    const double end = cam_row_end(row, axis);
    const bool is_through =
        row->ended_by != NULL && strcmp(row->ended_by, col_endings[COL_ENDED_BY_ENGINE]) == 0;
    (void)e;
    *r = (cam_reading){0};
    if (row->kind != CAM_EPISODE)
        return COL_OK;
    *r = row->failure_test > 0
             ? time_of((sta_observation){failure_time(row, axis), true}, end)
             : time_of((sta_observation){is_through ? INFINITY : end, false}, end);
    return COL_OK;
}
