/* SPDX-License-Identifier: MIT */
/*
 * A greedy search for a memory order of an instance of which only reads are known. It takes the
 * next best operation and never goes back: what it finds is a memory order that the model allows,
 * and finding none means nothing. A write is best done when all that read it wait for it: then it
 * can be replaced at once, whatever comes. The program's part of the work is done once for all its
 * instances.
 */
#pragma once

#include "base/memory.h"
#include "judge/preserved_order.h"

/*
 * The order of writes that the reads of an instance imply, where the writes of a thread stay in
 * order (SC, TSO). Whatever comes before a read, directly or not, by threads, by reads and by what
 * is implied already: a write to its location among that comes before the word that was read, and
 * the read comes before all writes that follow this word. A node's clock has, for each thread, how
 * many of its writes come before the node; what is found changes clocks, until nothing is new.
 */

enum { CHK_IMPLIED_EDGES = 8 }; /* for each operation, at most */

typedef struct chk_pair {
    uint32_t before, after;
} chk_pair;

typedef struct chk_implied {
    const chk_order *order;
    const uint32_t *start, *after; /* the program's pairs, by node, */
    const uint32_t *of_program;    /* and how many come before each: see chk_greedy */
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
    base_block block; /* all of the lists above */
} chk_implied;

/* ---- The greedy search. */

typedef struct chk_greedy {
    const col_program *program;
    chk_order order;
    bool is_apt;     /* this program can be looked at so, by this model */
    uint32_t *start; /* by node, and the end: in `after` */
    uint32_t *after; /* nodes that come later than it */
    uint32_t *own;   /* by operation that reads: the last write of its thread there before it */
    uint32_t *of_program; /* by node: how many come before it */
    /* Of an instance. A word is a write, or operation_count + location: what was there before. */
    uint32_t *waits;     /* by node: what is left of those before it */
    uint32_t *unread;    /* by word: reads of it that have not been done */
    uint32_t *current;   /* by location: the word it holds */
    uint32_t *follower;  /* by word: the atomic that read it, which comes right after it */
    uint32_t *left;      /* by location: writes that are to come */
    uint32_t *parked;    /* by word: reads that wait for it, and by location (behind all words):
                          * writes that wait for their turn; lists by `next` */
    uint32_t *next;      /* by node */
    uint32_t *waiting;   /* by word: how many reads wait for it */
    uint32_t *lazy;      /* writes that could be done, but not all their readers wait for them */
    uint32_t *later;     /* by write: writes that must come after it, by `edges` */
    uint32_t *edges;     /* pairs: a write, and the next edge of the same list */
    chk_implied implied; /* for a second try */
    uint32_t *stack;     /* nodes to look at */
    bool *is_done;       /* by node */
    uint8_t *place;      /* by node: in which kind of list it is */
    uint32_t edge_count, stack_count, lazy_count, done_count;
    base_block block; /* all of the above but `after` */
    size_t after_capacity;
} chk_greedy;

/* Start from {0}. The program must stay as it is. */
col_status chk_greedy_load(chk_greedy *greedy, const col_program *program, const chk_model *model,
                           col_problem *problem);
void chk_greedy_free(chk_greedy *greedy);

/* Does a complete instance whose reads had these sources have a memory order? False: perhaps. By
 * operation, and by location, as in a col_trace; `final` may be NULL. */
bool chk_greedy_finds(chk_greedy *greedy, const uint32_t *source, const uint32_t *final);
