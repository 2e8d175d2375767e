/* SPDX-License-Identifier: MIT */
/*
 * The exact postman against brute force: on small random graphs a search over what is covered so
 * far knows the least number of operations.
 */
#include "base/random.h"
#include "engine/tour/postman_flow.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 5, OPERATIONS = 3, MOST_ARCS = 12, SETS = 1 << MOST_ARCS };

typedef struct table {
    uint32_t states;
    uint32_t arcs;
    uint32_t next[MOST_STATES][OPERATIONS];
    uint32_t number[MOST_STATES][OPERATIONS]; /* of an arc */
} table;

static uint32_t next_state(const void *context, uint32_t state, uint32_t operation) {
    const table *t = context;
    return t->next[state][operation];
}

static table draw_table(base_rng *rng) {
    table t = {.states = 1 + (uint32_t)base_rng_below(rng, MOST_STATES)};
    for (uint32_t state = 0; state < t.states; state++)
        for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
            const bool is_arc = t.arcs < MOST_ARCS && base_rng_below(rng, 4) > 0;
            t.next[state][operation] =
                is_arc ? (uint32_t)base_rng_below(rng, t.states) : TOUR_NO_STATE;
            t.number[state][operation] = t.arcs;
            t.arcs += is_arc;
        }
    return t;
}

/* Breadth first over (state, covered arcs); 0 where not all can be covered. */
static uint32_t least_cost(const table *t) {
    static uint32_t distance[MOST_STATES * SETS], queue[MOST_STATES * SETS];
    const uint32_t all = (UINT32_C(1) << t->arcs) - 1;
    uint32_t count = 1;
    memset(distance, 0, sizeof distance);
    queue[0] = 0;
    distance[0] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t state = queue[i] / SETS, covered = queue[i] % SETS;
        if (covered == all)
            return distance[queue[i]] - 1;
        for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
            const uint32_t next = t->next[state][operation];
            if (next == TOUR_NO_STATE)
                continue;
            const uint32_t place =
                next * SETS + (covered | UINT32_C(1) << t->number[state][operation]);
            if (distance[place] != 0)
                continue;
            distance[place] = distance[queue[i]] + 1;
            queue[count++] = place;
        }
    }
    return UINT32_MAX;
}

static bool is_strongly_connected(const table *t) {
    uint32_t reach[MOST_STATES];
    for (uint32_t state = 0; state < t->states; state++)
        reach[state] = UINT32_C(1) << state;
    for (uint32_t round = 0; round < MOST_STATES; round++)
        for (uint32_t state = 0; state < t->states; state++)
            for (uint32_t operation = 0; operation < OPERATIONS; operation++)
                if (t->next[state][operation] != TOUR_NO_STATE)
                    reach[state] |= reach[t->next[state][operation]];
    for (uint32_t state = 0; state < t->states; state++)
        if (reach[state] != (UINT32_C(1) << t->states) - 1)
            return false;
    return true;
}

typedef struct follower {
    const table *table;
    uint32_t state, covered, cost;
} follower;

static bool follow(void *context, uint32_t operation) {
    follower *f = context;
    assert_true(operation < OPERATIONS);
    f->covered |= UINT32_C(1) << f->table->number[f->state][operation];
    f->state = f->table->next[f->state][operation];
    assert_true(f->state < f->table->states);
    f->cost++;
    return true;
}

static void walks_cover_all_arcs_and_are_shortest(void **state) {
    (void)state;
    uint32_t connected = 0;
    base_rng rng;
    base_rng_seed(&rng, 11, 0);
    for (uint32_t round = 0; round < 1500; round++) {
        const table t = draw_table(&rng);
        const tour_graph graph = {t.states, OPERATIONS, next_state, &t};
        follower f = {.table = &t};
        uint64_t bytes = 0;
        col_problem problem = {0};
        const col_status status =
            tour_graph_walk(&graph, (tour_walk_sink){follow, &f}, &bytes, &problem);
        if (!is_strongly_connected(&t)) {
            assert_int_equal(status, COL_BAD_INPUT);
            assert_int_equal(f.cost, 0);
            continue;
        }
        connected++;
        assert_int_equal(status, COL_OK);
        assert_int_equal(f.covered, (UINT32_C(1) << t.arcs) - 1);
        assert_int_equal(f.cost, least_cost(&t));
        assert_true(bytes > 0);
    }
    assert_true(connected > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_cover_all_arcs_and_are_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
