/* SPDX-License-Identifier: MIT */
/*
 * Whether a model keeps locations coherent. Then most candidates need not be tried: what a thread
 * sees of one location follows program order.
 */
#include "litmus/coherent.h"

/* Events of a shape: event 0 is the initial write; others are of thread 0 or 1. */
typedef struct part {
    uint32_t thread;
    bool is_read;
    uint32_t source; /* of a read */
    uint32_t order;  /* of a write: its place */
} part;

enum { MOST_PARTS = 4 };

/* coWW, coRW within a thread, coRW2, coWR, coRR. */
static const struct {
    uint32_t count;
    part parts[MOST_PARTS];
} shapes[] = {{2, {{0, false, 0, 2}, {0, false, 0, 1}}},
              {2, {{0, true, 2, 0}, {0, false, 0, 1}}},
              {3, {{0, true, 3, 0}, {0, false, 0, 1}, {1, false, 0, 2}}},
              {2, {{0, false, 0, 1}, {0, true, 0, 0}}},
              {3, {{1, false, 0, 1}, {0, true, 1, 0}, {0, true, 0, 0}}}};

static col_status make(cat_graph *graph, uint32_t shape, col_problem *problem) {
    const uint32_t count = shapes[shape].count;
    const part *parts = shapes[shape].parts;
    col_status status = cat_graph_begin(graph, count + 1, problem);
    if (status != COL_OK)
        return status;
    graph->events[0] = (cat_event){.thread = CAT_NO_THREAD, .kind = CAT_WRITE};
    for (uint32_t i = 0; i < count; i++)
        graph->events[i + 1] =
            (cat_event){.thread = parts[i].thread,
                        .instance = i,
                        .kind = (uint8_t)(parts[i].is_read ? CAT_READ : CAT_WRITE)};
    status = cat_graph_derive(graph, problem);
    uint64_t *rf = cat_graph_relation(graph, CAT_RF, problem);
    uint64_t *co = cat_graph_relation(graph, CAT_CO, problem);
    if (status != COL_OK || rf == NULL || co == NULL)
        return COL_FAILURE;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].is_read)
            cat_relate(rf, graph->size, parts[i].source, i + 1);
        for (uint32_t k = 0; k < count && !parts[i].is_read; k++)
            if (!parts[k].is_read && parts[k].order < parts[i].order)
                cat_relate(co, graph->size, k + 1, i + 1);
        if (!parts[i].is_read)
            cat_relate(co, graph->size, 0, i + 1);
    }
    return cat_graph_find_finals(graph, problem);
}

/* By any of the orders that the model may choose. */
static col_status judge(cat_run *run, bool *is_allowed, col_problem *problem) {
    cat_verdict verdict = {.is_allowed = false};
    bool is_there = false;
    col_status status = cat_run_choose_first(run, &is_there, problem);
    while (status == COL_OK && is_there && !verdict.is_allowed) {
        status = cat_run_judge(run, CAT_WITH_ALL, &verdict, problem);
        if (status == COL_OK)
            status = cat_run_choose_next(run, &is_there, problem);
    }
    *is_allowed = verdict.is_allowed;
    return status;
}

col_status lit_is_coherent(cat_run *run, bool *is_coherent, col_problem *problem) {
    cat_graph graph = {0};
    col_status status = COL_OK;
    *is_coherent = true;
    for (uint32_t i = 0; status == COL_OK && i < sizeof shapes / sizeof shapes[0]; i++) {
        bool is_allowed = false;
        status = make(&graph, i, problem);
        if (status == COL_OK)
            status = cat_run_load(run, &graph, problem);
        if (status == COL_OK)
            status = judge(run, &is_allowed, problem);
        *is_coherent = *is_coherent && !is_allowed;
    }
    cat_graph_free(&graph);
    return status;
}
