/* SPDX-License-Identifier: MIT */
/* The executor against a list of transitions kept by their letters, on random streams with
 * impossible operations in them. */
#include "base/random.h"
#include "engine/tour/tour.h"
#include "harness.h"
#include "product.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 1500, MOST_TRANSITIONS = 600 };

typedef struct notebook {
    char lines[MOST_TRANSITIONS][40];
    uint32_t count;
} notebook;

static void note(notebook *n, const char *letters, tour_operation operation) {
    char line[40];
    (void)snprintf(line, sizeof line, "%s %u %u", letters, operation.kind, operation.core);
    for (uint32_t i = 0; i < n->count; i++)
        if (strcmp(n->lines[i], line) == 0)
            return;
    assert_true(n->count < MOST_TRANSITIONS);
    memcpy(n->lines[n->count++], line, sizeof line);
}

static void run_stream(const tour_space *space, base_rng *rng) {
    tour_count count;
    notebook n = {.count = 0};
    product_state product = product_initial(space);
    uint64_t cost = 0;
    assert_int_equal(tour_count_begin(&count, space, NULL), COL_OK);
    for (uint32_t i = 0; i < STEPS; i++) {
        const tour_operation operation = {(uint8_t)base_rng_below(rng, TOUR_KIND_COUNT + 1),
                                          (uint8_t)base_rng_below(rng, space->cores + 1)};
        const product_state before = product;
        const bool is_known = operation.kind < TOUR_KIND_COUNT && operation.core < space->cores;
        const bool is_possible = is_known && product_step(space, &product, operation);
        assert_int_equal(tour_count_take(&count, operation), is_possible);
        if (is_possible)
            note(&n, before.letters, operation);
        cost += is_possible;
        assert_int_equal(count.cost, cost);
        assert_int_equal(count.covered, n.count);
        assert_string_equal(product_of(space, &count.state).letters, product.letters);
    }
    tour_count_end(&count);
}

static void the_count_matches_a_naive_count(void **unused) {
    (void)unused;
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (uint32_t protocol = 0; protocol < TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= 4; cores++) {
            const tour_space space = {(tour_protocol)protocol, cores};
            run_stream(&space, &rng);
        }
}

/* From each state, put there by hand, everything twice: all transitions, and not
 * one more, are counted. */
static void every_transition_counts_once(void **unused) {
    (void)unused;
    for (uint32_t protocol = 0; protocol < TOUR_PROTOCOL_COUNT; protocol++) {
        const tour_space space = {(tour_protocol)protocol, 5};
        tour_count count;
        uint64_t taken = 0;
        assert_int_equal(tour_count_begin(&count, &space, NULL), COL_OK);
        for (int round = 0; round < 2; round++)
            for (uint64_t number = 0; number < tour_state_count(&space); number++)
                for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++)
                    for (uint32_t core = 0; core < space.cores; core++) {
                        count.state = tour_numbered_state(&space, number);
                        taken +=
                            tour_count_take(&count, (tour_operation){(uint8_t)kind, (uint8_t)core});
                    }
        assert_int_equal(taken, 2 * tour_transition_count(&space));
        assert_int_equal(count.covered, tour_transition_count(&space));
        assert_int_equal(count.cost, taken);
        tour_count_end(&count);
    }
}

/* Three bits for each core and state, in whole words. */
static void memory_use_is_known_in_advance(void **unused) {
    (void)unused;
    assert_int_equal(tour_count_bytes(&(tour_space){TOUR_MSI, 8}), 264 * 24 / 8);
    assert_int_equal(tour_count_bytes(&(tour_space){TOUR_MOSI, 16}), 589840 * 48 / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_count_matches_a_naive_count),
        cmocka_unit_test(every_transition_counts_once),
        cmocka_unit_test(memory_use_is_known_in_advance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
