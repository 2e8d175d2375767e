/* SPDX-License-Identifier: MIT */
/* Set cover, against trying all choices of sets: the bound never lies above the smallest cover, the
 * cover never below it, and both are it where the SAT solver may work. */
#include "base/random.h"
#include "episode/suite/set_cover.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { TASKS = 1000 };
#else
enum { TASKS = 20000 };
#endif
enum { MOST_SETS = 12, MOST_ELEMENTS = 70, WORDS = 2 };

typedef struct instance {
    uint64_t bits[MOST_SETS * WORDS], weights[MOST_SETS];
    epi_cover_task task;
} instance;

static void make(instance *in, uint64_t number) {
    base_rng rng;
    base_rng_seed(&rng, 48, number);
    *in = (instance){.task = {.set_count = (uint32_t)base_rng_below(&rng, MOST_SETS + 1),
                              .element_count = (uint32_t)base_rng_below(&rng, MOST_ELEMENTS + 1),
                              .bits = in->bits,
                              .weights = number % 2 == 0 ? in->weights : NULL,
                              .effort = 10000}};
    const uint64_t one_of = 1 + base_rng_below(&rng, 9);
    const size_t words = epi_cover_words(in->task.element_count);
    for (uint32_t s = 0; s < in->task.set_count; s++) {
        in->weights[s] = base_rng_below(&rng, 3);
        for (uint32_t e = 0; e < in->task.element_count; e++)
            if (base_rng_below(&rng, one_of) == 0)
                in->bits[s * words + e / 64] |= UINT64_C(1) << e % 64;
    }
}

/* What the sets of a choice, a bit each, have together. */
static void unite(const instance *in, uint32_t choice, uint64_t all[WORDS]) {
    const size_t words = epi_cover_words(in->task.element_count);
    all[0] = all[1] = 0;
    for (uint32_t s = 0; s < in->task.set_count; s++)
        for (size_t w = 0; w < words && (choice >> s & 1) != 0; w++)
            all[w] |= in->bits[s * words + w];
}

static uint32_t smallest(const instance *in) {
    const uint32_t choices = UINT32_C(1) << in->task.set_count;
    uint64_t all[WORDS], some[WORDS];
    uint32_t best = UINT32_MAX;
    unite(in, choices - 1, all);
    for (uint32_t choice = 0; choice < choices; choice++) {
        const uint32_t count = (uint32_t)__builtin_popcount(choice);
        if (count >= best)
            continue;
        unite(in, choice, some);
        if (memcmp(all, some, sizeof all) == 0)
            best = count;
    }
    return best;
}

static epi_cover find(const epi_cover_task *task) {
    epi_cover cover;
    col_problem problem;
    if (epi_cover_find(task, &cover, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return cover;
}

static void check_cover(const instance *in, const epi_cover *cover) {
    uint64_t all[WORDS], some[WORDS];
    uint32_t choice = 0;
    for (uint32_t i = 0; i < cover->count; i++) {
        assert_true(cover->chosen[i] < in->task.set_count);
        assert_true(i == 0 || cover->chosen[i - 1] < cover->chosen[i]);
        choice |= UINT32_C(1) << cover->chosen[i];
    }
    unite(in, (UINT32_C(1) << in->task.set_count) - 1, all);
    unite(in, choice, some);
    assert_memory_equal(all, some, sizeof all);
    assert_int_equal(cover->covered, __builtin_popcountll(all[0]) + __builtin_popcountll(all[1]));
}

TEST(small_tasks_get_the_smallest_cover_and_say_so) {
    instance in;
    for (uint64_t i = 0; i < TASKS; i++) {
        make(&in, i);
        epi_cover cover = find(&in.task);
        check_cover(&in, &cover);
        assert_int_equal(cover.count, smallest(&in));
        assert_int_equal(cover.least, cover.count);
        free(cover.chosen);
    }
}

TEST(without_the_solver_the_smallest_cover_is_between_the_bound_and_the_answer) {
    instance in;
    uint32_t exact = 0;
    for (uint64_t i = 0; i < TASKS; i++) {
        make(&in, i);
        in.task.effort = 0;
        epi_cover cover = find(&in.task);
        const uint32_t least = smallest(&in);
        check_cover(&in, &cover);
        assert_true(cover.least <= least && least <= cover.count);
        exact += cover.least == cover.count;
        free(cover.chosen);
    }
    assert_true(exact > TASKS / 2); /* the rules leave little to the solver */
}

/* Steiner triple systems are known to be hard: each element's complement is a set that covers all
 * but the triples without it. Of the system of order 9, any cover needs 5 (Fulkerson, Nemhauser and
 * Trotter, 1974). */
TEST(the_cover_of_the_triples_of_order_nine_has_five_points) {
    static const uint8_t triples[12][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                           {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {1, 5, 6},
                                           {2, 3, 7}, {0, 5, 7}, {1, 3, 8}, {2, 4, 6}};
    uint64_t bits[9] = {0};
    for (uint32_t t = 0; t < 12; t++)
        for (int i = 0; i < 3; i++)
            bits[triples[t][i]] |= UINT64_C(1) << t;
    epi_cover_task task = {.set_count = 9, .element_count = 12, .bits = bits, .effort = 10000};
    epi_cover cover = find(&task);
    assert_int_equal(cover.count, 5);
    assert_int_equal(cover.least, 5);
    free(cover.chosen);
    task.effort = 1; /* a solver that may do next to nothing says nothing wrong */
    cover = find(&task);
    assert_true(cover.least <= 5 && cover.count >= 5);
    free(cover.chosen);
}

TEST(of_sets_that_are_as_good_the_lighter_one_is_chosen) {
    const uint64_t bits[] = {7, 7, 7, 2}, weights[] = {5, 3, 3, 0};
    const epi_cover_task task = {
        .set_count = 4, .element_count = 3, .bits = bits, .weights = weights, .effort = 100};
    epi_cover cover = find(&task);
    assert_int_equal(cover.count, 1);
    assert_int_equal(cover.chosen[0], 1);
    free(cover.chosen);
}
