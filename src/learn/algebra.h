/* SPDX-License-Identifier: MIT */
/*
 * The few matrix products that networks are made of. Matrices are row by row, without gaps. Sums
 * are in the order of the reference BLAS, and rounded after every multiplication and every
 * addition, whatever the processor could do in one step: a seed means the same on every machine.
 */
#ifndef LEARN_ALGEBRA_H
#define LEARN_ALGEBRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
