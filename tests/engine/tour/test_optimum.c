/* SPDX-License-Identifier: MIT */
/*
 * The postman's optimum. Small random graphs: against a search over all walks (node and set of arcs
 * taken). Larger ones, and whole spaces: by the proof that a flow and distances are of each other's
 * cost. By symmetry: against the flow in the whole space.
 */
#include "base/random.h"
#include "engine/tour/tour.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1300, MOST_ARCS = 27000 };

typedef struct graph {
    uint32_t nodes;
    size_t arc_count;
    tour_flow_arc arcs[MOST_ARCS];
    int64_t supply[MOST_NODES];
    uint64_t flow[MOST_ARCS];
    int64_t distance[MOST_NODES];
} graph;

static graph *graph_new(uint32_t nodes) {
    graph *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->nodes = nodes;
    return g;
}

static void add_arc(graph *g, uint32_t from, uint32_t to) {
    assert_true(g->arc_count < MOST_ARCS && from < g->nodes && to < g->nodes);
    g->arcs[g->arc_count++] = (tour_flow_arc){from, to};
    g->supply[from]--;
    g->supply[to]++;
}

static tour_flow_task problem_of(const graph *g) {
    return (tour_flow_task){.nodes = g->nodes,
                            .start = 0,
                            .arc_count = g->arc_count,
                            .arcs = g->arcs,
                            .supply = g->supply};
}

static tour_flow_cost least_flow(graph *g) {
    const tour_flow_task task = problem_of(g);
    tour_flow_cost cost;
    col_problem problem = {0};
    assert_int_equal(tour_least_flow(&task, g->flow, g->distance, &cost, &problem), COL_OK);
    return cost;
}

/* A flow that balances, distances that no arc stretches, and both of the same value: neither can be
 * improved. */
static void check_proof(const graph *g, tour_flow_cost cost) {
    int64_t *left = calloc(g->nodes, sizeof *left);
    int64_t bound = 0;
    uint64_t sum = 0, saving = 0;
    assert_non_null(left);
    for (uint32_t node = 0; node < g->nodes; node++) {
        left[node] = g->supply[node];
        bound -= g->supply[node] * g->distance[node];
        if (g->distance[node] < -(int64_t)saving)
            saving = (uint64_t)-g->distance[node];
    }
    for (size_t arc = 0; arc < g->arc_count; arc++) {
        const tour_flow_arc a = g->arcs[arc];
        assert_true(g->distance[a.to] <= g->distance[a.from] + 1);
        left[a.from] -= (int64_t)g->flow[arc];
        left[a.to] += (int64_t)g->flow[arc];
        sum += g->flow[arc];
    }
    for (uint32_t node = 0; node < g->nodes; node++)
        assert_int_equal(left[node], 0);
    assert_int_equal(sum, cost.least);
    assert_int_equal(bound, cost.least);
    assert_int_equal(saving, cost.saving);
    free(left);
}

/* A circle through all nodes, which makes it strongly connected, and any arcs. */
static graph *random_graph(base_rng *rng, uint32_t nodes, size_t arcs) {
    graph *g = graph_new(nodes);
    for (uint32_t node = 0; node < nodes; node++)
        add_arc(g, node, (node + 1) % nodes);
    while (g->arc_count < arcs) {
        const uint32_t from = (uint32_t)base_rng_below(rng, nodes);
        add_arc(g, from, (uint32_t)base_rng_below(rng, nodes));
    }
    return g;
}

/* ---- All walks of a small graph, shortest first. */

enum { WALK_NODES = 5, WALK_ARCS = 11 };

typedef struct walks {
    uint8_t seen[WALK_NODES << WALK_ARCS];
    uint32_t queue[WALK_NODES << WALK_ARCS]; /* node and arcs taken */
    uint32_t length[WALK_NODES << WALK_ARCS];
} walks;

static void shortest_walks(const graph *g, walks *w, uint64_t *open, uint64_t *closed) {
    const uint32_t all = (1U << g->arc_count) - 1;
    uint32_t head = 0, tail = 1;
    memset(w, 0, sizeof *w);
    w->seen[0] = 1;
    *open = UINT64_MAX;
    *closed = UINT64_MAX;
    for (; head < tail; head++) {
        const uint32_t taken = w->queue[head] & all, node = w->queue[head] >> g->arc_count;
        if (taken == all && w->length[head] < *open)
            *open = w->length[head];
        if (taken == all && node == 0 && w->length[head] < *closed)
            *closed = w->length[head];
        for (uint32_t arc = 0; arc < g->arc_count; arc++) {
            if (g->arcs[arc].from != node)
                continue;
            const uint32_t next = g->arcs[arc].to << g->arc_count | taken | 1U << arc;
            if (w->seen[next] != 0)
                continue;
            w->seen[next] = 1;
            w->length[tail] = w->length[head] + 1;
            w->queue[tail++] = next;
        }
    }
}

TEST(the_optimum_is_the_shortest_of_all_walks) {
    base_rng rng;
    base_rng_seed(&rng, 11, 0);
    walks *w = malloc(sizeof *w);
    assert_non_null(w);
    uint32_t unbalanced = 0, far = 0;
    for (uint32_t round = 0; round < 400; round++) {
        const uint32_t nodes = 2 + (uint32_t)base_rng_below(&rng, WALK_NODES - 1);
        const size_t arcs = nodes + base_rng_below(&rng, WALK_ARCS - nodes + 1);
        graph *g = random_graph(&rng, nodes, arcs);
        uint64_t open, closed;
        const tour_flow_cost cost = least_flow(g);
        check_proof(g, cost);
        shortest_walks(g, w, &open, &closed);
        assert_int_equal(closed, g->arc_count + cost.least);
        assert_int_equal(open, g->arc_count + cost.least - cost.saving);
        unbalanced += cost.least > 0;
        far += cost.saving > 1;
        free(g);
    }
    assert_true(unbalanced > 200 && far > 40); /* the graphs are not all alike */
    free(w);
}

TEST(flows_of_large_graphs_are_proved_least) {
    base_rng rng;
    base_rng_seed(&rng, 12, 0);
    for (uint32_t round = 0; round < 60; round++) {
        const uint32_t nodes = 20 + (uint32_t)base_rng_below(&rng, 200);
        graph *g = random_graph(&rng, nodes, nodes + base_rng_below(&rng, UINT64_C(4) * nodes));
        for (uint32_t node = 0; node + 1 < nodes; node++) { /* of classes: large supplies */
            const int64_t amount = (int64_t)base_rng_below(&rng, 1000000000);
            g->supply[node] += amount;
            g->supply[node + 1] -= amount;
        }
        check_proof(g, least_flow(g));
        free(g);
    }
}

TEST(graphs_that_are_not_strongly_connected_are_refused) {
    graph *g = graph_new(3); /* no way back from 2 */
    tour_flow_cost cost;
    col_problem problem = {0};
    add_arc(g, 0, 1);
    add_arc(g, 1, 0);
    add_arc(g, 1, 2);
    const tour_flow_task one_way = problem_of(g);
    assert_int_equal(tour_least_flow(&one_way, NULL, NULL, &cost, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "the graph is not strongly connected");
    g->arc_count = 2; /* 2 is on its own */
    memset(g->supply, 0, sizeof g->supply);
    const tour_flow_task apart = problem_of(g);
    assert_int_equal(tour_least_flow(&apart, NULL, NULL, &cost, &problem), COL_BAD_INPUT);
    free(g);
}

/* ---- Spaces. */

static graph *graph_of(const tour_space *space) {
    graph *g = graph_new((uint32_t)tour_state_count(space));
    for (uint32_t from = 0; from < g->nodes; from++) {
        const tour_state before = tour_numbered_state(space, from);
        for (uint32_t i = 0; i < TOUR_KIND_COUNT * space->cores; i++) {
            const col_tour_operation operation = {(uint8_t)(i / space->cores),
                                                  (uint8_t)(i % space->cores)};
            if (!tour_is_possible(space, &before, operation))
                continue;
            const tour_state after = tour_after(space, &before, operation);
            add_arc(g, from, (uint32_t)tour_state_number(space, &after));
        }
    }
    assert_int_equal(g->arc_count, tour_transition_count(space));
    return g;
}

static uint64_t optimum_of(const tour_space *space) {
    uint64_t optimum = 0;
    col_problem problem = {0};
    assert_int_equal(tour_find_optimum(space, &optimum, &problem), COL_OK);
    return optimum;
}

TEST(the_optimum_of_classes_is_that_of_all_states) {
#ifdef REDUCED
    const uint32_t most_cores = 5;
#else
    const uint32_t most_cores = 8;
#endif
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++) {
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= most_cores; cores++) {
            const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, cores);
            graph *g = graph_of(&space);
            const tour_flow_cost cost = least_flow(g);
            check_proof(g, cost);
            assert_int_equal(optimum_of(&space), g->arc_count + cost.least - cost.saving);
            free(g);
        }
    }
}

/* What must be repeated, worked out by hand: n stores of each set of holders and the shortest ways
 * back from the modified states to it. */
static uint64_t repeated(col_tour_protocol protocol, uint64_t n) {
    const uint64_t sets = UINT64_C(1) << n;
    const uint64_t shared = n * (n * sets / 2 - sets + 1);
    const uint64_t owned = n * (n + 1) * (n - 1) * sets / 4 + n * (n + 3);
    const uint64_t left = n * (n + 1) * sets / 4 + n * sets / 2;
    switch (protocol) {
    case COL_TOUR_MSI:
        return shared + n * (n + 1);
    case COL_TOUR_MESI:
        return shared + n * (4 * n + 1);
    case COL_TOUR_MOSI:
        return owned + left - n;
    case COL_TOUR_MOESI:
        return owned + left + n * (n + 1);
    default:
        return 0;
    }
}

TEST(optima_follow_the_formulas) {
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++) {
        for (uint32_t cores = 4; cores <= TOUR_MOST_CORES; cores++) {
            const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, cores);
            assert_int_equal(optimum_of(&space), tour_transition_count(&space) +
                                                     repeated(space.protocol, cores) -
                                                     (protocol != COL_TOUR_SI));
        }
    }
}
