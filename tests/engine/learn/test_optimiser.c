/* SPDX-License-Identifier: MIT */
/* Optimisers against the formulas written out in double, and on a bowl whose bottom is known. */
#include "base/random.h"
#include "engine/learn/neural_network.h"
#include "harness.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COUNT = 37, STEPS = 3000 };

typedef struct bench {
    float first[COUNT], second[COUNT], parameters[COUNT], gradient[COUNT];
    lrn_optimiser optimiser;
} bench;

static void open_bench(bench *b, lrn_method method, float rate) {
    memset(b, 0, sizeof *b);
    b->optimiser = (lrn_optimiser){
        .method = method, .rate = rate, .count = COUNT, .first = b->first, .second = b->second};
}

/* Of very different lengths, as those of layers are. */
static void draw_gradient(base_rng *rng, float *gradient) {
    for (uint32_t i = 0; i < COUNT; i++)
        gradient[i] = (float)((2 * base_rng_unit(rng) - 0.9) * pow(10, -(double)(i % 6)));
}

static double adam_by_hand(uint32_t i, double rate, const float (*gradients)[COUNT]) {
    double m = 0, v = 0, parameter = 0;
    for (int t = 1; t <= STEPS; t++) {
        const double g = gradients[t - 1][i];
        m = 0.9 * m + (1 - 0.9) * g;
        v = 0.999 * v + (1 - 0.999) * g * g;
        const double m_hat = m / (1 - pow(0.9, t)), v_hat = v / (1 - pow(0.999, t));
        parameter -= rate * m_hat / (sqrt(v_hat) + 1e-8);
    }
    return parameter;
}

static double rmsprop_by_hand(uint32_t i, double rate, const float (*gradients)[COUNT]) {
    double v = 0, parameter = 0;
    for (int t = 0; t < STEPS; t++) {
        const double g = gradients[t][i];
        v = 0.95 * v + 0.05 * g * g;
        parameter -= rate * g / sqrt(v + 1e-5);
    }
    return parameter;
}

TEST(steps_match_manual_calculation) {
    static float gradients[STEPS][COUNT];
    double (*const by_hand[])(uint32_t, double, const float(*)[COUNT]) = {
        [LRN_ADAM] = adam_by_hand, [LRN_RMSPROP] = rmsprop_by_hand};
    for (int method = 0; method < LRN_METHOD_COUNT; method++) {
        bench b;
        base_rng rng;
        base_rng_seed(&rng, 1, (uint64_t)method);
        open_bench(&b, (lrn_method)method, 0.01F);
        for (int t = 0; t < STEPS; t++) {
            draw_gradient(&rng, gradients[t]);
            lrn_optimiser_step(&b.optimiser, gradients[t], b.parameters);
        }
        assert_int_equal(b.optimiser.steps, STEPS);
        for (uint32_t i = 0; i < COUNT; i++) {
            const double truth = by_hand[method](i, 0.01F, (const float(*)[COUNT])gradients);
            assert_true(fabs(b.parameters[i] - truth) < 1e-4 * fabs(truth) + 1e-6);
        }
    }
}

/* The bottom is at i / 10, and the bowl is a hundred times as steep in one direction as in another.
 */
static void slope(const bench *b, float *gradient) {
    for (uint32_t i = 0; i < COUNT; i++)
        gradient[i] = (float)pow(10, -(double)(i % 3)) * (b->parameters[i] - (float)i / 10);
}

TEST(the_bottom_of_a_bowl_is_found) {
    for (int method = 0; method < LRN_METHOD_COUNT; method++) {
        bench b;
        open_bench(&b, (lrn_method)method, 0.05F);
        for (int t = 0; t < STEPS; t++) {
            b.optimiser.rate = 0.05F * (float)(STEPS - t) / STEPS;
            slope(&b, b.gradient);
            lrn_optimiser_step(&b.optimiser, b.gradient, b.parameters);
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_true(fabsf(b.parameters[i] - (float)i / 10) < 0.005F);
    }
}

/* All that an optimiser knows is in its arrays and its number of steps. */
TEST(a_copy_continues_identically) {
    for (int method = 0; method < LRN_METHOD_COUNT; method++) {
        bench b, copy;
        base_rng rng;
        base_rng_seed(&rng, 2, 0);
        open_bench(&b, (lrn_method)method, 0.01F);
        for (int t = 0; t < 200; t++) {
            if (t == 100) {
                copy = b;
                copy.optimiser.first = copy.first;
                copy.optimiser.second = copy.second;
            }
            draw_gradient(&rng, b.gradient);
            lrn_optimiser_step(&b.optimiser, b.gradient, b.parameters);
            if (t >= 100)
                lrn_optimiser_step(&copy.optimiser, b.gradient, copy.parameters);
        }
        assert_memory_equal(b.parameters, copy.parameters, sizeof b.parameters);
        assert_memory_equal(b.first, copy.first, sizeof b.first);
        assert_memory_equal(b.second, copy.second, sizeof b.second);
    }
}

/* Denormal numbers are slow; and moments would be so for ever, since 0.9 of the least float is
 * rounded to itself. */
TEST(vanishing_moments_become_zero) {
    for (int method = 0; method < LRN_METHOD_COUNT; method++) {
        bench b;
        open_bench(&b, (lrn_method)method, 0.01F);
        for (int t = 0; t < 200000; t++) {
            for (uint32_t i = 0; i < COUNT; i++)
                b.gradient[i] = t == 0 ? 1 : 0;
            lrn_optimiser_step(&b.optimiser, b.gradient, b.parameters);
            for (uint32_t i = 0; i < COUNT; i++) {
                assert_true(b.first[i] == 0 || b.first[i] >= FLT_MIN);
                assert_true(b.second[i] == 0 || b.second[i] >= FLT_MIN);
            }
        }
        assert_true(b.first[0] == 0 && b.second[0] == 0);
        assert_true(isfinite(b.parameters[0]));
    }
}

TEST(long_gradients_are_clipped) {
    float gradient[4] = {3, 0, -4, 12};
    assert_true(lrn_clip(4, gradient, 26) == 13);
    assert_true(gradient[0] == 3 && gradient[2] == -4 && gradient[3] == 12);
    assert_true(lrn_clip(4, gradient, 0) == 13);
    assert_true(gradient[3] == 12);
    assert_true(lrn_clip(4, gradient, 6.5F) == 13);
    assert_true(gradient[0] == 1.5F && gradient[1] == 0 && gradient[2] == -2 && gradient[3] == 6);
    float nothing[2] = {0, 0}, huge[2] = {3e38F, -3e38F};
    assert_true(lrn_clip(2, nothing, 1) == 0 && nothing[0] == 0);
    lrn_clip(2, huge, 1);
    assert_true(fabsf(huge[0] - sqrtf(0.5F)) < 1e-6F && huge[1] == -huge[0]);
}
