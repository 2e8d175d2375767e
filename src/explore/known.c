/* SPDX-License-Identifier: MIT */
/*
 * Known states: see known.h. Open addressing, by the upper bits of the hash, so that a table of any
 * size is used evenly. It grows by two fifths when four fifths of it are full: between 10 and 14
 * bytes a state.
 */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): madvise
#include "explore/known.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_PLACES = 1 << 16, LARGE_BYTES = 1 << 22 };

/* ---- Memory. */

/* Places of zeros. A state may be anywhere in a large table: with large pages, the processor finds
 * its page sooner. NULL: no memory. */
static _Atomic uint64_t *new_prints(uint64_t places) {
    const size_t bytes = places * sizeof(uint64_t);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (bytes >= LARGE_BYTES)
        (void)madvise(memory, bytes, MADV_HUGEPAGE); /* if there are any */
    return memory;
}

static void free_prints(_Atomic uint64_t *prints, uint64_t places) {
    if (prints != NULL)
        (void)munmap((void *)prints, places * sizeof(uint64_t));
}

/* ---- States. */

uint64_t exp_known_print(const uint8_t *image, size_t bytes) {
    const uint64_t print = XXH3_64bits(image, bytes);
    return print == 0 ? 1 : print;
}

static uint64_t place_of(uint64_t print, uint64_t places) {
    return (uint64_t)((unsigned __int128)print * places >> 64);
}

static uint64_t after(uint64_t place, uint64_t places) {
    return place + 1 == places ? 0 : place + 1;
}

bool exp_known_open(known_states *k, bool is_exact) {
    *k = (known_states){.places = FIRST_PLACES, .is_exact = is_exact};
    k->prints = new_prints(k->places);
    k->images = is_exact ? calloc(k->places, sizeof *k->images) : NULL;
    return k->prints != NULL && (!is_exact || k->images != NULL);
}

void exp_known_close(known_states *k) {
    free_prints(k->prints, k->places);
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

known_result exp_known_add(known_states *k, uint64_t print, const uint8_t *image, size_t bytes) {
    for (uint64_t place = place_of(print, k->places);; place = after(place, k->places)) {
        uint64_t there = atomic_load_explicit(&k->prints[place], memory_order_relaxed);
        if (there == 0 &&
            atomic_compare_exchange_strong_explicit(&k->prints[place], &there, print,
                                                    memory_order_relaxed, memory_order_relaxed))
            return keep(k, place, image, bytes);
        if (there == print && is_same(k, place, image, bytes))
            return KNOWN_BEFORE;
    }
}

void exp_known_expect(const known_states *k, uint64_t print) {
    __builtin_prefetch((const void *)&k->prints[place_of(print, k->places)]);
}

bool exp_known_has(const known_states *k, uint64_t print) {
    for (uint64_t place = place_of(print, k->places);; place = after(place, k->places)) {
        const uint64_t there = atomic_load_explicit(&k->prints[place], memory_order_relaxed);
        if (there == 0 || there == print)
            return there == print;
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
    fresh.prints = new_prints(fresh.places);
    if (fresh.prints == NULL)
        return false;
    free_prints(k->prints, k->places);
    *k = fresh;
    return true;
}

bool exp_known_grow(known_states *k) {
    known_states fresh = {.places = grown(k), .count = k->count, .is_exact = k->is_exact};
    fresh.prints = new_prints(fresh.places);
    fresh.images = k->is_exact ? calloc(fresh.places, sizeof *fresh.images) : NULL;
    if (fresh.prints == NULL || (k->is_exact && fresh.images == NULL)) {
        free_prints(fresh.prints, fresh.places);
        free((void *)fresh.images);
        return false;
    }
    for (uint64_t i = 0; i < k->places; i++) {
        if (k->prints[i] == 0)
            continue;
        uint64_t place = place_of(k->prints[i], fresh.places);
        while (fresh.prints[place] != 0)
            place = after(place, fresh.places);
        atomic_store_explicit(&fresh.prints[place], k->prints[i], memory_order_relaxed);
        if (k->is_exact)
            fresh.images[place] = k->images[i];
    }
    fresh.kept = k->kept;
    free_prints(k->prints, k->places);
    free((void *)k->images);
    *k = fresh;
    return true;
}

static uint64_t bytes_of(const known_states *k, uint64_t places) {
    return places * (sizeof *k->prints + (k->is_exact ? sizeof *k->images : 0));
}

uint64_t exp_known_bytes(const known_states *k) {
    return bytes_of(k, k->places) + k->kept.bytes;
}

uint64_t exp_known_growing_bytes(const known_states *k) {
    return exp_known_bytes(k) + bytes_of(k, grown(k));
}
