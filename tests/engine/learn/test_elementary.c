/* SPDX-License-Identifier: MIT */
/*
 * Elementary functions against the C library's in double, over all of the floats' range: every
 * result is the float next to the true value, or one of the two where that is half way.
 */
#include "engine/learn/elementary.h"
#include "harness.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { STRIDE = 40009, PAIRS = 200000, DRAWS = 200000 };
#else
enum { STRIDE = 2003, PAIRS = 2000000, DRAWS = 1000000 };
#endif

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The distance between floats where x lies. */
static double spacing(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

static void check_near(float result, double truth, float x) {
    if (fabs(truth) >= (double)FLT_MAX + spacing(FLT_MAX) / 2) {
        assert_true(isinf(result) && (result > 0) == (truth > 0));
        return;
    }
    /* Beyond the largest float infinity is allowed at once. */
    if (fabs(truth) > FLT_MAX && isinf(result))
        return;
    if (!(fabs(result - truth) <= 0.50001 * spacing(truth)))
        fail_msg("at %a: %a instead of %a", (double)x, (double)result, truth);
}

/* Calls the check for floats all over the range, both signs, and all near the ends. */
static void sweep(void (*check)(float x)) {
    const uint32_t infinity = 0x7f800000u;
    for (uint32_t bits = 0; bits < infinity; bits += STRIDE) {
        check(float_of(bits));
        check(float_of(bits | 0x80000000u));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        check(float_of(i));
        check(float_of(infinity - 1 - i));
        check(-float_of(i));
        check(-float_of(infinity - 1 - i));
    }
}

/* All floats from one to the other, of one sign. */
static void check_between(float least, float most, void (*check)(float x)) {
    float x = least;
    while (x <= most) {
        check(x);
        x = nextafterf(x, INFINITY);
    }
}

static void check_exponential(float x) {
    check_near(lrn_exponential(x), exp((double)x), x);
}

TEST(exponential_is_exact) {
    sweep(check_exponential);
    check_between(88.72F, 88.73F, check_exponential);
    check_between(-87.34F, -87.33F, check_exponential);
    check_between(-103.98F, -103.96F, check_exponential);
    assert_true(lrn_exponential(0) == 1);
    assert_true(lrn_exponential(-INFINITY) == 0);
    assert_true(isinf(lrn_exponential(INFINITY)));
    assert_true(isnan(lrn_exponential(NAN)));
}

static void check_logarithm(float x) {
    if (x > 0)
        check_near(lrn_logarithm(x), log((double)x), x);
}

TEST(logarithm_is_exact) {
    sweep(check_logarithm);
    check_between(0.999F, 1.001F, check_logarithm);
    assert_true(lrn_logarithm(1) == 0);
    assert_true(lrn_logarithm(0) == -INFINITY);
    assert_true(lrn_logarithm(INFINITY) == INFINITY);
    assert_true(isnan(lrn_logarithm(-1)));
    assert_true(isnan(lrn_logarithm(NAN)));
}

static void check_tanh(float x) {
    const float result = lrn_tanh(x);
    check_near(result, tanh((double)x), x);
    assert_true(lrn_tanh(-x) == -result);
    assert_true(fabsf(result) <= 1);
}

TEST(tanh_is_exact) {
    sweep(check_tanh);
    check_between(0x1.ffp-13F, 0x1.01p-12F, check_tanh);
    check_between(8.99F, 9.02F, check_tanh);
    assert_true(lrn_tanh(0) == 0 && signbit(lrn_tanh(-0.0F)) != 0);
    assert_true(lrn_tanh(INFINITY) == 1 && lrn_tanh(-INFINITY) == -1);
    assert_true(isnan(lrn_tanh(NAN)));
}

TEST(power_is_exact) {
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    for (uint32_t i = 0; i < PAIRS; i++) {
        /* Half of the exponents keep the result within floats. */
        const float x = float_of((uint32_t)base_rng_below(&rng, 0x7f800000u));
        float y = float_of((uint32_t)base_rng_next(&rng));
        if (i % 2 == 0)
            y = (float)((200 * base_rng_unit(&rng) - 100) / log((double)x));
        if (x > 0 && isfinite(y))
            check_near(lrn_power(x, y), pow((double)x, (double)y), x);
    }
}

TEST(power_has_its_ends) {
    const float numbers[] = {0, 0x1p-149F, 0.5F, 1, 2, FLT_MAX, INFINITY, NAN, -1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
            const float x = numbers[i],
                        results[] = {lrn_power(x, numbers[j]), lrn_power(x, -numbers[j])};
            const double truths[] = {pow((double)x, (double)numbers[j]),
                                     pow((double)x, -(double)numbers[j])};
            for (int k = 0; k < 2; k++) {
                if (isnan(truths[k]) || (x < 0 && numbers[j] != 0))
                    assert_true(isnan(results[k]));
                else if (isinf(truths[k]))
                    assert_true(isinf(results[k]) && results[k] > 0);
                else
                    check_near(results[k], truths[k], x);
            }
        }
}

static double normal_below(double x) {
    return erfc(-x / sqrt(2)) / 2;
}

static int compare(const void *a, const void *b) {
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static float *draw(uint64_t seed) {
    float *draws = malloc(DRAWS * sizeof *draws);
    assert_non_null(draws);
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    for (uint32_t i = 0; i < DRAWS; i++)
        draws[i] = lrn_normal(&rng);
    return draws;
}

/* Within four of their own deviations: 0, 1, 0, 3 and 0 are the true ones. */
TEST(normal_has_its_moments) {
    float *draws = draw(11);
    double sums[5] = {0}, products = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        double power = 1;
        for (int k = 1; k <= 4; k++)
            sums[k] += power *= draws[i];
        products += i > 0 ? (double)draws[i] * draws[i - 1] : 0;
    }
    const double root = sqrt(DRAWS);
    assert_true(fabs(sums[1] / DRAWS) < 4 / root);
    assert_true(fabs(sums[2] / DRAWS - 1) < 4 * sqrt(2) / root);
    assert_true(fabs(sums[3] / DRAWS) < 4 * sqrt(15) / root);
    assert_true(fabs(sums[4] / DRAWS - 3) < 4 * sqrt(96) / root);
    assert_true(fabs(products / DRAWS) < 4 / root);
    free(draws);
}

/* Kolmogorov and Smirnov: 1.95 is passed by chance once in a thousand. */
TEST(normal_numbers_are_normally_distributed) {
    float *draws = draw(12);
    qsort(draws, DRAWS, sizeof *draws, compare);
    double largest = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        const double truth = normal_below(draws[i]);
        largest = fmax(largest, fabs(truth - (double)i / DRAWS));
        largest = fmax(largest, fabs(truth - (double)(i + 1) / DRAWS));
    }
    assert_true(largest * sqrt(DRAWS) < 1.95);
    free(draws);
}

/* Pearson's chi-square over cells from -4 to 4 by a quarter and the tails, which the test above
 * hardly sees: 34 cells, 33 degrees, 63.9 is passed once in a thousand. */
TEST(normal_has_its_tails) {
    float *draws = draw(13);
    double counts[34] = {0}, chi_square = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        const double cell = floor((draws[i] + 4.0) * 4) + 1;
        counts[cell < 0 ? 0 : cell > 33 ? 33 : (int)cell]++;
    }
    for (int i = 0; i < 34; i++) {
        const double below = i == 0 ? 0 : normal_below(-4 + (i - 1) * 0.25);
        const double expected = DRAWS * ((i == 33 ? 1 : normal_below(-4 + i * 0.25)) - below);
        chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    assert_true(chi_square < 63.9);
    free(draws);
}

TEST(streams_repeat) {
    base_rng rng, copy;
    base_rng_seed(&rng, 5, 1);
    for (int i = 0; i < 1000; i++) {
        copy = rng;
        const float x = lrn_normal(&rng);
        assert_true(x == lrn_normal(&copy));
        assert_memory_equal(&rng, &copy, sizeof rng);
    }
}
