/* SPDX-License-Identifier: MIT */
/*
 * What has been seen of an execution: which write each read took its word from, and which write
 * each write replaced. Together with the order that the model keeps these are all edges of the
 * graph that must not have a cycle; none is stored, chk_each_before tells them.
 *
 * Writes are known by their operation. The word that a location holds before any write counts as a
 * write too: number operation_count + location.
 */
#pragma once

#include "judge/preserved_order.h"

/* Of an operation, and of an initial word; CHK_NONE: not known (yet). */
typedef struct chk_seen {
    uint32_t source;       /* of a read: the write that it took its word from */
    uint32_t next_reader;  /* of a read: another one of the same write */
    uint32_t first_reader; /* of a write */
    uint32_t replaced;     /* of a write: the one before it in coherence order */
    uint32_t next;         /* of a write: the one after it */
} chk_seen;

typedef struct chk_execution {
    const chk_order *order;
    chk_seen *seen;
    uint32_t *furthest; /* by thread: nothing is known of its operations behind this one */
    base_block block;   /* both */
} chk_execution;

/* Start from {0}; free the block. Nothing has been seen. */
col_status chk_execution_reset(chk_execution *execution, const chk_order *order,
                               col_problem *problem);

static inline bool chk_is_initial(const chk_execution *execution, uint32_t write) {
    return write >= execution->order->operation_count;
}

static inline void chk_reach(chk_execution *execution, uint32_t operation) {
    uint32_t *furthest = &execution->furthest[execution->order->thread[operation]];
    if (operation > *furthest)
        *furthest = operation;
}

static inline bool chk_reads(const chk_execution *execution, uint32_t operation) {
    return (execution->order->access[operation] & CHK_READS) != 0;
}

static inline bool chk_writes(const chk_execution *execution, uint32_t operation) {
    return (execution->order->access[operation] & CHK_WRITES) != 0;
}

static inline bool chk_is_own(const chk_execution *execution, uint32_t write, uint32_t read) {
    return !chk_is_initial(execution, write) &&
           execution->order->thread[write] == execution->order->thread[read];
}

/* The write whose word an operation saw or left: itself, or a read's source. */
static inline uint32_t chk_word_of(const chk_execution *execution, uint32_t operation) {
    return chk_writes(execution, operation) ? operation : execution->seen[operation].source;
}

/* Reads of one location that have not performed are passed over, but no more than a core's window
 * holds: further ones are met when those perform. */
enum { CHK_MOST_PASSED = 64 };

/* The last operation before (the first one after) `operation` in its thread and on its location
 * whose chk_word_of is known; CHK_NONE: there is none. */
static inline uint32_t chk_before_here(const chk_execution *execution, uint32_t operation) {
    for (uint32_t passed = 0; passed < CHK_MOST_PASSED; passed++) {
        operation = execution->order->previous_here[operation];
        if (operation == CHK_NONE || chk_word_of(execution, operation) != CHK_NONE)
            return operation;
    }
    return CHK_NONE;
}

static inline uint32_t chk_after_here(const chk_execution *execution, uint32_t operation) {
    const uint32_t furthest = execution->furthest[execution->order->thread[operation]];
    for (uint32_t passed = 0; passed < CHK_MOST_PASSED; passed++) {
        operation = execution->order->next_here[operation];
        if (operation > furthest) /* CHK_NONE is */
            return CHK_NONE;
        if (chk_word_of(execution, operation) != CHK_NONE)
            return operation;
    }
    return CHK_NONE;
}

/* A node that is known to come directly before another one, and why. Of an edge between two writes
 * that comes from a thread's having seen their words one after the other, `note` is the later
 * operation of that thread; else it is CHK_NONE. */
typedef struct chk_known {
    uint32_t before;
    col_relation relation;
    uint32_t note;
} chk_known;

/* chk_each_before calls back for each of a node. */
typedef void chk_visit(void *context, chk_known edge);

/* What a dependency on a read means: on from an own add's word to the add. */
static inline void chk_visit_dependency(const chk_execution *execution, uint32_t read,
                                        chk_visit *visit, void *context) {
    const chk_order *order = execution->order;
    visit(context, (chk_known){read, COL_DEPENDENT, CHK_NONE});
    while (order->model->depends_through_adds) {
        const uint32_t source = execution->seen[read].source;
        if (source == CHK_NONE || !chk_is_own(execution, source, read) ||
            order->program->operations[source].kind != COL_ADD)
            return;
        read = source;
        visit(context, (chk_known){read, COL_DEPENDENT, CHK_NONE});
    }
}

static inline void chk_visit_kept(const chk_execution *execution, uint32_t node, chk_visit *visit,
                                  void *context) {
    const chk_order *order = execution->order;
    const chk_edges edges = order->edges[node];
    for (uint32_t i = edges.start; i < edges.start + edges.count; i++) {
        const uint32_t before = chk_edge_node(order->before[i]);
        const col_relation relation = chk_edge_relation(order->before[i]);
        if (relation == COL_DEPENDENT && before < order->operation_count)
            chk_visit_dependency(execution, before, visit, context);
        else
            visit(context, (chk_known){before, relation, CHK_NONE});
    }
}

/* A read of an own write's word does not wait for the write, but for some of what the write waits
 * for. */
static inline void chk_visit_own_source(const chk_execution *execution, uint32_t read,
                                        uint32_t source, chk_visit *visit, void *context) {
    const chk_order *order = execution->order;
    const chk_model *model = order->model;
    const col_operation *write = &order->program->operations[source];
    const bool is_atomic = chk_reads(execution, source);
    if (model->reads_after_own_atomic && is_atomic)
        visit(context, (chk_known){chk_write_node(order, source), COL_ATOMIC, CHK_NONE});
    if (model->acquires_after_own_atomic && is_atomic &&
        (order->program->operations[read].order & COL_ACQUIRE) != 0)
        visit(context, (chk_known){source, COL_ATOMIC, CHK_NONE});
    if (model->dependencies && (write->dependency == COL_ADDRESS || write->dependency == COL_DATA))
        chk_visit_dependency(execution, source - write->distance, visit, context);
}

/* Coherence: a thread that sees two words of a location sees them in the order of their writes. */
static inline void chk_visit_seen_before(const chk_execution *execution, uint32_t write,
                                         uint32_t operation, chk_visit *visit, void *context) {
    const uint32_t earlier = chk_before_here(execution, operation);
    if (earlier == CHK_NONE)
        return;
    const uint32_t word = chk_word_of(execution, earlier);
    if (word != write && !chk_is_initial(execution, word))
        visit(context,
              (chk_known){chk_write_node(execution->order, word), COL_COHERENCE, operation});
}

static inline void chk_visit_before_write(const chk_execution *execution, uint32_t write,
                                          chk_visit *visit, void *context) {
    const chk_seen *seen = execution->seen;
    const uint32_t replaced = seen[write].replaced;
    if (replaced != CHK_NONE) {
        if (!chk_is_initial(execution, replaced))
            visit(context,
                  (chk_known){chk_write_node(execution->order, replaced), COL_COHERENCE, CHK_NONE});
        for (uint32_t r = seen[replaced].first_reader; r != CHK_NONE; r = seen[r].next_reader)
            if (r != write)
                visit(context, (chk_known){r, COL_FROM_READ, CHK_NONE});
    }
    chk_visit_seen_before(execution, write, write, visit, context);
    for (uint32_t r = seen[write].first_reader; r != CHK_NONE; r = seen[r].next_reader)
        chk_visit_seen_before(execution, write, r, visit, context);
}

static inline void chk_each_before(const chk_execution *execution, uint32_t node, chk_visit *visit,
                                   void *context) {
    const chk_order *order = execution->order;
    chk_visit_kept(execution, node, visit, context);
    if (chk_is_gate(order, node))
        return;
    const uint32_t operation = chk_owner(order, node);
    const uint32_t source = execution->seen[operation].source;
    if (source != CHK_NONE && node == operation && !chk_is_initial(execution, source)) {
        if (chk_is_own(execution, source, operation))
            chk_visit_own_source(execution, operation, source, visit, context);
        else
            visit(context, (chk_known){chk_write_node(order, source), COL_READS_FROM, CHK_NONE});
    }
    if (chk_writes(execution, operation) && node == chk_write_node(order, operation))
        chk_visit_before_write(execution, operation, visit, context);
}

/*
 * Which write left a word. Stores and swaps leave their value, which names them. An add leaves a
 * word that depends on what it found; it is known when the add performs, and until then operations
 * that saw the word wait for it here.
 */

typedef struct chk_sum { /* a word that an add left, or will have left */
    uint64_t word;
    uint32_t location;
    uint32_t write;        /* the add; CHK_NONE: it has not performed */
    uint32_t first_reader; /* reads that wait for it, by chk_seen.next_reader */
    uint32_t replaced_by;  /* a write that waits for it */
} chk_sum;

typedef struct chk_value {
    uint32_t value, write;
} chk_value;

typedef struct chk_latest { /* the write of a location that performed last */
    uint64_t word;
    uint32_t write; /* CHK_NONE: none yet */
} chk_latest;

typedef struct chk_words {
    const col_program *program;
    uint32_t *by_value; /* if values of stores and swaps are dense: the write, or CHK_NONE */
    chk_value *values;  /* else: a sorted list */
    uint32_t value_count, most_value;
    bool is_dense;
    chk_sum *sums; /* a hash table, open addressing; unused: location CHK_NONE */
    uint32_t add_count, sum_count, sum_mask;
    chk_latest *latest; /* by location: most words that are met are the latest ones */
    base_block block;   /* the tables */
} chk_words;

/* Start from {0}; free the block. */
col_status chk_words_load(chk_words *words, const col_program *program, col_problem *problem);
void chk_words_reset(chk_words *words); /* no add has performed */

/* The write that left this word at the location: an operation, or an initial word's number (see
 * execution.h). CHK_NONE: an add may have or may yet; then `*sum` is its entry. CHK_NOBODY: no
 * write of the program can have left it. */
enum { CHK_NOBODY = UINT32_MAX - 1 };
uint32_t chk_words_search(chk_words *words, uint32_t location, uint64_t word, chk_sum **sum);

static inline uint32_t chk_words_find(chk_words *words, uint32_t location, uint64_t word,
                                      chk_sum **sum) {
    const chk_latest *latest = &words->latest[location];
    if (latest->word == word && latest->write != CHK_NONE)
        return latest->write;
    return chk_words_search(words, location, word, sum);
}

/* The entry of a word that an add leaves; NULL if there are more words than adds. */
chk_sum *chk_words_sum(chk_words *words, uint32_t location, uint64_t word);
