/* SPDX-License-Identifier: MIT */
/*
 * Answers over scenarios: the rows are put together by the values of the settings that the question
 * names, those of the baseline with those of the same scenario.
 */
#include "base/memory.h"
#include "campaign/exposure.h"
#include "campaign/statistic_sample.h"
#include "statistics/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 8, MOST_LENGTH = 64 };

/* What the thesis calls (p, n, s). */
static const char usual[] = "cores,ops,locations";

typedef struct names {
    char texts[MOST_NAMES][MOST_LENGTH];
    size_t count;
} names;

typedef struct placed {
    const char *values[MOST_NAMES]; /* of the settings; "" where one was not given */
    const cam_row *row;
    bool is_base;
} placed;

/* ---- Scenarios. */

static col_status read_names(const char *per, names *n, col_problem *problem) {
    for (const char *next = per; next != NULL; next = *next == ',' ? next + 1 : NULL) {
        const char *start = next;
        next += strcspn(next, ",");
        const size_t length = (size_t)(next - start);
        if (length == 0 || length >= MOST_LENGTH || n->count == MOST_NAMES)
            return base_refuse(
                problem, "'%.100s' is not a list of names of settings, such as ops,locations", per);
        memcpy(n->texts[n->count], start, length);
        n->texts[n->count++][length] = '\0';
    }
    return COL_OK;
}

static const char *value_of(const cam_row *row, const char *name) {
    for (uint32_t i = 0; i < row->pair_count; i++)
        if (strcmp(row->pairs[i].name, name) == 0)
            return row->pairs[i].value;
    return "";
}

static int compare_scenarios(const placed *a, const placed *b) {
    int order = 0;
    for (size_t i = 0; i < MOST_NAMES && order == 0; i++)
        order = strcmp(a->values[i], b->values[i]);
    return order;
}

static int compare(const void *a, const void *b) {
    const placed *x = a, *y = b;
    const int order = compare_scenarios(x, y);
    return order != 0 ? order : (int)x->is_base - (int)y->is_base;
}

static size_t place(const names *n, const cam_row *const *rows, size_t count, bool is_base,
                    placed *to) {
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rows[i]->is_done)
            continue;
        to[done] = (placed){.row = rows[i], .is_base = is_base};
        for (size_t j = 0; j < MOST_NAMES; j++)
            to[done].values[j] = j < n->count ? value_of(rows[i], n->texts[j]) : "";
        done++;
    }
    return done;
}

/* Scenario by scenario, the baseline's rows last. */
static col_status place_all(const cam_asking *asking, const cam_row *const *rows, size_t count,
                            const char *otherwise, placed **all, size_t *placed_count,
                            col_problem *problem) {
    names n = {0};
    const size_t base = asking->statistic->is_relative ? asking->baseline_count : 0;
    const char *per = asking->question.per == NULL ? otherwise : asking->question.per;
    const col_status status = read_names(per, &n, problem);
    if (status != COL_OK)
        return status;
    *all = calloc(count + base + 1, sizeof **all);
    if (*all == NULL)
        return base_out_of_memory(problem);
    *placed_count = place(&n, rows, count, false, *all);
    *placed_count += place(&n, asking->baseline, base, true, *all + *placed_count);
    qsort(*all, *placed_count, sizeof **all, compare);
    return COL_OK;
}

static size_t scenario_end(const placed *all, size_t count, size_t start) {
    size_t end = start + 1;
    while (end < count && compare_scenarios(&all[start], &all[end]) == 0)
        end++;
    return end;
}

/* ---- Medians of scenarios. */

static col_status take_scenario(cam_asking *asking, const placed *all, size_t count,
                                cam_sample *sample, col_problem *problem) {
    cam_sample one = {0};
    const cam_row **rows = calloc(count, sizeof *rows);
    if (rows == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < count; i++)
        rows[i] = all[i].row;
    const col_status status = cam_sample_take(asking, rows, count, &one, problem);
    if (status == COL_OK && one.count > 0) {
        const double median = cam_sample_median(&one);
        sample->observations[sample->count++] = (sta_observation){median, isfinite(median)};
        sample->found += isfinite(median) ? 1 : 0;
        sample->longest = fmax(sample->longest, one.longest);
    }
    cam_sample_free(&one);
    free(rows);
    return status;
}

col_status cam_sample_scenarios(cam_asking *asking, const cam_row *const *rows, size_t count,
                                cam_sample *sample, col_problem *problem) {
    placed *all = NULL;
    size_t placed_count = 0;
    col_status status = base_reserve(&sample->observations, &sample->capacity, count,
                                     sizeof *sample->observations, problem);
    const cam_statistic *asked = asking->statistic;
    cam_statistic alone = *asked;
    alone.is_relative = false; /* each cell by itself */
    asking->statistic = &alone;
    if (status == COL_OK)
        status = place_all(asking, rows, count, usual, &all, &placed_count, problem);
    for (size_t i = 0, end; i < placed_count && status == COL_OK; i = end) {
        end = scenario_end(all, placed_count, i);
        status = take_scenario(asking, all + i, end - i, sample, problem);
    }
    asking->statistic = asked;
    free(all);
    if (status == COL_OK)
        sta_sort_observations(sample->observations, sample->count);
    return status;
}

/* ---- The thesis's metrics. */

typedef struct scenarios {
    const cam_statistic *statistic;
    cam_exposure *ours, *base;
    size_t count;
} scenarios;

static void add_row(cam_exposure *exposure, const cam_row *row, cam_axis axis) {
    exposure->tests += row->tests;
    exposure->failing_tests += row->failing_tests;
    exposure->cost += cam_row_end(row, axis);
    exposure->failing_cost +=
        axis == CAM_SECONDS ? row->failing_seconds : (double)row->failing_cycles;
}

/* Scenarios that only one of the two has say nothing about how they compare. */
static void add_scenarios(const placed *all, size_t count, scenarios *s) {
    for (size_t i = 0, end; i < count; i = end) {
        cam_exposure both[2] = {{0}};
        end = scenario_end(all, count, i);
        for (size_t j = i; j < end; j++)
            if (all[j].row->kind == CAM_EPISODE)
                add_row(&both[all[j].is_base], all[j].row, s->statistic->axis);
        if (both[0].tests == 0 || (s->statistic->is_relative && both[1].tests == 0))
            continue;
        s->ours[s->count] = both[0];
        s->base[s->count++] = both[1];
    }
}

static double estimate(void *context, const uint32_t *counts) {
    const scenarios *s = context;
    return s->statistic->over(s->ours, s->base, counts, s->count);
}

static size_t count_exposing(const scenarios *s) {
    size_t found = 0;
    for (size_t i = 0; i < s->count; i++)
        found += cam_is_exposing(&s->ours[i]) &&
                 (!s->statistic->is_relative || cam_is_exposing(&s->base[i]));
    return found;
}

/* Means over scenarios of which some do not expose the error are bounds where these have no more
 * than a bound: their effort. */
static col_status answer_scenarios(const cam_asking *asking, scenarios *s, cam_answer *answer,
                                   col_problem *problem) {
    const cam_statistic *statistic = asking->statistic;
    const double value = estimate(s, NULL);
    const size_t found =
        statistic->is_share ? (size_t)(value * (double)s->count + 0.5) : count_exposing(s);
    sta_interval interval = {value, value};
    col_status status = COL_OK;
    if (isnan(value))
        return COL_OK;
    if (statistic->is_share)
        interval = sta_share_interval(found, s->count);
    else if (!asking->question.no_interval)
        status = sta_bootstrap(
            &(sta_resampling){.strata = &s->count, .stratum_count = 1, .seed = asking->seed},
            estimate, s, &interval, problem);
    *answer = (cam_answer){.is_known = true,
                           .is_censored = statistic->less_is_better && !statistic->is_relative &&
                                          found < s->count,
                           .value = value,
                           .low = interval.low,
                           .high = interval.high,
                           .found = (uint32_t)found,
                           .of = (uint32_t)s->count};
    return status;
}

col_status cam_ask_exposure(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    scenarios s = {.statistic = asking->statistic};
    placed *all = NULL;
    size_t count = 0;
    col_status status =
        place_all(asking, asking->rows, asking->count, usual, &all, &count, problem);
    if (status != COL_OK)
        return status;
    s.ours = calloc(count + 1, sizeof *s.ours);
    s.base = calloc(count + 1, sizeof *s.base);
    if (s.ours == NULL || s.base == NULL) {
        status = base_out_of_memory(problem);
    } else {
        add_scenarios(all, count, &s);
        if (s.count > 0)
            status = answer_scenarios(asking, &s, answer, problem);
    }
    free(s.ours);
    free(s.base);
    free(all);
    return status;
}

/* ---- How many scenarios have their error found. */

col_status cam_ask_scenarios_found(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    placed *all = NULL;
    size_t count = 0;
    uint32_t found = 0, of = 0;
    const col_status status =
        place_all(asking, asking->rows, asking->count, "error", &all, &count, problem);
    for (size_t i = 0, end; i < count && status == COL_OK; i = end) {
        size_t hits = 0, trials = 0;
        end = scenario_end(all, count, i);
        for (size_t j = i; j < end; j++) {
            const cam_row *row = all[j].row;
            if (!cam_trial_hunts(&(cam_trial){
                    .kind = row->kind, .pairs = row->pairs, .pair_count = row->pair_count}))
                continue; /* there is nothing to find */
            trials++;
            hits += row->failure_test > 0;
        }
        of += trials > 0;
        found += hits > 0 && (double)hits >= asking->question.at * (double)trials - 1e-9;
    }
    free(all);
    if (of == 0)
        return status;
    const sta_interval interval = sta_share_interval(found, of);
    *answer = (cam_answer){.is_known = true,
                           .value = (double)found / of,
                           .low = interval.low,
                           .high = interval.high,
                           .found = found,
                           .of = of};
    return status;
}
