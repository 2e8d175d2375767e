/* SPDX-License-Identifier: MIT */
/*
 * The one source of chance: xoshiro256++ seeded through splitmix64 (Blackman and Vigna's
 * generators, public domain algorithms). A stream is named by (seed, stream): different streams of
 * one seed are independent, so test 7 of a run can be made without making tests 0 to 6.
 */
#pragma once

#include <stdint.h>

typedef struct base_rng {
    uint64_t state[4];
} base_rng;

void base_rng_seed(base_rng *rng, uint64_t seed, uint64_t stream);

static inline uint64_t base_rotate(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t base_rng_next(base_rng *rng) {
    uint64_t *s = rng->state;
    const uint64_t result = base_rotate(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = base_rotate(s[3], 45);
    return result;
}

/* The next number of a sequence of one word of state: SplitMix64. For seeds, and for plug-ins. */
uint64_t base_splitmix(uint64_t *state);

/* 32 random bits scaled to 0..bound-1. The bias is below bound / 2^32: use it where the bound is a
 * count of threads or locations; base_rng_below is exact. */
static inline uint32_t base_scale(uint32_t bits, uint32_t bound) {
    return (uint32_t)(((uint64_t)bits * bound) >> 32);
}

/* Uniform in 0..bound-1, exactly. bound > 0. */
uint64_t base_rng_below(base_rng *rng, uint64_t bound);

/* Uniform in [0, 1), a multiple of 2^-53. */
double base_rng_unit(base_rng *rng);

/* Any member of a set, which is not empty: all bits with the same chance. */
uint32_t base_rng_pick(base_rng *rng, uint64_t set);

/* A uniformly random order of the items. */
void base_rng_shuffle(base_rng *rng, uint32_t *items, uint32_t count);

/* Weighted choice among a few alternatives in constant time (Walker's alias method). */

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
