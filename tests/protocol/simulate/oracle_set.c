/* SPDX-License-Identifier: MIT */
/* A set of tuples of words, with open addressing. A slot belongs to the set only if it bears its
 * stamp, so that emptying is counting the stamp up. */
#include "oracle_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

static void *must(void *memory) {
    if (memory == NULL) {
        fputs("oracle: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static uint64_t hash_of(const uint64_t *tuple, uint32_t length) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < length; i++) {
        hash = (hash ^ tuple[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* The slot that holds the tuple, or the free one where it belongs. */
static uint64_t *slot_of(const oracle_set *set, const uint64_t *tuple) {
    const size_t mask = set->slot_count - 1, bytes = set->length * sizeof *tuple;
    size_t at = hash_of(tuple, set->length) & mask;
    while (set->slots[at] >> 32 == set->stamp) {
        const uint64_t *other = set->tuples + ((uint32_t)set->slots[at] - 1) * (size_t)set->length;
        if (memcmp(other, tuple, bytes) == 0)
            break;
        at = (at + 1) & mask;
    }
    return &set->slots[at];
}

static uint64_t slot_content(const oracle_set *set, size_t tuple) {
    return (uint64_t)set->stamp << 32 | (uint32_t)(tuple + 1);
}

static void enlarge_slots(oracle_set *set) {
    set->slot_count = set->slot_count == 0 ? FIRST_SLOTS : 2 * set->slot_count;
    free(set->slots);
    set->slots = must(calloc(set->slot_count, sizeof *set->slots));
    for (size_t i = 0; i < set->count; i++)
        *slot_of(set, set->tuples + i * set->length) = slot_content(set, i);
}

void oracle_set_empty(oracle_set *set, uint32_t length) {
    set->length = length;
    set->count = 0;
    if (set->slots == NULL)
        enlarge_slots(set);
    if (++set->stamp == 0) {
        memset(set->slots, 0, set->slot_count * sizeof *set->slots);
        set->stamp = 1;
    }
}

bool oracle_set_add(oracle_set *set, const uint64_t *tuple) {
    uint64_t *slot = slot_of(set, tuple);
    if (*slot >> 32 == set->stamp)
        return false;
    const size_t end = (set->count + 1) * set->length;
    if (end > set->tuple_capacity) {
        set->tuple_capacity = 2 * end;
        set->tuples = must(realloc(set->tuples, set->tuple_capacity * sizeof *set->tuples));
    }
    memcpy(set->tuples + set->count * set->length, tuple, set->length * sizeof *tuple);
    *slot = slot_content(set, set->count++);
    if (2 * set->count > set->slot_count)
        enlarge_slots(set);
    return true;
}

void oracle_set_free(oracle_set *set) {
    free(set->tuples);
    free(set->slots);
    *set = (oracle_set){0};
}
