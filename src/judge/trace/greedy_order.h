/* SPDX-License-Identifier: MIT */
/*
 * A greedy search for a memory order of an instance of which only reads are known. It takes the
 * next best operation and never goes back: what it finds is a memory order that the model allows,
 * and finding none means nothing. A write is best done when all that read it wait for it: then it
 * can be replaced at once, whatever comes. The program's part of the work is done once for all its
 * instances.
 */
#ifndef JUDGE_TRACE_GREEDY_ORDER_H
#define JUDGE_TRACE_GREEDY_ORDER_H

#include "judge/implied_order.h"

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
    uint32_t *numbers; /* all of the above but the last two */
    size_t capacity, done_capacity, after_capacity;
} chk_greedy;

/* Start from {0}. The program must stay as it is. */
col_status chk_greedy_load(chk_greedy *greedy, const col_program *program, const chk_model *model,
                           col_problem *problem);
void chk_greedy_free(chk_greedy *greedy);

/* Does a complete instance whose reads had these sources have a memory order? False: perhaps. By
 * operation, and by location, as in a col_trace; `final` may be NULL. */
bool chk_greedy_finds(chk_greedy *greedy, const uint32_t *source, const uint32_t *final);

#endif
