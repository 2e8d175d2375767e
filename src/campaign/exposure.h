/* SPDX-License-Identifier: MIT */
/*
 * Potential, effectiveness and effort in exposing an error: the thesis's metrics. They are about
 * scenarios, all tests of one setting of the generator, and say how much the choice of that setting
 * matters, how likely a test exposes the error, and what it costs until one does.
 */
#ifndef CAMPAIGN_EXPOSURE_H
#define CAMPAIGN_EXPOSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of all tests of a scenario, and of those among them that exposed the error. Cost is cycles or
 * seconds. */
typedef struct cam_exposure {
    uint64_t tests, failing_tests;
    double cost, failing_cost;
} cam_exposure;

/* At least one test exposed the error. */
bool cam_is_exposing(const cam_exposure *scenario);

/* The fraction of the tests that did; NAN without tests. */
double cam_effectiveness(const cam_exposure *scenario);

/*
 * The effort EF(v). Exposing: as many tests that do not expose the error as come, on average,
 * before one that does, at their average cost, and one that does at theirs. The average number of
 * tests is rounded up. Else the cost of all tests: a bound.
 */
double cam_effort(const cam_exposure *scenario);

/* ---- Over scenarios. `counts` says how often each counts (see bootstrap.h); NULL: once. NAN where
 * there is no scenario to answer from. Those of two generators have the same scenarios at the same
 * places; more than 1 says that the first is better. */

/* The fraction of scenarios that are exposing. */
double cam_potential(const cam_exposure *scenarios, const uint32_t *counts, size_t count);

/* Arithmetic means. */
double cam_mean_effectiveness(const cam_exposure *scenarios, const uint32_t *counts, size_t count);
double cam_mean_effort(const cam_exposure *scenarios, const uint32_t *counts, size_t count);

/* How the potentials of two generators go together. */
typedef enum cam_correlation {
    CAM_NEITHER,
    CAM_ONLY_SECOND,
    CAM_ONLY_FIRST,
    CAM_JOINT,
    CAM_CORRELATION_COUNT
} cam_correlation;
cam_correlation cam_correlate(const cam_exposure *first, const cam_exposure *second);
double cam_correlation_share(cam_correlation correlation, const cam_exposure *first,
                             const cam_exposure *second, const uint32_t *counts, size_t count);

/* The geometric mean of the ratios of effectiveness, over the scenarios of joint exposure. */
double cam_relative_effectiveness(const cam_exposure *first, const cam_exposure *second,
                                  const uint32_t *counts, size_t count);
/* The geometric mean of the ratios of effort, the second's to the first's, over all scenarios. */
double cam_relative_effort(const cam_exposure *first, const cam_exposure *second,
                           const uint32_t *counts, size_t count);

#endif
