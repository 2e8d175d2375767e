/* SPDX-License-Identifier: MIT */
/* A greedy search for a memory order: see greedy_order.h. */
#include "judge/trace/greedy_order.h"

#include <stdlib.h>
#include <string.h>

/* The kinds of lists: of what was parked, and of writes that could be done. */
enum { NOWHERE, PARKED, LAZY };

enum {
    MOST_THREADS = 16,    /* clocks have a number for each */
    MOST_CELLS = 1 << 20, /* of lists by thread and location */
    MOST_PASSES = 12
};

static const col_operation *operation_at(const chk_order *order, uint32_t operation) {
    return &order->program->operations[operation];
}

static bool reads(const chk_order *order, uint32_t node) {
    return node < order->operation_count && col_kinds[operation_at(order, node)->kind].reads;
}

static bool writes(const chk_order *order, uint32_t node) {
    return node < order->operation_count && col_kinds[operation_at(order, node)->kind].writes;
}

/* ---- The order of writes that reads imply. */

static uint32_t *clock_of(const chk_implied *m, uint32_t node) {
    return m->clock + (size_t)node * m->threads;
}

static bool is_impliable(const chk_order *order) {
    return (order->model->keeps & COL_WRITE_WRITE) != 0 && !order->splits &&
           order->thread_count <= MOST_THREADS &&
           (uint64_t)order->thread_count * order->program->location_count < MOST_CELLS;
}

static col_status take_implied_room(chk_implied *m, col_problem *problem) {
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
        if (!writes(m->order, o))
            continue;
        m->number[o] = ++numbers[m->order->thread[o]];
        m->list_start[cell_of(m, m->order->thread[o], operation_at(m->order, o)->location) + 2]++;
    }
    for (size_t c = 0; c < cells; c++)
        m->list_start[c + 2] += m->list_start[c + 1];
    for (uint32_t o = 0; o < operations; o++)
        if (writes(m->order, o))
            m->list[m->list_start[cell_of(m, m->order->thread[o],
                                          operation_at(m->order, o)->location) +
                                  1]++] = o;
}

static col_status load_implied(chk_greedy *q, col_problem *problem) {
    chk_implied *m = &q->implied;
    m->order = &q->order;
    m->start = q->start;
    m->after = q->after;
    m->of_program = q->of_program;
    m->threads = q->order.thread_count;
    m->is_apt = is_impliable(&q->order);
    if (!m->is_apt)
        return COL_OK;
    const col_status status = take_implied_room(m, problem);
    if (status == COL_OK)
        list_writes(m);
    return status;
}

/* ---- Edges. */

static bool add_later(chk_implied *m, uint32_t before, uint32_t after) {
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
    if (m->pair_count == m->edge_limit || !add_later(m, before, after))
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
    const uint32_t before = writes(m->order, previous) ? previous : source[previous];
    const uint32_t after = reads(m->order, o) ? source[o] : o;
    if (before == after || before == COL_INITIAL)
        return true;
    return after != COL_INITIAL && add_later(m, before, after);
}

/* What a read of another thread's write says by itself. Own writes may be read before they are in
 * memory. */
static bool begin_implying(chk_implied *m, const uint32_t *source) {
    const uint32_t operations = m->order->operation_count;
    m->edge_count = m->pair_count = 0;
    memset(m->first_edge, 0xFF, m->order->node_count * sizeof *m->first_edge);
    memset(m->of_edges, 0, m->order->node_count * sizeof *m->of_edges);
    memset(m->asked, 0xFF, (size_t)operations * m->threads * sizeof *m->asked);
    memset(m->next_write, 0xFF, (size_t)operations * m->threads * sizeof *m->next_write);
    for (uint32_t o = 0; o < operations; o++) {
        if (!reads(m->order, o) && !writes(m->order, o))
            continue;
        if (reads(m->order, o) && source[o] != COL_INITIAL &&
            m->order->thread[source[o]] != m->order->thread[o] && !add_later(m, source[o], o))
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
    if (writes(m->order, node) && m->number[node] > to[m->order->thread[node]]) {
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
static bool inform(chk_implied *m, uint32_t node, uint32_t later) {
    if (!merge(m, node, later))
        return true;
    m->waits[later] = 1;
    return !writes(m->order, later) ||
           clock_of(m, later)[m->order->thread[later]] < m->number[later];
}

/* Those after a node whose clock has changed hear of it. */
static bool spread(chk_implied *m, uint32_t node) {
    bool is_good = true;
    m->waits[node] = 0;
    for (uint32_t i = m->start[node]; i < m->start[node + 1] && is_good; i++)
        is_good = inform(m, node, m->after[i]);
    for (uint32_t e = m->first_edge[node]; e != CHK_NONE && is_good;
         e = m->edges[2 * (size_t)e + 1])
        is_good = inform(m, node, m->edges[2 * (size_t)e]);
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
    const uint32_t write =
        last_write(m, cell_of(m, thread, operation_at(m->order, read)->location), time);
    if (write == CHK_NONE || write == word)
        return true;
    if (word == COL_INITIAL)
        return false;
    if (clock_of(m, word)[thread] >= m->number[write])
        return true; /* that is known */
    *is_new = true;
    return add_pair(m, write, word) && inform(m, write, word);
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
    const size_t cell = cell_of(m, thread, operation_at(m->order, read)->location);
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
    return (writes(m->order, read) ? add_pair(m, read, write) : add_later(m, read, write)) &&
           inform(m, read, write);
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
        if (reads(m->order, node) && !imply(m, node, source[node], is_new))
            return false;
        if (m->waits[node] == 0)
            continue;
        *is_new = true;
        if (!spread(m, node))
            return false;
    }
    return true;
}

/* The pairs that follow from these sources of the reads, by operation as in a col_trace. False:
 * they contradict each other, or there are too many. */
static bool find_implied(chk_implied *m, const uint32_t *source) {
    bool is_new = true;
    if (!m->is_apt || !begin_implying(m, source) || !run_clocks(m))
        return false;
    for (int passes = 0; passes < MOST_PASSES && is_new; passes++) {
        is_new = false;
        if (!pass(m, source, &is_new))
            return false;
    }
    return true;
}

/* ---- The greedy search: a program. */

/* What some models say of atomics, and of what depends on them, is left to those who know it all.
 */
static bool is_apt(const col_program *program, const chk_model *model) {
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_kind_traits *traits = &col_kinds[program->operations[o].kind];
        if (traits->reads && traits->writes &&
            (chk_splits(model, program->operations[o].kind) || model->depends_through_adds))
            return false;
    }
    return true;
}

static col_status take_room(chk_greedy *q, col_problem *problem) {
    const size_t nodes = (size_t)q->order.node_count + 1,
                 operations = q->order.operation_count + 1U;
    const size_t locations = (size_t)q->program->location_count + 1;
    const size_t words = operations + locations;
    const base_part parts[] = {
        BASE_PART(q->start, nodes + 1),
        BASE_PART(q->own, operations),
        BASE_PART(q->of_program, nodes),
        BASE_PART(q->waits, nodes),
        BASE_PART(q->unread, words),
        BASE_PART(q->current, locations),
        BASE_PART(q->follower, words),
        BASE_PART(q->left, locations),
        BASE_PART(q->parked, words + locations),
        BASE_PART(q->next, nodes),
        BASE_PART(q->later, operations),
        BASE_PART(q->edges, (size_t)2 * (CHK_IMPLIED_EDGES + 1) * operations),
        BASE_PART(q->stack, 2 * nodes + words),
        BASE_PART(q->waiting, words),
        BASE_PART(q->lazy, operations),
        BASE_PART(q->is_done, nodes),
        BASE_PART(q->place, nodes),
        {0}};
    return base_block_divide(&q->block, parts, problem);
}

/* An access comes after the one before it of its thread and location; but for a read, which may see
 * an own write that has not got to memory. */
static uint32_t coherent_before(const chk_greedy *q, uint32_t operation) {
    const uint32_t previous = q->order.previous_here[operation];
    if (previous == CHK_NONE || (writes(&q->order, previous) && !writes(&q->order, operation)))
        return CHK_NONE;
    return previous;
}

/* The last access of its thread and location that a read comes after: past own writes. */
static uint32_t read_before(const chk_greedy *q, uint32_t operation) {
    uint32_t previous = q->order.previous_here[operation];
    while (previous != CHK_NONE && !reads(&q->order, previous))
        previous = q->order.previous_here[previous];
    return previous;
}

/* Calls for each pair (before, after) of the program. */
static void each_pair(const chk_greedy *q,
                      void (*tell)(const chk_greedy *q, uint32_t before, uint32_t after)) {
    for (uint32_t node = 0; node < q->order.node_count; node++) {
        const chk_edges edges = q->order.edges[node];
        for (uint32_t i = edges.start; i < edges.start + edges.count; i++)
            tell(q, chk_edge_node(q->order.before[i]), node);
        if (node >= q->order.operation_count ||
            (!reads(&q->order, node) && !writes(&q->order, node)))
            continue;
        const uint32_t before = coherent_before(q, node);
        const uint32_t read = before == CHK_NONE ? read_before(q, node) : CHK_NONE;
        if (before != CHK_NONE)
            tell(q, before, node);
        if (read != CHK_NONE)
            tell(q, read, node);
    }
}

static void count_pair(const chk_greedy *q, uint32_t before, uint32_t after) {
    q->start[before + 1]++;
    q->of_program[after]++;
}

static void enter_pair(const chk_greedy *q, uint32_t before, uint32_t after) {
    q->after[q->waits[before]++] = after;
}

static col_status list_pairs(chk_greedy *q, col_problem *problem) {
    const uint32_t nodes = q->order.node_count;
    memset(q->start, 0, ((size_t)nodes + 1) * sizeof *q->start);
    memset(q->of_program, 0, (size_t)nodes * sizeof *q->of_program);
    each_pair(q, count_pair);
    for (uint32_t v = 0; v < nodes; v++)
        q->start[v + 1] += q->start[v];
    const col_status status = base_reserve(&q->after, &q->after_capacity,
                                           (size_t)q->start[nodes] + 1, sizeof *q->after, problem);
    if (status != COL_OK)
        return status;
    memcpy(q->waits, q->start, (size_t)nodes * sizeof *q->waits);
    each_pair(q, enter_pair);
    return COL_OK;
}

static void find_own_writes(chk_greedy *q) {
    for (uint32_t o = 0; o < q->order.operation_count; o++) {
        uint32_t own = CHK_NONE;
        if (reads(&q->order, o) || writes(&q->order, o)) {
            own = q->order.previous_here[o];
            while (own != CHK_NONE && !writes(&q->order, own))
                own = q->order.previous_here[own];
        }
        q->own[o] = own;
    }
}

col_status chk_greedy_load(chk_greedy *q, const col_program *program, const chk_model *model,
                           col_problem *problem) {
    q->program = program;
    q->is_apt = is_apt(program, model);
    if (!q->is_apt)
        return COL_OK;
    const chk_times none = {NULL, NULL};
    col_status status = chk_order_build(&q->order, program, model, none, problem);
    if (status == COL_OK)
        status = take_room(q, problem);
    if (status == COL_OK)
        status = list_pairs(q, problem);
    if (status == COL_OK)
        status = load_implied(q, problem);
    if (status == COL_OK)
        find_own_writes(q);
    return status;
}

void chk_greedy_free(chk_greedy *q) {
    chk_order_free(&q->order);
    free(q->implied.block.memory);
    free(q->block.memory);
    free(q->after);
    *q = (chk_greedy){0};
}

/* ---- An instance. */

static uint32_t word_read(const chk_greedy *q, const uint32_t *source, uint32_t read) {
    return source[read] == COL_INITIAL
               ? q->order.operation_count + operation_at(&q->order, read)->location
               : source[read];
}

/* Two writes in the order in which a thread saw them. False: that is the wrong way round. */
static bool add_edge(chk_greedy *q, uint32_t before, uint32_t after) {
    if (before == after || before >= q->order.operation_count)
        return true; /* all comes after what was there before */
    if (after >= q->order.operation_count)
        return false;
    q->edges[2 * (size_t)q->edge_count] = after;
    q->edges[2 * (size_t)q->edge_count + 1] = q->later[before];
    q->later[before] = q->edge_count++;
    q->waits[after]++;
    return true;
}

static bool begin(chk_greedy *q, const uint32_t *source) {
    const uint32_t operations = q->order.operation_count, nodes = q->order.node_count;
    const uint32_t locations = q->program->location_count, words = operations + locations;
    memcpy(q->waits, q->of_program, nodes * sizeof *q->waits);
    memset(q->is_done, 0, nodes * sizeof *q->is_done);
    memset(q->place, NOWHERE, nodes);
    memset(q->unread, 0, words * sizeof *q->unread);
    memset(q->waiting, 0, words * sizeof *q->waiting);
    memset(q->follower, 0xFF, words * sizeof *q->follower);
    memset(q->parked, 0xFF, ((size_t)words + locations) * sizeof *q->parked);
    memset(q->later, 0xFF, operations * sizeof *q->later);
    memset(q->left, 0, locations * sizeof *q->left);
    q->edge_count = q->stack_count = q->lazy_count = q->done_count = 0;
    for (uint32_t l = 0; l < locations; l++)
        q->current[l] = operations + l;
    for (uint32_t o = 0; o < operations; o++) {
        const bool is_read = reads(&q->order, o), is_write = writes(&q->order, o);
        if (!is_read && !is_write)
            continue;
        const uint32_t seen = is_read ? word_read(q, source, o) : o;
        q->left[operation_at(&q->order, o)->location] += is_write;
        if (is_read)
            q->unread[seen]++;
        if (is_read && is_write && q->follower[seen] != CHK_NONE)
            return false;
        if (is_read && is_write)
            q->follower[seen] = o;
        const uint32_t previous = q->order.previous_here[o];
        if (previous == CHK_NONE)
            continue;
        const uint32_t before =
            writes(&q->order, previous) ? previous : word_read(q, source, previous);
        if (!add_edge(q, before, is_write && !is_read ? o : seen))
            return false;
    }
    return true;
}

static void push(chk_greedy *q, uint32_t node) {
    q->stack[q->stack_count++] = node;
}

static void park(chk_greedy *q, uint32_t list, uint32_t node) {
    q->next[node] = q->parked[list];
    q->parked[list] = node;
    q->place[node] = PARKED;
}

static void wake(chk_greedy *q, uint32_t list) {
    uint32_t node = q->parked[list];
    q->parked[list] = CHK_NONE;
    while (node != CHK_NONE) {
        const uint32_t next = q->next[node];
        q->place[node] = NOWHERE;
        push(q, node);
        node = next;
    }
}

static uint32_t turn_of(const chk_greedy *q, uint32_t location) {
    return q->order.operation_count + q->program->location_count + location;
}

static void finish(chk_greedy *q, uint32_t node) {
    q->is_done[node] = true;
    q->done_count++;
    for (uint32_t i = q->start[node]; i < q->start[node + 1]; i++)
        if (--q->waits[q->after[i]] == 0)
            push(q, q->after[i]);
}

/* A read that gets its value from an own write that is not in memory: some models ask for more. */
static bool may_forward(const chk_greedy *q, uint32_t read, uint32_t write) {
    const chk_model *model = q->order.model;
    const col_operation *by = operation_at(&q->order, write);
    if (reads(&q->order, write))
        return false;
    (void)read;
    return !model->dependencies || (by->dependency != COL_ADDRESS && by->dependency != COL_DATA) ||
           q->is_done[write - by->distance];
}

/* Reads of a word that have not been done, but for the atomic that replaces it. */
static uint32_t loads_of(const chk_greedy *q, uint32_t word) {
    const uint32_t atomic = q->follower[word];
    return q->unread[word] - (atomic != CHK_NONE && !q->is_done[atomic]);
}

static void do_read(chk_greedy *q, uint32_t read, uint32_t word) {
    const uint32_t location = operation_at(&q->order, read)->location, own = q->own[read];
    const bool is_buffered = own != CHK_NONE && !q->is_done[own];
    if (is_buffered ? word != own || !may_forward(q, read, own) : q->current[location] != word) {
        park(q, word, read);
        const bool all_wait = ++q->waiting[word] == loads_of(q, word);
        if (all_wait && word < q->order.operation_count)
            push(q, word); /* perhaps it was lazy */
        return;
    }
    finish(q, read);
    q->unread[word]--;
    if (loads_of(q, word) == 0)
        wake(q, turn_of(q, location));
}

static void do_write(chk_greedy *q, uint32_t write, const uint32_t *source, const uint32_t *final,
                     bool is_forced) {
    const uint32_t location = operation_at(&q->order, write)->location, word = q->current[location];
    const bool is_atomic = reads(&q->order, write);
    const uint32_t next = q->follower[word];
    if (loads_of(q, word) > 0 || (next != CHK_NONE && next != write) ||
        (is_atomic && word_read(q, source, write) != word) ||
        (final != NULL && final[location] == write && q->left[location] > 1)) {
        park(q, turn_of(q, location), write);
        return;
    }
    if (!is_forced && (q->waiting[write] < loads_of(q, write) || q->follower[write] != CHK_NONE)) {
        if (q->place[write] == LAZY || q->lazy_count == q->order.operation_count)
            return; /* it is there; or it is forgotten, and so is the search */
        q->place[write] = LAZY;
        q->lazy[q->lazy_count++] = write;
        return;
    }
    if (is_atomic)
        q->unread[word]--;
    q->current[location] = write;
    q->left[location]--;
    for (uint32_t e = q->later[write]; e != CHK_NONE; e = q->edges[2 * (size_t)e + 1])
        if (--q->waits[q->edges[2 * (size_t)e]] == 0)
            push(q, q->edges[2 * (size_t)e]);
    finish(q, write);
    q->waiting[write] = 0;
    wake(q, write);
    if (loads_of(q, write) == 0)
        wake(q, turn_of(q, location));
}

/* Reads that wait are served; those that do not hold up the location, and an atomic that must come
 * next does so more than any. */
static int64_t merit_of(const chk_greedy *q, uint32_t write) {
    enum { SERVED = 16, HELD_UP = 1 << 20 };
    const int64_t waiting = q->waiting[write];
    return SERVED * waiting - (loads_of(q, write) - waiting) -
           (q->follower[write] != CHK_NONE ? HELD_UP : 0);
}

/* Of the writes that could be done, one that some reader waits for, if there is one. */
static bool take_lazy(chk_greedy *q) {
    uint32_t best = CHK_NONE, count = 0;
    for (uint32_t i = 0; i < q->lazy_count; i++) {
        const uint32_t write = q->lazy[i];
        if (q->is_done[write] || q->place[write] != LAZY)
            continue;
        q->lazy[count] = write;
        if (best == CHK_NONE || merit_of(q, write) > merit_of(q, q->lazy[best]))
            best = count;
        count++;
    }
    q->lazy_count = count;
    if (best == CHK_NONE)
        return false;
    push(q, q->lazy[best]);
    q->place[q->lazy[best]] = NOWHERE;
    q->lazy[best] = q->lazy[--q->lazy_count];
    return true;
}

/* Nobody may come after a last write, and nobody at all if the last word is the first. */
static bool are_last(const chk_greedy *q, const uint32_t *final) {
    for (uint32_t l = 0; final != NULL && l < q->program->location_count; l++)
        if (final[l] != COL_NOT_SAID &&
            q->current[l] != (final[l] == COL_INITIAL ? q->order.operation_count + l : final[l]))
            return false;
    return true;
}

static bool search(chk_greedy *q, const uint32_t *source, const uint32_t *final,
                   uint32_t pair_count) {
    if (!begin(q, source))
        return false;
    for (uint32_t i = 0; i < pair_count; i++)
        (void)add_edge(q, q->implied.pairs[i].before, q->implied.pairs[i].after);
    for (uint32_t node = q->order.node_count; node-- > 0;)
        if (q->waits[node] == 0)
            push(q, node);
    while (true) {
        bool is_forced = false;
        if (q->stack_count == 0)
            is_forced = take_lazy(q);
        if (q->stack_count == 0)
            break;
        const uint32_t node = q->stack[--q->stack_count];
        if (q->is_done[node] || q->waits[node] > 0 || q->place[node] == PARKED)
            continue;
        if (writes(&q->order, node))
            do_write(q, node, source, final, is_forced);
        else if (reads(&q->order, node))
            do_read(q, node, word_read(q, source, node));
        else
            finish(q, node);
    }
    return q->done_count == q->order.node_count && are_last(q, final);
}

/* What is implied takes longer to find out than most searches: only if one went wrong. */
bool chk_greedy_finds(chk_greedy *q, const uint32_t *source, const uint32_t *final) {
    if (!q->is_apt)
        return false;
    return search(q, source, final, 0) ||
           (find_implied(&q->implied, source) && search(q, source, final, q->implied.pair_count));
}
