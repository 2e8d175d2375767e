/* SPDX-License-Identifier: MIT */
/* Answers from the readings of trials: see statistic_sample.h. */
#include "results/statistics/statistic_sample.h"

#include "base/json.h"
#include "base/memory.h"
#include "results/statistics/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Samples. */

col_status cam_sample_take(cam_asking *asking, const cam_row *const *rows, size_t count,
                           cam_sample *sample, col_problem *problem) {
    col_status status = base_reserve(&sample->observations, &sample->capacity, count,
                                     sizeof *sample->observations, problem);
    size_t bounds = 0;
    for (size_t i = 0; i < count && status == COL_OK; i++) {
        cam_reading r = {0};
        if (!rows[i]->is_done)
            continue;
        status = asking->statistic->read(asking, rows[i], &r, problem);
        if (status != COL_OK || !r.is_there)
            continue;
        sample->observations[sample->count++] = r.observation;
        sample->longest = fmax(sample->longest, r.end);
        sample->ends += r.end;
        sample->found += r.is_found;
        bounds += r.observation.is_event && !r.is_found;
    }
    sample->is_bound = 2 * bounds > sample->count;
    if (status == COL_OK)
        sta_sort_observations(sample->observations, sample->count);
    return status;
}

void cam_sample_free(cam_sample *sample) {
    free(sample->observations);
    *sample = (cam_sample){0};
}

double cam_sample_median(const cam_sample *sample) {
    return sta_event_quantile(sample->observations, NULL, sample->count, 0.5);
}

static col_status take(cam_asking *asking, const cam_row *const *rows, size_t count,
                       cam_sample *sample, col_problem *problem) {
    return asking->question.per != NULL ? cam_sample_scenarios(asking, rows, count, sample, problem)
                                        : cam_sample_take(asking, rows, count, sample, problem);
}

/* ---- Medians, and their ratios. */

typedef struct medians {
    cam_sample ours, base;
    bool is_relative, less_is_better;
} medians;

/* More than 1 is better. */
static double ratio_of(const medians *m, double ours, double base) {
    return m->less_is_better ? base / ours : ours / base;
}

static double estimate(void *context, const uint32_t *counts) {
    const medians *m = context;
    const double ours = sta_event_quantile(m->ours.observations, counts, m->ours.count, 0.5);
    if (!m->is_relative)
        return ours;
    return ratio_of(
        m, ours,
        sta_event_quantile(m->base.observations, counts + m->ours.count, m->base.count, 0.5));
}

static col_status draw_interval(const cam_asking *asking, medians *m, cam_answer *answer,
                                col_problem *problem) {
    const size_t strata[2] = {m->ours.count, m->base.count};
    const sta_resampling resampling = {
        .strata = strata, .stratum_count = m->is_relative ? 2 : 1, .seed = asking->seed};
    sta_interval interval = {0};
    const col_status status = sta_bootstrap(&resampling, estimate, m, &interval, problem);
    if (status != COL_OK || isnan(interval.low))
        return status;
    /* A bound is less than what was drawn in its place, which is infinite. */
    answer->low = fmin(interval.low, answer->value);
    answer->high = fmax(interval.high, answer->value);
    return COL_OK;
}

/* Of times the trials never reached, a bound; of a ratio there is one only if it is the baseline
 * that did not get there. */
static void answer_medians(const medians *m, cam_answer *answer) {
    const double ours = cam_sample_median(&m->ours), base = cam_sample_median(&m->base);
    const cam_sample *limited = m->is_relative ? &m->base : &m->ours;
    const double limit = m->is_relative ? base : ours;
    answer->found = (uint32_t)m->ours.found;
    answer->of = (uint32_t)m->ours.count;
    answer->is_censored = isinf(limit) || (!m->is_relative && m->ours.is_bound);
    const double known = isinf(limit) ? limited->longest : limit;
    answer->value = m->is_relative ? ratio_of(m, ours, known) : known;
    answer->is_known =
        isfinite(answer->value) && !(m->is_relative && (isinf(ours) || !(answer->value > 0)));
    answer->low = answer->high = answer->value;
}

static col_status ask(cam_asking *asking, medians *m, cam_answer *answer, col_problem *problem) {
    col_status status = take(asking, asking->rows, asking->count, &m->ours, problem);
    if (status == COL_OK && m->is_relative)
        status = take(asking, asking->baseline, asking->baseline_count, &m->base, problem);
    if (status != COL_OK || m->ours.count == 0 || (m->is_relative && m->base.count == 0))
        return status;
    answer_medians(m, answer);
    if (!answer->is_known || asking->question.no_interval)
        return COL_OK;
    return draw_interval(asking, m, answer, problem);
}

col_status cam_ask_median(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    medians m = {.is_relative = asking->statistic->is_relative,
                 .less_is_better = asking->statistic->less_is_better};
    const col_status status = ask(asking, &m, answer, problem);
    cam_sample_free(&m.ours);
    cam_sample_free(&m.base);
    return status;
}

/* The median of the final coverage; 0 without any. */
static col_status final_coverage(cam_asking *asking, const cam_row *const *rows, size_t count,
                                 double *coverage, col_problem *problem) {
    static const cam_statistic final = {.read = cam_read_coverage};
    const cam_statistic *asked = asking->statistic;
    cam_sample sample = {0};
    asking->statistic = &final;
    const col_status status = cam_sample_take(asking, rows, count, &sample, problem);
    asking->statistic = asked;
    *coverage = status == COL_OK && sample.count > 0 ? cam_sample_median(&sample) : 0;
    cam_sample_free(&sample);
    return status;
}

/* How much sooner the trials have what both have in the end. */
col_status cam_ask_speedup(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    double ours = 0, base = 0;
    col_status status = final_coverage(asking, asking->rows, asking->count, &ours, problem);
    if (status == COL_OK)
        status = final_coverage(asking, asking->baseline, asking->baseline_count, &base, problem);
    asking->question.at = fmin(ours, base);
    if (status != COL_OK || !(asking->question.at > 0))
        return status;
    return cam_ask_median(asking, answer, problem);
}

/* ---- Others. */

/* No bootstrap: samples drawn from a sample never have more than its most. */
static col_status answer_most(const cam_asking *asking, cam_sample *sample, cam_answer *answer,
                              col_problem *problem) {
    (void)asking;
    (void)problem;
    const double most = sample->observations[sample->count - 1].time;
    *answer = (cam_answer){.is_known = true, .value = most, .low = most, .high = most};
    for (size_t i = 0; i < sample->count; i++)
        answer->found += sample->observations[i].time >= most;
    answer->of = (uint32_t)sample->count;
    return COL_OK;
}

static col_status answer_share(const cam_asking *asking, cam_sample *sample, cam_answer *answer,
                               col_problem *problem) {
    (void)asking;
    (void)problem;
    const sta_interval interval = sta_share_interval(sample->found, sample->count);
    *answer = (cam_answer){.is_known = true,
                           .value = (double)sample->found / (double)sample->count,
                           .low = interval.low,
                           .high = interval.high,
                           .found = (uint32_t)sample->found,
                           .of = (uint32_t)sample->count};
    return COL_OK;
}

/* Of trials that got there; NAN: none did. */
static double estimate_mean(void *context, const uint32_t *counts) {
    const cam_sample *sample = context;
    double sum = 0, weight = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const double here = counts == NULL ? 1 : counts[i];
        if (!sample->observations[i].is_event || !(here > 0))
            continue;
        sum += here * sample->observations[i].time;
        weight += here;
    }
    return sum / weight;
}

/* The bound is what the trials ran in vain, on average. */
static col_status answer_mean(const cam_asking *asking, cam_sample *sample, cam_answer *answer,
                              col_problem *problem) {
    const sta_resampling resampling = {
        .strata = &sample->count, .stratum_count = 1, .seed = asking->seed};
    sta_interval interval = {0};
    *answer = (cam_answer){.is_known = true,
                           .is_censored = sample->found == 0,
                           .value = estimate_mean(sample, NULL),
                           .found = (uint32_t)sample->found,
                           .of = (uint32_t)sample->count};
    if (answer->is_censored)
        answer->value = sample->ends / (double)sample->count;
    answer->low = answer->value;
    answer->high = answer->is_censored ? INFINITY : answer->value;
    if (answer->is_censored || asking->question.no_interval)
        return COL_OK;
    const col_status status = sta_bootstrap(&resampling, estimate_mean, sample, &interval, problem);
    if (status == COL_OK) {
        answer->low = interval.low;
        answer->high = interval.high;
    }
    return status;
}

typedef col_status (*answerer)(const cam_asking *asking, cam_sample *sample, cam_answer *answer,
                               col_problem *problem);

static col_status ask_sample(cam_asking *asking, answerer answers, cam_answer *answer,
                             col_problem *problem) {
    cam_sample sample = {0};
    col_status status = cam_sample_take(asking, asking->rows, asking->count, &sample, problem);
    if (status == COL_OK && sample.count > 0)
        status = answers(asking, &sample, answer, problem);
    cam_sample_free(&sample);
    return status;
}

col_status cam_ask_most(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    return ask_sample(asking, answer_most, answer, problem);
}

col_status cam_ask_share(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    return ask_sample(asking, answer_share, answer, problem);
}

col_status cam_ask_mean(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    return ask_sample(asking, answer_mean, answer, problem);
}

/* Readings of a trial. */

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

col_status cam_read_coverage(cam_asking *asking, const cam_row *row, cam_reading *r,
                             col_problem *e) {
    if (row->kind == CAM_TOUR) {
        json_t *result = NULL;
        const col_status status = open_result(row, CAM_TOUR, &result, e);
        *r = value_of(number_at(result, "covered") / number_at(result, "transitions"));
        json_decref(result);
        return status;
    }
    *r = has_coverage(asking, row)
             ? value_of(((double)(row->coverage[asking->question.metric].covered) /
                         (double)row->coverage[asking->question.metric].total))
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
    *r = value_of(((double)(covered) / (double)row->coverage[asking->question.metric].total));
    r->is_found = curve.after == CAM_STAYS || curve.end >= x;
    return COL_OK;
}

col_status cam_read_at(cam_asking *asking, const cam_row *row, cam_reading *r, col_problem *e) {
    return read_at(asking, row, asking->question.at, r, e);
}

col_status cam_read_at_part(cam_asking *asking, const cam_row *row, cam_reading *r,
                            col_problem *e) {
    const char *budget = cam_pair_value(row->pairs, row->pair_count, "cycles");
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
    const double found = axis == CAM_CYCLES    ? (double)row->failure_cycles
                         : axis == CAM_SECONDS ? row->failure_seconds
                                               : (double)row->failure_test;
    *r = row->failure_test > 0
             ? time_of((sta_observation){found, true}, end)
             : time_of((sta_observation){is_through ? INFINITY : end, false}, end);
    return COL_OK;
}

/* When the median coverage of the trials comes to be above the baseline's.
 */

/* The curves of all trials of both groups, and the places at which one of them rises. */
typedef struct contest {
    cam_curve *curves; /* ours, then the baseline's */
    size_t ours, theirs;
    cam_step *steps; /* of all curves */
    double *places;
    size_t place_count;
    cam_band *bands; /* ours at every place, then the baseline's */
} contest;

static size_t add_curves(const cam_asking *asking, const cam_row *const *rows, size_t count,
                         cam_curve *curves, cam_step **room) {
    const col_metric metric = asking->question.metric;
    size_t added = 0;
    for (size_t i = 0; i < count; i++) {
        const cam_row *row = rows[i];
        if (!row->is_done || row->kind != CAM_EPISODE || row->coverage[metric].total == 0)
            continue;
        curves[added] = cam_row_curve(row, asking->statistic->axis, metric, *room);
        curves[added++].after = CAM_STAYS; /* a median of what grows must not fall */
        *room += row->curve_count;
    }
    return added;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static col_status prepare(const cam_asking *asking, contest *c, col_problem *problem) {
    const size_t trials = asking->count + asking->baseline_count;
    size_t steps = 0;
    for (size_t i = 0; i < asking->count; i++)
        steps += asking->rows[i]->curve_count;
    for (size_t i = 0; i < asking->baseline_count; i++)
        steps += asking->baseline[i]->curve_count;
    c->curves = calloc(trials + 1, sizeof *c->curves);
    c->steps = calloc(steps + 1, sizeof *c->steps);
    c->places = calloc(steps + 1, sizeof *c->places);
    c->bands = calloc(2 * steps + 1, sizeof *c->bands);
    if (c->curves == NULL || c->steps == NULL || c->places == NULL || c->bands == NULL)
        return base_out_of_memory(problem);
    cam_step *room = c->steps;
    c->ours = add_curves(asking, asking->rows, asking->count, c->curves, &room);
    c->theirs =
        add_curves(asking, asking->baseline, asking->baseline_count, c->curves + c->ours, &room);
    for (size_t i = 0; i < c->ours + c->theirs; i++)
        for (size_t j = 0; j < c->curves[i].count; j++)
            c->places[c->place_count++] = c->curves[i].steps[j].x;
    qsort(c->places, c->place_count, sizeof *c->places, compare);
    return COL_OK;
}

static col_status settle(contest *c, cam_answer *answer, col_problem *problem) {
    col_status status =
        cam_evolve(c->curves, c->ours, c->places, c->place_count, c->bands, problem);
    if (status == COL_OK)
        status = cam_evolve(c->curves + c->ours, c->theirs, c->places, c->place_count,
                            c->bands + c->place_count, problem);
    if (status != COL_OK)
        return status;
    /* From the last place at which the baseline is above, the first at which the trials are; there
     * is none (`place_count`) if the baseline is above, or both are level, to the end. */
    const cam_band *ours = c->bands, *theirs = c->bands + c->place_count;
    size_t place = c->place_count;
    for (size_t i = c->place_count; i-- > 0 && !(theirs[i].median > ours[i].median);)
        if (ours[i].median > theirs[i].median)
            place = i;
    answer->is_known = true;
    answer->is_censored = place == c->place_count;
    answer->value =
        answer->is_censored ? cam_longest(c->curves, c->ours + c->theirs) : c->places[place];
    answer->low = answer->high = answer->value;
    answer->found = answer->is_censored ? 0 : (uint32_t)c->ours;
    answer->of = (uint32_t)c->ours;
    return COL_OK;
}

/* There is no interval: places that are drawn again can be anywhere. */
col_status cam_ask_overtake(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    contest c = {0};
    col_status status = prepare(asking, &c, problem);
    if (status == COL_OK && c.ours > 0 && c.theirs > 0 && c.place_count > 0)
        status = settle(&c, answer, problem);
    free(c.curves);
    free(c.steps);
    free(c.places);
    free(c.bands);
    return status;
}
