/* SPDX-License-Identifier: MIT */
/* Distributions of returns: see distribution.h. Sums are made in double. */
#include "learn/distribution.h"

#include "learn/elementary.h"

#include <math.h>

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
