/* SPDX-License-Identifier: MIT */
/* The inside of the checker that watches a design run, for runtime_checker.c, which finds
 * violations, runtime_row.c, which watches it, and runtime_report.c, which explains what was found.
 */
#pragma once

#include "base/memory.h"
#include "judge/execution.h"

/* Nodes in a row, each with a label that grows along it, so that two can be compared at once. Nodes
 * are appended, and moved to before another one; when there is no room between two labels, their
 * neighbours are spread. */

typedef struct chk_place {
    uint64_t label; /* 0: not in the row */
    uint32_t previous, next;
} chk_place;

typedef struct chk_sequence {
    chk_place *places; /* by node; the one behind the last node is both ends of the row */
    uint32_t node_count;
    size_t capacity;
} chk_sequence;

/* Start from {0}; free the places. An empty row for this many nodes. */
col_status chk_sequence_reset(chk_sequence *sequence, uint32_t node_count, col_problem *problem);

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

struct col_checker {
    col_model model;
    uint32_t held_count;
    const col_program *program;
    chk_order order;
    chk_execution execution;
    chk_words words;
    chk_sequence row;            /* nodes that are placed */
    bool *performed;             /* by operation */
    uint32_t access_count, left; /* reads and writes; those that have not performed */
    uint32_t waiting;            /* operations that wait for an add, see execution.h */
    uint8_t *state;              /* by node: on its way into the row */
    uint32_t stack;              /* the first of those; see row.places[].next */
    uint32_t *mark;              /* by node: the last search that met it */
    uint32_t *found;             /* what a search met */
    uint32_t mark_now;           /* the search */
    uint64_t turned;             /* nodes that all searches met */
    bool violated;
    bool ran_out; /* of memory, at the end: what was kept has not been judged */
    col_violation violation;
    base_block block; /* performed, state, mark, found */
    /* Of a program with conditionals: events are kept until the end, when it is known which failed.
     */
    const col_program *original; /* NULL: it has none */
    col_program resolved;
    col_event *held; /* held_count of them */
    size_t held_capacity;
};

/* Where a node is on its way into the row. */
enum { CHK_UNTOUCHED, CHK_STACKED, CHK_OPEN };

static inline bool chk_is_placed(const col_checker *c, uint32_t node) {
    return chk_label(&c->row, node) != 0;
}

static inline bool chk_is_access(const col_checker *c, uint32_t operation) {
    return c->order.access[operation] != 0;
}

/* Behind all that is in the row. */
static inline void chk_row_append(col_checker *c, uint32_t node) {
    chk_sequence_append(&c->row, node);
    if (node < c->order.operation_count)
        chk_reach(&c->execution, node);
}

/* There is an edge between two nodes that chk_each_before now tells. A cycle is reported. */
void chk_row_insert(col_checker *c, uint32_t from, uint32_t to);

/* More is known about a node than when it was placed, or it is not yet. */
void chk_row_update(col_checker *c, uint32_t node);

/* All of them: after every event of a small program, ever more seldom in a large one. */
bool chk_invariants_hold(col_checker *checker);

/* What is wrong, at the first time that something is. An edge leads from the node `from` to the
 * node `to`, and there is a path from `to` to `from`. */
void chk_report_cycle(col_checker *checker, uint32_t from, uint32_t to);

/* `second` returned a location's initial word after `first` had seen a later one. */
void chk_report_initial(col_checker *checker, uint32_t first, uint32_t second);

/* A read returned the value of a later write of its thread. */
void chk_report_future(col_checker *checker, uint32_t read, uint32_t write);

/* Two writes replaced the same word, left by `replaced` (CHK_NONE: an add, not known which). */
void chk_report_fork(col_checker *checker, uint32_t replaced, uint32_t one, uint32_t other);

/* An operation saw a word that no write can have left; that none has left at the end. */
void chk_report_word(col_checker *checker, uint32_t operation, uint64_t word);
void chk_report_waiting(col_checker *checker, uint32_t operation);

/* An event that no execution of the program has; `operation` may be CHK_NONE. */
void chk_report_event(col_checker *checker, uint32_t operation, const char *what);
