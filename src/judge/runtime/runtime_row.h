/* SPDX-License-Identifier: MIT */
/*
 * Nodes in a row, each with a label that grows along it, so that two can be compared at once. Nodes
 * are appended, and moved to before another one; when there is no room between two labels, their
 * neighbours are spread.
 */
#ifndef JUDGE_RUNTIME_RUNTIME_ROW_H
#define JUDGE_RUNTIME_RUNTIME_ROW_H

#include "base/problem.h"

typedef struct chk_place {
    uint64_t label; /* 0: not in the row */
    uint32_t previous, next;
} chk_place;

typedef struct chk_sequence {
    chk_place *places; /* by node; the one behind the last node is both ends of the row */
    uint32_t node_count;
    size_t capacity;
} chk_sequence;

/* Start from {0}. An empty row for this many nodes. */
col_status chk_sequence_reset(chk_sequence *sequence, uint32_t node_count, col_problem *problem);
void chk_sequence_free(chk_sequence *sequence);

/* Move nodes, given in the order that they shall have, to directly before `mark`. */
void chk_sequence_move(chk_sequence *sequence, const uint32_t *nodes, uint32_t count,
                       uint32_t mark);

/* Labels of appended nodes are so far apart: 2^30 nodes have room. */
#define CHK_STRIDE (UINT64_C(1) << 33)

static inline void chk_sequence_append(chk_sequence *sequence, uint32_t node) {
    chk_place *places = sequence->places;
    const uint32_t end = sequence->node_count, last = places[end].previous;
    base_invariant(places[node].label == 0 && places[last].label < UINT64_MAX - CHK_STRIDE);
    places[node] = (chk_place){places[last].label + CHK_STRIDE, last, end};
    places[last].next = node;
    places[end].previous = node;
}

static inline uint64_t chk_label(const chk_sequence *sequence, uint32_t node) {
    return sequence->places[node].label;
}

#endif
