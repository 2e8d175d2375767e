/* SPDX-License-Identifier: MIT */
/* The table of statistics: see statistic.h. */
#include "campaign/statistic.h"

#include "campaign/exposure.h"
#include "campaign/statistic_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The thesis's metrics in one form. */

static double potential(const cam_exposure *first, const cam_exposure *second,
                        const uint32_t *counts, size_t count) {
    (void)second;
    return cam_potential(first, counts, count);
}

static double effectiveness(const cam_exposure *first, const cam_exposure *second,
                            const uint32_t *counts, size_t count) {
    (void)second;
    return cam_mean_effectiveness(first, counts, count);
}

static double effort(const cam_exposure *first, const cam_exposure *second, const uint32_t *counts,
                     size_t count) {
    (void)second;
    return cam_mean_effort(first, counts, count);
}

#define CORRELATION(name, correlation)                                                             \
    static double name(const cam_exposure *first, const cam_exposure *second,                      \
                       const uint32_t *counts, size_t count) {                                     \
        return cam_correlation_share(correlation, first, second, counts, count);                   \
    }
CORRELATION(joint, CAM_JOINT)
CORRELATION(only_first, CAM_ONLY_FIRST)
CORRELATION(only_second, CAM_ONLY_SECOND)
CORRELATION(neither, CAM_NEITHER)

/* ---- The table. */

#define MEDIAN(reader) .ask = cam_ask_median, .read = (reader)
#define TIME(reader, of) MEDIAN(reader), .axis = (of), .less_is_better = true
#define TOUR(name) MEDIAN(cam_read_tour), .field = (name), .less_is_better = true
#define SCENARIOS(function) .ask = cam_ask_exposure, .over = (function)
#define SHARE(function) SCENARIOS(function), .is_share = true
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
    X("coverage-max", "fraction", "most covered by any trial; no interval", .ask = cam_ask_most,   \
      .read = cam_read_coverage)                                                                   \
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
    X("found", "fraction", "trials that found the error", .ask = cam_ask_share,                    \
      .read = cam_read_to_error)                                                                   \
    X("cycles-to-error", "cycles", "median time until the first failure",                          \
      TIME(cam_read_to_error, CAM_CYCLES))                                                         \
    X("seconds-to-error", "seconds", "the same in seconds", TIME(cam_read_to_error, CAM_SECONDS))  \
    X("tests-to-error", "tests", "the same in tests", TIME(cam_read_to_error, CAM_TESTS))          \
    X("mean-cycles-to-error", "cycles",                                                            \
      "mean over the trials that found it: too optimistic where some did not; for "                \
      "comparison with papers",                                                                    \
      .ask = cam_ask_mean, .read = cam_read_to_error, .axis = CAM_CYCLES, .less_is_better = true)  \
    X("scenarios-found", "fraction",                                                               \
      "scenarios (`per`, else by error) in which at least the fraction `at` of the trials "        \
      "found it; trials without an injected error are left out",                                   \
      .ask = cam_ask_scenarios_found, AT(CAM_AT_PART))                                             \
    X("relative-cycles-to-error", "ratio", "ratio of the two medians",                             \
      TIME(cam_read_to_error, CAM_CYCLES), RELATIVE)                                               \
    X("relative-seconds-to-error", "ratio", "ratio of the two medians",                            \
      TIME(cam_read_to_error, CAM_SECONDS), RELATIVE)                                              \
    X("relative-tests-to-error", "ratio", "ratio of the two medians",                              \
      TIME(cam_read_to_error, CAM_TESTS), RELATIVE)                                                \
    X("potential", "fraction", "see *Potential, effectiveness, effort*", SHARE(potential))         \
    X("effectiveness", "fraction", "the same section", SCENARIOS(effectiveness))                   \
    X("effort", "cycles", "the same section", SCENARIOS(effort), .axis = CAM_CYCLES,               \
      .less_is_better = true)                                                                      \
    X("effort-seconds", "seconds", "the same section", SCENARIOS(effort), .axis = CAM_SECONDS,     \
      .less_is_better = true)                                                                      \
    X("relative-effectiveness", "ratio", "the same section",                                       \
      SCENARIOS(cam_relative_effectiveness), RELATIVE)                                             \
    X("relative-effort", "ratio", "the same section", SCENARIOS(cam_relative_effort),              \
      .axis = CAM_CYCLES, RELATIVE)                                                                \
    X("relative-effort-seconds", "ratio", "the same section", SCENARIOS(cam_relative_effort),      \
      .axis = CAM_SECONDS, RELATIVE)                                                               \
    X("joint", "fraction", "scenarios that both have and both expose", SHARE(joint), RELATIVE)     \
    X("only-first", "fraction", "that the trials alone expose", SHARE(only_first), RELATIVE)       \
    X("only-second", "fraction", "that the baseline alone exposes", SHARE(only_second), RELATIVE)  \
    X("neither", "fraction", "that neither exposes", SHARE(neither), RELATIVE)                     \
    X("location-coverage", "fraction",                                                             \
      "median over (core, location) pairs of `machine` (else of the design's first); then "        \
      "over trials",                                                                               \
      MEDIAN(cam_read_location))                                                                   \
    X("relative-location-coverage", "ratio", "ratio of the two medians",                           \
      MEDIAN(cam_read_location), RELATIVE)                                                         \
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

static const cam_statistic *find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const char *cam_statistic_unit(const char *statistic) {
    const cam_statistic *s = find(statistic);
    return s == NULL ? NULL : s->unit;
}

const char *cam_statistic_value(const char *statistic) {
    const cam_statistic *s = find(statistic);
    return s == NULL ? NULL : s->value;
}

bool cam_statistic_is_relative(const char *statistic) {
    const cam_statistic *s = find(statistic);
    return s != NULL && s->is_relative;
}

cam_at cam_statistic_at(const char *statistic) {
    const cam_statistic *s = find(statistic);
    return s == NULL ? CAM_AT_NOTHING : s->at;
}

bool cam_statistic_is_of_machines(const char *statistic) {
    const cam_statistic *s = find(statistic);
    return s != NULL && s->read == cam_read_location;
}

unsigned cam_statistic_parts(const char *statistic) {
    const cam_statistic *s = find(statistic);
    return s == NULL ? 0 : s->parts;
}

bool cam_statistic_less_is_better(const char *statistic) {
    const cam_statistic *s = find(statistic);
    return s != NULL && s->less_is_better && strcmp(s->unit, "ratio") != 0;
}

/* ---- Asking. */

col_status cam_ask(const cam_question *question, const cam_row *const *rows, size_t count,
                   const cam_row *const *baseline, size_t baseline_count, uint64_t seed,
                   cam_answer *answer, col_problem *problem) {
    cam_asking asking = {.question = *question,
                         .statistic = find(question->statistic),
                         .rows = rows,
                         .baseline = baseline,
                         .count = count,
                         .baseline_count = baseline_count,
                         .seed = seed};
    *answer = (cam_answer){0};
    if (asking.statistic == NULL)
        return base_refuse(problem, "there is no statistic '%.100s'", question->statistic);
    if (!isfinite(question->at) || (int)question->metric < 0 ||
        question->metric >= COL_METRIC_COUNT)
        return base_refuse(problem, "the parameters of the statistic %s are wrong",
                           question->statistic);
    if (question->machine != NULL && !cam_statistic_is_of_machines(question->statistic))
        return base_refuse(problem, "the statistic %s is not kept machine by machine",
                           question->statistic);
    const col_status status = asking.statistic->ask(&asking, answer, problem);
    free(asking.steps);
    return status;
}
