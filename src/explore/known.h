/* SPDX-License-Identifier: MIT */
/*
 * The states that a search knows: a hash of each, how each was found, and, of those that were not
 * looked at yet, the state itself, in the order in which they were found.
 */
#ifndef EXPLORE_KNOWN_H
#define EXPLORE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct found {
    uint32_t parent; /* number of the state it was found from */
    uint16_t choice; /* the step from there */
} found;

/* Start from {0}. */
typedef struct known_states {
    uint64_t count;
    found *founds; /* of each state */
    uint64_t found_capacity;
    uint64_t *prints; /* hashes; 0: a free place */
    uint64_t print_mask;
    struct known_chunk *first, *last; /* states that wait */
    uint64_t waiting_bytes;
} known_states;

uint64_t exp_known_print(const uint64_t *words, size_t count);

/* No effect if the state is known. False: no memory. */
bool exp_known_note(known_states *known, const uint64_t *words, size_t count, found how);

/* The next state to look at, its length first; NULL: none. It stays until the next call. */
const uint64_t *exp_known_next(known_states *known);

uint64_t exp_known_bytes(const known_states *known);
/* The same after the next state, while the hashes may move to a larger table. */
uint64_t exp_known_bytes_soon(const known_states *known);
void exp_known_free(known_states *known);

#endif
