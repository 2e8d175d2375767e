/* SPDX-License-Identifier: MIT */
/*
 * What a witness keeps. Events are only written down, operation by operation; all else is done when
 * the instance ends, in program order, so that memory is met in order too. Of all instances, each
 * event (a read or a write; a swap or add is both) has a list of the writes that came just before
 * it in conflict order: unions of witnesses and non-determinism both follow from these lists.
 */
#pragma once

#include "base/memory.h"
#include "collider/witness.h"

enum { WIT_NONE = UINT32_MAX };

/*
 * Which write a word comes from. Stores and swaps leave their value; an add leaves a word that
 * depends on what it found, known when it has performed. Writes stand in a table by their values,
 * so that each has a place of its own for marks; so do the initial word and words of nobody.
 *
 * Generators count values from 1: those below the table's size are their own places. Others are
 * hashed to places that are left.
 */

typedef struct wit_write {
    uint64_t weight; /* a random number that belongs to the value */
    uint32_t value;  /* 0: nothing here, or the initial word */
    uint32_t mark;   /* see col_witness.stamp */
} wit_write;

typedef struct wit_sum { /* a word that an add left */
    uint64_t word;
    uint32_t location;
    uint32_t write;
    uint32_t instance; /* the entry is empty in other instances */
} wit_sum;

typedef struct wit_writes {
    wit_write *table; /* open addressing; the last place is for words of nobody */
    uint32_t *thread; /* by place; of the initial word and nobody's: WIT_NO_THREAD */
    uint32_t size;    /* places of the table, without the last one */
    bool is_dense;    /* all values are their own places */
    wit_sum *sums;    /* open addressing */
    uint32_t add_count, sum_count, sum_mask;
    uint32_t instance; /* whose sums these are */
    base_block block;  /* table, thread, sums */
} wit_writes;

enum { WIT_INITIAL = 0, WIT_NO_THREAD = UINT32_MAX, WIT_MOST_OPERATIONS = 1 << 30 };

/* Start from {0}; free the block. */
col_status wit_writes_load(wit_writes *writes, const col_program *program, col_problem *problem);

/* An instance begins: no add has performed. */
void wit_writes_begin(wit_writes *writes, uint32_t instance);

/* An add, of this value, left the word. */
void wit_writes_add(wit_writes *writes, uint32_t location, uint64_t word, uint32_t value);

/* Takes all marks away. */
void wit_writes_clear(wit_writes *writes);

/* The place of words that no write left. */
static inline uint32_t wit_nobody(const wit_writes *writes) {
    return writes->size;
}

/* The place of the write that left the word at the location. */
uint32_t wit_writes_search(const wit_writes *writes, uint32_t location, uint64_t word);

static inline bool wit_is_own_place(const wit_writes *writes, uint64_t word) {
    return word < writes->size && writes->table[word].value == word;
}

/* What the monitors saw of an operation. */
typedef struct wit_record {
    uint64_t seen;     /* of a load: its word; of what writes: the word it replaced */
    uint32_t instance; /* the one in which it performed last */
    uint8_t kind;      /* the col_event_kind of its performing, or WIT_NO_ACCESS */
    bool is_atomic;
    uint8_t observations; /* a set: who saw the word */
} wit_record;

enum { WIT_NO_ACCESS = UINT8_MAX };

/* Sets of observations: bit o for observation o. The combined one sees what either does. */
enum {
    WIT_SEEN_BY_READ = 1 << COL_OBSERVE_RF | 1 << COL_OBSERVE_CORF,
    WIT_SEEN_FROM_OUTSIDE = 1 << COL_OBSERVE_CO | 1 << COL_OBSERVE_CORF,
};

/* An event of an instance: the write before it, and who observes that write's value. */
typedef struct wit_sighting {
    uint32_t write; /* its place in the table */
    uint32_t observations;
} wit_sighting;

/* The writes that came just before an event, in all instances. Most events have few. */
enum { WIT_FEW = 5 };
typedef struct wit_conflicts {
    uint32_t writes[WIT_FEW]; /* WIT_NONE where there is none */
    uint32_t more;            /* the place of the next ones, or WIT_NONE */
    uint8_t count;
    uint8_t external; /* a set: whose words came from outside the core's caches in some instance */
} wit_conflicts;

/* Sets of numbers that instances are told apart by. */
typedef struct wit_set {
    uint64_t *items; /* in ascending order */
    uint32_t count;
    size_t capacity;
} wit_set;

struct col_witness {
    const col_program *program;
    uint32_t cores, operation_count, event_count;
    uint32_t instance; /* number of the one that began last, from 1 */
    bool is_open, is_summed;
    uint32_t stamp; /* the witness that is being collected: a write's mark is a stamp, and which
                     * observations have seen it since, in the lowest bits */
    wit_writes writes;
    wit_record *records;      /* by operation */
    uint64_t *returned;       /* by operation, of atomics: the word that it returned */
    wit_conflicts *conflicts; /* by event, then those that the first places had no room for */
    size_t conflict_count;    /* in use */
    wit_set known[COL_OBSERVATION_COUNT + 1]; /* the last: conflict orders */
    col_signature *signatures;                /* by scope, observation and core */
    uint32_t *nondeterminism;                 /* by operation */
    uint32_t *fit_locations;
    bool *is_fit;
    col_witness_results results;
    base_block block; /* signatures, nondeterminism, fit_locations, is_fit */
    size_t record_capacity, returned_capacity, conflict_capacity;
};

enum { WIT_MOST_STAMPS = 1 << (32 - COL_OBSERVATION_COUNT) };

/* ---- Events. */

static inline uint32_t wit_events_of(const wit_record *record) {
    return record->kind == WIT_NO_ACCESS ? 0 : 1 + (uint32_t)record->is_atomic;
}

static inline bool wit_performed(const col_witness *witness, const wit_record *record) {
    return record->instance == witness->instance && record->kind != WIT_NO_ACCESS;
}

static inline uint32_t wit_find(const col_witness *witness, uint32_t operation, uint64_t word) {
    if (wit_is_own_place(&witness->writes, word))
        return (uint32_t)word;
    return wit_writes_search(&witness->writes, witness->program->operations[operation].location,
                             word);
}

/* The last event of an operation that performed; of an atomic that is its write. What another core
 * wrote came from outside, even if the source says that it did not: the reply may have been to a
 * load that lost its word before it performed, or for another location of the block. */
static inline wit_sighting wit_look(const col_witness *witness, uint32_t operation,
                                    uint32_t thread) {
    const wit_record *record = &witness->records[operation];
    const uint32_t write = wit_find(witness, operation, record->seen);
    const uint32_t writer = witness->writes.thread[write];
    const uint32_t is_external = (writer != thread) & (writer != WIT_NO_THREAD);
    return (wit_sighting){write,
                          record->observations | (WIT_SEEN_FROM_OUTSIDE & (0 - is_external))};
}

/* The read of an atomic. */
static inline wit_sighting wit_look_at_read(const col_witness *witness, uint32_t operation) {
    return (wit_sighting){wit_find(witness, operation, witness->returned[operation]),
                          WIT_SEEN_BY_READ};
}

/* ---- Collecting a witness: a set for each observation. */

/* The sets are empty again. */
static inline void wit_collect(col_witness *witness) {
    if (++witness->stamp < WIT_MOST_STAMPS)
        return;
    wit_writes_clear(&witness->writes);
    witness->stamp = 1;
}

/* Puts the write into the sets of these observations; returns in which it is new. Without
 * branches, for that is anybody's guess. */
static inline uint32_t wit_put(col_witness *witness, wit_sighting seen) {
    uint32_t *mark = &witness->writes.table[seen.write].mark;
    const uint32_t now = witness->stamp << COL_OBSERVATION_COUNT;
    const uint32_t others = *mark ^ now;
    const uint32_t before = others & (0 - (uint32_t)(others < 1U << COL_OBSERVATION_COUNT));
    *mark = now | before | seen.observations;
    return seen.observations & ~before;
}

/* All ones if the observation is in the set. */
static inline uint64_t wit_has(uint32_t observations, uint32_t observation) {
    return 0 - (uint64_t)(observations >> observation & 1);
}

/* The same with a core's signatures. */
static inline void wit_sign(col_witness *witness, wit_sighting seen,
                            col_signature signatures[COL_OBSERVATION_COUNT]) {
    const uint32_t fresh = wit_put(witness, seen);
    const wit_write *write = &witness->writes.table[seen.write];
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++) {
        signatures[o].sum += write->value & wit_has(fresh, o);
        signatures[o].identity += write->weight & wit_has(fresh, o);
    }
}
