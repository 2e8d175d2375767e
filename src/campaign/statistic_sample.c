/* SPDX-License-Identifier: MIT */
/* Answers from the readings of trials: see statistic_sample.h. */
#include "campaign/statistic_sample.h"

#include "base/memory.h"
#include "statistics/bootstrap.h"

#include <math.h>
#include <stdlib.h>

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
