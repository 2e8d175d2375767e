/* SPDX-License-Identifier: MIT */
/*
 * The states that a search knows, by a hash of 64 bits each: a table of nothing else, which takes
 * at most 14 bytes a state. Several threads may add states at once. An exact table, which is
 * for one thread, keeps the images, too, and compares them.
 */
#ifndef EXPLORE_KNOWN_H
#define EXPLORE_KNOWN_H

#include "explore/queue.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct known_states {
    _Atomic uint64_t *prints; /* hashes; 0: a free place */
    uint64_t places, count;
    /* Of an exact table: the images, their lengths first. */
    const uint8_t **images;
    image_queue kept;
    bool is_exact;
} known_states;

bool exp_known_open(known_states *known, bool is_exact); /* false: no memory */
void exp_known_close(known_states *known);

uint64_t exp_known_print(const uint8_t *image, size_t bytes);

/* What becomes of a state. */
typedef enum known_result { KNOWN_BEFORE, KNOWN_NEW, KNOWN_NO_MEMORY } known_result;

/* There must be room. `count` is for the caller to keep. */
known_result exp_known_add(known_states *known, uint64_t print, const uint8_t *image, size_t bytes);

/* An empty table becomes one with room for `count` states. False: no memory. */
bool exp_known_reserve(known_states *known, uint64_t count);
bool exp_known_has(const known_states *known, uint64_t print);
/* It will be looked for soon. */
void exp_known_expect(const known_states *known, uint64_t print);

/* How many states can be added before it must grow, and at all. */
uint64_t exp_known_room(const known_states *known);
uint64_t exp_known_last_room(const known_states *known);
bool exp_known_grow(known_states *known); /* false: no memory */

uint64_t exp_known_bytes(const known_states *known);
/* While it grows. */
uint64_t exp_known_growing_bytes(const known_states *known);

#endif
