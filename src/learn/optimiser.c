/* SPDX-License-Identifier: MIT */
/*
 * Gradient descent: see optimiser.h. Adam is as published. RMSProp is DQN's without its mean of
 * gradients: the decay of squares is 0.95, and what is added to them, under the root, is 1e-5.
 */
#include "learn/optimiser.h"

#include <math.h>

const char *const lrn_methods[LRN_METHOD_COUNT + 1] = {
    [LRN_ADAM] = "adam", [LRN_RMSPROP] = "rmsprop", [LRN_METHOD_COUNT] = NULL};

static const double adam_decay_first = 0.9, adam_decay_second = 0.999;
static const float adam_epsilon = 1e-8F;
static const float rmsprop_decay = 0.95F, rmsprop_epsilon = 1e-5F;

static double whole_power(double base, uint64_t exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1)
            result *= base;
        base *= base;
    }
    return result;
}

/* Where gradients are 0, moments decay until they are denormal, would stay so for ever, and cost
 * a hundred times the time of other numbers. They are nothing long before that. */
static float without_dust(float x) {
    return fabsf(x) < 0x1p-120F ? 0 : x;
}

static void step_adam(lrn_optimiser *optimiser, const float *gradient, float *parameters) {
    const float keep_first = (float)adam_decay_first, keep_second = (float)adam_decay_second;
    const float add_first = (float)(1 - adam_decay_first);
    const float add_second = (float)(1 - adam_decay_second);
    /* Moments begin at 0, and are corrected for it. */
    const double first_part = 1 - whole_power(adam_decay_first, optimiser->steps);
    const double second_part = 1 - whole_power(adam_decay_second, optimiser->steps);
    const float rate = (float)(optimiser->rate / first_part);
    const float scale = (float)(1 / sqrt(second_part));
    float *first = optimiser->first, *second = optimiser->second;
    for (size_t i = 0; i < optimiser->count; i++) {
        const float g = gradient[i];
        first[i] = without_dust(keep_first * first[i] + add_first * g);
        second[i] = without_dust(keep_second * second[i] + add_second * g * g);
        parameters[i] -= rate * first[i] / (sqrtf(second[i]) * scale + adam_epsilon);
    }
}

static void step_rmsprop(lrn_optimiser *optimiser, const float *gradient, float *parameters) {
    float *second = optimiser->second;
    for (size_t i = 0; i < optimiser->count; i++) {
        const float g = gradient[i];
        second[i] = without_dust(rmsprop_decay * second[i] + (1 - rmsprop_decay) * g * g);
        parameters[i] -= optimiser->rate * g / sqrtf(second[i] + rmsprop_epsilon);
    }
}

void lrn_optimiser_step(lrn_optimiser *optimiser, const float *gradient, float *parameters) {
    optimiser->steps++;
    if (optimiser->method == LRN_ADAM)
        step_adam(optimiser, gradient, parameters);
    else
        step_rmsprop(optimiser, gradient, parameters);
}

float lrn_clip(size_t count, float *gradient, float most) {
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (double)gradient[i] * gradient[i];
    const double length = sqrt(squares);
    if (length > most && most > 0) {
        const float factor = (float)(most / length);
        for (size_t i = 0; i < count; i++)
            gradient[i] *= factor;
    }
    return (float)length;
}
