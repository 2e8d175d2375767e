/* SPDX-License-Identifier: MIT */
/* Matrix products against three loops, bit for bit: sums are in the order that is promised. */
#include "base/random.h"
#include "engine/learn/elementary.h"

#include "harness.h"

enum { MOST_RANDOM = 24, MOST_ELEMENTS = MOST_RANDOM * MOST_RANDOM };

typedef struct matrices {
    float a[MOST_ELEMENTS], b[MOST_ELEMENTS], c[MOST_ELEMENTS];
} matrices;

/* A is rows x inner, B inner x columns, as in all three products once nothing is transposed. */
typedef struct shape {
    uint32_t rows, columns, inner;
    bool first, second; /* which of them is transposed */
} shape;

static void fill(base_rng *rng, matrices *m) {
    for (size_t i = 0; i < MOST_ELEMENTS; i++) {
        m->a[i] = (float)base_rng_unit(rng) - 0.5f;
        m->b[i] = (float)base_rng_unit(rng) * 100 - 30;
        m->c[i] = (float)base_rng_unit(rng);
    }
}

/* `volatile`: the product is rounded before it is added, whatever the compiler may do. */
static float add_product(float sum, float a, float b) {
    const volatile float product = a * b;
    return sum + product;
}

/* A sum begins with what there was; if B is transposed, with nothing, and what there was comes
 * last. */
static float element(const shape *s, const matrices *m, uint32_t row, uint32_t column, bool adds) {
    const float before = adds ? m->c[row * s->columns + column] : 0;
    float sum = s->second ? 0 : before;
    for (uint32_t k = 0; k < s->inner; k++)
        sum = add_product(sum, m->a[s->first ? k * s->rows + row : row * s->inner + k],
                          m->b[s->second ? column * s->inner + k : k * s->columns + column]);
    return s->second ? sum + before : sum;
}

static void multiply(const shape *s, matrices *m, bool adds) {
    if (s->first)
        lrn_multiply_first_transposed(s->rows, s->columns, s->inner, m->a, m->b, m->c, adds);
    else if (s->second)
        lrn_multiply_second_transposed(s->rows, s->columns, s->inner, m->a, m->b, m->c, adds);
    else
        lrn_multiply(s->rows, s->columns, s->inner, m->a, m->b, m->c, adds);
}

/* Or engines that learn would do something else on another machine. */
TEST(sums_have_a_fixed_order) {
    base_rng rng;
    base_rng_seed(&rng, 11, 1);
    for (uint32_t i = 0; i < 600; i++) {
        const shape s = {.rows = 1 + (uint32_t)base_rng_below(&rng, MOST_RANDOM),
                         .columns = 1 + (uint32_t)base_rng_below(&rng, MOST_RANDOM),
                         .inner = 1 + (uint32_t)base_rng_below(&rng, MOST_RANDOM),
                         .first = i % 3 == 1,
                         .second = i % 3 == 2};
        matrices m;
        fill(&rng, &m);
        matrices made = m;
        multiply(&s, &made, i % 2 == 0);
        for (uint32_t r = 0; r < s.rows; r++)
            for (uint32_t c = 0; c < s.columns; c++) {
                const float expected = element(&s, &m, r, c, i % 2 == 0);
                assert_memory_equal(&made.c[r * s.columns + c], &expected, sizeof expected);
            }
        made = m;
        lrn_add_scaled(MOST_ELEMENTS, m.a[0], m.b, made.c);
        for (uint32_t e = 0; e < MOST_ELEMENTS; e++) {
            const float expected = add_product(m.c[e], m.a[0], m.b[e]);
            assert_memory_equal(&made.c[e], &expected, sizeof expected);
        }
    }
}
