/* SPDX-License-Identifier: MIT */
/*
 * States that several workers find at once: who was first, by an order that does not depend on who
 * is faster. A worker claims a state that is not known yet with the number of the step that leads
 * to it; of all claims to a state the smallest stands. So the search is the same with any number of
 * threads. Workers may make claims at the same time, and look at them when all have been made.
 */
#ifndef EXPLORE_CLAIMS_H
#define EXPLORE_CLAIMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct claim {
    _Atomic uint64_t print;    /* the hash of the state; 0: a free place */
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
claim_result exp_claims_make(claim_table *table, uint64_t print, uint32_t number, uint32_t *place);

/* When all claims have been made: does this one stand? */
bool exp_claims_stands(const claim_table *table, uint32_t place, uint32_t number);
/* It will be asked for soon. */
void exp_claims_expect(const claim_table *table, uint32_t place);

#endif
