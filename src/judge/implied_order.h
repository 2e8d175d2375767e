/* SPDX-License-Identifier: MIT */
/*
 * The order of writes that the reads of an instance imply, where the writes of a thread stay in
 * order (SC, TSO). Whatever comes before a read, directly or not, by threads, by reads and by what
 * is implied already: a write to its location among that comes before the word that was read, and
 * the read comes before all writes that follow this word. A node's clock has, for each thread, how
 * many of its writes come before the node; what is found changes clocks, until nothing is new.
 */
#ifndef JUDGE_IMPLIED_ORDER_H
#define JUDGE_IMPLIED_ORDER_H

#include "judge/preserved_order.h"

enum { CHK_IMPLIED_EDGES = 8 }; /* for each operation, at most */

typedef struct chk_pair {
    uint32_t before, after;
} chk_pair;

typedef struct chk_implied {
    const chk_order *order;
    const uint32_t *start, *after; /* the program's pairs, by node, */
    const uint32_t *of_program;    /* and how many come before each: see greedy_order.h */
    bool is_apt;                   /* the model and the program are such that it can be asked */
    uint32_t threads, edge_limit;
    uint32_t *number;     /* by operation that writes: its place among the writes of its thread */
    uint32_t *list_start; /* by thread and location, and the end: in `list` */
    uint32_t *list;       /* writes of a thread to a location, in order */
    uint32_t *clock;      /* by node and thread */
    uint32_t *asked;      /* by read and thread: the clock by which it was asked last */
    uint32_t *next_write; /* by read and thread: the place in `list` of the first after its word */
    uint32_t *first_edge; /* by node: in `edges` */
    uint32_t *edges;      /* pairs: a node that comes later, and the next edge of the same list */
    uint32_t *waits;      /* by node: those before it to come; once sorted: its clock changed */
    uint32_t *sorted;     /* nodes, each behind those before it, as far as is known at first */
    uint32_t *of_edges;   /* by node: edges that lead to it */
    chk_pair *pairs;      /* what was found: writes in their order */
    uint32_t edge_count, pair_count;
    uint32_t *numbers; /* all of the lists above but the pairs */
    size_t capacity, pair_capacity;
} chk_implied;

/* Start from {0}. The order and the pairs must stay as they are. */
col_status chk_implied_load(chk_implied *implied, const chk_order *order, const uint32_t *start,
                            const uint32_t *after, const uint32_t *of_program,
                            col_problem *problem);
void chk_implied_free(chk_implied *implied);

/* The pairs that follow from these sources of the reads, by operation as in a col_trace. False:
 * they contradict each other, or there are too many. */
bool chk_implied_find(chk_implied *implied, const uint32_t *source);

#endif
