/* SPDX-License-Identifier: MIT */
/*
 * One walk over each thread writes the edges: see preserved_order.h. The walk remembers the last
 * node of each sort that orders what follows; nothing is ever looked up further back than the sets
 * that gates and releases gather, and those begin where the last one of their sort ended.
 *
 * Invariants:
 *  1. An edge stays within a thread and leads from a node that was finished earlier, of the same
 *     operation or of one before it. So kept order alone has no cycle, and a checker that follows
 *     it back comes to an end.
 *  2. A node's edges are written once, in one piece: `edges` are parts of `before` that do not
 *     overlap.
 *  3. previous_here and next_here are each other's inverse, and go along one thread and one
 *     location: coherence is read off them.
 *  4. The nodes behind the operations are gates, but for the writes of split atomics, which `write`
 *     leads to.
 *  5. An operation makes three further nodes at most (a fence behind a branch). So a program of a
 *     quarter of CHK_MOST_NODES fits the words of edges.
 */
#include "judge/preserved_order.h"

#include "base/problem.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

enum { EDGES, BEFORE, OWNER, ON, CAPACITIES };

typedef struct in_flight {
    int64_t end;
    uint32_t operation;
} in_flight;

typedef struct walk {
    chk_order *order;
    chk_times times;
    col_problem *problem;
    col_status status;
    size_t edge_count;

    bool is_plain;             /* the model has no rules but the pairs that it keeps */
    uint32_t operation;        /* where we are */
    uint32_t read, write;      /* the last ones, as operations */
    uint32_t read_gate[2];     /* the last gate behind reads that orders reads; writes */
    uint32_t write_gate[2];    /* the last gate behind writes that orders reads; writes */
    uint32_t last_gate[2];     /* the last gate behind reads; writes */
    uint32_t gathered[2];      /* up to here that gate has gathered */
    uint32_t acquire, release; /* nodes */
    uint32_t released;         /* up to here the last release has gathered */
    uint32_t branch;           /* the gate before later writes */
    uint32_t clock;            /* the gate behind reads that have ended */
    int64_t now;               /* the last begin-time given */
    in_flight *flying;         /* reads under way, a heap: the first to end on top */
    size_t flying_count, flying_capacity;

    /* By location: the last access and read of the thread that `visit` says. */
    uint32_t *last_here, *read_here, *visit;
} walk;

/* ---- Writing nodes and edges. */

static void make_room(walk *w, void *array, int which, size_t count, size_t size) {
    if (w->status == COL_OK)
        w->status = base_reserve(array, &w->order->capacities[which], count, size, w->problem);
}

static void add(walk *w, uint32_t node, col_relation relation) {
    if (node == CHK_NONE)
        return;
    if (w->edge_count + CHK_AHEAD >= w->order->capacities[BEFORE])
        make_room(w, &w->order->before, BEFORE, w->edge_count + CHK_AHEAD + 1,
                  sizeof *w->order->before);
    if (w->status != COL_OK)
        return;
    w->order->before[w->edge_count++] = node | (uint32_t)relation << CHK_NODE_BITS;
}

static uint32_t first_edge(const walk *w) {
    return (uint32_t)w->edge_count;
}

/* 1 */
static bool edges_lead_back(const chk_order *order, uint32_t node, uint32_t start, size_t end) {
    const uint32_t owner = chk_owner(order, node);
    for (size_t i = start; i < end; i++) {
        const uint32_t before = chk_edge_node(order->before[i]);
        const chk_edges edges = order->edges[before];
        if (before == node || chk_owner(order, before) > owner ||
            order->thread[chk_owner(order, before)] != order->thread[owner] ||
            edges.start + edges.count > start)
            return false;
    }
    return true;
}

/* The node has its edges. A node depends on one read at most, and is in that one's list. */
static void finish(walk *w, uint32_t node, uint32_t start) {
    chk_order *order = w->order;
    if (w->status != COL_OK)
        return;
    base_invariant(order->edges[node].count == 0); /* 2 */
    base_invariant(edges_lead_back(order, node, start, w->edge_count));
    order->edges[node] = (chk_edges){start, (uint32_t)w->edge_count - start};
    if (!order->model->depends_through_adds)
        return;
    order->next_dependent[node] = CHK_NONE;
    for (size_t i = start; i < w->edge_count; i++) {
        const uint32_t read = chk_edge_node(order->before[i]);
        if (chk_edge_relation(order->before[i]) != COL_DEPENDENT || read >= order->operation_count)
            continue;
        order->next_dependent[node] = order->first_dependent[read];
        order->first_dependent[read] = node;
    }
}

static uint32_t new_node(walk *w) {
    chk_order *order = w->order;
    const uint32_t node = order->node_count;
    base_invariant(node < CHK_MOST_NODES && node < 4 * order->operation_count); /* 5 */
    make_room(w, &order->edges, EDGES, (size_t)node + 1, sizeof *order->edges);
    make_room(w, &order->owner, OWNER, (size_t)node + 1 - order->operation_count,
              sizeof *order->owner);
    if (order->model->depends_through_adds)
        make_room(w, &order->next_dependent, ON, (size_t)node + 1, sizeof *order->next_dependent);
    if (w->status != COL_OK)
        return CHK_NONE;
    order->owner[node - order->operation_count] = w->operation;
    order->edges[node] = (chk_edges){0, 0};
    order->node_count++;
    return node;
}

/* ---- What gates gather. */

/* As the order of its thread sees it: what a DMA engine does is not in it. */
static bool reads(const chk_order *order, uint32_t operation) {
    const col_kind_traits *traits = &col_kinds[order->program->operations[operation].kind];
    return traits->reads && !traits->dma;
}

static bool writes(const chk_order *order, uint32_t operation) {
    const col_kind_traits *traits = &col_kinds[order->program->operations[operation].kind];
    return traits->writes && !traits->dma;
}

static void gather(walk *w, uint32_t from, bool of_reads, bool of_writes, col_relation relation) {
    const chk_order *order = w->order;
    for (uint32_t i = from; i < w->operation; i++) {
        if (of_writes && writes(order, i))
            add(w, chk_write_node(order, i), relation);
        else if (of_reads && reads(order, i))
            add(w, i, relation);
    }
}

/* The node of a write, if there is one. */
static uint32_t last_write(const walk *w, uint32_t write) {
    return write != CHK_NONE ? chk_write_node(w->order, write) : CHK_NONE;
}

/* A gate behind all reads (or writes) so far, for a fence that orders them before `pairs`. */
static void add_gate(walk *w, int behind, bool chained, uint32_t last, bool orders_reads,
                     bool orders_writes) {
    if (!orders_reads && !orders_writes)
        return;
    const uint32_t gate = new_node(w);
    const uint32_t start = first_edge(w);
    uint32_t *gates = behind == 0 ? w->read_gate : w->write_gate;
    if (chained) {
        add(w, last, COL_FENCED);
    } else {
        add(w, w->last_gate[behind], COL_FENCED);
        gather(w, w->gathered[behind], behind == 0, behind == 1, COL_FENCED);
        w->gathered[behind] = w->operation;
    }
    finish(w, gate, start);
    w->last_gate[behind] = gate;
    if (orders_reads)
        gates[0] = gate;
    if (orders_writes)
        gates[1] = gate;
}

static void add_fence(walk *w, uint8_t fence) {
    const uint8_t keeps = w->order->model->keeps;
    const uint8_t pairs = fence & (uint8_t)~keeps;
    add_gate(w, 0, (keeps & COL_READ_READ) != 0, w->read, (pairs & COL_READ_READ) != 0,
             (pairs & COL_READ_WRITE) != 0);
    add_gate(w, 1, (keeps & COL_WRITE_WRITE) != 0, last_write(w, w->write),
             (pairs & COL_WRITE_READ) != 0, (pairs & COL_WRITE_WRITE) != 0);
}

/* A gate that later writes follow: behind a read that a branch or an address depends on. */
static void add_branch(walk *w, uint32_t read) {
    const uint32_t gate = new_node(w);
    const uint32_t start = first_edge(w);
    add(w, w->branch, COL_DEPENDENT);
    add(w, read, COL_DEPENDENT);
    finish(w, gate, start);
    w->branch = gate;
}

/* ---- Times. */

static void push_flying(walk *w, uint32_t operation, int64_t end) {
    if (w->status == COL_OK)
        w->status = base_reserve(&w->flying, &w->flying_capacity, w->flying_count + 1,
                                 sizeof *w->flying, w->problem);
    if (w->status != COL_OK)
        return;
    size_t place = w->flying_count++;
    while (place > 0 && w->flying[(place - 1) / 2].end > end) {
        w->flying[place] = w->flying[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    w->flying[place] = (in_flight){end, operation};
}

static uint32_t pop_flying(walk *w) {
    const uint32_t first = w->flying[0].operation;
    const in_flight last = w->flying[--w->flying_count];
    size_t place = 0;
    while (2 * place + 1 < w->flying_count) {
        size_t child = 2 * place + 1;
        if (child + 1 < w->flying_count && w->flying[child + 1].end < w->flying[child].end)
            child++;
        if (w->flying[child].end >= last.end)
            break;
        w->flying[place] = w->flying[child];
        place = child;
    }
    w->flying[place] = last;
    return first;
}

/* An operation without a begin-time begins no earlier than the ones issued before it. What has
 * ended once stays so. */
static void pass_time(walk *w, uint32_t operation) {
    const int64_t begin = w->times.begin[operation];
    if (begin != COL_NO_TIME)
        w->now = begin;
    if (w->now == COL_NO_TIME || w->flying_count == 0 || w->flying[0].end >= w->now)
        return;
    const uint32_t gate = new_node(w);
    const uint32_t start = first_edge(w);
    add(w, w->clock, COL_TIMED);
    while (w->flying_count > 0 && w->flying[0].end < w->now)
        add(w, pop_flying(w), COL_TIMED);
    finish(w, gate, start);
    w->clock = gate;
}

/* ---- One access. */

/* After the last read and write, as far as the model always keeps that; if one of them follows the
 * other, it alone. */
static void add_kept(walk *w, uint8_t after_read, uint8_t after_write, uint8_t read_then_write,
                     uint8_t write_then_read) {
    const uint8_t keeps = w->order->model->keeps;
    uint32_t read = (keeps & after_read) != 0 ? w->read : CHK_NONE;
    uint32_t write = (keeps & after_write) != 0 ? w->write : CHK_NONE;
    if (read != CHK_NONE && write != CHK_NONE) {
        if (read <= write && (keeps & read_then_write) != 0)
            read = CHK_NONE;
        else if (write < read && (keeps & write_then_read) != 0)
            write = CHK_NONE;
    }
    add(w, read, COL_PROGRAM_ORDER);
    add(w, last_write(w, write), COL_PROGRAM_ORDER);
}

static void add_gates(walk *w, int side) {
    if (w->last_gate[0] == CHK_NONE && w->last_gate[1] == CHK_NONE)
        return;
    add(w, w->read_gate[side], COL_FENCED);
    /* A read that is always kept in order has the gate before it already. */
    if (side == 0 && (w->order->model->keeps & COL_READ_READ) != 0 && w->read != CHK_NONE &&
        w->write_gate[0] != CHK_NONE && chk_owner(w->order, w->write_gate[0]) < w->read)
        return;
    add(w, w->write_gate[side], COL_FENCED);
}

static uint32_t depended_on(const walk *w, const col_operation *operation) {
    return w->order->model->dependencies && operation->dependency != COL_NO_DEPENDENCY
               ? w->operation - operation->distance
               : CHK_NONE;
}

static void add_before_read(walk *w, const col_operation *operation) {
    const chk_model *model = w->order->model;
    add_kept(w, COL_READ_READ, COL_WRITE_READ, COL_READ_WRITE, COL_WRITE_READ);
    add_gates(w, 0);
    if (w->is_plain)
        return;
    if ((model->keeps_here & COL_READ_READ) != 0 &&
        w->visit[operation->location] == w->order->thread[w->operation])
        add(w, w->read_here[operation->location], COL_SAME_LOCATION);
    if (model->attributes) {
        add(w, w->acquire, COL_ACQUIRED);
        if ((operation->order & COL_ACQUIRE) != 0)
            add(w, w->release, COL_RELEASED);
    }
    if (operation->dependency == COL_ADDRESS)
        add(w, depended_on(w, operation), COL_DEPENDENT);
    add(w, w->clock, COL_TIMED);
}

static void add_before_write(walk *w, const col_operation *operation, bool after_own_read) {
    const chk_model *model = w->order->model;
    add_kept(w, COL_READ_WRITE, COL_WRITE_WRITE, COL_READ_WRITE, COL_WRITE_READ);
    add_gates(w, 1);
    if (w->is_plain)
        return;
    if (model->attributes && !after_own_read)
        add(w, w->acquire, COL_ACQUIRED);
    if (model->attributes && (operation->order & COL_RELEASE) != 0) {
        add(w, w->release, COL_RELEASED);
        gather(w, w->released, true, true, COL_RELEASED);
    }
    add(w, w->branch, COL_DEPENDENT);
    if (operation->dependency == COL_DATA ||
        (operation->dependency == COL_ADDRESS && !after_own_read))
        add(w, depended_on(w, operation), COL_DEPENDENT);
    if (!after_own_read)
        add(w, w->clock, COL_TIMED);
}

static void note_attributes(walk *w, const col_operation *operation, uint32_t write_node) {
    const bool acquires = (operation->order & COL_ACQUIRE) != 0;
    const bool releases = (operation->order & COL_RELEASE) != 0;
    if (releases) {
        w->release = write_node;
        w->released = w->operation + 1;
    }
    if (acquires)
        w->acquire = releases && w->order->model->full_atomics && !col_kinds[operation->kind].fails
                         ? write_node
                         : w->operation;
}

static void note_here(walk *w, uint32_t location, bool is_read) {
    chk_order *order = w->order;
    const uint32_t thread = order->thread[w->operation];
    const bool visited = w->visit[location] == thread;
    const uint32_t last = visited ? w->last_here[location] : CHK_NONE;
    order->previous_here[w->operation] = last;
    if (last != CHK_NONE) {
        base_invariant(last < w->operation && order->next_here[last] == CHK_NONE &&
                       order->thread[last] == thread &&
                       order->program->operations[last].location == location); /* 3 */
        order->next_here[last] = w->operation;
    }
    if (!visited)
        w->read_here[location] = CHK_NONE;
    w->visit[location] = thread;
    w->last_here[location] = w->operation;
    if (is_read)
        w->read_here[location] = w->operation;
}

static void add_nodes(walk *w, const col_operation *operation, bool is_read, bool is_write) {
    const uint32_t i = w->operation;
    const bool splits = is_read && is_write && chk_splits(w->order->model, operation->kind);
    uint32_t start = first_edge(w);
    if (is_read)
        add_before_read(w, operation);
    if (is_write && !splits)
        add_before_write(w, operation, is_read);
    finish(w, i, start);
    if (!splits)
        return;
    const uint32_t write = new_node(w);
    start = first_edge(w);
    add(w, i, COL_ATOMIC);
    add_before_write(w, operation, true);
    finish(w, write, start);
    if (w->status != COL_OK)
        return;
    w->order->write[i] = write;
    base_invariant(!chk_is_gate(w->order, write) && chk_owner(w->order, write) == i); /* 4 */
}

static void pass_access(walk *w, const col_operation *operation) {
    const uint32_t i = w->operation;
    const bool is_read = reads(w->order, i), is_write = writes(w->order, i);
    const uint32_t source = depended_on(w, operation);
    if (w->times.begin != NULL && w->order->model->times)
        pass_time(w, i);
    if (source != CHK_NONE && operation->dependency == COL_CONTROL)
        add_branch(w, source);
    add_nodes(w, operation, is_read, is_write);
    if (source != CHK_NONE && operation->dependency == COL_ADDRESS)
        add_branch(w, source);
    if (operation->kind == COL_AWAIT && w->order->model->dependencies)
        add_branch(w, i);
    if (operation->order != 0 && w->order->model->attributes && w->status == COL_OK)
        note_attributes(w, operation, is_write ? chk_write_node(w->order, i) : CHK_NONE);
    note_here(w, operation->location, is_read);
    if (is_read)
        w->read = i;
    if (is_write)
        w->write = i;
    if (is_read && w->times.end != NULL && w->order->model->times && w->times.end[i] != COL_NO_TIME)
        push_flying(w, i, w->times.end[i]);
}

static void pass_thread(walk *w, uint32_t thread) {
    const col_program *program = w->order->program;
    const uint32_t start = program->thread_start[thread];
    w->read = w->write = w->acquire = w->release = w->branch = w->clock = CHK_NONE;
    for (int i = 0; i < 2; i++) {
        w->read_gate[i] = w->write_gate[i] = w->last_gate[i] = CHK_NONE;
        w->gathered[i] = start;
    }
    w->released = start;
    w->now = COL_NO_TIME;
    w->flying_count = 0;
    for (uint32_t i = start; i < program->thread_start[thread + 1] && w->status == COL_OK; i++) {
        const col_operation *operation = &program->operations[i];
        w->operation = i;
        w->order->thread[i] = thread;
        w->order->access[i] = (uint8_t)(col_kinds[operation->kind].reads * CHK_READS |
                                        col_kinds[operation->kind].writes * CHK_WRITES);
        w->order->edges[i] = (chk_edges){0, 0};
        w->order->previous_here[i] = w->order->next_here[i] = CHK_NONE;
        if (w->order->splits)
            w->order->write[i] = i;
        if (COL_RARELY(col_kinds[operation->kind].dma))
            w->order->thread[i] = w->order->thread_count++; /* its own: nothing there orders it */
        else if (col_kinds[operation->kind].reads || col_kinds[operation->kind].writes)
            pass_access(w, operation);
        else if (operation->dependency == COL_CONTROL && w->order->model->dependencies)
            add_branch(w, i - operation->distance);
        if (operation->kind == COL_FENCE)
            add_fence(w, operation->fence);
    }
}

/* ---- All of it. */

static void make_arrays(walk *w) {
    chk_order *order = w->order;
    const size_t count = order->operation_count;
    make_room(w, &order->edges, EDGES, count + 1, sizeof *order->edges);
    make_room(w, &order->before, BEFORE, 2 * count + CHK_AHEAD, sizeof *order->before);
    if (order->model->depends_through_adds)
        make_room(w, &order->next_dependent, ON, count + 1, sizeof *order->next_dependent);
    const base_part parts[] = {
        BASE_PART(order->thread, count + 1),
        BASE_PART(order->access, count + 1),
        BASE_PART(order->previous_here, count + 1),
        BASE_PART(order->next_here, count + 1),
        BASE_PART(order->write, order->splits ? count + 1 : 0),
        BASE_PART(order->first_dependent, order->model->depends_through_adds ? count + 1 : 0),
        {0}};
    if (w->status == COL_OK)
        w->status = base_block_divide(&order->block, parts, w->problem);
    if (w->status != COL_OK || !order->model->depends_through_adds)
        return;
    memset(order->first_dependent, 0xFF, (count + 1) * sizeof *order->first_dependent);
    memset(order->next_dependent, 0xFF, (count + 1) * sizeof *order->next_dependent);
}

col_status chk_order_build(chk_order *order, const col_program *program, const chk_model *model,
                           chk_times times, col_problem *problem) {
    walk w = {.order = order, .times = times, .problem = problem, .status = COL_OK};
    const size_t locations = (size_t)program->location_count + 1;
    order->program = program;
    order->model = model;
    order->operation_count = order->node_count = col_program_operations(program);
    order->thread_count = program->thread_count;
    order->splits = model->splits_atomics || prg_has_conditionals(program);
    if (order->operation_count > CHK_MOST_NODES / 4)
        return base_refuse(problem, "a checker takes at most %u operations at a time",
                           CHK_MOST_NODES / 4);
    w.is_plain =
        !model->attributes && !model->dependencies && !model->times && model->keeps_here == 0;
    make_arrays(&w);
    w.last_here = malloc(3 * locations * sizeof *w.last_here);
    if (w.last_here == NULL)
        return base_out_of_memory(problem);
    w.read_here = w.last_here + locations;
    w.visit = w.read_here + locations;
    memset(w.visit, 0xFF, locations * sizeof *w.visit);
    for (uint32_t t = 0; t < program->thread_count && w.status == COL_OK; t++)
        pass_thread(&w, t);
    free(w.last_here);
    free(w.flying);
    return w.status;
}

void chk_order_free(chk_order *order) {
    free(order->edges);
    free(order->before);
    free(order->owner);
    free(order->next_dependent);
    free(order->block.memory);
    *order = (chk_order){0};
}

size_t chk_order_bytes(const chk_order *order) {
    size_t words = order->capacities[EDGES]; /* an edge is two */
    for (int i = 0; i < CAPACITIES; i++)
        words += order->capacities[i];
    return words * sizeof(uint32_t) + order->block.capacity;
}
