/* SPDX-License-Identifier: MIT */
/* Executions as graphs: see execution_graph.h. */
#include "judge/cat/execution_graph.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

void cat_graph_begin(cat_graph *graph, uint32_t events, col_problem *problem) {
    graph->problem = problem;
    graph->status =
        events > CAT_MOST_EVENTS
            ? base_refuse(problem,
                          "an execution of %u events is too large for a cat model: the limit is "
                          "%d events",
                          events, CAT_MOST_EVENTS)
            : base_reserve(&graph->events, &graph->event_capacity, events + 1,
                           sizeof *graph->events, problem);
    if (graph->status != COL_OK)
        return;
    graph->size = cat_size_of(events);
    memset(graph->events, 0, events * sizeof *graph->events);
    memset(graph->sets, 0, sizeof graph->sets);
    memset(graph->relations, 0, sizeof graph->relations);
}

void cat_graph_free(cat_graph *graph) {
    for (uint32_t i = 0; i < CAT_SET_COUNT; i++)
        free(graph->kept_sets[i]);
    for (uint32_t i = 0; i < CAT_RELATION_COUNT; i++)
        free(graph->kept_relations[i]);
    free(graph->events);
    *graph = (cat_graph){0};
}

/* NULL after a problem. */
static uint64_t *open_part(cat_graph *graph, uint64_t **part, uint64_t **kept, size_t *capacity,
                           size_t words) {
    if (*part != NULL || graph->status != COL_OK)
        return *part;
    graph->status = base_reserve(kept, capacity, words + 1, sizeof **kept, graph->problem);
    if (graph->status != COL_OK)
        return NULL;
    memset(*kept, 0, words * sizeof **kept);
    return *part = *kept;
}

static uint64_t *open_set(cat_graph *graph, cat_set set) {
    return open_part(graph, &graph->sets[set], &graph->kept_sets[set], &graph->set_capacities[set],
                     graph->size.words);
}

static uint64_t *open_relation(cat_graph *graph, cat_relation relation) {
    return open_part(graph, &graph->relations[relation], &graph->kept_relations[relation],
                     &graph->relation_capacities[relation], cat_matrix_words(graph->size));
}

void cat_graph_put(cat_graph *graph, cat_set set, uint32_t event) {
    uint64_t *members = open_set(graph, set);
    if (members != NULL)
        cat_put(members, event);
}

void cat_graph_put_fence(cat_graph *graph, uint8_t pairs, uint32_t event) {
    static const uint8_t sets[][2] = {{COL_READ_READ, CAT_FENCE_R_R},
                                      {COL_READ_WRITE, CAT_FENCE_R_W},
                                      {COL_WRITE_READ, CAT_FENCE_W_R},
                                      {COL_WRITE_WRITE, CAT_FENCE_W_W}};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if ((pairs & sets[i][0]) != 0)
            cat_graph_put(graph, (cat_set)sets[i][1], event);
}

void cat_graph_relate(cat_graph *graph, cat_relation relation, uint32_t from, uint32_t to) {
    uint64_t *rows = open_relation(graph, relation);
    if (rows != NULL)
        cat_relate(rows, graph->size, from, to);
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

static void derive_sets(cat_graph *graph) {
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
    for (uint32_t e = 0; e < graph->size.events; e++) {
        const cat_event *event = &graph->events[e];
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if ((rows[i].kinds >> event->kind & 1) != 0)
                cat_graph_put(graph, rows[i].set, e);
        if (event->kind == CAT_WRITE && event->thread == CAT_NO_THREAD) {
            cat_graph_put(graph, CAT_IW, e);
            cat_graph_put(graph, CAT_I, e);
        }
    }
}

void cat_graph_derive(cat_graph *graph) {
    const cat_size size = graph->size;
    uint64_t *po = open_relation(graph, CAT_PO);
    uint64_t *loc = open_relation(graph, CAT_LOC);
    uint64_t *inside = open_relation(graph, CAT_INT);
    uint64_t *outside = open_relation(graph, CAT_EXT);
    uint64_t *instance = open_relation(graph, CAT_SAME_INSTANCE);
    uint64_t *access = open_relation(graph, CAT_SAME_ACCESS);
    if (graph->status != COL_OK)
        return;
    derive_sets(graph);
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
}

/* ---- What follows from co and values. */

void cat_graph_find_finals(cat_graph *graph) {
    const cat_size size = graph->size;
    const uint64_t *co = graph->relations[CAT_CO];
    uint64_t *finals = open_set(graph, CAT_FW);
    if (finals == NULL)
        return;
    memset(finals, 0, size.words * sizeof *finals);
    for (uint32_t e = 0; e < size.events; e++)
        if (graph->events[e].kind == CAT_WRITE &&
            (co == NULL || cat_next_member(cat_row_of(co, size, e), size, 0) == size.events))
            cat_put(finals, e);
}

void cat_graph_compare_values(cat_graph *graph) {
    const cat_size size = graph->size;
    cat_graph_clear(graph, CAT_SAME_VALUE);
    for (uint32_t i = 0; i < size.events; i++)
        for (uint32_t j = 0; j < size.events; j++)
            if (is_memory(&graph->events[i]) && is_memory(&graph->events[j]) &&
                graph->events[i].value == graph->events[j].value)
                cat_graph_relate(graph, CAT_SAME_VALUE, i, j);
}

/*
 * Composition and closure of relations: see execution_graph.h. Large relations are mostly empty,
 * because most of what a model says is within a thread: rows are joined only where they have words
 * that are not 0.
 */

uint32_t cat_next_member(const uint64_t *set, cat_size size, uint32_t from) {
    uint32_t word = from / 64;
    if (from >= size.events)
        return size.events;
    uint64_t bits = set[word] & (UINT64_MAX << (from % 64));
    while (bits == 0) {
        if (++word == size.words)
            return size.events;
        bits = set[word];
    }
    return word * 64 + base_lowest_bit(bits);
}

/* ---- Composition. */

static void sequence_of_words(uint64_t *result, const uint64_t *first, const uint64_t *second,
                              uint32_t events) {
    for (uint32_t i = 0; i < events; i++) {
        uint64_t row = 0;
        for (uint64_t bits = first[i]; bits != 0; bits &= bits - 1)
            row |= second[base_lowest_bit(bits)];
        result[i] = row;
    }
}

/* Which words of each row are not all 0: from, and up to. */
static void find_spans(const uint64_t *relation, cat_size size, uint32_t *from, uint32_t *to) {
    for (uint32_t i = 0; i < size.events; i++) {
        const uint64_t *row = cat_row_of(relation, size, i);
        uint32_t first = 0, last = size.words;
        while (first < last && row[first] == 0)
            first++;
        while (last > first && row[last - 1] == 0)
            last--;
        from[i] = first;
        to[i] = last;
    }
}

static void join(uint64_t *row, const uint64_t *other, uint32_t from, uint32_t to) {
    for (uint32_t w = from; w < to; w++)
        row[w] |= other[w];
}

void cat_matrix_sequence(uint64_t *result, const uint64_t *first, const uint64_t *second,
                         cat_size size, uint32_t *room) {
    if (size.words == 1) {
        sequence_of_words(result, first, second, size.events);
        return;
    }
    uint32_t *from = room, *to = room + size.events;
    find_spans(second, size, from, to);
    memset(result, 0, cat_matrix_words(size) * sizeof *result);
    for (uint32_t i = 0; i < size.events; i++) {
        const uint64_t *row = cat_row_of(first, size, i);
        uint64_t *made = cat_row(result, size, i);
        for (uint32_t w = 0; w < size.words; w++) {
            for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
                const uint32_t j = w * 64 + base_lowest_bit(bits);
                join(made, cat_row_of(second, size, j), from[j], to[j]);
            }
        }
    }
}

void cat_matrix_inverse(uint64_t *result, const uint64_t *relation, cat_size size) {
    memset(result, 0, cat_matrix_words(size) * sizeof *result);
    for (uint32_t i = 0; i < size.events; i++) {
        const uint64_t *row = cat_row_of(relation, size, i);
        for (uint32_t w = 0; w < size.words; w++)
            for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1)
                cat_relate(result, size, w * 64 + base_lowest_bit(bits), i);
    }
}

/* ---- Closure. */

/* Warshall's, a row at a time. */
void cat_matrix_closure(uint64_t *result, const uint64_t *relation, cat_size size) {
    memcpy(result, relation, cat_matrix_words(size) * sizeof *result);
    for (uint32_t k = 0; k < size.events; k++) {
        const uint64_t *through = cat_row(result, size, k);
        for (uint32_t i = 0; i < size.events; i++)
            if (cat_relates(result, size, i, k))
                join(cat_row(result, size, i), through, 0, size.words);
    }
}

/* What has no successors left can go; if not all can, there is a cycle. */
static bool words_are_acyclic(const uint64_t *relation, uint32_t events) {
    uint64_t left = events == 0 ? 0 : UINT64_MAX >> (64 - events);
    for (bool moved = true; moved && left != 0;) {
        moved = false;
        for (uint64_t bits = left; bits != 0; bits &= bits - 1) {
            if ((relation[base_lowest_bit(bits)] & left) == 0) {
                left &= ~(bits & (~bits + 1));
                moved = true;
            }
        }
    }
    return left == 0;
}

/* Depth first, without recursion: `next` is where the search of an event goes on. */
bool cat_matrix_is_acyclic(const uint64_t *relation, cat_size size, uint32_t *room) {
    enum { NEW, OPEN, CLOSED };
    uint32_t *next = room, *stack = room + size.events, *state = room + 2 * (size_t)size.events;
    if (size.words <= 1)
        return words_are_acyclic(relation, size.events);
    memset(next, 0, size.events * sizeof *next);
    memset(state, 0, size.events * sizeof *state);
    for (uint32_t start = 0; start < size.events; start++) {
        uint32_t depth = 0;
        if (state[start] != NEW)
            continue;
        stack[depth++] = start;
        state[start] = OPEN;
        while (depth > 0) {
            const uint32_t at = stack[depth - 1];
            const uint32_t to = cat_next_member(cat_row_of(relation, size, at), size, next[at]);
            next[at] = to + 1;
            if (to >= size.events) {
                state[at] = CLOSED;
                depth--;
            } else if (state[to] == OPEN) {
                return false;
            } else if (state[to] == NEW) {
                state[to] = OPEN;
                stack[depth++] = to;
            }
        }
    }
    return true;
}

/* ---- Paths. */

/* Breadth first; an event is met once. `before` is from where. */
uint32_t cat_matrix_path(const uint64_t *relation, cat_size size, uint32_t from, uint32_t to,
                         uint32_t *path, uint32_t *room) {
    uint32_t *queue = room, *before = room + size.events;
    uint32_t count = 0;
    memset(before, 0xFF, size.events * sizeof *before);
    for (uint32_t at = from, done = 0;; at = queue[done++]) {
        const uint64_t *row = cat_row_of(relation, size, at);
        for (uint32_t next = cat_next_member(row, size, 0); next < size.events;
             next = cat_next_member(row, size, next + 1)) {
            if (before[next] != UINT32_MAX)
                continue;
            before[next] = at;
            queue[count++] = next;
        }
        if (before[to] != UINT32_MAX)
            break;
        if (done == count)
            return 0;
    }
    uint32_t length = 1;
    for (uint32_t at = before[to]; at != from; at = before[at])
        length++;
    path[0] = from;
    path[length] = to;
    for (uint32_t at = before[to], i = length - 1; at != from; at = before[at])
        path[i--] = at;
    return length + 1;
}
