/* SPDX-License-Identifier: MIT */
/* Matrix products: see algebra.h. The build has -ffp-contract=off. */
#include "learn/algebra.h"

#include <string.h>

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
