/* SPDX-License-Identifier: MIT */
/* XXH3, compiled once (in hash.c) and under names of our own: its state lies on our stacks, so
 * hashing cannot fail, and no other version of the library meets a state that it does not know. */
#pragma once

#include "base/problem.h"

#define XXH_NAMESPACE base_
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

/*
 * Numbers of things by their hashes, in open addressing: the first thing gets 0, the next 1, and so
 * on. The index has the hashes alone; the things are the caller's, in a list by number. Look for a
 * thing, and put it in if it is not there:
 *
 *     number = base_index_find(&index, hash, is_same, &things, &thing);
 *     if (number == BASE_NO_NUMBER) ... append to the things, then base_index_put(&index, hash,
 * error)
 */

#define BASE_NO_NUMBER UINT32_MAX

/* Start from {0}. */
typedef struct base_index {
    uint32_t *slots;  /* a number + 1; 0: free */
    uint64_t *hashes; /* by number */
    size_t count, slot_count, capacity;
} base_index;

/* Is the thing of this number the wanted one? Their hashes are equal. */
typedef bool (*base_index_test)(const void *things, uint32_t number, const void *wanted);

/* Without a test the hash is all there is to a thing, such as when things are numbers. */
uint32_t base_index_find(const base_index *index, uint64_t hash, base_index_test test,
                         const void *things, const void *wanted);

/* The next number, `count`, is that of a thing with this hash, which must not be there. */
col_status base_index_put(base_index *index, uint64_t hash, col_problem *problem);

/* Reserves room for `count` entries: adding up to that many cannot fail. */
col_status base_index_reserve(base_index *index, size_t count, col_problem *problem);

void base_index_clear(base_index *index); /* the room stays */
void base_index_free(base_index *index);

/* A hash of a number: other numbers have other ones. */
static inline uint64_t base_index_hash(uint64_t number) {
    const uint64_t mixed = number * UINT64_C(0x9e3779b97f4a7c15);
    return mixed ^ mixed >> 32;
}
