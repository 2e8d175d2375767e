/* SPDX-License-Identifier: MIT */
/*
 * The matrix products of algebra.h as loops that sum in the order of the reference BLAS, and round
 * after every multiplication and every addition, whatever the processor could do in one step. For
 * machines on which that library itself was compiled to fused operations: a seed means the same
 * there.
 */
#ifndef LEARN_PLAIN_H
#define LEARN_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void lrn_plain_multiply(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                        const float *b, float *c, bool adds);
void lrn_plain_multiply_first_transposed(uint32_t rows, uint32_t columns, uint32_t inner,
                                         const float *a, const float *b, float *c, bool adds);
void lrn_plain_multiply_second_transposed(uint32_t rows, uint32_t columns, uint32_t inner,
                                          const float *a, const float *b, float *c, bool adds);
void lrn_plain_add_scaled(size_t count, float factor, const float *x, float *y);

#endif
