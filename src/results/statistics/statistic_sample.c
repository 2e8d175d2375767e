/* SPDX-License-Identifier: MIT */
/* Answers from the readings of trials: see statistic_sample.h. */
#include "results/statistics/statistic_sample.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Samples. */

void cam_sample_take(cam_asking *asking, const cam_row *const *rows, size_t count,
                     cam_sample *sample) {
    size_t bounds = 0;
    BASE_THEN(asking->status, base_reserve(&sample->observations, &sample->capacity, count,
                                           sizeof *sample->observations, asking->problem));
    for (size_t i = 0; i < count && asking->status == COL_OK; i++) {
        cam_reading r = {0};
        if (rows[i]->is_done)
            r = asking->statistic->read(asking, rows[i]);
        if (!r.is_there || asking->status != COL_OK)
            continue;
        sample->observations[sample->count++] = r.observation;
        sample->longest = fmax(sample->longest, r.end);
        sample->ends += r.end;
        sample->found += r.is_found;
        bounds += r.observation.is_event && !r.is_found;
    }
    sample->is_bound = 2 * bounds > sample->count;
    sta_sort_observations(sample->observations, sample->count);
}

double cam_sample_median(const cam_sample *sample) {
    return sta_event_quantile(sample->observations, NULL, sample->count, 0.5);
}

sta_interval cam_draw(cam_asking *asking, const size_t *strata, size_t count,
                      sta_estimator estimator, void *context) {
    sta_interval interval = {NAN, NAN};
    asking->status = sta_bootstrap(
        &(sta_resampling){.strata = strata, .stratum_count = count, .seed = asking->seed},
        estimator, context, &interval, asking->problem);
    return interval;
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

void cam_ask_median(cam_asking *asking, cam_answer *answer) {
    medians m = {.is_relative = asking->statistic->is_relative,
                 .less_is_better = asking->statistic->less_is_better};
    void (*const take)(cam_asking *, const cam_row *const *, size_t, cam_sample *) =
        asking->question.per != NULL ? cam_sample_scenarios : cam_sample_take;
    take(asking, asking->rows, asking->count, &m.ours);
    if (m.is_relative)
        take(asking, asking->baseline, asking->baseline_count, &m.base);
    const size_t strata[2] = {m.ours.count, m.base.count};
    if (asking->status == COL_OK && m.ours.count > 0 && (!m.is_relative || m.base.count > 0))
        answer_medians(&m, answer);
    if (answer->is_known && !asking->question.no_interval) {
        const sta_interval drawn = cam_draw(asking, strata, m.is_relative ? 2 : 1, estimate, &m);
        /* A bound is less than what was drawn in its place, which is infinite. */
        answer->low = fmin(drawn.low, answer->value);
        answer->high = fmax(drawn.high, answer->value);
    }
    free(m.ours.observations);
    free(m.base.observations);
}

/* The median of the final coverage; 0 without any. */
static double final_coverage(cam_asking *asking, const cam_row *const *rows, size_t count) {
    static const cam_statistic final = {.read = cam_read_coverage};
    const cam_statistic *asked = asking->statistic;
    cam_sample sample = {0};
    asking->statistic = &final;
    cam_sample_take(asking, rows, count, &sample);
    asking->statistic = asked;
    const double coverage = sample.count > 0 ? cam_sample_median(&sample) : 0;
    free(sample.observations);
    return coverage;
}

/* How much sooner the trials have what both have in the end. */
void cam_ask_speedup(cam_asking *asking, cam_answer *answer) {
    asking->question.at = fmin(final_coverage(asking, asking->rows, asking->count),
                               final_coverage(asking, asking->baseline, asking->baseline_count));
    if (asking->question.at > 0)
        cam_ask_median(asking, answer);
}

/* ---- Others. */

/* No bootstrap: samples drawn from a sample never have more than its most. */
void cam_answer_most(cam_asking *asking, const cam_sample *sample, cam_answer *answer) {
    (void)asking;
    const double most = sample->observations[sample->count - 1].time;
    answer->value = answer->low = answer->high = most;
    answer->found = 0;
    for (size_t i = 0; i < sample->count; i++)
        answer->found += sample->observations[i].time >= most;
}

void cam_answer_share(cam_asking *asking, const cam_sample *sample, cam_answer *answer) {
    (void)asking;
    const sta_interval interval = sta_share_interval(sample->found, sample->count);
    answer->value = (double)sample->found / (double)sample->count;
    answer->low = interval.low;
    answer->high = interval.high;
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
void cam_answer_mean(cam_asking *asking, const cam_sample *sample, cam_answer *answer) {
    cam_sample drawn_from = *sample;
    answer->is_censored = sample->found == 0;
    answer->value = answer->is_censored ? sample->ends / (double)sample->count
                                        : estimate_mean(&drawn_from, NULL);
    sta_interval interval = {answer->value, answer->is_censored ? INFINITY : answer->value};
    if (!answer->is_censored && !asking->question.no_interval)
        interval = cam_draw(asking, &sample->count, 1, estimate_mean, &drawn_from);
    answer->low = interval.low;
    answer->high = interval.high;
}

void cam_ask_sample(cam_asking *asking, cam_answer *answer) {
    cam_sample sample = {0};
    cam_sample_take(asking, asking->rows, asking->count, &sample);
    if (asking->status == COL_OK && sample.count > 0) {
        *answer = (cam_answer){
            .is_known = true, .found = (uint32_t)sample.found, .of = (uint32_t)sample.count};
        asking->statistic->answer(asking, &sample, answer);
    }
    free(sample.observations);
}

/* ---- Readings of a trial. */

static cam_reading value_of(double value) {
    return (cam_reading){.is_there = !isnan(value),
                         .is_found = true,
                         .observation = {.time = value, .is_event = true},
                         .end = value};
}

/* What tours and studies of locations left: JSON. */

static double number_at(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* NULL: the trial has none. */
static json_t *open_result(cam_asking *asking, const cam_row *row, cam_kind kind) {
    json_t *result = NULL;
    if (row->kind != kind || row->result == NULL)
        return NULL;
    asking->status = base_json_parse_stored(row->result, &result, asking->problem);
    if (asking->status == COL_OK && result == NULL)
        asking->status =
            base_refuse(asking->problem, "the result of the trial %.40s is not JSON", row->key);
    return result;
}

cam_reading cam_read_tour(cam_asking *asking, const cam_row *row) {
    json_t *result = open_result(asking, row, CAM_TOUR);
    const double number = number_at(result, asking->statistic->field);
    json_decref(result);
    return value_of(number);
}

/* The curve is pairs of a fraction, which was printed and read again, and the operations that it
 * took. */
cam_reading cam_read_cost_at(cam_asking *asking, const cam_row *row) {
    static const double tolerance = 1e-9;
    json_t *result = open_result(asking, row, CAM_TOUR);
    const json_t *curve = json_object_get(result, "curve");
    const double end = number_at(result, "cost");
    cam_reading r = {.is_there = json_is_array(curve) && end >= 0,
                     .observation = {.time = INFINITY},
                     .end = end};
    for (size_t i = 0; i < json_array_size(curve) && !r.is_found; i++) {
        const json_t *point = json_array_get(curve, i);
        if (!(json_number_value(json_array_get(point, 0)) < asking->question.at - tolerance))
            r = value_of(json_number_value(json_array_get(point, 1)));
    }
    json_decref(result);
    return r;
}

cam_reading cam_read_location(cam_asking *asking, const cam_row *row) {
    const char *wanted = asking->question.machine;
    json_t *result = open_result(asking, row, CAM_LOCATIONS);
    const json_t *machines = json_object_get(result, "machines");
    cam_reading r = {0};
    for (size_t i = 0; i < json_array_size(machines) && !r.is_there; i++) {
        const json_t *machine = json_array_get(machines, i);
        const char *name = json_string_value(json_object_get(machine, "name"));
        if (wanted == NULL || (name != NULL && strcmp(name, wanted) == 0))
            r = value_of(number_at(machine, "median"));
    }
    json_decref(result);
    return r;
}

/* ---- Coverage. */

/* Of an episode; NAN: it has none. */
static double covered_part(const cam_asking *asking, const cam_row *row, uint32_t covered) {
    const uint32_t total = row->coverage[asking->question.metric].total;
    return row->kind == CAM_EPISODE && total > 0 ? (double)covered / total : NAN;
}

cam_reading cam_read_coverage(cam_asking *asking, const cam_row *row) {
    if (row->kind != CAM_TOUR)
        return value_of(covered_part(asking, row, row->coverage[asking->question.metric].covered));
    json_t *result = open_result(asking, row, CAM_TOUR);
    const double part = number_at(result, "covered") / number_at(result, "transitions");
    json_decref(result);
    return value_of(part);
}

cam_reading cam_read_reached(cam_asking *asking, const cam_row *row) {
    const cam_extent *extent = &row->coverage[asking->question.metric];
    const bool is_there =
        row->kind == CAM_EPISODE && extent->reachable_known && extent->reachable > 0;
    return value_of(is_there ? (double)extent->reached / extent->reachable : NAN);
}

cam_reading cam_read_covered(cam_asking *asking, const cam_row *row) {
    const uint32_t covered = row->coverage[asking->question.metric].covered;
    return value_of(isnan(covered_part(asking, row, covered)) ? NAN : (double)covered);
}

/* False: it has none. */
static bool open_curve(cam_asking *asking, const cam_row *row, cam_curve *curve) {
    if (isnan(covered_part(asking, row, 0)))
        return false;
    asking->status = base_reserve(&asking->steps, &asking->step_capacity, row->curve_count,
                                  sizeof *asking->steps, asking->problem);
    if (asking->status == COL_OK)
        *curve =
            cam_row_curve(row, asking->statistic->axis, asking->question.metric, asking->steps);
    return asking->status == COL_OK;
}

/* After its end a trial has what its budget bought, a bound, unless nothing was left to come. */
static cam_reading read_at(cam_asking *asking, const cam_row *row, double x) {
    cam_curve curve;
    uint32_t covered = 0;
    if (!open_curve(asking, row, &curve) || !cam_curve_at(&curve, x, &covered))
        return (cam_reading){0};
    cam_reading r = value_of(covered_part(asking, row, covered));
    r.is_found = curve.after == CAM_STAYS || curve.end >= x;
    return r;
}

cam_reading cam_read_at(cam_asking *asking, const cam_row *row) {
    return read_at(asking, row, asking->question.at);
}

cam_reading cam_read_at_part(cam_asking *asking, const cam_row *row) {
    const char *budget = cam_pair_value(row->pairs, row->pair_count, "cycles");
    const double whole =
        budget != NULL ? strtod(budget, NULL) : cam_row_end(row, asking->statistic->axis);
    return read_at(asking, row, asking->question.at * whole);
}

/* ---- Times. */

static cam_reading time_of(sta_observation observation, double end) {
    return (cam_reading){
        .is_there = true, .is_found = observation.is_event, .observation = observation, .end = end};
}

cam_reading cam_read_to_coverage(cam_asking *asking, const cam_row *row) {
    cam_curve curve;
    if (!open_curve(asking, row, &curve))
        return (cam_reading){0};
    const double goal =
        ceil(asking->question.at * row->coverage[asking->question.metric].total - 1e-6);
    return time_of(cam_curve_reaches(&curve, goal > 0 ? (uint32_t)fmin(goal, UINT32_MAX) : 0),
                   curve.end);
}

/* An engine that was through would never have found it; a budget says no more than it says. */
cam_reading cam_read_to_error(cam_asking *asking, const cam_row *row) {
    const cam_axis axis = asking->statistic->axis;
    const double end = cam_row_end(row, axis);
    const bool is_through =
        row->ended_by != NULL && strcmp(row->ended_by, col_endings[COL_ENDED_BY_ENGINE]) == 0;
    if (row->kind != CAM_EPISODE)
        return (cam_reading){0};
    const double found = axis == CAM_CYCLES    ? (double)row->failure_cycles
                         : axis == CAM_SECONDS ? row->failure_seconds
                                               : (double)row->failure_test;
    return row->failure_test > 0
               ? time_of((sta_observation){found, true}, end)
               : time_of((sta_observation){is_through ? INFINITY : end, false}, end);
}

/* ---- When the median coverage of the trials comes to be above the baseline's. */

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

static bool prepare(const cam_asking *asking, contest *c) {
    const size_t trials = asking->count + asking->baseline_count;
    size_t steps = 0;
    for (size_t i = 0; i < trials; i++)
        steps += (i < asking->count ? asking->rows[i] : asking->baseline[i - asking->count])
                     ->curve_count;
    c->curves = calloc(trials + 1, sizeof *c->curves);
    c->steps = calloc(steps + 1, sizeof *c->steps);
    c->places = calloc(steps + 1, sizeof *c->places);
    c->bands = calloc(2 * steps + 1, sizeof *c->bands);
    if (c->curves == NULL || c->steps == NULL || c->places == NULL || c->bands == NULL)
        return false;
    cam_step *room = c->steps;
    c->ours = add_curves(asking, asking->rows, asking->count, c->curves, &room);
    c->theirs =
        add_curves(asking, asking->baseline, asking->baseline_count, c->curves + c->ours, &room);
    for (size_t i = 0; i < c->ours + c->theirs; i++)
        for (size_t j = 0; j < c->curves[i].count; j++)
            c->places[c->place_count++] = c->curves[i].steps[j].x;
    qsort(c->places, c->place_count, sizeof *c->places, compare);
    return true;
}

static void settle(cam_asking *asking, const contest *c, cam_answer *answer) {
    asking->status =
        cam_evolve(c->curves, c->ours, c->places, c->place_count, c->bands, asking->problem);
    BASE_THEN(asking->status, cam_evolve(c->curves + c->ours, c->theirs, c->places, c->place_count,
                                         c->bands + c->place_count, asking->problem));
    if (asking->status != COL_OK)
        return;
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
}

/* There is no interval: places that are drawn again can be anywhere. */
void cam_ask_overtake(cam_asking *asking, cam_answer *answer) {
    contest c = {0};
    if (!prepare(asking, &c))
        asking->status = base_out_of_memory(asking->problem);
    else if (c.ours > 0 && c.theirs > 0 && c.place_count > 0)
        settle(asking, &c, answer);
    free(c.curves);
    free(c.steps);
    free(c.places);
    free(c.bands);
}
