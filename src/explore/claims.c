/* SPDX-License-Identifier: MIT */
/* Claims: see claims.h. Open addressing; a place is taken by its hash, and never given back. */
#include "explore/claims.h"

#include <stdlib.h>
#include <string.h>

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
static bool is_own(claim *c, uint64_t print) {
    uint64_t there = atomic_load_explicit(&c->print, memory_order_relaxed);
    if (there == 0 && atomic_compare_exchange_strong_explicit(
                          &c->print, &there, print, memory_order_relaxed, memory_order_relaxed))
        return true;
    return there == print;
}

static claim_result raise_to(claim *c, uint32_t priority) {
    uint32_t there = atomic_load_explicit(&c->priority, memory_order_relaxed);
    while (there < priority)
        if (atomic_compare_exchange_weak_explicit(&c->priority, &there, priority,
                                                  memory_order_relaxed, memory_order_relaxed))
            return CLAIM_STANDS;
    return CLAIM_LATE;
}

claim_result exp_claims_make(claim_table *t, uint64_t print, uint32_t number, uint32_t *place) {
    /* The lower bits: those of the table of known states are the upper ones. */
    *place = (uint32_t)(print & (t->places - 1));
    for (uint32_t i = 0; i < MOST_TRIES; i++, *place = (*place + 1) & (t->places - 1))
        if (is_own(&t->list[*place], print))
            return raise_to(&t->list[*place], ~number);
    return CLAIM_NO_ROOM;
}

bool exp_claims_stands(const claim_table *t, uint32_t place, uint32_t number) {
    return atomic_load_explicit(&t->list[place].priority, memory_order_relaxed) == ~number;
}

void exp_claims_expect(const claim_table *t, uint32_t place) {
    __builtin_prefetch((const void *)&t->list[place]);
}
