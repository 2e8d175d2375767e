/* SPDX-License-Identifier: MIT */
/* The one source of chance: see rng.h. */
#include "base/rng.h"

#include "base/bits.h"

#include <assert.h>

uint64_t base_splitmix(uint64_t *x) {
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void base_rng_seed(base_rng *rng, uint64_t seed, uint64_t stream) {
    uint64_t x = seed;
    uint64_t y = base_splitmix(&x) ^ stream;
    uint64_t z = base_splitmix(&y);
    for (int i = 0; i < 4; i++)
        rng->state[i] = base_splitmix(&z);
}

uint64_t base_rng_below(base_rng *rng, uint64_t bound) {
    assert(bound > 0);
    /* Reject the few lowest values that would make the remainders uneven. */
    const uint64_t uneven = (0 - bound) % bound;
    uint64_t bits;
    do
        bits = base_rng_next(rng);
    while (bits < uneven);
    return bits % bound;
}

double base_rng_unit(base_rng *rng) {
    return (double)(base_rng_next(rng) >> 11) * 0x1p-53;
}

uint32_t base_rng_pick(base_rng *rng, uint64_t set) {
    for (uint64_t before = base_rng_below(rng, base_bit_count(set)); before > 0; before--)
        set &= set - 1;
    return base_lowest_bit(set);
}

void base_rng_shuffle(base_rng *rng, uint32_t *items, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        const uint64_t j = base_rng_below(rng, i);
        const uint32_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}
