/* SPDX-License-Identifier: MIT */
/* Chi-square tests: see mtg_statistics.h. */
#include "engine/mtg_statistics.h"

#include "harness.h"

#include <math.h>

/* Wilson and Hilferty's approximation of the quantile that lies four deviations out. */
static double greatest(uint32_t freedom) {
    const double part = 2.0 / (9.0 * freedom);
    return freedom * pow(1 - part + 4 * sqrt(part), 3);
}

void assert_distributed(const uint64_t *counts, const double *probabilities, uint32_t cells) {
    uint64_t total = 0;
    uint32_t possible = 0;
    double sum = 0, chi_square = 0;
    for (uint32_t i = 0; i < cells; i++) {
        total += counts[i];
        sum += probabilities[i];
    }
    assert_true(fabs(sum - 1) < 1e-9);
    for (uint32_t i = 0; i < cells; i++) {
        const double expected = probabilities[i] * (double)total;
        if (probabilities[i] <= 0) {
            assert_int_equal(counts[i], 0);
            continue;
        }
        assert_true(expected >= 5); /* else chi-square means nothing */
        const double difference = (double)counts[i] - expected;
        chi_square += difference * difference / expected;
        possible++;
    }
    if (possible > 1 && chi_square > greatest(possible - 1))
        fail_msg("chi-square %.1f with %u cells", chi_square, possible);
}
