/* SPDX-License-Identifier: MIT */
/*
 * The order within threads that a model keeps in a program, as few edges as it takes.
 *
 * Nodes are the operations, by index, and after them: the writes of atomics, if the model splits
 * those, and gates. A gate stands for a set of pairs (all reads before a fence, all that the fence
 * holds): what must come before has an edge to it, what must come after an edge from it, and no
 * operation is its own. So edges are as many as operations, whatever the program.
 *
 * What coherence says about accesses to one location is not here: see previous_here.
 */
#pragma once

#include "base/memory.h"
#include "judge/memory_models.h"

enum {
    CHK_NONE = UINT32_MAX,
    CHK_NODE_BITS = 29, /* of an edge's word; above them its col_relation */
    CHK_MOST_NODES = 1 << CHK_NODE_BITS
};

enum { CHK_READS = 1, CHK_WRITES = 2, CHK_AHEAD = 32 };

typedef struct chk_edges {
    uint32_t start, count; /* in chk_order.before */
} chk_edges;

typedef struct chk_order {
    const chk_model *model;
    const col_program *program;
    uint32_t operation_count, node_count;
    uint32_t thread_count; /* the program's, and behind them one for each access by DMA */
    bool splits;           /* some atomics have two nodes */
    chk_edges *edges;      /* by node: those that come directly before it */
    uint32_t *before;      /* chk_edge_node, chk_edge_relation; there is room for CHK_AHEAD more */
    uint32_t *owner;       /* by node - operation_count: the operation that it belongs to */
    uint32_t *write;       /* by operation: the node of its write, if the order splits */
    uint32_t *thread;      /* by operation */
    uint8_t *access;       /* by operation: CHK_READS, CHK_WRITES */
    uint32_t *previous_here, *next_here; /* by operation: of its thread, on its location */
    /* If the model depends_through_adds: the nodes that depend on a read, and on from each. */
    uint32_t *first_dependent, *next_dependent; /* by operation; by node */
    size_t capacities[4];                       /* of edges, before, owner, next_dependent */
    base_block block;                           /* the others */
} chk_order;

/* Times of a trace's operations; both NULL if there are none. */
typedef struct chk_times {
    const int64_t *begin, *end; /* by operation; COL_NO_TIME: unknown */
} chk_times;

/* Start from {0}; build again freely (memory grows and is kept). The program must stay. */
col_status chk_order_build(chk_order *order, const col_program *program, const chk_model *model,
                           chk_times times, col_problem *problem);
void chk_order_free(chk_order *order);
size_t chk_order_bytes(const chk_order *order);

static inline uint32_t chk_edge_node(uint32_t edge) {
    return edge & (CHK_MOST_NODES - 1);
}

static inline col_relation chk_edge_relation(uint32_t edge) {
    return (col_relation)(edge >> CHK_NODE_BITS);
}

/* The operation that a node belongs to: itself, the atomic, or where the gate stands. */
static inline uint32_t chk_owner(const chk_order *order, uint32_t node) {
    return node < order->operation_count ? node : order->owner[node - order->operation_count];
}

/* The node that writes, of an operation that does. */
static inline uint32_t chk_write_node(const chk_order *order, uint32_t operation) {
    return order->splits ? order->write[operation] : operation;
}

static inline bool chk_is_gate(const chk_order *order, uint32_t node) {
    return node >= order->operation_count &&
           (!order->splits || order->write[chk_owner(order, node)] != node);
}
