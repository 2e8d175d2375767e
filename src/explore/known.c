/* SPDX-License-Identifier: MIT */
/* Known states: see known.h. */
#include "explore/known.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { CHUNK_WORDS = 1 << 20, FIRST_PRINTS = 1 << 16 };

typedef struct known_chunk {
    struct known_chunk *next;
    size_t used, taken;
    uint64_t words[CHUNK_WORDS];
} known_chunk;

uint64_t exp_known_print(const uint64_t *words, size_t count) {
    const uint64_t print = XXH3_64bits(words, count * sizeof *words);
    return print == 0 ? 1 : print;
}

/* ---- Hashes. */

static bool is_full(const known_states *k) {
    return k->prints == NULL || k->count * 3 > k->print_mask * 2;
}

static bool enlarge_prints(known_states *k) {
    const uint64_t mask = k->prints == NULL ? FIRST_PRINTS - 1 : k->print_mask * 2 + 1;
    uint64_t *fresh = calloc(mask + 1, sizeof *fresh);
    if (fresh == NULL)
        return false;
    for (uint64_t i = 0; k->prints != NULL && i <= k->print_mask; i++) {
        uint64_t place = k->prints[i] & mask;
        while (k->prints[i] != 0 && fresh[place] != 0)
            place = (place + 1) & mask;
        if (k->prints[i] != 0)
            fresh[place] = k->prints[i];
    }
    free(k->prints);
    k->prints = fresh;
    k->print_mask = mask;
    return true;
}

/* False: it was known. */
static bool note_print(known_states *k, uint64_t print) {
    uint64_t place = print & k->print_mask;
    for (; k->prints[place] != 0; place = (place + 1) & k->print_mask)
        if (k->prints[place] == print)
            return false;
    k->prints[place] = print;
    return true;
}

/* ---- States that wait. */

static bool append_chunk(known_states *k) {
    known_chunk *fresh = malloc(sizeof *fresh);
    if (fresh == NULL)
        return false;
    fresh->next = NULL;
    fresh->used = fresh->taken = 0;
    if (k->last != NULL)
        k->last->next = fresh;
    else
        k->first = fresh;
    k->last = fresh;
    k->waiting_bytes += sizeof *fresh;
    return true;
}

static bool append(known_states *k, const uint64_t *words, size_t count) {
    if (count + 1 > CHUNK_WORDS)
        return false;
    if ((k->last == NULL || k->last->used + count + 1 > CHUNK_WORDS) && !append_chunk(k))
        return false;
    uint64_t *place = k->last->words + k->last->used;
    place[0] = count;
    memcpy(place + 1, words, count * sizeof *words);
    k->last->used += count + 1;
    return true;
}

const uint64_t *exp_known_next(known_states *k) {
    while (k->first != NULL && k->first->taken == k->first->used) {
        known_chunk *done = k->first;
        if (done->next == NULL)
            return NULL;
        k->first = done->next;
        k->waiting_bytes -= sizeof *done;
        free(done);
    }
    if (k->first == NULL)
        return NULL;
    const uint64_t *state = k->first->words + k->first->taken;
    k->first->taken += state[0] + 1;
    return state;
}

/* ---- The whole. */

bool exp_known_note(known_states *k, const uint64_t *words, size_t count, found how) {
    if (is_full(k) && !enlarge_prints(k))
        return false;
    if (!note_print(k, exp_known_print(words, count)))
        return true;
    if (k->count == k->found_capacity) {
        const uint64_t capacity = k->found_capacity * 2 + 4096;
        found *grown = realloc(k->founds, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        k->founds = grown;
        k->found_capacity = capacity;
    }
    k->founds[k->count++] = how;
    return append(k, words, count);
}

uint64_t exp_known_bytes(const known_states *k) {
    return k->waiting_bytes + k->found_capacity * sizeof *k->founds +
           (k->prints == NULL ? 0 : (k->print_mask + 1) * sizeof *k->prints);
}

uint64_t exp_known_bytes_soon(const known_states *k) {
    return exp_known_bytes(k) +
           (is_full(k) && k->prints != NULL ? 2 * (k->print_mask + 1) * sizeof *k->prints : 0);
}

void exp_known_free(known_states *k) {
    while (k->first != NULL) {
        known_chunk *next = k->first->next;
        free(k->first);
        k->first = next;
    }
    free(k->prints);
    free(k->founds);
}
