/* SPDX-License-Identifier: MIT */
/* The table of statistics: see statistic.h. */
#include "results/statistics/statistic.h"

#include "results/statistics/statistic_sample.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Answers over scenarios, below. */

static cam_asker ask_exposure, ask_scenarios_found;

/* ---- The table. */

#define MEDIAN(reader) .ask = cam_ask_median, .read = (reader)
#define TIME(reader, of) MEDIAN(reader), .axis = (of), .less_is_better = true
#define TOUR(name) MEDIAN(cam_read_tour), .field = (name), .less_is_better = true
#define SCENARIOS(measure) .ask = ask_exposure, .over = (measure)
#define SHARE(measure) SCENARIOS(measure), .is_share = true
#define RATIO(measure) SCENARIOS(measure), .is_geometric = true, RELATIVE
#define RELATIVE .is_relative = true
#define CURVES .parts = CAM_CURVES
#define AT(what) .at = (what)

/* Rows X(name, unit, value, ...): what docs/statistics.md says of it, and how it is asked for. */
#define STATISTICS(X)                                                                              \
    X("coverage", "fraction",                                                                      \
      "median of the final coverage, of all that is defined; of tours: covered / "                 \
      "transitions",                                                                               \
      MEDIAN(cam_read_coverage))                                                                   \
    X("reached", "fraction", "the same, of what is known to be reachable",                         \
      MEDIAN(cam_read_reached))                                                                    \
    X("covered", "points", "median of the points covered", MEDIAN(cam_read_covered))               \
    X("coverage-max", "fraction", "most covered by any trial; no interval", .ask = cam_ask_sample, \
      .answer = cam_answer_most, .read = cam_read_coverage)                                        \
    X("coverage-at", "fraction",                                                                   \
      "median when `at` cycles were spent; censored if more than half had ended by a budget "      \
      "before",                                                                                    \
      MEDIAN(cam_read_at), .axis = CAM_CYCLES, CURVES, AT(CAM_AT_AMOUNT))                          \
    X("coverage-at-seconds", "fraction", "the same when `at` seconds were", MEDIAN(cam_read_at),   \
      .axis = CAM_SECONDS, CURVES, AT(CAM_AT_AMOUNT))                                              \
    X("coverage-at-part", "fraction",                                                              \
      "the same at the part `at` of the trial's own budget of cycles", MEDIAN(cam_read_at_part),   \
      .axis = CAM_CYCLES, CURVES, AT(CAM_AT_PART))                                                 \
    X("cycles-to-coverage", "cycles", "median time until the fraction `at`",                       \
      TIME(cam_read_to_coverage, CAM_CYCLES), CURVES, AT(CAM_AT_PART))                             \
    X("seconds-to-coverage", "seconds", "the same in seconds",                                     \
      TIME(cam_read_to_coverage, CAM_SECONDS), CURVES, AT(CAM_AT_PART))                            \
    X("tests-to-coverage", "tests", "the same in tests", TIME(cam_read_to_coverage, CAM_TESTS),    \
      CURVES, AT(CAM_AT_PART))                                                                     \
    X("relative-cycles-to-coverage", "ratio",                                                      \
      "ratio of the two medians of cycles-to-coverage, the baseline's / ours",                     \
      TIME(cam_read_to_coverage, CAM_CYCLES), RELATIVE, CURVES, AT(CAM_AT_PART))                   \
    X("relative-coverage", "ratio", "ratio of the two medians", MEDIAN(cam_read_coverage),         \
      RELATIVE)                                                                                    \
    X("speedup-to-coverage", "ratio",                                                              \
      "goal: the lesser of the two median final coverages; median cycles to it, the "              \
      "baseline's / ours",                                                                         \
      .ask = cam_ask_speedup, .read = cam_read_to_coverage, .axis = CAM_CYCLES,                    \
      .less_is_better = true, RELATIVE, CURVES)                                                    \
    X("cycles-to-overtake", "cycles",                                                              \
      "from when on the median coverage of the trials is never again below the baseline's: "       \
      "the first time that it is above it, then; no interval",                                     \
      .ask = cam_ask_overtake, .axis = CAM_CYCLES, .less_is_better = true, RELATIVE, CURVES)       \
    X("found", "fraction", "trials that found the error", .ask = cam_ask_sample,                   \
      .answer = cam_answer_share, .read = cam_read_to_error)                                       \
    X("cycles-to-error", "cycles", "median time until the first failure",                          \
      TIME(cam_read_to_error, CAM_CYCLES))                                                         \
    X("seconds-to-error", "seconds", "the same in seconds", TIME(cam_read_to_error, CAM_SECONDS))  \
    X("tests-to-error", "tests", "the same in tests", TIME(cam_read_to_error, CAM_TESTS))          \
    X("mean-cycles-to-error", "cycles",                                                            \
      "mean over the trials that found it: too optimistic where some did not; for "                \
      "comparison with papers",                                                                    \
      .ask = cam_ask_sample, .answer = cam_answer_mean, .read = cam_read_to_error,                 \
      .axis = CAM_CYCLES, .less_is_better = true)                                                  \
    X("scenarios-found", "fraction",                                                               \
      "scenarios (`per`, else by error) in which at least the fraction `at` of the trials "        \
      "found it; trials without an injected error are left out",                                   \
      .ask = ask_scenarios_found, AT(CAM_AT_PART))                                                 \
    X("relative-cycles-to-error", "ratio", "ratio of the two medians",                             \
      TIME(cam_read_to_error, CAM_CYCLES), RELATIVE)                                               \
    X("relative-seconds-to-error", "ratio", "ratio of the two medians",                            \
      TIME(cam_read_to_error, CAM_SECONDS), RELATIVE)                                              \
    X("relative-tests-to-error", "ratio", "ratio of the two medians",                              \
      TIME(cam_read_to_error, CAM_TESTS), RELATIVE)                                                \
    X("potential", "fraction", "see *Potential, effectiveness, effort*", SHARE(cam_exposes))       \
    X("effectiveness", "fraction", "the same section", SCENARIOS(cam_effectiveness))               \
    X("effort", "cycles", "the same section", SCENARIOS(cam_effort), .axis = CAM_CYCLES,           \
      .less_is_better = true)                                                                      \
    X("effort-seconds", "seconds", "the same section", SCENARIOS(cam_effort), .axis = CAM_SECONDS, \
      .less_is_better = true)                                                                      \
    X("relative-effectiveness", "ratio", "the same section", RATIO(cam_relative_effectiveness))    \
    X("relative-effort", "ratio", "the same section", RATIO(cam_relative_effort),                  \
      .axis = CAM_CYCLES)                                                                          \
    X("relative-effort-seconds", "ratio", "the same section", RATIO(cam_relative_effort),          \
      .axis = CAM_SECONDS)                                                                         \
    X("joint", "fraction", "scenarios that both have and both expose", SHARE(cam_joint), RELATIVE) \
    X("only-first", "fraction", "that the trials alone expose", SHARE(cam_only_first), RELATIVE)   \
    X("only-second", "fraction", "that the baseline alone exposes", SHARE(cam_only_second),        \
      RELATIVE)                                                                                    \
    X("neither", "fraction", "that neither exposes", SHARE(cam_neither), RELATIVE)                 \
    X("location-coverage", "fraction",                                                             \
      "median over (core, location) pairs of `machine` (else of the design's first); then "        \
      "over trials",                                                                               \
      MEDIAN(cam_read_location), .is_of_machines = true)                                           \
    X("relative-location-coverage", "ratio", "ratio of the two medians",                           \
      MEDIAN(cam_read_location), .is_of_machines = true, RELATIVE)                                 \
    X("states", "states", "of tours", MEDIAN(cam_read_tour), .field = "states")                    \
    X("transitions", "transitions", "of tours", MEDIAN(cam_read_tour), .field = "transitions")     \
    X("cost", "operations", "of tours", TOUR("cost"))                                              \
    X("cost-per-transition", "operations per transition", "of tours", TOUR("cost_per_transition")) \
    X("tour-seconds", "seconds", "of tours: time to make one", TOUR("seconds"))                    \
    X("peak-bytes", "bytes", "of tours: memory to make one", TOUR("peak_bytes"))                   \
    X("cost-at", "operations", "of tours: until the fraction `at` is covered",                     \
      MEDIAN(cam_read_cost_at), .less_is_better = true, AT(CAM_AT_PART))                           \
    X("relative-cost", "ratio", "ratio of the two medians", TOUR("cost"), RELATIVE)

#define NAME(text, of, ...) text,
#define ROW(text, of, means, ...) {.name = (text), .unit = (of), .value = (means), __VA_ARGS__},

const char *const cam_statistics[] = {STATISTICS(NAME) NULL};
static const cam_statistic table[] = {STATISTICS(ROW)};

const cam_statistic *cam_statistic_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

bool cam_statistic_less_is_better(const char *name) {
    const cam_statistic *s = cam_statistic_find(name);
    return s->less_is_better && strcmp(s->unit, "ratio") != 0;
}

/* ---- Asking. */

col_status cam_ask(const cam_question *question, const cam_row *const *rows, size_t count,
                   const cam_row *const *baseline, size_t baseline_count, uint64_t seed,
                   cam_answer *answer, col_problem *problem) {
    cam_asking asking = {.question = *question,
                         .statistic = cam_statistic_find(question->statistic),
                         .rows = rows,
                         .baseline = baseline,
                         .count = count,
                         .baseline_count = baseline_count,
                         .seed = seed,
                         .problem = problem};
    *answer = (cam_answer){0};
    if (asking.statistic == NULL)
        return base_refuse(problem, "there is no statistic '%.100s'", question->statistic);
    if (!isfinite(question->at) || (int)question->metric < 0 ||
        question->metric >= COL_METRIC_COUNT)
        return base_refuse(problem, "the parameters of the statistic %s are wrong",
                           question->statistic);
    if (question->machine != NULL && !asking.statistic->is_of_machines)
        return base_refuse(problem, "the statistic %s is not kept machine by machine",
                           question->statistic);
    asking.statistic->ask(&asking, answer);
    free(asking.steps);
    return asking.status;
}

/*
 * Answers over scenarios: the rows are put together by the values of the settings that the question
 * names, those of the baseline with those of the same scenario.
 */

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
        for (size_t j = 0; j < MOST_NAMES; j++) {
            const char *value =
                j < n->count ? cam_pair_value(rows[i]->pairs, rows[i]->pair_count, n->texts[j])
                             : NULL;
            to[done].values[j] = value == NULL ? "" : value;
        }
        done++;
    }
    return done;
}

/* Scenario by scenario, the baseline's rows last; NULL: not enough memory, or names that are none.
 */
static placed *place_all(cam_asking *asking, const cam_row *const *rows, size_t count,
                         const char *otherwise, size_t *placed_count) {
    names n = {0};
    const size_t base = asking->statistic->is_relative ? asking->baseline_count : 0;
    const char *per = asking->question.per == NULL ? otherwise : asking->question.per;
    *placed_count = 0;
    BASE_THEN(asking->status, read_names(per, &n, asking->problem));
    if (asking->status != COL_OK)
        return NULL;
    placed *all = calloc(count + base + 1, sizeof *all);
    if (all == NULL) {
        asking->status = base_out_of_memory(asking->problem);
        return NULL;
    }
    *placed_count = place(&n, rows, count, false, all);
    *placed_count += place(&n, asking->baseline, base, true, all + *placed_count);
    qsort(all, *placed_count, sizeof *all, compare);
    return all;
}

static size_t scenario_end(const placed *all, size_t count, size_t start) {
    size_t end = start + 1;
    while (end < count && compare_scenarios(&all[start], &all[end]) == 0)
        end++;
    return end;
}

void cam_sample_scenarios(cam_asking *asking, const cam_row *const *rows, size_t count,
                          cam_sample *sample) {
    size_t placed_count;
    const cam_statistic *asked = asking->statistic;
    cam_statistic alone = *asked;
    alone.is_relative = false; /* each cell by itself */
    asking->statistic = &alone;
    placed *all = place_all(asking, rows, count, usual, &placed_count);
    const cam_row **chosen = calloc(placed_count + 1, sizeof *chosen); /* of one scenario */
    BASE_THEN(asking->status, chosen == NULL
                                  ? base_out_of_memory(asking->problem)
                                  : base_reserve(&sample->observations, &sample->capacity, count,
                                                 sizeof *sample->observations, asking->problem));
    for (size_t i = 0, end; i < placed_count && asking->status == COL_OK; i = end) {
        cam_sample one = {0};
        end = scenario_end(all, placed_count, i);
        assert(chosen != NULL);
        for (size_t j = i; j < end; j++)
            chosen[j - i] = all[j].row;
        cam_sample_take(asking, chosen, end - i, &one);
        if (asking->status == COL_OK && one.count > 0) {
            const double median = cam_sample_median(&one);
            sample->observations[sample->count++] = (sta_observation){median, isfinite(median)};
            sample->found += isfinite(median) ? 1 : 0;
            sample->longest = fmax(sample->longest, one.longest);
        }
        free(one.observations);
    }
    asking->statistic = asked;
    free(chosen);
    free(all);
    sta_sort_observations(sample->observations, sample->count);
}

/* ---- The thesis's metrics. */

typedef struct scenarios {
    const cam_statistic *statistic;
    cam_exposure *ours, *base;
    size_t count;
} scenarios;

/* Scenarios that only one of the two has say nothing about how they compare. */
static void add_scenarios(const placed *all, size_t count, scenarios *s) {
    for (size_t i = 0, end; i < count; i = end) {
        cam_exposure both[2] = {{0}};
        end = scenario_end(all, count, i);
        for (size_t j = i; j < end; j++) {
            const cam_row *row = all[j].row;
            const cam_axis axis = s->statistic->axis;
            cam_exposure *exposure = &both[all[j].is_base];
            if (row->kind != CAM_EPISODE)
                continue;
            exposure->tests += row->tests;
            exposure->failing_tests += row->failing_tests;
            exposure->cost += cam_row_end(row, axis);
            exposure->failing_cost +=
                axis == CAM_SECONDS ? row->failing_seconds : (double)row->failing_cycles;
        }
        if (both[0].tests == 0 || (s->statistic->is_relative && both[1].tests == 0))
            continue;
        s->ours[s->count] = both[0];
        s->base[s->count++] = both[1];
    }
}

static double estimate(void *context, const uint32_t *counts) {
    const scenarios *s = context;
    return cam_mean_of(s->statistic->over, s->statistic->is_geometric, s->ours, s->base, counts,
                       s->count);
}

/* Means over scenarios of which some do not expose the error are bounds where these have no more
 * than a bound: their effort. */
static void answer_scenarios(cam_asking *asking, scenarios *s, cam_answer *answer) {
    const cam_statistic *statistic = asking->statistic;
    const double value = estimate(s, NULL);
    size_t found = statistic->is_share ? (size_t)(value * (double)s->count + 0.5) : 0;
    for (size_t i = 0; i < s->count && !statistic->is_share; i++)
        found += cam_is_exposing(&s->ours[i]) &&
                 (!statistic->is_relative || cam_is_exposing(&s->base[i]));
    sta_interval interval = {value, value};
    if (isnan(value))
        return;
    if (statistic->is_share)
        interval = sta_share_interval(found, s->count);
    else if (!asking->question.no_interval)
        interval = cam_draw(asking, &s->count, 1, estimate, s);
    *answer = (cam_answer){.is_known = true,
                           .is_censored = statistic->less_is_better && !statistic->is_relative &&
                                          found < s->count,
                           .value = value,
                           .low = interval.low,
                           .high = interval.high,
                           .found = (uint32_t)found,
                           .of = (uint32_t)s->count};
}

static void ask_exposure(cam_asking *asking, cam_answer *answer) {
    scenarios s = {.statistic = asking->statistic};
    size_t count;
    placed *all = place_all(asking, asking->rows, asking->count, usual, &count);
    s.ours = calloc(count + 1, sizeof *s.ours);
    s.base = calloc(count + 1, sizeof *s.base);
    if (s.ours != NULL && s.base != NULL)
        add_scenarios(all, count, &s);
    else if (asking->status == COL_OK)
        asking->status = base_out_of_memory(asking->problem);
    if (s.count > 0)
        answer_scenarios(asking, &s, answer);
    free(s.ours);
    free(s.base);
    free(all);
}

/* How many scenarios have their error found. */
static void ask_scenarios_found(cam_asking *asking, cam_answer *answer) {
    size_t count;
    uint32_t found = 0, of = 0;
    placed *all = place_all(asking, asking->rows, asking->count, "error", &count);
    for (size_t i = 0, end; i < count; i = end) {
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
        return;
    const sta_interval interval = sta_share_interval(found, of);
    *answer = (cam_answer){.is_known = true,
                           .value = (double)found / of,
                           .low = interval.low,
                           .high = interval.high,
                           .found = found,
                           .of = of};
}
