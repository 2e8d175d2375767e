/* SPDX-License-Identifier: MIT */
/* Matrix products against three loops, for all shapes up to 5 x 5 x 5; and the loops that take
 * their place on some machines against the library on the others. */
#include "base/rng.h"
#include "learn/algebra.h"
#include "learn/plain.h"

#include "harness.h"

enum { MOST = 5 };

static float number(uint32_t i) {
    return (float)(i * 7 % 11) - 5; /* whole, so that sums are exact */
}

static void assert_product(uint32_t rows, uint32_t columns, uint32_t inner, bool adds) {
    float a[MOST * MOST], b[MOST * MOST], turned_a[MOST * MOST], turned_b[MOST * MOST];
    float c[3][MOST * MOST];
    for (uint32_t i = 0; i < MOST * MOST; i++) {
        a[i] = number(i + rows);
        b[i] = number(3 * i + columns);
        c[0][i] = c[1][i] = c[2][i] = number(i);
    }
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < inner; k++)
            turned_a[k * rows + r] = a[r * inner + k];
    for (uint32_t k = 0; k < inner; k++)
        for (uint32_t col = 0; col < columns; col++)
            turned_b[col * inner + k] = b[k * columns + col];
    lrn_multiply(rows, columns, inner, a, b, c[0], adds);
    lrn_multiply_first_transposed(rows, columns, inner, turned_a, b, c[1], adds);
    lrn_multiply_second_transposed(rows, columns, inner, a, turned_b, c[2], adds);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t col = 0; col < columns; col++) {
            float sum = adds ? number(r * columns + col) : 0;
            for (uint32_t k = 0; k < inner; k++)
                sum += a[r * inner + k] * b[k * columns + col];
            for (int way = 0; way < 3; way++)
                assert_true(c[way][r * columns + col] == sum);
        }
}

static void products_match_manual_calculation(void **state) {
    (void)state;
    for (uint32_t rows = 1; rows <= MOST; rows++)
        for (uint32_t columns = 1; columns <= MOST; columns++)
            for (uint32_t inner = 1; inner <= MOST; inner++) {
                assert_product(rows, columns, inner, false);
                assert_product(rows, columns, inner, true);
            }
}

static void scaled_vectors_are_added(void **state) {
    float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
    (void)state;
    lrn_add_scaled(3, 2, x, y);
    assert_true(y[0] == 7 && y[1] == 10 && y[2] == 13 && y[3] == 8);
}

enum { MOST_RANDOM = 24, MOST_ELEMENTS = MOST_RANDOM * MOST_RANDOM };

typedef struct matrices {
    float a[MOST_ELEMENTS], b[MOST_ELEMENTS], c[MOST_ELEMENTS];
} matrices;

typedef void product(uint32_t rows, uint32_t columns, uint32_t inner, const float *a,
                     const float *b, float *c, bool adds);

static void fill(base_rng *rng, matrices *m) {
    for (size_t i = 0; i < MOST_ELEMENTS; i++) {
        m->a[i] = (float)base_rng_unit(rng) - 0.5f;
        m->b[i] = (float)base_rng_unit(rng) * 100 - 30;
        m->c[i] = (float)base_rng_unit(rng);
    }
}

/* Bit for bit: the same sums in the same order, each rounded. */
static void loops_round_as_the_library_does(void **state) {
    static const struct {
        product *library, *loops;
    } pairs[] = {{lrn_multiply, lrn_plain_multiply},
                 {lrn_multiply_first_transposed, lrn_plain_multiply_first_transposed},
                 {lrn_multiply_second_transposed, lrn_plain_multiply_second_transposed}};
    base_rng rng;
    (void)state;
    base_rng_seed(&rng, 11, 1);
    for (uint32_t i = 0; i < 600; i++) {
        const uint32_t rows = 1 + (uint32_t)base_rng_below(&rng, MOST_RANDOM);
        const uint32_t columns = 1 + (uint32_t)base_rng_below(&rng, MOST_RANDOM);
        const uint32_t inner = 1 + (uint32_t)base_rng_below(&rng, MOST_RANDOM);
        matrices m;
        fill(&rng, &m);
        matrices other = m;
        pairs[i % 3].library(rows, columns, inner, m.a, m.b, m.c, i % 2 == 0);
        pairs[i % 3].loops(rows, columns, inner, m.a, m.b, other.c, i % 2 == 0);
        assert_memory_equal(m.c, other.c, sizeof m.c);
        lrn_add_scaled((size_t)rows * columns, m.a[0], m.b, m.c);
        lrn_plain_add_scaled((size_t)rows * columns, m.a[0], m.b, other.c);
        assert_memory_equal(m.c, other.c, sizeof m.c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_match_manual_calculation),
                                       cmocka_unit_test(loops_round_as_the_library_does),
                                       cmocka_unit_test(scaled_vectors_are_added)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
