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
