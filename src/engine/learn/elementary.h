/* SPDX-License-Identifier: MIT */
/*
 * Elementary functions that give the same bits on every machine: the C library's choose their way
 * by the processor. Sums, products, quotients and square roots are exact to the rounding
 * everywhere, so these are made of nothing else. Relative error below 1e-7 of a float's range.
 */
#pragma once

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

float lrn_exponential(float x);    /* 0 and infinity at the far ends */
float lrn_logarithm(float x);      /* x > 0 */
float lrn_power(float x, float y); /* x >= 0; 0 to the 0 is 1 */
float lrn_tanh(float x);
/* Of a normal distribution with mean 0 and deviation 1. */
float lrn_normal(base_rng *rng);

/* Distributions of returns over atoms, evenly spaced from the least to the most return. */

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

/*
 * The few matrix products that networks are made of. Matrices are row by row, without gaps. Sums
 * are in the order of the reference BLAS, and rounded after every multiplication and every
 * addition, whatever the processor could do in one step: a seed means the same on every machine.
 */

/* C (rows x columns) = A (rows x inner) B (inner x columns), or C += .... */
void lrn_multiply(uint32_t rows, uint32_t columns, uint32_t inner, const float *a, const float *b,
                  float *c, bool adds);
/* The same with A, inner x rows, transposed; and with B, columns x inner, transposed. */
void lrn_multiply_first_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                   const float *b, float *c, bool adds);
void lrn_multiply_second_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                    const float *b, float *c, bool adds);

/* y += factor * x */
void lrn_add_scaled(size_t count, float factor, const float *x, float *y);
