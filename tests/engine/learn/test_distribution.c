/* SPDX-License-Identifier: MIT */
/*
 * Distributions over atoms. The projection's oracle asks for each atom what every return gives to
 * it (a tent as wide as two distances), where the code goes from returns to atoms.
 */
#include "base/random.h"
#include "engine/learn/elementary.h"
#include "harness.h"

#include <math.h>
#include <string.h>

enum { MOST = 61, ROUNDS = 3000 };

static double uniform(base_rng *rng, double least, double most) {
    return least + (most - least) * base_rng_unit(rng);
}

static lrn_support draw_support(base_rng *rng) {
    const double least = uniform(rng, -20, 20);
    return (lrn_support){.atoms = 2 + (uint32_t)base_rng_below(rng, MOST - 1),
                         .least = (float)least,
                         .most = (float)(least + uniform(rng, 0.01, 30))};
}

/* Some are 0, as after a projection. */
static void draw_probabilities(base_rng *rng, uint32_t count, float *probabilities) {
    double sum = 0, parts[MOST];
    for (uint32_t i = 0; i < count; i++)
        sum += parts[i] = i == 0 || base_rng_below(rng, 3) > 0 ? base_rng_unit(rng) + 1e-3 : 0;
    for (uint32_t i = 0; i < count; i++)
        probabilities[i] = (float)(parts[i] / sum);
}

static void draw_logits(base_rng *rng, uint32_t count, double most, float *logits) {
    for (uint32_t i = 0; i < count; i++)
        logits[i] = (float)uniform(rng, -most, most);
}

static double atom(const lrn_support *support, uint32_t i) {
    return support->least + ((double)support->most - support->least) * i / (support->atoms - 1);
}

static double sum_of(uint32_t count, const float *numbers) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

static double given_to(const lrn_support *support, const float *probabilities, double reward,
                       double discount, uint32_t to) {
    const double distance = atom(support, 1) - atom(support, 0);
    double sum = 0;
    for (uint32_t i = 0; i < support->atoms; i++) {
        const double value =
            fmin(fmax(reward + discount * atom(support, i), support->least), support->most);
        sum += probabilities[i] * fmax(0, 1 - fabs(value - atom(support, to)) / distance);
    }
    return sum;
}

TEST(the_projection_matches_a_slow_one) {
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (int round = 0; round < ROUNDS; round++) {
        const lrn_support support = draw_support(&rng);
        float probabilities[MOST], projected[MOST];
        draw_probabilities(&rng, support.atoms, probabilities);
        const float reward = (float)uniform(&rng, -30, 30), discount = (float)uniform(&rng, 0, 1);
        lrn_project(&support, probabilities, reward, discount, projected);
        for (uint32_t i = 0; i < support.atoms; i++) {
            const double truth = given_to(&support, probabilities, reward, discount, i);
            assert_true(projected[i] >= 0);
            assert_true(fabs(projected[i] - truth) < 1e-6);
        }
        assert_true(fabs(sum_of(support.atoms, projected) - 1) < 1e-5);
    }
}

/* If no return lies beyond the ends, the mean of what is projected is the mean of the returns. */
TEST(mean_is_kept_inside) {
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (int round = 0; round < ROUNDS; round++) {
        const lrn_support support = draw_support(&rng);
        float probabilities[MOST], projected[MOST];
        draw_probabilities(&rng, support.atoms, probabilities);
        const double discount = (float)uniform(&rng, 0, 1);
        const double reward = (float)uniform(&rng, support.least - discount * support.least,
                                             support.most - discount * support.most);
        lrn_project(&support, probabilities, (float)reward, (float)discount, projected);
        const double mean = reward + discount * lrn_expected(&support, probabilities);
        assert_true(fabs(lrn_expected(&support, projected) - mean) < 5e-5);
    }
}

TEST(the_expectation_follows_its_definition) {
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    for (int round = 0; round < ROUNDS; round++) {
        const lrn_support support = draw_support(&rng);
        float probabilities[MOST];
        draw_probabilities(&rng, support.atoms, probabilities);
        double mean = 0;
        for (uint32_t i = 0; i < support.atoms; i++)
            mean += probabilities[i] * atom(&support, i);
        assert_true(fabs(lrn_expected(&support, probabilities) - mean) < 1e-5);
    }
}

TEST(projection_is_clamped_at_its_ends) {
    const lrn_support support = {.atoms = 3, .least = -1, .most = 1};
    const float probabilities[3] = {0.25F, 0.25F, 0.5F};
    const struct {
        float reward, discount, expected[3];
    } rows[] = {
        {0, 1, {0.25F, 0.25F, 0.5F}},                              /* as it was */
        {1, 1, {0, 0.25F, 0.75F}},                                 /* all by one atom */
        {-1, 1, {0.5F, 0.5F, 0}},      {0.5F, 0, {0, 0.5F, 0.5F}}, /* nothing after the reward */
        {0.25F, 0, {0, 0.75F, 0.25F}}, {100, 1, {0, 0, 1}},          {-100, 1, {1, 0, 0}},
        {INFINITY, 0.5F, {0, 0, 1}},   {-INFINITY, 0.5F, {1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float projected[3];
        lrn_project(&support, probabilities, rows[i].reward, rows[i].discount, projected);
        assert_memory_equal(projected, rows[i].expected, sizeof projected);
    }
}

/* With ends that no float's distance divides, the last atom must take what lies on it. */
TEST(a_point_mass_stays_on_its_atom) {
    for (uint32_t atoms = 2; atoms <= MOST; atoms++) {
        const lrn_support support = {.atoms = atoms, .least = -0.1F, .most = 0.7F};
        for (uint32_t i = 0; i < atoms; i++) {
            float point[MOST] = {0}, projected[MOST];
            point[i] = 1;
            lrn_project(&support, point, 0, 1, projected);
            assert_true(fabsf(projected[i] - 1) < 1e-6F);
        }
    }
}

TEST(softmax_matches_a_slow_one) {
    base_rng rng;
    base_rng_seed(&rng, 4, 0);
    for (int round = 0; round < ROUNDS; round++) {
        float logits[MOST], probabilities[MOST];
        const uint32_t count = 1 + (uint32_t)base_rng_below(&rng, MOST);
        const double widest = round % 2 == 0 ? 5 : 300;
        draw_logits(&rng, count, widest, logits);
        lrn_softmax(count, logits, probabilities);
        for (uint32_t i = 0; i < count; i++) {
            long double sum = 0;
            for (uint32_t j = 0; j < count; j++)
                sum += expl((long double)logits[j] - logits[i]);
            /* Distances between logits are floats: what is lost of them is a factor here. */
            const long double lost = 1e-6L + 0x1p-24L * 2 * (long double)widest;
            assert_true(fabsl(probabilities[i] - 1 / sum) < lost / sum + 1e-44L);
        }
        assert_true(fabs(sum_of(count, probabilities) - 1) < 1e-6);
    }
}

TEST(softmax_accepts_any_logits) {
    const struct {
        float logits[3], expected[3];
    } rows[] = {
        {{3e38F, 3e38F, -3e38F}, {0.5F, 0.5F, 0}},
        {{-3e38F, -3e38F, -3e38F}, {1 / 3.0F, 1 / 3.0F, 1 / 3.0F}},
        {{0, 3e38F, 1}, {0, 1, 0}},
        {{0, INFINITY, 1}, {0, 1, 0}},
        {{-INFINITY, 0, 0}, {0, 0.5F, 0.5F}},
        {{-INFINITY, -INFINITY, -INFINITY}, {1 / 3.0F, 1 / 3.0F, 1 / 3.0F}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float probabilities[3];
        lrn_softmax(3, rows[i].logits, probabilities);
        assert_memory_equal(probabilities, rows[i].expected, sizeof probabilities);
    }
}

static double entropy_at(uint32_t count, const double *logits, const float *target) {
    double sum = 0, loss = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += exp(logits[i]);
    for (uint32_t i = 0; i < count; i++)
        loss += target[i] * (log(sum) - logits[i]);
    return loss;
}

TEST(entropy_has_its_gradient) {
    base_rng rng;
    base_rng_seed(&rng, 5, 0);
    for (int round = 0; round < ROUNDS / 10; round++) {
        float logits[MOST], target[MOST], gradient[MOST];
        double moved[MOST];
        const uint32_t count = 1 + (uint32_t)base_rng_below(&rng, MOST);
        draw_logits(&rng, count, 6, logits);
        draw_probabilities(&rng, count, target);
        for (uint32_t i = 0; i < count && round % 2 == 1; i++)
            target[i] *= 0.25F; /* the target's mass need not be 1 */
        const float loss = lrn_cross_entropy(count, logits, target, gradient);
        for (uint32_t i = 0; i < count; i++)
            moved[i] = logits[i];
        assert_true(fabs(loss - entropy_at(count, moved, target)) < 1e-6 * (1 + loss));
        for (uint32_t i = 0; i < count; i++) {
            const double step = 1e-5;
            moved[i] = logits[i] + step;
            const double above = entropy_at(count, moved, target);
            moved[i] = logits[i] - step;
            const double slope = (above - entropy_at(count, moved, target)) / (2 * step);
            moved[i] = logits[i];
            assert_true(fabs(gradient[i] - slope) < 1e-6);
        }
    }
}

/* A loss and a gradient that can be used come of the worst logits, too. */
TEST(entropy_accepts_any_logits) {
    const float logits[3] = {1e38F, -1e38F, 0}, target[3] = {0.5F, 0.5F, 0};
    float gradient[3];
    assert_true(lrn_cross_entropy(3, logits, target, gradient) == 1e38F);
    assert_true(gradient[0] == 0.5F && gradient[1] == -0.5F && gradient[2] == 0);
    const float sure[3] = {1e38F, -INFINITY, -INFINITY}, same[3] = {1, 0, 0};
    assert_true(lrn_cross_entropy(3, sure, same, gradient) == 0);
    assert_true(gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0);
}

/* Quadratic to 1 and straight beyond; the derivative is the difference, cut off at 1. */
TEST(the_huber_loss_follows_its_definition) {
    for (int i = -4000; i <= 4000; i++) {
        const double x = i / 1000.0;
        float derivative;
        const float loss = lrn_huber((float)x, &derivative);
        assert_true(fabs(loss - (fabs(x) <= 1 ? x * x / 2 : fabs(x) - 0.5)) < 1e-6);
        assert_true(fabs(derivative - fmax(-1, fmin(1, x))) < 1e-6);
    }
    const float sizes[] = {1.5F, 1e10F, 3e38F, INFINITY, NAN};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            float derivative;
            (void)lrn_huber((float)sign * sizes[i], &derivative);
            assert_true(isfinite(sizes[i]) ? derivative == (float)sign : isnan(derivative));
        }
}
