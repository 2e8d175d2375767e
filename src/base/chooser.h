/* SPDX-License-Identifier: MIT */
/* Weighted choice among a few alternatives in constant time (Walker's alias method). */
#ifndef BASE_CHOOSER_H
#define BASE_CHOOSER_H

#include "base/rng.h"

enum { BASE_CHOOSER_MOST = 32 };

typedef struct base_chooser {
    uint32_t count;
    uint64_t keep[BASE_CHOOSER_MOST]; /* below this, of 2^32: the slot's own alternative */
    uint32_t other[BASE_CHOOSER_MOST];
} base_chooser;

/* Weights are not negative and not all 0; they need not sum to 1. */
void base_chooser_build(base_chooser *chooser, const double *weights, uint32_t count);

static inline uint32_t base_chooser_pick(const base_chooser *chooser, uint64_t random) {
    const uint32_t slot = base_scale((uint32_t)(random >> 32), chooser->count);
    const uint32_t own = (uint32_t)random < chooser->keep[slot];
    /* own ? slot : other, without a branch that half of the time goes the other way. */
    return slot ^ ((slot ^ chooser->other[slot]) & (own - 1));
}

#endif
