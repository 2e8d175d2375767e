/* SPDX-License-Identifier: MIT */
/*
 * Elementary functions without the C library: see elementary.h. All is reckoned in double, whose
 * errors are far below what is left after rounding to float at the end: a result differs from the
 * true one by hardly more than half of a float's last bit.
 */
#include "engine/learn/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Wider registers would round in other places than the rest of the world. */
_Static_assert(FLT_EVAL_METHOD == 0, "floating point must be what it says it is");

static const double ln_2_high = 0x1.62e42fefap-1; /* few enough bits for exact multiples */
static const double ln_2_low = 0x1.cf79abc9e3b39p-40;

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* e^x = 2^n e^r with |r| at most ln 2 / 2, where thirteen terms of the series are exact to a
 * double; in pairs, which do not wait for each other. For |x| below 700. */
static double exponential(double x) {
    const double to_whole = 0x1.8p52;
    const double n = (x * 0x1.71547652b82fep0 + to_whole) - to_whole;
    const double r = (x - n * ln_2_high) - n * ln_2_low;
    const double s = r * r, q = s * s;
    const double a = 1 + r + s * (1.0 / 2 + r * (1.0 / 6));
    const double b = (1.0 / 24 + r * (1.0 / 120)) + s * (1.0 / 720 + r * (1.0 / 5040));
    const double c = (1.0 / 40320 + r * (1.0 / 362880)) +
                     s * ((1.0 / 3628800 + r * (1.0 / 39916800)) + s * (1.0 / 479001600));
    return (a + q * (b + q * c)) * from_bits((uint64_t)((int64_t)n + 1023) << 52);
}

/* x = 2^n m with m near 1; ln m by the series of the inverse hyperbolic tangent. For positive
 * doubles that are normal, which all floats are. */
static double logarithm(double x) {
    const uint64_t root_half = 0x3fe6a09e667f3bcdu;
    const int64_t n = (int64_t)(to_bits(x) - root_half) >> 52;
    const double m = from_bits(to_bits(x) - ((uint64_t)n << 52));
    const double t = (m - 1) / (m + 1), s = t * t;
    double sum = 1.0 / 23;
    for (int odd = 21; odd >= 3; odd -= 2)
        sum = 1.0 / odd + s * sum;
    return (double)n * ln_2_high + ((double)n * ln_2_low + (2 * t + 2 * t * s * sum));
}

/* What is too large for a float is infinite. */
static float exponential_as_float(double x) {
    if (x > 89)
        return INFINITY;
    if (x < -104)
        return 0;
    const double result = exponential(x);
    return result > FLT_MAX ? INFINITY : (float)result;
}

float lrn_exponential(float x) {
    return isnan(x) ? x : exponential_as_float(x);
}

float lrn_logarithm(float x) {
    if (x > 0 && x <= FLT_MAX)
        return (float)logarithm(x);
    if (x == 0)
        return -INFINITY;
    return x > 0 ? INFINITY : NAN;
}

float lrn_power(float x, float y) {
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y) || x < 0)
        return NAN;
    if (x == 0 || isinf(x)) {
        const bool is_small = (x == 0) == (y > 0);
        return is_small ? 0 : INFINITY;
    }
    return exponential_as_float((double)y * logarithm(x));
}

float lrn_tanh(float x) {
    const double d = x;
    if (isnan(x) || fabs(d) < 0x1p-12) /* where the difference below would lose too much */
        return (float)(d * (1 - d * d / 3));
    if (fabs(d) > 10)
        return d > 0 ? 1 : -1;
    const double e = exponential(2 * d);
    return (float)((e - 1) / (e + 1));
}

/* Marsaglia's polar method. The second deviate of a pair is dropped: it would have to be remembered
 * somewhere, and saved with the stream. */
float lrn_normal(base_rng *rng) {
    double u, s;
    do {
        const double v = 2 * base_rng_unit(rng) - 1;
        u = 2 * base_rng_unit(rng) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return (float)(u * sqrt(-2 * logarithm(s) / s));
}

/* Distributions of returns. */

static float largest(uint32_t count, const float *numbers) {
    float most = numbers[0];
    for (uint32_t i = 1; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return most;
}

/* e^(logit - most): nothing overflows, and of infinite logits as much is left as makes sense. */
static double exponentials(uint32_t count, const float *logits, float most, float *results) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        results[i] = logits[i] == most ? 1 : lrn_exponential(logits[i] - most);
        sum += results[i];
    }
    return sum;
}

void lrn_softmax(uint32_t count, const float *logits, float *probabilities) {
    const double sum = exponentials(count, logits, largest(count, logits), probabilities);
    for (uint32_t i = 0; i < count; i++)
        probabilities[i] = (float)(probabilities[i] / sum);
}

static double distance(const lrn_support *support) {
    return ((double)support->most - support->least) / (support->atoms - 1);
}

float lrn_expected(const lrn_support *support, const float *probabilities) {
    const double step = distance(support);
    double sum = 0;
    for (uint32_t i = 0; i < support->atoms; i++)
        sum += probabilities[i] * (support->least + i * step);
    return (float)sum;
}

/* Where a return lies, in atoms from the first. */
static double place_of(const lrn_support *support, double value, double step) {
    if (!(value > support->least))
        return 0;
    if (value >= support->most)
        return support->atoms - 1;
    return (value - support->least) / step;
}

void lrn_project(const lrn_support *support, const float *probabilities, float reward,
                 float discount, float *projected) {
    const double step = distance(support);
    const uint32_t last = support->atoms - 1;
    for (uint32_t i = 0; i <= last; i++)
        projected[i] = 0;
    for (uint32_t i = 0; i <= last; i++) {
        const double value = reward + discount * (support->least + i * step);
        const double place = place_of(support, value, step);
        const uint32_t below = place < last ? (uint32_t)place : last;
        const double above = place - below; /* the next one's part */
        projected[below] += (float)((1 - above) * probabilities[i]);
        if (below < last)
            projected[below + 1] += (float)(above * probabilities[i]);
    }
}

/* The gradient of a softmax and its cross entropy together is their difference. */
float lrn_cross_entropy(uint32_t count, const float *logits, const float *target, float *gradient) {
    const float most = largest(count, logits);
    const double sum = exponentials(count, logits, most, gradient);
    const double logarithm = lrn_logarithm((float)sum);
    double loss = 0, mass = 0;
    for (uint32_t i = 0; i < count; i++) {
        mass += target[i];
        if (target[i] != 0)
            loss += target[i] * (logarithm - ((double)logits[i] - most));
    }
    for (uint32_t i = 0; i < count; i++)
        gradient[i] = (float)(mass * gradient[i] / sum - target[i]);
    return (float)loss;
}

float lrn_huber(float difference, float *derivative) {
    const float size = fabsf(difference);
    if (size <= 1) {
        *derivative = difference;
        return difference * difference / 2;
    }
    *derivative = difference / size; /* 1 or -1; no number if the difference is infinite or none */
    return size - 0.5F;
}

/* Matrix products. The build has -ffp-contract=off. */

void lrn_add_scaled(size_t count, float factor, const float *x, float *y) {
    for (size_t i = 0; i < count; i++)
        y[i] += factor * x[i];
}

/* Row by row of C, a row of B added for each element of A. A's elements of a row of C are `step`
 * apart. */
static void add_rows(uint32_t columns, uint32_t inner, const float *a, size_t step, const float *b,
                     float *row, bool adds) {
    if (!adds)
        memset(row, 0, columns * sizeof *row);
    for (uint32_t k = 0; k < inner; k++)
        lrn_add_scaled(columns, a[k * step], b + (size_t)k * columns, row);
}

void lrn_multiply(uint32_t rows, uint32_t columns, uint32_t inner, const float *a, const float *b,
                  float *c, bool adds) {
    for (uint32_t r = 0; r < rows; r++)
        add_rows(columns, inner, a + (size_t)r * inner, 1, b, c + (size_t)r * columns, adds);
}

void lrn_multiply_first_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                   const float *b, float *c, bool adds) {
    for (uint32_t r = 0; r < rows; r++)
        add_rows(columns, inner, a + r, rows, b, c + (size_t)r * columns, adds);
}

/* Here a sum begins with nothing, and what there was is added to it at the end. */
void lrn_multiply_second_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                    const float *b, float *c, bool adds) {
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t col = 0; col < columns; col++) {
            const float *left = a + (size_t)r * inner, *right = b + (size_t)col * inner;
            float sum = 0;
            for (uint32_t k = 0; k < inner; k++)
                sum += left[k] * right[k];
            float *to = c + (size_t)r * columns + col;
            *to = adds ? sum + *to : sum;
        }
}
