/* SPDX-License-Identifier: MIT */
/* Relations as bits against their definitions, pair by pair: rows of one word and of several. */
#include "base/random.h"
#include "judge/cat/execution_graph.h"

#include "harness.h"

#include <string.h>

enum { MOST = 200, WORDS = MOST * 4 };

typedef struct relation {
    uint64_t rows[WORDS];
} relation;

static void fill(base_rng *rng, relation *r, cat_size size, uint32_t pairs) {
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < pairs; i++)
        cat_relate(r->rows, size, (uint32_t)base_rng_below(rng, size.events),
                   (uint32_t)base_rng_below(rng, size.events));
}

/* Is there a way from one to the other, of a step or more? */
static bool reaches(const relation *r, cat_size size, uint32_t from, uint32_t to) {
    bool met[MOST] = {false};
    uint32_t queue[MOST], count = 0;
    for (uint32_t done = 0, at = from;; at = queue[done++]) {
        for (uint32_t next = 0; next < size.events; next++) {
            if (cat_relates(r->rows, size, at, next) && !met[next]) {
                met[next] = true;
                queue[count++] = next;
            }
        }
        if (done == count)
            return met[to];
    }
}

static void check_operators(base_rng *rng, cat_size size, uint32_t pairs) {
    static relation a, b, sequence, closure, inverse;
    uint32_t room[3 * MOST + 3];
    bool acyclic = true;
    fill(rng, &a, size, pairs);
    fill(rng, &b, size, pairs);
    cat_matrix_sequence(sequence.rows, a.rows, b.rows, size, room);
    cat_matrix_closure(closure.rows, a.rows, size);
    cat_matrix_inverse(inverse.rows, a.rows, size);
    for (uint32_t i = 0; i < size.events; i++) {
        for (uint32_t j = 0; j < size.events; j++) {
            bool follows = false;
            for (uint32_t k = 0; k < size.events && !follows; k++)
                follows = cat_relates(a.rows, size, i, k) && cat_relates(b.rows, size, k, j);
            assert_int_equal(cat_relates(sequence.rows, size, i, j), follows);
            assert_int_equal(cat_relates(inverse.rows, size, i, j),
                             cat_relates(a.rows, size, j, i));
            if (j % 7 == i % 7)
                assert_int_equal(cat_relates(closure.rows, size, i, j), reaches(&a, size, i, j));
        }
        acyclic = acyclic && !reaches(&a, size, i, i);
    }
    assert_int_equal(cat_matrix_is_acyclic(a.rows, size, room), acyclic);
}

TEST(operators_do_what_they_are_defined_to) {
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t events = i % 3 == 0 ? 64 : 1 + (uint32_t)base_rng_below(&rng, 150);
        check_operators(&rng, cat_size_of(events),
                        (uint32_t)base_rng_below(&rng, 2 * (uint64_t)events));
    }
}

TEST(paths_lead_from_one_end_to_the_other) {
    static relation a;
    base_rng rng;
    uint32_t path[MOST + 1], room[2 * MOST], found = 0;
    base_rng_seed(&rng, 2, 0);
    for (uint32_t i = 0; i < 300; i++) {
        const cat_size size = cat_size_of(2 + (uint32_t)base_rng_below(&rng, 150));
        const uint32_t from = (uint32_t)base_rng_below(&rng, size.events);
        const uint32_t to = i % 2 == 0 ? from : (uint32_t)base_rng_below(&rng, size.events);
        fill(&rng, &a, size, size.events + size.events / 4);
        const uint32_t count = cat_matrix_path(a.rows, size, from, to, path, room);
        assert_int_equal(count > 0, reaches(&a, size, from, to));
        if (count == 0)
            continue;
        found++;
        assert_true(count >= 2 && path[0] == from && path[count - 1] == to);
        for (uint32_t k = 1; k < count; k++)
            assert_true(cat_relates(a.rows, size, path[k - 1], path[k]));
    }
    assert_in_range(found, 50, 250);
}
