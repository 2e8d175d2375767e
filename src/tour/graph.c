/* SPDX-License-Identifier: MIT */
/*
 * The postman: a least flow says how often each arc is repeated, then every state is left as often
 * as it is entered. The walk needs no stack: a tree of arcs to the state where it ends says by
 * which arc each state is left last; all orders of the other arcs give an Euler tour then (the BEST
 * theorem).
 */
#include "tour/graph.h"
#include "tour/flow.h"

#include <stdlib.h>

enum { NO_ARC = -1, BYTES_OF_FLOW_ARC = 24, BYTES_OF_FLOW_NODE = 48 };

typedef struct postman {
    const tour_graph *graph;
    size_t arc_count;    /* self-loops are none: they are done when a state is first entered */
    tour_flow_arc *arcs; /* by state they lead from */
    uint32_t *operation; /* by arc */
    uint64_t *flow;      /* by arc: repetitions */
    int64_t *supply;     /* by state */
    int64_t *distance;   /* by state */
    size_t *first;       /* by state, and one more: its arcs */
    size_t *next;        /* by state: the arc to take next */
    int64_t *last;       /* by state: the arc of the tree */
    uint32_t *queue;
    uint32_t end;
} postman;

static void postman_free(postman *p) {
    free(p->arcs);
    free(p->operation);
    free(p->flow);
    free(p->supply);
    free(p->distance);
    free(p->first);
    free(p->next);
    free(p->last);
    free(p->queue);
}

static uint32_t next_of(const tour_graph *graph, uint32_t state, uint32_t operation) {
    return graph->next(graph->context, state, operation);
}

static size_t count_arcs(const tour_graph *graph) {
    size_t count = 0;
    for (uint32_t state = 0; state < graph->states; state++)
        for (uint32_t operation = 0; operation < graph->operations; operation++) {
            const uint32_t to = next_of(graph, state, operation);
            count += to != TOUR_NO_STATE && to != state;
        }
    return count;
}

static col_status postman_make(postman *p, const tour_graph *graph, col_problem *problem) {
    const size_t states = (size_t)graph->states + 1, arcs = count_arcs(graph) + 1;
    *p = (postman){.graph = graph};
    p->arcs = calloc(arcs, sizeof *p->arcs);
    p->operation = calloc(arcs, sizeof *p->operation);
    p->flow = calloc(arcs, sizeof *p->flow);
    p->supply = calloc(states, sizeof *p->supply);
    p->distance = calloc(states, sizeof *p->distance);
    p->first = calloc(states, sizeof *p->first);
    p->next = calloc(states, sizeof *p->next);
    p->last = calloc(states, sizeof *p->last);
    p->queue = calloc(states, sizeof *p->queue);
    const bool has_all = p->arcs && p->operation && p->flow && p->supply && p->distance &&
                         p->first && p->next && p->last && p->queue;
    return has_all ? COL_OK : base_out_of_memory(problem);
}

static uint64_t bytes_of(const postman *p) {
    const uint64_t arc = sizeof *p->arcs + sizeof *p->operation + sizeof *p->flow;
    const uint64_t state = sizeof *p->supply + sizeof *p->distance + sizeof *p->first +
                           sizeof *p->next + sizeof *p->last + sizeof *p->queue;
    return p->arc_count * (arc + BYTES_OF_FLOW_ARC) +
           p->graph->states * (state + BYTES_OF_FLOW_NODE);
}

static void list_arcs(postman *p) {
    for (uint32_t state = 0; state < p->graph->states; state++) {
        p->first[state] = p->arc_count;
        for (uint32_t operation = 0; operation < p->graph->operations; operation++) {
            const uint32_t to = next_of(p->graph, state, operation);
            if (to == TOUR_NO_STATE || to == state)
                continue;
            p->supply[state]--;
            p->supply[to]++;
            p->operation[p->arc_count] = operation;
            p->arcs[p->arc_count++] = (tour_flow_arc){state, to};
        }
    }
    p->first[p->graph->states] = p->arc_count;
}

/* A walk that need not return to its start ends where that saves most. */
static col_status find_repetitions(postman *p, col_problem *problem) {
    tour_flow_task task = {
        .nodes = p->graph->states, .arc_count = p->arc_count, .arcs = p->arcs, .supply = p->supply};
    tour_flow_cost cost;
    const col_status status = tour_least_flow(&task, p->flow, p->distance, &cost, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t state = 0; state < p->graph->states; state++)
        if (p->distance[state] < p->distance[p->end])
            p->end = state;
    if (p->end == 0)
        return COL_OK;
    p->supply[0]++;
    p->supply[p->end]--;
    return tour_least_flow(&task, p->flow, p->distance, &cost, problem);
}

/* The tree, breadth first from the end against the arcs. */
static col_status grow_tree(postman *p, col_problem *problem) {
    size_t *place = calloc((size_t)p->graph->states + 2, sizeof *place);
    size_t *into = calloc(p->arc_count + 1, sizeof *into); /* arcs by the state they lead to */
    if (place == NULL || into == NULL) {
        free(place);
        free(into);
        return base_out_of_memory(problem);
    }
    for (size_t arc = 0; arc < p->arc_count; arc++)
        place[p->arcs[arc].to + 2]++;
    for (uint32_t state = 0; state < p->graph->states; state++)
        place[state + 1] += place[state];
    for (size_t arc = 0; arc < p->arc_count; arc++)
        into[place[p->arcs[arc].to + 1]++] = arc;
    for (uint32_t state = 0; state < p->graph->states; state++)
        p->last[state] = NO_ARC;
    uint32_t count = 0;
    p->queue[count++] = p->end;
    for (uint32_t i = 0; i < count; i++)
        for (size_t a = place[p->queue[i]]; a < place[p->queue[i] + 1]; a++) {
            const uint32_t from = p->arcs[into[a]].from;
            if (from == p->end || p->last[from] != NO_ARC)
                continue;
            p->last[from] = (int64_t)into[a];
            p->queue[count++] = from;
        }
    free(place);
    free(into);
    return COL_OK;
}

/* What is left of an arc: it itself, and its repetitions. */
static bool take_arc(postman *p, size_t arc) {
    if (p->flow[arc] == 0)
        return false;
    p->flow[arc]--;
    return true;
}

static int64_t choose_arc(postman *p, uint32_t state) {
    for (; p->next[state] < p->first[state + 1]; p->next[state]++) {
        const size_t arc = p->next[state];
        if ((int64_t)arc != p->last[state] && take_arc(p, arc))
            return (int64_t)arc;
    }
    const int64_t last = p->last[state];
    return last != NO_ARC && take_arc(p, (size_t)last) ? last : NO_ARC;
}

static bool do_self_loops(const postman *p, tour_walk_sink sink, uint32_t state) {
    for (uint32_t operation = 0; operation < p->graph->operations; operation++)
        if (next_of(p->graph, state, operation) == state && !sink.take(sink.context, operation))
            return false;
    return true;
}

static void go(postman *p, tour_walk_sink sink) {
    for (size_t arc = 0; arc < p->arc_count; arc++)
        p->flow[arc]++;
    for (uint32_t state = 0; state < p->graph->states; state++)
        p->next[state] = SIZE_MAX;
    for (uint32_t state = 0;;) {
        if (p->next[state] == SIZE_MAX) {
            p->next[state] = p->first[state];
            if (!do_self_loops(p, sink, state))
                return;
        }
        const int64_t arc = choose_arc(p, state);
        if (arc == NO_ARC || !sink.take(sink.context, p->operation[arc]))
            return;
        state = p->arcs[arc].to;
    }
}

col_status tour_graph_walk(const tour_graph *graph, tour_walk_sink sink, uint64_t *peak_bytes,
                           col_problem *problem) {
    postman p;
    col_status status = postman_make(&p, graph, problem);
    if (status == COL_OK) {
        list_arcs(&p);
        status = find_repetitions(&p, problem);
    }
    if (status == COL_OK)
        status = grow_tree(&p, problem);
    if (status == COL_OK) {
        if (peak_bytes != NULL)
            *peak_bytes = bytes_of(&p);
        go(&p, sink);
    }
    postman_free(&p);
    return status;
}
