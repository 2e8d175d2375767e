/* SPDX-License-Identifier: MIT */
/*
 * The global state space against the product of per-cache machines: all that can be reached from
 * all caches in I, no more and no less, step by step; and the published sizes.
 */
#include "base/random.h"
#include "engine/tour/state_space.h"
#include "harness.h"
#include "product.h"

#include <stdlib.h>

#ifdef REDUCED
enum { MOST_CORES = 4 };
#else
enum { MOST_CORES = 6 };
#endif

/* Searches the product, by the number that the space gives each state it finds. */
typedef struct search {
    tour_space space;
    product_state *found; /* by number; no letters: not yet */
    uint64_t *queue;
    uint64_t states, transitions;
} search;

static void take_step(search *s, uint64_t number, tour_operation operation) {
    const tour_state state = tour_numbered_state(&s->space, number);
    product_state product = s->found[number];
    const bool is_possible = product_step(&s->space, &product, operation);
    assert_int_equal(tour_is_possible(&s->space, &state, operation), is_possible);
    if (!is_possible)
        return;
    s->transitions++;
    const tour_state next = tour_after(&s->space, &state, operation);
    assert_string_equal(product_of(&s->space, &next).letters, product.letters);
    const uint64_t place = tour_state_number(&s->space, &next);
    assert_true(place < tour_state_count(&s->space));
    if (s->found[place].letters[0] == '\0')
        s->queue[s->states++] = place;
    else
        assert_string_equal(s->found[place].letters, product.letters);
    s->found[place] = product;
}

static void search_product(tour_protocol protocol, uint32_t cores) {
    search s = {.space = {protocol, cores}, .states = 1};
    const uint64_t count = tour_state_count(&s.space);
    s.found = calloc(count, sizeof *s.found);
    s.queue = calloc(count, sizeof *s.queue);
    assert_non_null(s.found);
    assert_non_null(s.queue);
    s.found[0] = product_initial(&s.space);
    for (uint64_t i = 0; i < s.states; i++)
        for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++)
            for (uint32_t core = 0; core < cores; core++)
                take_step(&s, s.queue[i], (tour_operation){(uint8_t)kind, (uint8_t)core});
    assert_int_equal(s.states, count);
    assert_int_equal(s.transitions, tour_transition_count(&s.space));
    free(s.found);
    free(s.queue);
}

static void the_space_reaches_what_the_product_reaches(void **unused) {
    (void)unused;
    for (uint32_t protocol = 0; protocol < TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= MOST_CORES; cores++)
            search_product((tour_protocol)protocol, cores);
}

/* Where the search would not fit. */
static void walk(const tour_space *space, base_rng *rng) {
    tour_state state = TOUR_INITIAL;
    product_state product = product_initial(space);
    for (uint32_t i = 0; i < 2000; i++) {
        const tour_operation operation = {(uint8_t)base_rng_below(rng, TOUR_KIND_COUNT),
                                          (uint8_t)base_rng_below(rng, space->cores)};
        const bool is_possible = product_step(space, &product, operation);
        assert_int_equal(tour_is_possible(space, &state, operation), is_possible);
        if (is_possible)
            state = tour_after(space, &state, operation);
        assert_string_equal(product_of(space, &state).letters, product.letters);
        const uint64_t number = tour_state_number(space, &state);
        assert_true(number < tour_state_count(space));
        const tour_state back = tour_numbered_state(space, number);
        assert_string_equal(product_of(space, &back).letters, product.letters);
    }
}

static void long_walks_agree_with_the_product(void **unused) {
    (void)unused;
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (uint32_t protocol = 0; protocol < TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = 7; cores <= TOUR_MOST_CORES; cores++) {
            const tour_space space = {(tour_protocol)protocol, cores};
            walk(&space, &rng);
        }
}

static void impossible_operations_are_known(void **unused) {
    (void)unused;
    const tour_space si = {TOUR_SI, 3}, msi = {TOUR_MSI, 3};
    const tour_state initial = TOUR_INITIAL;
    assert_false(tour_is_possible(&si, &initial, (tour_operation){TOUR_STORE, 0}));
    assert_true(tour_is_possible(&msi, &initial, (tour_operation){TOUR_STORE, 2}));
    assert_false(tour_is_possible(&msi, &initial, (tour_operation){TOUR_STORE, 3}));
    assert_false(tour_is_possible(&msi, &initial, (tour_operation){TOUR_EVICT, 0}));
    assert_false(tour_is_possible(&msi, &initial, (tour_operation){TOUR_KIND_COUNT, 0}));
}

/* The sizes that Qin and Mishra give. */
static void sizes_are_the_published_ones(void **unused) {
    (void)unused;
    static const struct {
        tour_protocol protocol;
        uint32_t cores;
        uint64_t states, transitions;
    } rows[] = {
        {TOUR_MSI, 8, 264, 5256},        {TOUR_MESI, 8, 272, 5392},
        {TOUR_MOSI, 8, 1288, 26248},     {TOUR_MOESI, 8, 1296, 26384},
        {TOUR_MESI, 16, 65568, 2622496}, {TOUR_MOSI, 16, 589840, 23855632},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const tour_space space = {rows[i].protocol, rows[i].cores};
        assert_int_equal(tour_state_count(&space), rows[i].states);
        assert_int_equal(tour_transition_count(&space), rows[i].transitions);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_space_reaches_what_the_product_reaches),
        cmocka_unit_test(long_walks_agree_with_the_product),
        cmocka_unit_test(impossible_operations_are_known),
        cmocka_unit_test(sizes_are_the_published_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
