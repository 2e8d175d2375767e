/* SPDX-License-Identifier: MIT */
/*
 * Known states: see state_table.h. Open addressing, by the upper bits of the hash, so that a table
 * of any size is used evenly. It grows by two fifths when four fifths of it are full: between 10
 * and 14 bytes a state.
 *
 * Invariants of known states, for threads that add and look without a lock:
 *  1. A place goes from 0 to a hash, once. Only growing moves hashes; one thread is there then.
 *  2. A hash is in the run of taken places that begins at its own: it is put into the first free
 * one by compare-and-swap. So whoever meets a free place before it knows that it was not there.
 *  3. There is a free place, so that looking ends: whoever adds has made room before.
 *  4. No hash is 0. A hash says all of a state, so nothing else must be seen together with it, and
 *     relaxed order is enough; an exact table, which has images, too, has one thread.
 *
 * Invariants of claims:
 *  5. A place goes from 0 to a hash, once, and its priority only rises. Numbers of claims differ,
 *     so the smallest stands in the end, whoever was first.
 *  6. No priority is 0: numbers are below UINT32_MAX.
 *  7. Which claim stands is asked when all were made: threads have met in between, so the
 *     priorities are seen without further order.
 */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): madvise
#include "protocol/explore/state_table.h"

#include "base/hash.h"
#include "base/problem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_PLACES = 1 << 16, LARGE_BYTES = 1 << 22 };

/* ---- Memory. */

/* Places of zeros. A state may be anywhere in a large table: with large pages, the processor finds
 * its page sooner. NULL: no memory. */
static _Atomic uint64_t *new_hashes(uint64_t places) {
    const size_t bytes = places * sizeof(uint64_t);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (bytes >= LARGE_BYTES)
        (void)madvise(memory, bytes, MADV_HUGEPAGE); /* if there are any */
    return memory;
}

static void free_hashes(_Atomic uint64_t *hashes, uint64_t places) {
    if (hashes != NULL)
        (void)munmap((void *)hashes, places * sizeof(uint64_t));
}

/* ---- States. */

uint64_t exp_known_hash(const uint8_t *image, size_t bytes) {
    const uint64_t hash = XXH3_64bits(image, bytes);
    return hash == 0 ? 1 : hash;
}

static uint64_t place_of(uint64_t hash, uint64_t places) {
    return (uint64_t)((unsigned __int128)hash * places >> 64);
}

static uint64_t after(uint64_t place, uint64_t places) {
    return place + 1 == places ? 0 : place + 1;
}

bool exp_known_open(known_states *k, bool is_exact) {
    *k = (known_states){.places = FIRST_PLACES, .is_exact = is_exact};
    k->hashes = new_hashes(k->places);
    k->images = is_exact ? calloc(k->places, sizeof *k->images) : NULL;
    return k->hashes != NULL && (!is_exact || k->images != NULL);
}

void exp_known_close(known_states *k) {
    free_hashes(k->hashes, k->places);
    free((void *)k->images);
    exp_queue_free(&k->kept);
    *k = (known_states){0};
}

/* Of an exact table: is it the state at this place? */
static bool is_same(const known_states *k, uint64_t place, const uint8_t *image, size_t bytes) {
    uint32_t length;
    if (!k->is_exact)
        return true;
    memcpy(&length, k->images[place], sizeof length);
    return length == bytes && memcmp(k->images[place] + sizeof length, image, bytes) == 0;
}

static known_result keep(known_states *k, uint64_t place, const uint8_t *image, size_t bytes) {
    if (!k->is_exact)
        return KNOWN_NEW;
    if (!exp_queue_add(&k->kept, image, (uint32_t)bytes))
        return KNOWN_NO_MEMORY;
    k->images[place] = exp_queue_take(&k->kept).image - sizeof(uint32_t);
    return KNOWN_NEW;
}

known_result exp_known_add(known_states *k, uint64_t hash, const uint8_t *image, size_t bytes) {
    base_invariant(k->count < k->places); /* 3 */
    base_invariant(hash != 0);            /* 4 */
    for (uint64_t place = place_of(hash, k->places);; place = after(place, k->places)) {
        uint64_t there = atomic_load_explicit(&k->hashes[place], memory_order_relaxed);
        if (there == 0 &&
            atomic_compare_exchange_strong_explicit(&k->hashes[place], &there, hash,
                                                    memory_order_relaxed, memory_order_relaxed))
            return keep(k, place, image, bytes);
        if (there == hash && is_same(k, place, image, bytes))
            return KNOWN_BEFORE;
    }
}

void exp_known_expect(const known_states *k, uint64_t hash) {
    __builtin_prefetch((const void *)&k->hashes[place_of(hash, k->places)]);
}

bool exp_known_has(const known_states *k, uint64_t hash) {
    for (uint64_t place = place_of(hash, k->places);; place = after(place, k->places)) {
        const uint64_t there = atomic_load_explicit(&k->hashes[place], memory_order_relaxed);
        if (there == 0 || there == hash)
            return there == hash;
    }
}

static uint64_t left(const known_states *k, uint64_t most) {
    return most > k->count ? most - k->count : 0;
}

uint64_t exp_known_room(const known_states *k) {
    return left(k, k->places / 5 * 4);
}

uint64_t exp_known_last_room(const known_states *k) {
    return left(k, k->places - k->places / 16);
}

static uint64_t grown(const known_states *k) {
    return k->places / 5 * 7;
}

bool exp_known_reserve(known_states *k, uint64_t count) {
    known_states fresh = *k;
    while (fresh.places / 5 * 4 < count)
        fresh.places = grown(&fresh);
    fresh.hashes = new_hashes(fresh.places);
    if (fresh.hashes == NULL)
        return false;
    free_hashes(k->hashes, k->places);
    *k = fresh;
    return true;
}

bool exp_known_grow(known_states *k) {
    known_states fresh = {.places = grown(k), .count = k->count, .is_exact = k->is_exact};
    fresh.hashes = new_hashes(fresh.places);
    fresh.images = k->is_exact ? calloc(fresh.places, sizeof *fresh.images) : NULL;
    if (fresh.hashes == NULL || (k->is_exact && fresh.images == NULL)) {
        free_hashes(fresh.hashes, fresh.places);
        free((void *)fresh.images);
        return false;
    }
    for (uint64_t i = 0; i < k->places; i++) {
        if (k->hashes[i] == 0)
            continue;
        uint64_t place = place_of(k->hashes[i], fresh.places);
        while (fresh.hashes[place] != 0)
            place = after(place, fresh.places);
        atomic_store_explicit(&fresh.hashes[place], k->hashes[i], memory_order_relaxed);
        base_costly_invariant(exp_known_has(&fresh, k->hashes[i])); /* 2 */
        if (k->is_exact)
            fresh.images[place] = k->images[i];
    }
    fresh.kept = k->kept;
    free_hashes(k->hashes, k->places);
    free((void *)k->images);
    *k = fresh;
    return true;
}

static uint64_t bytes_of(const known_states *k, uint64_t places) {
    return places * (sizeof *k->hashes + (k->is_exact ? sizeof *k->images : 0));
}

uint64_t exp_known_bytes(const known_states *k) {
    return bytes_of(k, k->places) + k->kept.bytes;
}

uint64_t exp_known_growing_bytes(const known_states *k) {
    return exp_known_bytes(k) + bytes_of(k, grown(k));
}

/* Claims. */

enum { LEAST_PLACES = 1 << 12, PLACES_EACH = 4, MOST_TRIES = 256 };

bool exp_claims_begin(claim_table *t, uint32_t states) {
    t->places = LEAST_PLACES;
    while (t->places / PLACES_EACH < states)
        t->places *= 2;
    if (t->places > t->capacity) {
        free(t->list);
        t->list = malloc(t->places * sizeof *t->list);
        t->capacity = t->list == NULL ? 0 : t->places;
    }
    if (t->list == NULL)
        return false;
    memset((void *)t->list, 0, t->places * sizeof *t->list);
    return true;
}

void exp_claims_free(claim_table *t) {
    free(t->list);
    *t = (claim_table){0};
}

/* Is the place the state's? It may become so now. */
static bool is_own(claim *c, uint64_t hash) {
    uint64_t there = atomic_load_explicit(&c->hash, memory_order_relaxed);
    if (there == 0 && atomic_compare_exchange_strong_explicit(
                          &c->hash, &there, hash, memory_order_relaxed, memory_order_relaxed))
        return true;
    return there == hash;
}

static claim_result raise_to(claim *c, uint32_t priority) {
    uint32_t there = atomic_load_explicit(&c->priority, memory_order_relaxed);
    while (there < priority)
        if (atomic_compare_exchange_weak_explicit(&c->priority, &there, priority,
                                                  memory_order_relaxed, memory_order_relaxed))
            return CLAIM_STANDS;
    return CLAIM_LATE;
}

claim_result exp_claims_make(claim_table *t, uint64_t hash, uint32_t number, uint32_t *place) {
    base_invariant(hash != 0 && number != UINT32_MAX); /* 5, 6 */
    /* The lower bits: those of the table of known states are the upper ones. */
    *place = (uint32_t)(hash & (t->places - 1));
    for (uint32_t i = 0; i < MOST_TRIES; i++, *place = (*place + 1) & (t->places - 1))
        if (is_own(&t->list[*place], hash))
            return raise_to(&t->list[*place], ~number);
    return CLAIM_NO_ROOM;
}

bool exp_claims_stands(const claim_table *t, uint32_t place, uint32_t number) {
    return atomic_load_explicit(&t->list[place].priority, memory_order_relaxed) == ~number;
}

void exp_claims_expect(const claim_table *t, uint32_t place) {
    __builtin_prefetch((const void *)&t->list[place]);
}
