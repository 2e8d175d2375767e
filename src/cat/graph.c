/* SPDX-License-Identifier: MIT */
/* Executions as graphs: see graph.h. */
#include "cat/graph.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

col_status cat_graph_begin(cat_graph *graph, uint32_t events, col_problem *problem) {
    if (events > CAT_MOST_EVENTS)
        return base_refuse(problem,
                           "an execution of %u events is too large for a cat model: the limit is "
                           "%d events",
                           events, CAT_MOST_EVENTS);
    const col_status status = base_reserve(&graph->events, &graph->event_capacity, events + 1,
                                           sizeof *graph->events, problem);
    if (status != COL_OK)
        return status;
    graph->size = cat_size_of(events);
    memset(graph->events, 0, events * sizeof *graph->events);
    memset(graph->sets, 0, sizeof graph->sets);
    memset(graph->relations, 0, sizeof graph->relations);
    return COL_OK;
}

void cat_graph_free(cat_graph *graph) {
    for (uint32_t i = 0; i < CAT_SET_COUNT; i++)
        free(graph->kept_sets[i]);
    for (uint32_t i = 0; i < CAT_RELATION_COUNT; i++)
        free(graph->kept_relations[i]);
    free(graph->events);
    *graph = (cat_graph){0};
}

static uint64_t *open_part(uint64_t **part, uint64_t **kept, size_t *capacity, size_t words,
                           col_problem *problem) {
    if (*part != NULL)
        return *part;
    if (base_reserve(kept, capacity, words + 1, sizeof **kept, problem) != COL_OK)
        return NULL;
    memset(*kept, 0, words * sizeof **kept);
    return *part = *kept;
}

uint64_t *cat_graph_set(cat_graph *graph, cat_set set, col_problem *problem) {
    return open_part(&graph->sets[set], &graph->kept_sets[set], &graph->set_capacities[set],
                     graph->size.words, problem);
}

uint64_t *cat_graph_relation(cat_graph *graph, cat_relation relation, col_problem *problem) {
    return open_part(&graph->relations[relation], &graph->kept_relations[relation],
                     &graph->relation_capacities[relation], cat_matrix_words(graph->size), problem);
}

void cat_graph_clear(cat_graph *graph, cat_relation relation) {
    graph->relations[relation] = NULL;
}

/* ---- What follows from events. */

static bool is_register(const cat_event *e) {
    return e->kind == CAT_READ_REGISTER || e->kind == CAT_WRITE_REGISTER;
}

static bool is_memory(const cat_event *e) {
    return e->kind == CAT_READ || e->kind == CAT_WRITE;
}

static bool has_same_location(const cat_event *a, const cat_event *b) {
    if (a->location != b->location)
        return false;
    return is_memory(a) ? is_memory(b) : is_register(a) && is_register(b) && a->thread == b->thread;
}

static col_status derive_sets(cat_graph *graph, col_problem *problem) {
    static const struct {
        uint32_t kinds; /* a set of cat_event_kind */
        cat_set set;
    } rows[] = {{1U << CAT_READ, CAT_R},
                {1U << CAT_WRITE, CAT_W},
                {1U << CAT_READ | 1U << CAT_WRITE, CAT_M},
                {1U << CAT_READ | 1U << CAT_WRITE, CAT_EXPLICIT},
                {1U << CAT_FENCE_EVENT, CAT_F},
                {1U << CAT_BRANCH, CAT_B},
                {1U << CAT_BRANCH, CAT_BCC},
                {1U << CAT_READ_REGISTER, CAT_REGISTER_READ},
                {1U << CAT_WRITE_REGISTER, CAT_REGISTER_WRITE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t *set = cat_graph_set(graph, rows[i].set, problem);
        if (set == NULL)
            return COL_FAILURE;
        for (uint32_t e = 0; e < graph->size.events; e++)
            if ((rows[i].kinds >> graph->events[e].kind & 1) != 0)
                cat_put(set, e);
    }
    uint64_t *initial = cat_graph_set(graph, CAT_IW, problem);
    uint64_t *other_name = cat_graph_set(graph, CAT_I, problem);
    if (initial == NULL || other_name == NULL)
        return COL_FAILURE;
    for (uint32_t e = 0; e < graph->size.events; e++) {
        if (graph->events[e].kind == CAT_WRITE && graph->events[e].thread == CAT_NO_THREAD) {
            cat_put(initial, e);
            cat_put(other_name, e);
        }
    }
    return COL_OK;
}

col_status cat_graph_derive(cat_graph *graph, col_problem *problem) {
    const cat_size size = graph->size;
    const col_status status = derive_sets(graph, problem);
    uint64_t *po = cat_graph_relation(graph, CAT_PO, problem);
    uint64_t *loc = cat_graph_relation(graph, CAT_LOC, problem);
    uint64_t *inside = cat_graph_relation(graph, CAT_INT, problem);
    uint64_t *outside = cat_graph_relation(graph, CAT_EXT, problem);
    uint64_t *instance = cat_graph_relation(graph, CAT_SAME_INSTANCE, problem);
    uint64_t *access = cat_graph_relation(graph, CAT_SAME_ACCESS, problem);
    if (status != COL_OK || po == NULL || loc == NULL || inside == NULL || outside == NULL ||
        instance == NULL || access == NULL)
        return COL_FAILURE;
    for (uint32_t i = 0; i < size.events; i++) {
        const cat_event *a = &graph->events[i];
        for (uint32_t j = 0; j < size.events; j++) {
            const cat_event *b = &graph->events[j];
            const bool same_thread = a->thread == b->thread;
            const bool real = same_thread && a->thread != CAT_NO_THREAD;
            if (real && a->instance < b->instance)
                cat_relate(po, size, i, j);
            if (has_same_location(a, b))
                cat_relate(loc, size, i, j);
            if (real)
                cat_relate(inside, size, i, j);
            if (!same_thread)
                cat_relate(outside, size, i, j);
            if (i == j || (real && a->instance == b->instance))
                cat_relate(instance, size, i, j);
            if (is_memory(a) && (i == j || (real && a->access != 0 && a->access == b->access)))
                cat_relate(access, size, i, j);
        }
    }
    return COL_OK;
}

/* ---- What follows from co and values. */

col_status cat_graph_find_finals(cat_graph *graph, col_problem *problem) {
    const cat_size size = graph->size;
    const uint64_t *co = graph->relations[CAT_CO];
    uint64_t *finals = cat_graph_set(graph, CAT_FW, problem);
    if (finals == NULL)
        return COL_FAILURE;
    memset(finals, 0, size.words * sizeof *finals);
    for (uint32_t e = 0; e < size.events; e++)
        if (graph->events[e].kind == CAT_WRITE &&
            (co == NULL || cat_next_member(cat_row_of(co, size, e), size, 0) == size.events))
            cat_put(finals, e);
    return COL_OK;
}

col_status cat_graph_compare_values(cat_graph *graph, col_problem *problem) {
    const cat_size size = graph->size;
    cat_graph_clear(graph, CAT_SAME_VALUE);
    uint64_t *same = cat_graph_relation(graph, CAT_SAME_VALUE, problem);
    if (same == NULL)
        return COL_FAILURE;
    for (uint32_t i = 0; i < size.events; i++)
        for (uint32_t j = 0; j < size.events; j++)
            if (is_memory(&graph->events[i]) && is_memory(&graph->events[j]) &&
                graph->events[i].value == graph->events[j].value)
                cat_relate(same, size, i, j);
    return COL_OK;
}
