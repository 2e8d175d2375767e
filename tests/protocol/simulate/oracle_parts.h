/* SPDX-License-Identifier: MIT */
/* The parts of the oracle, for itself and for the test that plays them off against each other. */
#pragma once

#include "oracle.h"

static inline uint64_t oracle_bit(uint32_t operation) {
    return UINT64_C(1) << operation;
}

/* What does not change from outcome to outcome. A location is called by the index of the first
 * operation on it. Sets of operations are masks. */
typedef struct oracle_shape {
    const col_program *program;
    uint32_t count;
    uint64_t all, reads, writes;
    uint32_t location[ORACLE_OPERATIONS];
    uint64_t same_location[ORACLE_OPERATIONS]; /* of those that read or write */
    uint64_t same_thread[ORACLE_OPERATIONS];
} oracle_shape;

void oracle_shape_of(const col_program *program, oracle_shape *shape);

/* The word that a write leaves where it replaces this one. */
uint64_t oracle_word_after(const col_program *program, uint32_t operation, uint64_t replaced);

/* Every order of the writes to each location with every choice of a write for each read, whatever
 * a model says of it; atomics read what they replace, awaits what they wait for. */
void oracle_each_candidate(const col_program *program, const condition *conditions, uint32_t count,
                           oracle_notice *notice, void *context);

/* The reads that had ended before the operation began, by what the times say (oracle.h). */
uint64_t oracle_ended(const oracle_shape *shape, const oracle_times *times, uint32_t operation);

/* The machines: models SC to WMO. Times, here and below: NULL if not known. */
bool oracle_machine_allows(oracle_model model, const col_program *program, const outcome *seen,
                           const oracle_times *times);
void oracle_machine_each(oracle_model model, const col_program *program,
                         const condition *conditions, uint32_t count, oracle_notice *notice,
                         void *context);

/* The axioms: all models. */
bool oracle_axioms_allow(oracle_model model, const col_program *program, const outcome *seen,
                         const oracle_times *times);

/* Is each location by itself in order, and are the atomics atomic? */
bool oracle_is_coherent(const col_program *program, const outcome *seen);

/* Sets of operations: reads of these, writes of those. */
typedef struct oracle_events {
    uint64_t reads, writes;
} oracle_events;

/* What the axioms keep in order within threads, pair by pair: the events of its own thread that
 * come after each operation's read, and after its write. The sources of reads, UINT32_MAX where
 * there is none or it is not known, are all that is told of the execution. (A read of the thread's
 * own future is taken for none.) */
typedef struct oracle_kept {
    oracle_events after_read[ORACLE_OPERATIONS], after_write[ORACLE_OPERATIONS];
} oracle_kept;
void oracle_kept_order(oracle_model model, const col_program *program, const uint32_t *source,
                       const oracle_times *times, oracle_kept *kept);

/* The outcomes of all total memory orders: models SC to WMO, up to about seven operations. The same
 * outcome may come many times. */
void oracle_orders_each(oracle_model model, const col_program *program, const oracle_times *times,
                        oracle_notice *notice, void *context);

/* A set of tuples of words, all of one length. Emptied quickly, and reused. */
typedef struct oracle_set {
    uint32_t length;
    uint64_t *tuples; /* one after the other */
    size_t tuple_capacity, count;
    uint64_t *slots; /* 1 + index of the tuple, in the lower half; stamp in the upper half */
    size_t slot_count;
    uint32_t stamp;
} oracle_set;

void oracle_set_empty(oracle_set *set, uint32_t length);
bool oracle_set_add(oracle_set *set, const uint64_t *tuple); /* was it new? */
void oracle_set_free(oracle_set *set);
