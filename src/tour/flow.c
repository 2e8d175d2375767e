/* SPDX-License-Identifier: MIT */
/*
 * Min-cost flow by successive shortest paths. Each round finds the shortest ways from all that have
 * something left and sends along the tree of these ways as much as it takes: all arcs of the tree
 * are shortest ways themselves, so no round ever has to be undone at a loss.
 */
#include "tour/flow.h"

#include <stdbool.h>
#include <stdlib.h>

#define FAR INT64_MAX
#define NO_ARC SIZE_MAX

/* The arcs at each node, those that lead out of it or into it. */
typedef struct incidence {
    size_t *first; /* by node, and one more */
    size_t *arcs;
} incidence;

typedef struct solver {
    const tour_flow_task *task;
    incidence out, in;
    uint64_t *flow;    /* by arc */
    int64_t *left;     /* by node: what it has to send; less than 0: what it lacks */
    int64_t *distance; /* by node, or FAR */
    size_t *came_by;   /* by node: the arc of the shortest way, or NO_ARC where it begins */
    uint32_t *queue;   /* a ring of nodes */
    bool *is_queued;
} solver;

/* ---- Memory. */

static void incidence_free(incidence *i) {
    free(i->first);
    free(i->arcs);
}

static void solver_free(solver *s) {
    incidence_free(&s->out);
    incidence_free(&s->in);
    free(s->flow);
    free(s->left);
    free(s->distance);
    free(s->came_by);
    free(s->queue);
    free(s->is_queued);
}

static bool incidence_make(incidence *i, const tour_flow_task *p, bool is_out) {
    i->first = calloc((size_t)p->nodes + 2, sizeof *i->first);
    i->arcs = calloc(p->arc_count + 1, sizeof *i->arcs);
    if (i->first == NULL || i->arcs == NULL)
        return false;
    size_t *place = i->first + 1; /* in the end, where the next node's begin */
    for (size_t arc = 0; arc < p->arc_count; arc++)
        place[(is_out ? p->arcs[arc].from : p->arcs[arc].to) + 1]++;
    for (uint32_t node = 0; node < p->nodes; node++)
        place[node + 1] += place[node];
    for (size_t arc = 0; arc < p->arc_count; arc++)
        i->arcs[place[is_out ? p->arcs[arc].from : p->arcs[arc].to]++] = arc;
    return true;
}

static col_status solver_make(solver *s, const tour_flow_task *p, col_problem *problem) {
    const size_t nodes = (size_t)p->nodes + 1;
    *s = (solver){.task = p};
    s->flow = calloc(p->arc_count + 1, sizeof *s->flow);
    s->left = calloc(nodes, sizeof *s->left);
    s->distance = calloc(nodes, sizeof *s->distance);
    s->came_by = calloc(nodes, sizeof *s->came_by);
    s->queue = calloc(nodes, sizeof *s->queue);
    s->is_queued = calloc(nodes, sizeof *s->is_queued);
    const bool has_all = s->flow && s->left && s->distance && s->came_by && s->queue &&
                         s->is_queued && incidence_make(&s->out, p, true) &&
                         incidence_make(&s->in, p, false);
    if (!has_all)
        return base_out_of_memory(problem);
    for (uint32_t node = 0; node < p->nodes; node++)
        s->left[node] = p->supply[node];
    return COL_OK;
}

/* ---- Shortest ways. An arc with flow can also be gone backwards, which gives its cost back. */

typedef struct node_queue {
    uint32_t head, count;
} node_queue;

static void put(solver *s, node_queue *q, uint32_t node) {
    if (s->is_queued[node])
        return;
    s->is_queued[node] = true;
    s->queue[(q->head + (uint64_t)q->count++) % s->task->nodes] = node;
}

static uint32_t get(solver *s, node_queue *q) {
    const uint32_t node = s->queue[q->head];
    q->head = (q->head + 1) % s->task->nodes;
    q->count--;
    s->is_queued[node] = false;
    return node;
}

static void reach(solver *s, node_queue *q, uint32_t node, int64_t distance, size_t arc) {
    if (distance >= s->distance[node])
        return;
    s->distance[node] = distance;
    s->came_by[node] = arc;
    put(s, q, node);
}

static void spread(solver *s, node_queue *q) {
    while (q->count > 0) {
        const uint32_t node = get(s, q);
        const int64_t distance = s->distance[node];
        for (size_t i = s->out.first[node]; i < s->out.first[node + 1]; i++)
            reach(s, q, s->task->arcs[s->out.arcs[i]].to, distance + 1, s->out.arcs[i]);
        for (size_t i = s->in.first[node]; i < s->in.first[node + 1]; i++)
            if (s->flow[s->in.arcs[i]] > 0)
                reach(s, q, s->task->arcs[s->in.arcs[i]].from, distance - 1, s->in.arcs[i]);
    }
}

static void forget_distances(solver *s) {
    for (uint32_t node = 0; node < s->task->nodes; node++)
        s->distance[node] = FAR;
}

static void find_ways_from_supplies(solver *s) {
    node_queue q = {0};
    forget_distances(s);
    for (uint32_t node = 0; node < s->task->nodes; node++)
        if (s->left[node] > 0)
            reach(s, &q, node, 0, NO_ARC);
    spread(s, &q);
}

static void find_ways_from_start(solver *s) {
    node_queue q = {0};
    forget_distances(s);
    reach(s, &q, s->task->start, 0, NO_ARC);
    spread(s, &q);
}

/* ---- Sending. */

/* The node before this one on its way, if it is not the first. */
static bool step_back(const solver *s, uint32_t *node, bool *is_backwards) {
    const size_t arc = s->came_by[*node];
    if (arc == NO_ARC)
        return false;
    *is_backwards = s->task->arcs[arc].to != *node;
    *node = *is_backwards ? s->task->arcs[arc].to : s->task->arcs[arc].from;
    return true;
}

static int64_t room_on_way(const solver *s, uint32_t end) {
    int64_t room = -s->left[end];
    bool is_backwards;
    uint32_t node = end, before = end;
    for (; step_back(s, &before, &is_backwards); node = before) {
        const uint64_t flow = s->flow[s->came_by[node]];
        if (is_backwards && flow < (uint64_t)room)
            room = (int64_t)flow;
    }
    return s->left[node] < room ? s->left[node] : room;
}

static void send(solver *s, uint32_t end, int64_t amount) {
    bool is_backwards;
    uint32_t node = end, before = end;
    for (; step_back(s, &before, &is_backwards); node = before) {
        if (is_backwards)
            s->flow[s->came_by[node]] -= (uint64_t)amount;
        else
            s->flow[s->came_by[node]] += (uint64_t)amount;
    }
    s->left[node] -= amount;
    s->left[end] += amount;
}

/* False: nobody lacks anything any more, or what is lacked cannot be sent. */
static bool send_round(solver *s) {
    bool has_sent = false;
    find_ways_from_supplies(s);
    for (uint32_t node = 0; node < s->task->nodes; node++) {
        if (s->left[node] >= 0 || s->distance[node] == FAR)
            continue;
        const int64_t room = room_on_way(s, node);
        if (room > 0) {
            send(s, node, room);
            has_sent = true;
        }
    }
    return has_sent;
}

static col_status solve(solver *s, tour_flow_cost *cost, col_problem *problem) {
    *cost = (tour_flow_cost){0};
    while (send_round(s)) {
    }
    find_ways_from_start(s);
    for (uint32_t node = 0; node < s->task->nodes; node++) {
        if (s->left[node] != 0 || s->distance[node] == FAR)
            return base_refuse(problem, "the graph is not strongly connected");
        if (s->distance[node] < 0 && (uint64_t)-s->distance[node] > cost->saving)
            cost->saving = (uint64_t)-s->distance[node];
    }
    for (size_t arc = 0; arc < s->task->arc_count; arc++)
        cost->least += s->flow[arc];
    return COL_OK;
}

col_status tour_least_flow(const tour_flow_task *task, uint64_t *flow, int64_t *distance,
                           tour_flow_cost *cost, col_problem *problem) {
    solver s;
    col_status status = solver_make(&s, task, problem);
    if (status == COL_OK)
        status = solve(&s, cost, problem);
    for (size_t arc = 0; status == COL_OK && flow != NULL && arc < task->arc_count; arc++)
        flow[arc] = s.flow[arc];
    for (uint32_t node = 0; status == COL_OK && distance != NULL && node < task->nodes; node++)
        distance[node] = s.distance[node];
    solver_free(&s);
    return status;
}
