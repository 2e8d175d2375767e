/* SPDX-License-Identifier: MIT */
/* Matrix products by CBLAS: see algebra.h. */
#include "learn/algebra.h"

#include "learn/plain.h"

#include <cblas-netlib.h>
#include <stdlib.h>

/* What BLAS calls when its arguments are wrong, which would be our mistake. With these the library
 * needs no others, which print; and it can be a part of a shared library. Nothing else reads the
 * globals of CBLAS (who called, and how), so agents may learn in several threads at once. */
_Noreturn void xerbla_(const char *name, const int *place, size_t length);
_Noreturn void cblas_xerbla(CBLAS_INT place, const char *name, const char *form, ...);

_Noreturn void xerbla_(const char *name, const int *place, size_t length) {
    (void)name;
    (void)place;
    (void)length;
    abort();
}

_Noreturn void cblas_xerbla(CBLAS_INT place, const char *name, const char *form, ...) {
    (void)place;
    (void)name;
    (void)form;
    abort();
}

/* Where every processor can multiply and add in one step, the library was compiled to that, and
 * rounds once where it rounds twice elsewhere. */
#ifdef __FP_FAST_FMAF

void lrn_multiply(uint32_t rows, uint32_t columns, uint32_t inner, const float *a, const float *b,
                  float *c, bool adds) {
    lrn_plain_multiply(rows, columns, inner, a, b, c, adds);
}

void lrn_multiply_first_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                   const float *b, float *c, bool adds) {
    lrn_plain_multiply_first_transposed(rows, columns, inner, a, b, c, adds);
}

void lrn_multiply_second_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                    const float *b, float *c, bool adds) {
    lrn_plain_multiply_second_transposed(rows, columns, inner, a, b, c, adds);
}

void lrn_add_scaled(size_t count, float factor, const float *x, float *y) {
    lrn_plain_add_scaled(count, factor, x, y);
}

#else

static void multiply(CBLAS_TRANSPOSE first, CBLAS_TRANSPOSE second, uint32_t rows, uint32_t columns,
                     uint32_t inner, const float *a, const float *b, float *c, bool adds) {
    const uint32_t a_width = first == CblasNoTrans ? inner : rows;
    const uint32_t b_width = second == CblasNoTrans ? columns : inner;
    cblas_sgemm(CblasRowMajor, first, second, (CBLAS_INT)rows, (CBLAS_INT)columns, (CBLAS_INT)inner,
                1, a, (CBLAS_INT)a_width, b, (CBLAS_INT)b_width, adds ? 1 : 0, c,
                (CBLAS_INT)columns);
}

void lrn_multiply(uint32_t rows, uint32_t columns, uint32_t inner, const float *a, const float *b,
                  float *c, bool adds) {
    multiply(CblasNoTrans, CblasNoTrans, rows, columns, inner, a, b, c, adds);
}

void lrn_multiply_first_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                   const float *b, float *c, bool adds) {
    multiply(CblasTrans, CblasNoTrans, rows, columns, inner, a, b, c, adds);
}

void lrn_multiply_second_transposed(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                                    const float *b, float *c, bool adds) {
    multiply(CblasNoTrans, CblasTrans, rows, columns, inner, a, b, c, adds);
}

void lrn_add_scaled(size_t count, float factor, const float *x, float *y) {
    cblas_saxpy((CBLAS_INT)count, factor, x, 1, y, 1);
}

#endif
