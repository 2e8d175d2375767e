/* SPDX-License-Identifier: MIT */
/* Distributions of returns over atoms, evenly spaced from the least to the most return. */
#ifndef LEARN_DISTRIBUTION_H
#define LEARN_DISTRIBUTION_H

#include <stdint.h>

typedef struct lrn_support {
    uint32_t atoms; /* at least 2 */
    float least, most;
} lrn_support;

/* Logits to probabilities. */
void lrn_softmax(uint32_t count, const float *logits, float *probabilities);
float lrn_expected(const lrn_support *support, const float *probabilities);
/* The distribution of reward + discount * return on the same atoms: the part of an atom that falls
 * between two is shared by them, and beyond the ends belongs to the end. */
void lrn_project(const lrn_support *support, const float *probabilities, float reward,
                 float discount, float *projected);
/* The cross entropy of the target to what the logits say; its gradient by the logits. */
float lrn_cross_entropy(uint32_t count, const float *logits, const float *target, float *gradient);
/* Huber's loss of a difference, and its derivative, which is no number if the difference is not
 * finite: there is nothing to learn from it. */
float lrn_huber(float difference, float *derivative);

#endif
