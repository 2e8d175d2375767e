/* SPDX-License-Identifier: MIT */
/*
 * The states that a search knows, by a hash of 64 bits each: a table of nothing else, which takes
 * at most 14 bytes a state. Several threads may add states at once. An exact table, which is
 * for one thread, keeps the images, too, and compares them.
 */
#ifndef PROTOCOL_EXPLORE_STATE_TABLE_H
#define PROTOCOL_EXPLORE_STATE_TABLE_H

#include "protocol/explore/state_queue.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct known_states {
    _Atomic uint64_t *hashes; /* hashes; 0: a free place */
    uint64_t places, count;
    /* Of an exact table: the images, their lengths first. */
    const uint8_t **images;
    image_queue kept;
    bool is_exact;
} known_states;

bool exp_known_open(known_states *known, bool is_exact); /* false: no memory */
void exp_known_close(known_states *known);

uint64_t exp_known_hash(const uint8_t *image, size_t bytes);

/* What becomes of a state. */
typedef enum known_result { KNOWN_BEFORE, KNOWN_NEW, KNOWN_NO_MEMORY } known_result;

/* There must be room. `count` is for the caller to keep. */
known_result exp_known_add(known_states *known, uint64_t hash, const uint8_t *image, size_t bytes);

/* An empty table becomes one with room for `count` states. False: no memory. */
bool exp_known_reserve(known_states *known, uint64_t count);
bool exp_known_has(const known_states *known, uint64_t hash);
/* It will be looked for soon. */
void exp_known_expect(const known_states *known, uint64_t hash);

/* How many states can be added before it must grow, and at all. */
uint64_t exp_known_room(const known_states *known);
uint64_t exp_known_last_room(const known_states *known);
bool exp_known_grow(known_states *known); /* false: no memory */

uint64_t exp_known_bytes(const known_states *known);
/* While it grows. */
uint64_t exp_known_growing_bytes(const known_states *known);

/*
 * States that several workers find at once: who was first, by an order that does not depend on who
 * is faster. A worker claims a state that is not known yet with the number of the step that leads
 * to it; of all claims to a state the smallest stands. So the search is the same with any number of
 * threads. Workers may make claims at the same time, and look at them when all have been made.
 */

typedef struct claim {
    _Atomic uint64_t hash;     /* the hash of the state; 0: a free place */
    _Atomic uint32_t priority; /* the complement of the smallest number; 0: none yet */
} claim;

/* Start from {0}. */
typedef struct claim_table {
    claim *list;
    uint32_t places; /* a power of two */
    uint32_t capacity;
} claim_table;

/* No claims, and room for about `states`. False: no memory. */
bool exp_claims_begin(claim_table *table, uint32_t states);
void exp_claims_free(claim_table *table);

typedef enum claim_result {
    CLAIM_STANDS, /* so far */
    CLAIM_LATE,   /* there is one with a smaller number */
    CLAIM_NO_ROOM
} claim_result;

/* Numbers are below UINT32_MAX, and no two claims have the same. `*place`: where it is. */
claim_result exp_claims_make(claim_table *table, uint64_t hash, uint32_t number, uint32_t *place);

/* When all claims have been made: does this one stand? */
bool exp_claims_stands(const claim_table *table, uint32_t place, uint32_t number);
/* It will be asked for soon. */
void exp_claims_expect(const claim_table *table, uint32_t place);

#endif
