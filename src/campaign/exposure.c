/* SPDX-License-Identifier: MIT */
/* The thesis's metrics: see exposure.h. */
#include "campaign/exposure.h"

#include <math.h>

bool cam_is_exposing(const cam_exposure *scenario) {
    return scenario->failing_tests > 0;
}

double cam_effectiveness(const cam_exposure *scenario) {
    return (double)scenario->failing_tests / (double)scenario->tests;
}

double cam_effort(const cam_exposure *scenario) {
    const uint64_t failing = scenario->failing_tests, passing = scenario->tests - failing;
    if (failing == 0)
        return scenario->tests > 0 ? scenario->cost : NAN;
    /* Whole numbers: 1 / (1 / 49.0) is more than 49, and would be rounded up to 50. */
    const uint64_t before = (scenario->tests - 1) / failing;
    const double average =
        passing > 0 ? (scenario->cost - scenario->failing_cost) / (double)passing : 0;
    return (double)before * average + scenario->failing_cost / (double)failing;
}

/* ---- Over scenarios. */

static double weight(const uint32_t *counts, size_t i) {
    return counts == NULL ? 1 : counts[i];
}

/* The mean of those values that there are. */
typedef struct mean {
    double sum, weight;
} mean;

static void add(mean *m, double value, double times) {
    if (!isfinite(value) || !(times > 0))
        return;
    m->sum += value * times;
    m->weight += times;
}

static double mean_of(const mean *m) {
    return m->sum / m->weight; /* NAN of none */
}

double cam_potential(const cam_exposure *scenarios, const uint32_t *counts, size_t count) {
    mean m = {0};
    for (size_t i = 0; i < count; i++)
        add(&m, cam_is_exposing(&scenarios[i]), weight(counts, i));
    return mean_of(&m);
}

double cam_mean_effectiveness(const cam_exposure *scenarios, const uint32_t *counts, size_t count) {
    mean m = {0};
    for (size_t i = 0; i < count; i++)
        add(&m, cam_effectiveness(&scenarios[i]), weight(counts, i));
    return mean_of(&m);
}

double cam_mean_effort(const cam_exposure *scenarios, const uint32_t *counts, size_t count) {
    mean m = {0};
    for (size_t i = 0; i < count; i++)
        add(&m, cam_effort(&scenarios[i]), weight(counts, i));
    return mean_of(&m);
}

cam_correlation cam_correlate(const cam_exposure *first, const cam_exposure *second) {
    return (cam_correlation)(2 * cam_is_exposing(first) + cam_is_exposing(second));
}

double cam_correlation_share(cam_correlation correlation, const cam_exposure *first,
                             const cam_exposure *second, const uint32_t *counts, size_t count) {
    mean m = {0};
    for (size_t i = 0; i < count; i++)
        add(&m, cam_correlate(&first[i], &second[i]) == correlation, weight(counts, i));
    return mean_of(&m);
}

double cam_relative_effectiveness(const cam_exposure *first, const cam_exposure *second,
                                  const uint32_t *counts, size_t count) {
    mean m = {0};
    for (size_t i = 0; i < count; i++)
        if (cam_correlate(&first[i], &second[i]) == CAM_JOINT)
            add(&m, log(cam_effectiveness(&first[i]) / cam_effectiveness(&second[i])),
                weight(counts, i));
    return exp(mean_of(&m));
}

double cam_relative_effort(const cam_exposure *first, const cam_exposure *second,
                           const uint32_t *counts, size_t count) {
    mean m = {0};
    for (size_t i = 0; i < count; i++)
        add(&m, log(cam_effort(&second[i]) / cam_effort(&first[i])), weight(counts, i));
    return exp(mean_of(&m));
}
