/* SPDX-License-Identifier: MIT */
/*
 * Points to be discovered: see discovery.h. If the logarithms of points' chances were spread
 * evenly, each doubling of the tests would bring as many new points, and there would be c / k
 * points that k tests have hit (Fisher's log-series). Engines that learn, and the end of what can
 * be reached, bend that: the curve flattens (Efron and Thisted's model), and points that few tests
 * have hit count less beside what other runs have shown. The constants are fitted to seeds from
 * 1001 on (bench/discovery.c).
 */
#include "cover/discovery.h"

#include <math.h>

static const double of_left = 0.18, of_few = 0.12; /* the parts of c */
enum { SHAPE = 8 };                                /* of the gamma distribution of the mean */
static const double held = 0.9;

/* ---- Of arithmetic and roots, which round alike on any machine. */

enum { HALVINGS = 10 };

/* e^x for |x| of a few units. */
static double exponential(double x) {
    const double part = x / (1 << HALVINGS);
    double power = (2 + part) / (2 - part);
    for (int i = 0; i < HALVINGS; i++)
        power *= power;
    return power;
}

static double logarithm(double x) {
    double root = x;
    for (int i = 0; i < HALVINGS; i++)
        root = sqrt(root);
    const double w = (root - 1) / (root + 1);
    return (2 << HALVINGS) * (w + w * w * w / 3);
}

/* ---- The estimate. */

/* New points for each e-fold of the tests. If even the point that was hit least was hit often,
 * there is a gap between the chances of what was found and of what was not, and less is behind it.
 */
static double density(const cov_incidence *n) {
    double few = 0, unseen = of_left * sqrt(n->left);
    for (uint32_t k = 0; k < COV_FEW; k++)
        few += n->hit_by[k];
    if (n->least > COV_FEW)
        unseen /= 1 + unseen / 2 * logarithm((double)n->least / COV_FEW);
    return unseen + of_few * few;
}

/* The integral of (1 + x)^(-5/4) from 0: a logarithm that levels off at 4. */
static double flattened(double ahead) {
    return 4 * (1 - 1 / sqrt(sqrt(1 + ahead)));
}

static double rounded(double value) {
    return floor(value * 1000 + 0.5) / 1000;
}

/* The chance of `count` + 1 points from that of `count`, in a negative binomial distribution. */
static double next_chance(double chance, double mean, uint32_t count) {
    return chance * (count + (double)SHAPE) / (count + 1.0) * mean / (mean + SHAPE);
}

static double chance_of_none(double mean) {
    double chance = 1;
    for (int i = 0; i < SHAPE; i++)
        chance *= SHAPE / (SHAPE + mean);
    return chance;
}

static double previous_chance(double chance, double mean, uint32_t count) {
    return chance / next_chance(1, mean, count - 1);
}

/* The shortest interval: from the most probable number on, to the more probable side. */
static void find_interval(double mean, uint32_t left, cov_forecast *forecast) {
    double whole = 0, chance = chance_of_none(mean), best = 0;
    uint32_t low = 0;
    for (uint32_t count = 0; count <= left; count++) {
        if (chance > best) {
            best = chance;
            low = count;
        }
        whole += chance;
        chance = next_chance(chance, mean, count);
    }
    uint32_t high = low;
    double sum = best, below = low == 0 ? 0 : previous_chance(best, mean, low);
    double above = high == left ? 0 : next_chance(best, mean, high);
    while (sum < held * whole && below + above > 0) {
        if (above >= below) {
            sum += above;
            high++;
            above = high == left ? 0 : next_chance(above, mean, high);
        } else {
            sum += below;
            low--;
            below = low == 0 ? 0 : previous_chance(below, mean, low);
        }
    }
    forecast->low = low;
    forecast->high = high;
    forecast->chance = rounded(1 - chance_of_none(mean) / whole);
}

cov_forecast cov_forecast_of(const cov_incidence *incidence, double ahead) {
    cov_forecast forecast = {.expected = 0};
    const double left = incidence->left;
    if (incidence->left == 0 || !(ahead > 0))
        return forecast;
    /* No more than there are: each is found at the same rate, and once. */
    const double mean = left * (1 - exponential(-density(incidence) * flattened(ahead) / left));
    forecast.expected = rounded(mean);
    find_interval(mean, incidence->left, &forecast);
    return forecast;
}
