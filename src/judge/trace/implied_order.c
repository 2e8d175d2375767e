/* SPDX-License-Identifier: MIT */
/* Writes in the order that reads imply: see greedy_order.h. */
#include "judge/trace/greedy_order.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_THREADS = 16,    /* clocks have a number for each */
    MOST_CELLS = 1 << 20, /* of lists by thread and location */
    MOST_PASSES = 12
};

static const col_operation *at(const chk_implied *m, uint32_t operation) {
    return &m->order->program->operations[operation];
}

static bool is_read(const chk_implied *m, uint32_t node) {
    return node < m->order->operation_count && col_kinds[at(m, node)->kind].reads;
}

static bool is_write(const chk_implied *m, uint32_t node) {
    return node < m->order->operation_count && col_kinds[at(m, node)->kind].writes;
}

static uint32_t *clock_of(const chk_implied *m, uint32_t node) {
    return m->clock + (size_t)node * m->threads;
}

/* ---- A program. */

static bool is_apt(const chk_order *order) {
    return (order->model->keeps & COL_WRITE_WRITE) != 0 && !order->splits &&
           order->thread_count <= MOST_THREADS &&
           (uint64_t)order->thread_count * order->program->location_count < MOST_CELLS;
}

static col_status take_room(chk_implied *m, col_problem *problem) {
    const size_t nodes = (size_t)m->order->node_count + 1;
    const size_t operations = (size_t)m->order->operation_count + 1;
    const size_t cells = (size_t)m->threads * m->order->program->location_count + 2;
    m->edge_limit = (uint32_t)(CHK_IMPLIED_EDGES * operations);
    const base_part parts[] = {BASE_PART(m->number, operations),
                               BASE_PART(m->list_start, cells),
                               BASE_PART(m->list, operations),
                               BASE_PART(m->clock, nodes * m->threads),
                               BASE_PART(m->asked, operations * m->threads),
                               BASE_PART(m->next_write, operations * m->threads),
                               BASE_PART(m->first_edge, nodes),
                               BASE_PART(m->edges, (size_t)2 * CHK_IMPLIED_EDGES * operations),
                               BASE_PART(m->waits, nodes),
                               BASE_PART(m->sorted, nodes),
                               BASE_PART(m->of_edges, nodes),
                               BASE_PART(m->pairs, m->edge_limit),
                               {0}};
    return base_block_divide(&m->block, parts, problem);
}

static size_t cell_of(const chk_implied *m, uint32_t thread, uint32_t location) {
    return (size_t)thread * m->order->program->location_count + location;
}

/* The writes of each thread are numbered from 1, and listed by location. */
static void list_writes(chk_implied *m) {
    const uint32_t operations = m->order->operation_count;
    const size_t cells = (size_t)m->threads * m->order->program->location_count;
    uint32_t numbers[MOST_THREADS] = {0};
    memset(m->list_start, 0, (cells + 2) * sizeof *m->list_start);
    for (uint32_t o = 0; o < operations; o++) {
        if (!is_write(m, o))
            continue;
        m->number[o] = ++numbers[m->order->thread[o]];
        m->list_start[cell_of(m, m->order->thread[o], at(m, o)->location) + 2]++;
    }
    for (size_t c = 0; c < cells; c++)
        m->list_start[c + 2] += m->list_start[c + 1];
    for (uint32_t o = 0; o < operations; o++)
        if (is_write(m, o))
            m->list[m->list_start[cell_of(m, m->order->thread[o], at(m, o)->location) + 1]++] = o;
}

col_status chk_implied_load(chk_implied *m, const chk_order *order, const uint32_t *start,
                            const uint32_t *after, const uint32_t *of_program,
                            col_problem *problem) {
    m->order = order;
    m->start = start;
    m->after = after;
    m->of_program = of_program;
    m->threads = order->thread_count;
    m->is_apt = is_apt(order);
    if (!m->is_apt)
        return COL_OK;
    const col_status status = take_room(m, problem);
    if (status == COL_OK)
        list_writes(m);
    return status;
}

void chk_implied_free(chk_implied *m) {
    free(m->block.memory);
    *m = (chk_implied){0};
}

/* ---- Edges. */

static bool add_edge(chk_implied *m, uint32_t before, uint32_t after) {
    if (m->edge_count == m->edge_limit)
        return false;
    m->edges[2 * (size_t)m->edge_count] = after;
    m->edges[2 * (size_t)m->edge_count + 1] = m->first_edge[before];
    m->first_edge[before] = m->edge_count++;
    m->of_edges[after]++;
    return true;
}

/* Of two writes: somebody wants to know. */
static bool add_pair(chk_implied *m, uint32_t before, uint32_t after) {
    if (m->pair_count == m->edge_limit || !add_edge(m, before, after))
        return false;
    m->pairs[m->pair_count++] = (chk_pair){before, after};
    return true;
}

/* Two accesses of a thread to a location, one after the other: what they wrote or saw is in this
 * order. */
static bool add_coherence(chk_implied *m, const uint32_t *source, uint32_t o) {
    const uint32_t previous = m->order->previous_here[o];
    if (previous == CHK_NONE)
        return true;
    const uint32_t before = is_write(m, previous) ? previous : source[previous];
    const uint32_t after = is_read(m, o) ? source[o] : o;
    if (before == after || before == COL_INITIAL)
        return true;
    return after != COL_INITIAL && add_edge(m, before, after);
}

/* What a read of another thread's write says by itself. Own writes may be read before they are in
 * memory. */
static bool begin(chk_implied *m, const uint32_t *source) {
    const uint32_t operations = m->order->operation_count;
    m->edge_count = m->pair_count = 0;
    memset(m->first_edge, 0xFF, m->order->node_count * sizeof *m->first_edge);
    memset(m->of_edges, 0, m->order->node_count * sizeof *m->of_edges);
    memset(m->asked, 0xFF, (size_t)operations * m->threads * sizeof *m->asked);
    memset(m->next_write, 0xFF, (size_t)operations * m->threads * sizeof *m->next_write);
    for (uint32_t o = 0; o < operations; o++) {
        if (!is_read(m, o) && !is_write(m, o))
            continue;
        if (is_read(m, o) && source[o] != COL_INITIAL &&
            m->order->thread[source[o]] != m->order->thread[o] && !add_edge(m, source[o], o))
            return false;
        if (!add_coherence(m, source, o))
            return false;
    }
    return true;
}

/* ---- Clocks. */

/* What comes before a node comes before those after it. True: one of these did not know. */
static bool merge(const chk_implied *m, uint32_t node, uint32_t later) {
    const uint32_t *from = clock_of(m, node);
    uint32_t *to = clock_of(m, later);
    bool is_new = false;
    for (uint32_t t = 0; t < m->threads; t++)
        if (from[t] > to[t]) {
            to[t] = from[t];
            is_new = true;
        }
    if (is_write(m, node) && m->number[node] > to[m->order->thread[node]]) {
        to[m->order->thread[node]] = m->number[node];
        is_new = true;
    }
    return is_new;
}

static void pass_on(chk_implied *m, uint32_t node, uint32_t later, uint32_t *count) {
    (void)merge(m, node, later);
    if (--m->waits[later] == 0)
        m->sorted[(*count)++] = later;
}

/* All clocks, and the nodes in an order in which each comes after those before it. False: there is
 * none. */
static bool run_clocks(chk_implied *m) {
    const uint32_t nodes = m->order->node_count;
    uint32_t count = 0, done = 0;
    memset(m->clock, 0, (size_t)nodes * m->threads * sizeof *m->clock);
    for (uint32_t node = 0; node < nodes; node++) {
        m->waits[node] = m->of_program[node] + m->of_edges[node];
        if (m->waits[node] == 0)
            m->sorted[count++] = node;
    }
    while (done < count) {
        const uint32_t node = m->sorted[done++];
        for (uint32_t i = m->start[node]; i < m->start[node + 1]; i++)
            pass_on(m, node, m->after[i], &count);
        for (uint32_t e = m->first_edge[node]; e != CHK_NONE; e = m->edges[2 * (size_t)e + 1])
            pass_on(m, node, m->edges[2 * (size_t)e], &count);
    }
    return done == nodes; /* and nobody waits any more */
}

/* False: a write would come before itself. */
static bool tell(chk_implied *m, uint32_t node, uint32_t later) {
    if (!merge(m, node, later))
        return true;
    m->waits[later] = 1;
    return !is_write(m, later) || clock_of(m, later)[m->order->thread[later]] < m->number[later];
}

/* Those after a node whose clock has changed hear of it. */
static bool spread(chk_implied *m, uint32_t node) {
    bool is_good = true;
    m->waits[node] = 0;
    for (uint32_t i = m->start[node]; i < m->start[node + 1] && is_good; i++)
        is_good = tell(m, node, m->after[i]);
    for (uint32_t e = m->first_edge[node]; e != CHK_NONE && is_good;
         e = m->edges[2 * (size_t)e + 1])
        is_good = tell(m, node, m->edges[2 * (size_t)e]);
    return is_good;
}

/* ---- What clocks say. */

/* The last write of a thread to a location among its first `most` writes; CHK_NONE: there is none.
 */
static uint32_t last_write(const chk_implied *m, size_t cell, uint32_t most) {
    uint32_t low = m->list_start[cell], high = m->list_start[cell + 1];
    const uint32_t first = low;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->number[m->list[middle]] <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low == first ? CHK_NONE : m->list[low - 1];
}

/* A write that comes before the read comes before the word that was read. */
static bool order_before(chk_implied *m, uint32_t read, uint32_t word, uint32_t thread,
                         bool *is_new) {
    const uint32_t time = clock_of(m, read)[thread];
    uint32_t *asked = &m->asked[(size_t)read * m->threads + thread];
    if (*asked == time) /* nothing has changed */
        return true;
    *asked = time;
    const uint32_t write = last_write(m, cell_of(m, thread, at(m, read)->location), time);
    if (write == CHK_NONE || write == word)
        return true;
    if (word == COL_INITIAL)
        return false;
    if (clock_of(m, word)[thread] >= m->number[write])
        return true; /* that is known */
    *is_new = true;
    return add_pair(m, write, word) && tell(m, write, word);
}

/* Does the write at this place of the list come after the word? */
static bool follows(const chk_implied *m, uint32_t place, uint32_t word) {
    return word == COL_INITIAL ||
           clock_of(m, m->list[place])[m->order->thread[word]] >= m->number[word];
}

/* The read comes before a write that comes after the word that was read: before the first of each
 * thread, which turns out to be an earlier one now and then. */
static bool order_after(chk_implied *m, uint32_t read, uint32_t word, uint32_t thread,
                        bool *is_new) {
    const size_t cell = cell_of(m, thread, at(m, read)->location);
    uint32_t *known = &m->next_write[(size_t)read * m->threads + thread];
    uint32_t place = *known == CHK_NONE ? m->list_start[cell + 1] : *known;
    const uint32_t before = place;
    while (place > m->list_start[cell] && follows(m, place - 1, word))
        place--;
    if (place == before)
        return true;
    const uint32_t write = m->list[place];
    *known = place;
    *is_new = true;
    return (is_write(m, read) ? add_pair(m, read, write) : add_edge(m, read, write)) &&
           tell(m, read, write);
}

static bool imply(chk_implied *m, uint32_t read, uint32_t word, bool *is_new) {
    for (uint32_t t = 0; t < m->threads; t++)
        if (!order_before(m, read, word, t, is_new) ||
            (t != m->order->thread[read] && !order_after(m, read, word, t, is_new)))
            return false;
    return true;
}

/* What is found mostly changes clocks of nodes that are still to come in this pass. */
static bool pass(chk_implied *m, const uint32_t *source, bool *is_new) {
    for (uint32_t i = 0; i < m->order->node_count; i++) {
        const uint32_t node = m->sorted[i];
        if (is_read(m, node) && !imply(m, node, source[node], is_new))
            return false;
        if (m->waits[node] == 0)
            continue;
        *is_new = true;
        if (!spread(m, node))
            return false;
    }
    return true;
}

bool chk_implied_find(chk_implied *m, const uint32_t *source) {
    bool is_new = true;
    if (!m->is_apt || !begin(m, source) || !run_clocks(m))
        return false;
    for (int passes = 0; passes < MOST_PASSES && is_new; passes++) {
        is_new = false;
        if (!pass(m, source, &is_new))
            return false;
    }
    return true;
}
